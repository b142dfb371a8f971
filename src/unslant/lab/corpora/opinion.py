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
from unslant.lab.corpora.dataset import CorpusSource, Reader, reads
from unslant.lab.corpora.tables import DataProblem, TableRow, UnusableRow, convert_rows, read_jsonl, span_in

_LINE = re.compile(r"[^\n]*\S[^\n]*")
_SPLITS = ("train", "dev", "test")


@reads("articles.jsonl.gz", "id", "text", "spans")
def read_ptc(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    """Yield one example per article, or with ``ptc/sentences`` one per line, which mostly holds one sentence.

    A span that runs over several lines becomes one span in each.
    """
    text, name = row.text("text"), row.text("id")
    spans = _technique_spans([(s["start"], s["end"], s["technique"]) for s in row.values["spans"]], text)
    shared = {"document": name, "genre": "news"}
    if source.card.variant != "sentences":
        yield source.example(name, text, label=bool(spans), spans=spans, **shared)
        return
    for number, match in enumerate(_LINE.finditer(text), 1):
        inside = _clip(spans, Span(*match.span()))
        yield source.example(f"{name}-{number}", match[0], label=bool(inside), spans=inside, **shared)


def _technique_spans(items: Sequence[tuple[int, int, str]], text: str) -> tuple[LabelledSpan, ...]:
    spans = [LabelledSpan(span_in(text, start, end), technique=name) for start, end, name in items]
    return tuple(sorted(spans, key=lambda labelled: (labelled.span, labelled.technique or "")))


def _clip(spans: Sequence[LabelledSpan], line: Span) -> tuple[LabelledSpan, ...]:
    """Return the parts of spans that lie in a line, counted from its beginning."""
    inside = [labelled for labelled in spans if labelled.span.overlaps(line)]
    borders = [(max(each.span.start, line.start), min(each.span.end, line.end)) for each in inside]
    return tuple(
        LabelledSpan(Span(start - line.start, end - line.start), technique=labelled.technique)
        for labelled, (start, end) in zip(inside, borders, strict=True)
    )


@reads("paragraphs.jsonl.gz", "text", "techniques")
def read_persuasion(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    """Yield one example per paragraph, with the techniques used in it; no words are marked."""
    text, techniques = row.needed("text"), frozenset(row.values["techniques"])
    yield source.example(str(row.number), text, label=bool(techniques), techniques=techniques, genre="news")


@reads("spans.jsonl.gz", "id", "split", "text", "spans")
def read_memes(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    """Yield one example per meme, in the published splits; lines of the text are lines of the picture."""
    split, text = row.choice("split", _SPLITS), row.needed("text")
    spans = _technique_spans([tuple(item) for item in row.values["spans"]], text)
    yield source.example(f"{split}-{row.text('id')}", text, split=split, label=bool(spans), spans=spans)


def _labelled(
    file: str, name: str, known: tuple[object, ...], about: str, clean: Callable[[str], str] = str
) -> Reader:
    """Return the reader of texts with a label of their own, which becomes ``extra[name]``."""

    def convert(row: TableRow, source: CorpusSource) -> Iterator[Example]:
        label = row.choice(name, known)
        row.needed("text")
        yield source.example(str(row.number), clean(row.text("text")).strip(), extra={name: label})

    convert.__doc__ = about
    return reads(file, "text", name)(convert)


_POLARITIES = {2.0: "negative", 4.0: "neutral", 6.0: "positive"}
_TARGET_FILES = {"train": "train", "dev": "devtest_mt", "test": "devtest_rw"}
_STANCES = ("agree", "neutral", "disagree")

read_subj = _labelled(
    "sentences.jsonl.gz", "subjective", (0, 1), 'One example per sentence; ``extra["subjective"]`` is 1 or 0.'
)
read_sentiment = _labelled(
    "sentences.jsonl.gz", "sentiment", ("positive", "negative"), "One example per sentence of MPQA or SST-2."
)
read_warming_stance = _labelled(
    "sentences.jsonl.gz", "stance", _STANCES, "One example per news sentence: whether warming is serious."
)
read_argument_stance = _labelled(
    "pairs.jsonl.gz",
    "stance",
    _STANCES,
    "One example per argument, conclusion and premise in one text.",
    unescape,
)


@reads("headlines.jsonl.gz", "text", "cue", "experiencer")
def read_headline_emotion(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    """Yield one example per headline; the marked words are those that carry an emotion."""
    text, cue = row.needed("text"), row.text("cue")
    span = find_phrase(text, cue) if cue else None
    if cue and span is None:
        raise UnusableRow("marked phrase not in its text", cue)
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
