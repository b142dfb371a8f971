"""Political prompts and statements for audits: paired prompts, IssueBench, replies with marked arguments, statements.

None of them is text to train a detector on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span
from unslant.lab.corpora.dataset import CorpusSource
from unslant.lab.corpora.tables import DataProblem, TableRow, convert_rows, read_csv, read_jsonl

_FRAMINGS = ("neutral", "pro", "con")
_Converter = Callable[[TableRow, CorpusSource], Iterator[Example | DataProblem]]


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
        yield row.problem("left out by the publisher", row.text("annot1_label"))
    else:
        yield source.example(row.text("id"), row.text("annot1_template"))


def _response(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield a text by a language model; ``extra["stance"]`` is the label that people gave it."""
    if not row.text("response_text").strip():
        yield row.problem("empty text")
        return
    yield source.example(
        str(row.number),
        row.text("response_text"),
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


_PARTS: dict[str, tuple[str, tuple[str, ...], _Converter]] = {
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
    if source.card.variant == "questions":
        required = ("id", "topic", "question", "left_position", "right_position")
        rows = read_jsonl(source.path("questions.jsonl.gz"), required)
        yield from convert_rows(rows, lambda row: [_contested_question(row, source)])
    else:
        rows = read_jsonl(source.path("replies.jsonl.gz"), ("id", "question", "reply", "spans", "coverage"))
        yield from convert_rows(rows, lambda row: [_marked_reply(row, source)])


def _contested_question(row: TableRow, source: CorpusSource) -> Example:
    return source.example(
        row.text("id"),
        row.text("question"),
        topic=row.text("topic"),
        extra={"left": row.text("left_position"), "right": row.text("right_position")},
    )


def _marked_reply(row: TableRow, source: CorpusSource) -> Example | DataProblem:
    """Return a reply; the technique of a span is the side that it argues for."""
    text, label = row.text("reply"), row.text("coverage")
    if label not in _COVERAGES:
        return row.problem("unknown label", label)
    spans = []
    for marked in row.values["spans"]:
        if marked["side"] not in _SIDES or text[marked["start"] : marked["end"]] != marked["text"]:
            return row.problem("marked phrase not in its text", marked["text"])
        spans.append(LabelledSpan(Span(marked["start"], marked["end"]), technique=marked["side"]))
    return source.example(
        row.text("id"),
        text,
        spans=tuple(sorted(spans, key=lambda labelled: labelled.span)),
        pair=row.text("question"),
        extra={"coverage": label, "model": row.text("model")},
    )


def read_twinviews(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield the two statements of a pair; ``extra["stance"]`` is left or right."""
    rows = read_jsonl(source.path("pairs.jsonl.gz"), ("id", *_SIDES))
    yield from convert_rows(rows, lambda row: _twins(row, source))


def _twins(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    if not all(row.text(side).strip() for side in _SIDES):
        yield row.problem("empty text")
        return
    for side in _SIDES:
        yield source.example(
            f"{row.text('id')}-{side}",
            row.text(side),
            pair=row.text("id"),
            topic=row.text("topic"),
            extra={"stance": side},
        )


def read_voting_advice(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield statements of voting-advice applications; what belongs to the same one shares ``pair``."""
    rows = read_jsonl(source.path("statements.jsonl.gz"), ("id", "country", "statement", "kind", "text"))
    yield from convert_rows(rows, lambda row: [_statement(row, source)])


def _statement(row: TableRow, source: CorpusSource) -> Example | DataProblem:
    if row.text("kind") not in _KINDS:
        return row.problem("unknown label", row.text("kind"))
    if not row.text("text").strip():
        return row.problem("empty text")
    return source.example(
        row.text("id"),
        row.text("text"),
        pair=f"{row.text('country')}-{row.values['statement']}",
        extra={name: row.text(name) for name in ("country", "kind", "language")},
    )
