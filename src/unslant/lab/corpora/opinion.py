"""Subjectivity, sentiment, emotion and stance: neighbours of slant, each with a label of its own in ``extra``.

None of these corpora asks whether a text is slanted, so their examples have no ``label``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from html import unescape

from unslant.core.example import Example, LabelledSpan
from unslant.lab.corpora.alignment import find_phrase
from unslant.lab.corpora.dataset import CorpusSource
from unslant.lab.corpora.problems import DataProblem
from unslant.lab.corpora.tables import TableRow, convert_rows, read_jsonl

__all__ = [
    "read_argument_stance",
    "read_headline_emotion",
    "read_newsmtsc",
    "read_sentiment",
    "read_subj",
    "read_warming_stance",
]

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
