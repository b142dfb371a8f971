"""Propaganda, subjectivity, sentiment, emotion and stance: corpora about neighbours of slant.

The three SemEval tasks on propaganda mark persuasion techniques. None of the other corpora asks whether a text is
slanted, so their examples have no ``label`` and keep one of their own in ``extra``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import unescape

from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span
from unslant.lab.corpora.alignment import find_phrase
from unslant.lab.corpora.dataset import CorpusSource
from unslant.lab.corpora.tables import DataProblem, TableRow, convert_rows, read_jsonl

_LINE = re.compile(r"[^\n]*\S[^\n]*")
_PROPAGANDA_SPLITS = {"train": "train", "dev": "dev", "test": "test"}


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
    text, split = row.text("text"), _PROPAGANDA_SPLITS.get(row.text("split"))
    if split is None:
        return row.problem("unknown label", row.text("split"))
    if not text.strip():
        return row.problem("empty text")
    spans = _technique_spans([tuple(item) for item in row.values["spans"]], text)
    if isinstance(spans, str):
        return row.problem("span outside the text", spans)
    return source.example(f"{split}-{row.text('id')}", text, split=split, label=bool(spans), spans=spans)


_POLARITIES = {2.0: "negative", 4.0: "neutral", 6.0: "positive"}
_TARGET_FILES = {"train": "train", "dev": "devtest_mt", "test": "devtest_rw"}
_SENTIMENTS = ("positive", "negative")
_STANCES = ("agree", "neutral", "disagree")


def read_subj(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per sentence; ``extra["subjective"]`` is 1 or 0."""
    rows = read_jsonl(source.path("sentences.jsonl.gz"), ("text", "subjective"))
    yield from convert_rows(rows, lambda row: [_with_label(row, source, "subjective", (0, 1))])


def read_sentiment(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per sentence of MPQA or SST-2; ``extra["sentiment"]`` is positive or negative."""
    rows = read_jsonl(source.path("sentences.jsonl.gz"), ("text", "sentiment"))
    yield from convert_rows(rows, lambda row: [_with_label(row, source, "sentiment", _SENTIMENTS)])


def read_warming_stance(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per news sentence; ``extra["stance"]`` says whether it agrees that warming is serious."""
    rows = read_jsonl(source.path("sentences.jsonl.gz"), ("text", "stance"))
    yield from convert_rows(rows, lambda row: [_with_label(row, source, "stance", _STANCES)])


def read_argument_stance(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per argument, conclusion and premise in one text; ``extra["stance"]`` is the premise's."""
    rows = read_jsonl(source.path("pairs.jsonl.gz"), ("text", "stance"))
    yield from convert_rows(rows, lambda row: [_with_label(row, source, "stance", _STANCES, unescape)])


def _with_label(
    row: TableRow,
    source: CorpusSource,
    name: str,
    known: tuple[object, ...],
    clean: Callable[[str], str] = str,
) -> Example | DataProblem:
    if row.values[name] not in known:
        return row.problem("unknown label", row.values[name])
    text = clean(row.text("text")).strip()
    if not text:
        return row.problem("empty text")
    return source.example(str(row.number), text, extra={name: row.values[name]})


def read_headline_emotion(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per headline; the marked words are those that carry an emotion."""
    rows = read_jsonl(source.path("headlines.jsonl.gz"), ("text", "cue", "experiencer"))
    yield from convert_rows(rows, lambda row: _headline(row, source))


def _headline(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    text, cue = row.text("text"), row.text("cue")
    if not text.strip():
        yield row.problem("empty text")
        return
    span = find_phrase(text, cue) if cue else None
    if cue and span is None:
        yield row.problem("marked phrase not in its text", cue)
        return
    yield source.example(
        str(row.number),
        text,
        spans=(LabelledSpan(span, technique="emotion"),) if span else (),
        genre="news",
        extra={"experiencer": row.text("experiencer")},
    )


def read_newsmtsc(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per target: a news sentence with the sentiment towards one person or group it mentions.

    The target is ``extra["mention"]``, from ``extra["start"]`` to ``extra["end"]``; those of a sentence share ``pair``.
    The multi-target set of the publication is ``dev``, its real-world set ``test``.
    """
    for split, name in _TARGET_FILES.items():
        rows = read_jsonl(source.path(f"{name}.jsonl.gz"), ("primary_gid", "sentence_normalized", "targets"))
        yield from convert_rows(rows, partial(_targets, split=split, source=source))


def _targets(row: TableRow, split: str, source: CorpusSource) -> Iterator[Example | DataProblem]:
    text = row.text("sentence_normalized")
    for target in row.values["targets"]:
        start, end = target["from"], target["to"]
        if target["polarity"] not in _POLARITIES:
            yield row.problem("unknown label", target["polarity"])
        elif text[start:end] != target["mention"]:
            yield row.problem("marked phrase not in its text", target["mention"])
        else:
            yield source.example(
                target["Input.gid"],
                text,
                split=split,
                pair=row.text("primary_gid"),
                genre="news",
                extra={
                    "sentiment": _POLARITIES[target["polarity"]],
                    "mention": target["mention"],
                    "start": start,
                    "end": end,
                },
            )
