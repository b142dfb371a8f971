"""Marked words and what stands in their place: what the rewriter of ``unslant fix`` learns from."""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unslant.core.example import Example
from unslant.core.types import Edit, Span
from unslant.lab import corpora
from unslant.lab.corpora.catalogue import data_folders
from unslant.lab.corpora.editor import LABELLED, join_labels, part_of
from unslant.lab.corpora.tables import CorpusMissing
from unslant.lab.corpora.verdicts import teaches_judging, texts_of
from unslant.lab.wiki.pairing import split_sentences
from unslant.protocols import WordsInSentence
from unslant.rewriter.passage import as_query, as_target
from unslant.text.diff import edited_pairs
from unslant.text.edits import trim_edit
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
    good: bool | None = None
    """What a reader said of the wording; None: it is one to write."""


def as_lesson(fix: Fix) -> Lesson | None:
    """Return a fix as the network learns it; None if its wording names a side that the passage does not name."""
    query = as_query(fix.passage)
    if query.sides.names_other(fix.wording):
        return None
    return Lesson(query.text, as_target(fix.wording, query.sides))


def judged_lessons(rows: Sequence[Mapping[str, Any]], data: str | Path | None) -> Iterator[Lesson]:
    """Yield wordings that were read, with the verdict; only of documents that the rewriter may learn from."""
    rows = [row for row in rows if teaches_judging(str(row["document"]))]
    texts = texts_of({str(row["document"]) for row in rows}, data)
    places = {name: _sentences(text) for name, text in texts.items()}
    for row in rows:
        text, name = texts.get(str(row["document"]), ""), str(row["document"])
        sentences = places.get(name, [])
        number = next(
            (n for n, span in enumerate(sentences) if span.contains(Span(row["start"], row["end"]))), None
        )
        if number is None:
            continue
        sentence = sentences[number]
        own = text[sentence.start : sentence.end]
        before = text[sentences[number - 1].start : sentences[number - 1].end] if number else ""
        edit = trim_edit(
            own, Edit(row["start"] - sentence.start, row["end"] - sentence.start, row["replacement"])
        )
        if edit.start < edit.end:
            marked = WordsInSentence(own, Span(edit.start, edit.end), row.get("technique"), before)
            lesson = as_lesson(Fix(marked, edit.replacement))
            if lesson is not None:
                yield replace(lesson, good=row["verdict"] == "good")


def _sentences(text: str) -> list[Span]:
    found, at = [], 0
    for sentence in split_sentences(text):
        start = text.find(sentence, at)
        if start >= 0:
            at = start + len(sentence)
            found.append(Span(start, at))
    return found


def made_lessons(fixes: Sequence[Fix], rng: random.Random) -> Iterator[Lesson]:
    """Yield editors' fixes as good wordings, and for each one that is wrong in the same place.

    Wrong are the words that stood there, the fix without its first or last word, no words at all where the editor wrote
    some, and what an editor wrote elsewhere.
    """
    for fix in fixes:
        old = fix.passage.sentence[fix.passage.span.start : fix.passage.span.end]
        words = fix.wording.split()
        other = rng.choice(fixes).wording
        wrong = [old, *([other] * 2 if other != fix.wording else [])]
        if words:
            wrong.append("")
        if len(words) > 1:
            wrong += [" ".join(words[1:]), " ".join(words[:-1])]
        for wording, good in ((fix.wording, True), (rng.choice(wrong), False)):
            lesson = as_lesson(Fix(fix.passage, wording))
            if lesson is not None:
                yield replace(lesson, good=good)


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
            (known, start.start(), end.end() if known is replaced else start.start())
            for known in (replaced, deleted)
            for size in ((1, 2, 3) if known is replaced else (1,))
            for start, end in zip(words, words[size - 1 :], strict=False)
            if sentence[start.start() : end.end()].lower() in known
        ]
        if not places:
            continue
        known, start, end = rng.choice(places)
        key = sentence[start:end].lower() if known is replaced else COMPOUND.match(sentence, start)[0].lower()  # type: ignore[index]
        fix = rng.choice(known[key])
        old = fix.passage.sentence[fix.passage.span.start : fix.passage.span.end]
        if start and old[:1].isupper() and not sentence[start].isupper():
            old = old[0].lower() + old[1:]
        gap = "" if known is replaced else " "
        text = sentence[:start] + old + gap + sentence[end:]
        wording = sentence[start:end] if known is replaced else ""
        yield Fix(WordsInSentence(text, Span(start, start + len(old)), fix.passage.technique), wording)
