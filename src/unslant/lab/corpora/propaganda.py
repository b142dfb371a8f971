"""Propaganda and persuasion techniques: articles, paragraphs and memes of three SemEval tasks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span
from unslant.lab.corpora.dataset import CorpusSource
from unslant.lab.corpora.problems import DataProblem
from unslant.lab.corpora.tables import TableRow, convert_rows, read_jsonl

__all__ = ["read_memes", "read_persuasion", "read_ptc"]

_LINE = re.compile(r"[^\n]*\S[^\n]*")
_SPLITS = {"train": "train", "dev": "dev", "test": "test"}


def read_ptc(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per article, or with ``ptc/sentences`` one per line, which mostly holds one sentence.

    A span that runs over several lines becomes one span in each.
    """
    lines = source.card.variant == "sentences"
    rows = read_jsonl(source.path("articles.jsonl.gz"), ("id", "text", "spans"))
    yield from convert_rows(rows, lambda row: _article(row, lines, source))


def _article(row: TableRow, lines: bool, source: CorpusSource) -> Iterator[Example | DataProblem]:
    text, name = row.text("text"), row.text("id")
    spans = _technique_spans([(s["start"], s["end"], s["technique"]) for s in row.values["spans"]], text)
    if isinstance(spans, str):
        yield row.problem("span outside the text", spans)
    elif not lines:
        yield source.example(name, text, label=bool(spans), spans=spans, document=name, genre="news")
    else:
        for number, match in enumerate(_LINE.finditer(text), 1):
            inside = _clip(spans, Span(*match.span()))
            yield source.example(
                f"{name}-{number}",
                match[0],
                label=bool(inside),
                spans=inside,
                document=name,
                genre="news",
            )


def _technique_spans(items: Sequence[tuple[int, int, str]], text: str) -> tuple[LabelledSpan, ...] | str:
    """Return the spans in order, or what is wrong with one."""
    for start, end, _ in items:
        if not 0 <= start < end <= len(text):
            return f"[{start}, {end}) in a text of {len(text)}"
    spans = (LabelledSpan(Span(start, end), technique=technique) for start, end, technique in items)
    return tuple(sorted(spans, key=lambda labelled: (labelled.span, labelled.technique or "")))


def _clip(spans: Sequence[LabelledSpan], line: Span) -> tuple[LabelledSpan, ...]:
    """Return the parts of spans that lie in a line, counted from its beginning."""
    return tuple(
        LabelledSpan(
            Span(
                max(labelled.span.start, line.start) - line.start,
                min(labelled.span.end, line.end) - line.start,
            ),
            technique=labelled.technique,
        )
        for labelled in spans
        if labelled.span.overlaps(line)
    )


def read_persuasion(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per paragraph, with the techniques used in it; no words are marked."""
    rows = read_jsonl(source.path("paragraphs.jsonl.gz"), ("text", "techniques"))
    yield from convert_rows(rows, lambda row: [_paragraph(row, source)])


def _paragraph(row: TableRow, source: CorpusSource) -> Example | DataProblem:
    if not row.text("text").strip():
        return row.problem("empty text")
    techniques = frozenset(row.values["techniques"])
    return source.example(
        str(row.number), row.text("text"), label=bool(techniques), techniques=techniques, genre="news"
    )


def read_memes(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per meme, in the published splits; lines of the text are lines of the picture."""
    rows = read_jsonl(source.path("spans.jsonl.gz"), ("id", "split", "text", "spans"))
    yield from convert_rows(rows, lambda row: [_meme(row, source)])


def _meme(row: TableRow, source: CorpusSource) -> Example | DataProblem:
    text, split = row.text("text"), _SPLITS.get(row.text("split"))
    if split is None:
        return row.problem("unknown label", row.text("split"))
    if not text.strip():
        return row.problem("empty text")
    spans = _technique_spans([tuple(item) for item in row.values["spans"]], text)
    if isinstance(spans, str):
        return row.problem("span outside the text", spans)
    return source.example(f"{split}-{row.text('id')}", text, split=split, label=bool(spans), spans=spans)
