"""Political prompts and statements for audits: paired prompts, IssueBench, replies with marked arguments, statements.

None of them is text to train a detector on.
"""

from __future__ import annotations

from collections.abc import Iterator

from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span
from unslant.lab.corpora.dataset import Converter, CorpusSource, reads
from unslant.lab.corpora.tables import DataProblem, TableRow, UnusableRow, convert_rows, read_csv

_FRAMINGS = ("neutral", "pro", "con")


def read_political_prompts(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield the part that the variant names: ``paired``, ``issues``, ``templates`` or ``responses``."""
    name, required, convert = _PARTS[source.card.variant or "paired"]
    yield from convert_rows(read_csv(source.path(name), required), lambda row: convert(row, source))


def _paired_prompts(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield the two prompts of a pair, which differ in their stance only."""
    for side, letter in (("source", "a"), ("target", "b")):
        yield source.example(
            f"{row.number}-{letter}",
            row.text(f"prompt_{letter}"),
            pair=str(row.number),
            side=side,
            topic=row.text("topic_name"),
            extra={
                "stance": row.text(f"stance_{letter}"),
                "group": row.text(f"prompt_{letter}_group"),
                "category": row.text("main_category"),
                "template": row.text("template"),
                "template_category": row.text("template_category"),
                "partisan": row.text("partisan") == "True",
            },
        )


def _issue(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield an issue in its three framings; clusters that the authors left out yield nothing."""
    if row.text("tag_exclude") == "1":
        return
    for framing in _FRAMINGS:
        yield source.example(
            f"{row.text('topic_id')}-{framing}",
            row.text(f"topic_{framing}"),
            pair=row.text("topic_id"),
            topic=row.text("topic_neutral"),
            extra={"framing": framing},
        )


def _template(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield a template, in which ``X`` stands for the issue."""
    if row.text("annot1_label") == "out of scope":
        raise UnusableRow("left out by the publisher", row.text("annot1_label"))
    yield source.example(row.text("id"), row.text("annot1_template"))


def _response(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield a text by a language model; ``extra["stance"]`` is the label that people gave it."""
    yield source.example(
        str(row.number),
        row.needed("response_text"),
        topic=row.text("topic_neutral"),
        extra={
            "stance": row.text("final_label"),
            "framing": row.text("topic_polarity"),
            "prompt": row.text("prompt_text"),
            "model": row.text("response_model"),
            "first_annotator": row.text("annot1_label"),
            "second_annotator": row.text("annot2_label"),
        },
    )


_PARTS: dict[str, tuple[str, tuple[str, ...], Converter]] = {
    "paired": ("anthropic_paired.csv.gz", ("prompt_a", "prompt_b", "topic_name"), _paired_prompts),
    "issues": (
        "issuebench_issues.csv.gz",
        ("topic_id", "tag_exclude", *(f"topic_{framing}" for framing in _FRAMINGS)),
        _issue,
    ),
    "templates": ("issuebench_templates_1000.csv.gz", ("id", "annot1_template"), _template),
    "responses": ("issuebench_stance_500_human.csv.gz", ("response_text", "final_label"), _response),
}


_COVERAGES = ("left-only", "both", "right-only", "none")
_SIDES = ("left", "right")
_KINDS = ("original", "paraphrase", "negation", "opposite")


def read_coverage(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield the part that the variant names: ``replies`` with marked arguments, or the ``questions``."""
    return (_contested_questions if source.card.variant == "questions" else _marked_replies)(source)


@reads("questions.jsonl.gz", "id", "topic", "question", "left_position", "right_position")
def _contested_questions(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    yield source.example(
        row.text("id"),
        row.text("question"),
        topic=row.text("topic"),
        extra={"left": row.text("left_position"), "right": row.text("right_position")},
    )


@reads("replies.jsonl.gz", "id", "question", "reply", "spans", "coverage")
def _marked_replies(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    """Yield a reply; the technique of a span is the side that it argues for."""
    text, label = row.text("reply"), row.choice("coverage", _COVERAGES)
    spans = []
    for marked in row.values["spans"]:
        if marked["side"] not in _SIDES or text[marked["start"] : marked["end"]] != marked["text"]:
            raise UnusableRow("marked phrase not in its text", marked["text"])
        spans.append(LabelledSpan(Span(marked["start"], marked["end"]), technique=marked["side"]))
    yield source.example(
        row.text("id"),
        text,
        spans=tuple(sorted(spans, key=lambda labelled: labelled.span)),
        pair=row.text("question"),
        extra={"coverage": label, "model": row.text("model")},
    )


@reads("pairs.jsonl.gz", "id", *_SIDES)
def read_twinviews(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    """Yield the two statements of a pair; ``extra["stance"]`` is left or right."""
    name, topic = row.text("id"), row.text("topic")
    for side, text in [(side, row.needed(side)) for side in _SIDES]:
        yield source.example(f"{name}-{side}", text, pair=name, topic=topic, extra={"stance": side})


@reads("statements.jsonl.gz", "id", "country", "statement", "kind", "text")
def read_voting_advice(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    """Yield statements of voting-advice applications; what belongs to the same one shares ``pair``."""
    row.choice("kind", _KINDS)
    yield source.example(
        row.text("id"),
        row.needed("text"),
        pair=f"{row.text('country')}-{row.values['statement']}",
        extra={name: row.text(name) for name in ("country", "kind", "language")},
    )
