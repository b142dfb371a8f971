"""News sentences with a judgement of bias: anno-lexical, MultiDimNews and a crowd's ratings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from unslant.core.example import Example
from unslant.lab.corpora.dataset import CorpusSource
from unslant.lab.corpora.problems import DataProblem
from unslant.lab.corpora.tables import TableRow, convert_rows, read_jsonl, read_parquet

__all__ = ["read_anno_lexical", "read_crowd_bias", "read_multi_dim_news"]

_MODELS = ("zephyr", "openchat", "llama")
_LEANINGS = {"Left": "left", "Lean Left": "left", "Center": "center", "Lean Right": "right", "Right": "right"}
_DIMENSIONS = {"framing": "framing", "hidden_assumpt": "hidden_assumptions", "subj": "subjectivity"}


def read_anno_lexical(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per sentence in the published splits; with ``anno_lexical/votes`` the votes of each model."""
    if source.card.variant == "votes":
        columns = ("text", "source_name", "source_party", *_MODELS, "share", "label", "sentence_id")
        rows = read_parquet(source.path("votes.parquet"), columns)
        yield from convert_rows(rows, lambda row: [_voted(row, source)])
        return
    for split in ("train", "dev", "test"):
        rows = read_parquet(
            source.path(f"anno-lexical-{split}.parquet"), ("text", "source_name", "label", "sentence_id")
        )
        yield from convert_rows(rows, partial(_majority, split=split, source=source))


def _majority(row: TableRow, split: str, source: CorpusSource) -> Iterator[Example | DataProblem]:
    if row.values["label"] not in (0, 1):
        yield row.problem("unknown label", row.values["label"])
    elif not row.text("text").strip():
        yield row.problem("empty text")
    else:
        yield source.example(
            row.text("sentence_id"),
            row.text("text"),
            split=split,
            label=bool(row.values["label"]),
            outlet=row.text("source_name") or None,
        )


def _voted(row: TableRow, source: CorpusSource) -> Example | DataProblem:
    if row.values["label"] not in (0, 1) or any(row.values[model] not in (0, 1) for model in _MODELS):
        return row.problem("unknown label", row.values["label"])
    if not row.text("text").strip():
        return row.problem("empty text")
    return source.example(
        row.text("sentence_id"),
        row.text("text"),
        label=bool(row.values["label"]),
        share=row.values["share"],
        outlet=row.text("source_name") or None,
        leaning=_LEANINGS.get(row.text("source_party")),
        extra={
            **{model: row.values[model] for model in _MODELS},
            "anno_lexical_split": row.text("anno_lexical_split") or None,
        },
    )


def read_multi_dim_news(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per sentence; framing, hidden assumptions and subjectivity are in ``extra``, 1 or 0."""
    rows = read_jsonl(source.path("sentences.jsonl.gz"), ("text", "bias", *_DIMENSIONS))
    yield from convert_rows(rows, lambda row: [_multi_dim(row, source)])


def _multi_dim(row: TableRow, source: CorpusSource) -> Example | DataProblem:
    if row.values["bias"] not in (0, 1):
        return row.problem("unknown label", row.values["bias"])
    if not row.text("text").strip():
        return row.problem("empty text")
    return source.example(
        str(row.number),
        row.text("text"),
        label=bool(row.values["bias"]),
        genre="news",
        extra={name: row.values[column] for column, name in _DIMENSIONS.items()},
    )


def read_crowd_bias(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per sentence; ``share`` is the mean rating of five workers, scaled to 0 to 1."""
    rows = read_jsonl(source.path("sentences.jsonl.gz"), ("text", "share"))
    yield from convert_rows(rows, lambda row: [_rated(row, source)])


def _rated(row: TableRow, source: CorpusSource) -> Example | DataProblem:
    if not row.text("text").strip():
        return row.problem("empty text")
    return source.example(str(row.number), row.text("text"), share=float(row.values["share"]), genre="news")
