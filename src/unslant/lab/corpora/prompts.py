"""Political prompts for audits: paired prompts with opposite stances, and IssueBench. Not training text."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from unslant.core.example import Example
from unslant.lab.corpora.dataset import CorpusSource
from unslant.lab.corpora.tables import DataProblem, TableRow, convert_rows, read_csv

__all__ = ["read_political_prompts"]

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
