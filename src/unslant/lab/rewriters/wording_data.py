"""Marked words and what stands in their place: what the rewriter of ``unslant fix`` learns from."""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from unslant.core.example import Example
from unslant.core.types import Span
from unslant.lab import corpora
from unslant.lab.corpora.catalogue import data_folders
from unslant.lab.corpora.editor import LABELLED, join_labels, part_of
from unslant.lab.corpora.tables import CorpusMissing
from unslant.protocols import WordsInSentence
from unslant.rewriter.passage import as_query, as_target
from unslant.text.diff import edited_pairs
from unslant.text.words import COMPOUND


@dataclass(frozen=True, slots=True)
class Fix:
    """Marked words, and what an editor wrote in their place."""

    passage: WordsInSentence
    wording: str
    grade: str | None = None
    document: str | None = None
    part: str = "train"
    """The part of its corpus: ``train``, ``calibration``, ``dev`` or ``test``."""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What the network reads, and what it should write."""

    query: str
    target: str


def as_lesson(fix: Fix) -> Lesson | None:
    """Return a fix as the network learns it; None if its wording names a side that the passage does not name."""
    query = as_query(fix.passage)
    if query.sides.names_other(fix.wording):
        return None
    return Lesson(query.text, as_target(fix.wording, query.sides))


def load_corpus(name: str, data: str | Path | None) -> list[Example]:
    """Return the examples of a corpus; labels that ship with unslant are joined with the text they belong to."""
    try:
        return list(corpora.load(name, data))
    except CorpusMissing:
        if name not in LABELLED:
            raise
    with tempfile.TemporaryDirectory() as folder:
        join_labels(name, data_folders(data)[0], Path(folder) / name)
        return list(corpora.load(name, folder))


def fixes_of_editors(examples: Iterable[Example]) -> Iterator[Fix]:
    """Yield what editors wrote in place of what they marked, with the sentence before as context."""
    last: Example | None = None
    for example in examples:
        connected = last is not None and example.extra.get("connected") and last.document == example.document
        before = last.text if connected and last is not None else ""
        last = example
        for marked in example.spans or ():
            if marked.fix is not None:
                yield Fix(
                    WordsInSentence(example.text, marked.span, marked.technique, before),
                    marked.fix,
                    marked.grade,
                    example.document,
                    part_of(example),
                    f"{example.id}:{marked.span.start}",
                )


def unmarked(examples: Iterable[Example]) -> Iterator[Fix]:
    """Yield the words of contrast pairs that no editor would touch: their wording is what they are."""
    for example in examples:
        start, end = example.extra.get("start"), example.extra.get("end")
        if example.side == "target" and isinstance(start, int) and isinstance(end, int):
            yield Fix(WordsInSentence(example.text, Span(start, end)), example.text[start:end])


_FACT = re.compile(r"\d|(?<!^)(?<![.!?] )\b[A-Z]")
_LONGEST = 5


def fixes_of_pairs(examples: Iterable[Example]) -> Iterator[Fix]:
    """Yield each edit of sentence pairs that changes a few words and neither a number nor a name."""
    sources: dict[str, Example] = {}
    for example in examples:
        if example.pair is None or example.split in ("dev", "test"):
            continue
        if example.side == "source":
            sources[example.pair] = example
            continue
        source = sources.pop(example.pair, None)
        if source is None:
            continue
        for edit in edited_pairs(source.text, example.text):
            if edit.source is None:
                continue
            old = source.text[edit.source.start : edit.source.end]
            new = example.text[edit.target.start : edit.target.end] if edit.target else ""
            if len(old.split()) > _LONGEST or not re.search(r"\w", old) or _FACT.search(old + " " + new):
                continue
            yield Fix(WordsInSentence(source.text, edit.source), new, id=f"{source.id}:{edit.source.start}")


def reversed_fixes(fixes: Sequence[Fix], sentences: Iterable[str], rng: random.Random) -> Iterator[Fix]:
    """Yield neutral sentences into which words that editors took out were put back.

    Words that an editor replaced come in where their replacement stands; words that an editor deleted, before a word
    that they stood before.
    """
    replaced: dict[str, list[Fix]] = {}
    deleted: dict[str, list[Fix]] = {}
    for fix in fixes:
        sentence, span = fix.passage.sentence, fix.passage.span
        if fix.wording:
            if len(fix.wording) > 4 and len(fix.wording.split()) <= 3:
                replaced.setdefault(fix.wording.lower(), []).append(fix)
        elif (following := COMPOUND.match(sentence, span.end + 1)) and len(following[0]) > 3:
            deleted.setdefault(following[0].lower(), []).append(fix)
    for sentence in sentences:
        words = list(COMPOUND.finditer(sentence))
        places = [
            (known, Span(start.start(), end.end()))
            for known, sizes in ((replaced, (1, 2, 3)), (deleted, (1,)))
            for size in sizes
            for start, end in zip(words, words[size - 1 :], strict=False)
            if sentence[start.start() : end.end()].lower() in known
        ]
        if places:
            known, place = rng.choice(places)
            fix = rng.choice(known[sentence[place.start : place.end].lower()])
            yield _put_back(fix, sentence, place if known is replaced else None, place.start)


def _put_back(fix: Fix, sentence: str, place: Span | None, start: int) -> Fix:
    """Return a sentence with the words of a fix, in place of other words or before what stands at ``start``."""
    old = fix.passage.sentence[fix.passage.span.start : fix.passage.span.end]
    if start and old[:1].isupper() and not sentence[start].isupper():
        old = old[0].lower() + old[1:]
    wording, rest = (
        (sentence[start : place.end], sentence[place.end :]) if place else ("", " " + sentence[start:])
    )
    text = sentence[:start] + old + rest
    return Fix(WordsInSentence(text, Span(start, start + len(old)), fix.passage.technique), wording)
