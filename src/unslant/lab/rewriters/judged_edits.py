"""Edits with a verdict, to fit and to measure the judge of edits.

Good are the editors' own fixes, the slanted sides of contrast pairs with their fix, small edits for neutrality in an
encyclopedia, and edits that were judged good. Bad are edits that were judged wrong; the fix of a contrast pair in the
sentence where the word does not slant; the editors' fixes with words shifted, dropped or in another form; and deletions
from sentences in which an editor marked nothing. Of the edits that unslant itself could offer, those that do what the
editor did are good, and those that change words the editor left alone are bad.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from unslant.core.example import Example
from unslant.core.types import Edit
from unslant.lab import corpora
from unslant.lab.corpora.editor import EDITOR, MarkedPassage, part_of, read_passages
from unslant.rewrite.candidates import EditableSentence, Slot
from unslant.rewrite.planning import Planner
from unslant.spec import Spec
from unslant.text.edits import apply_edits
from unslant.text.function_words import FUNCTION
from unslant.text.reading import read
from unslant.text.tidy import tidy_edit
from unslant.text.words import split_words

__all__ = ["JudgedEdit", "judged_edits", "offered_by_document", "offered_edits"]

_FORMS = {"": ("s", "ed", "ing"), "s": ("", "ing"), "ed": ("", "ing", "s"), "ing": ("ed", "")}
_MORE = "editor_extra"
"""Further sentences with editors' fixes, for training only."""
_PAIRS = ("npov/tight", "wnc/notebook")
"""Sentences before and after a small edit for neutrality."""
_LONGEST = 12
"""Fixes that rewrite more words than this are sentences of their own, not edits."""
_SYNTHETIC = 0.5
"""The weight of an edit that nobody judged."""
_READ = 3.0
"""The weight of an edit that was judged by reading it, or written to be judged."""


@dataclass(frozen=True, slots=True)
class JudgedEdit:
    """A sentence before and after an edit, and whether the edit is good."""

    document: str
    part: str
    """``train``, ``calibration`` or ``dev``."""
    source: str
    """Where the verdict comes from: ``fix``, ``pair``, ``judged``, ``contrast``, ``damaged`` or ``offered``."""
    before: str
    after: str
    good: bool
    weight: float = 1.0


def judged_edits(data: str | Path | None, seed: int = 0) -> Iterator[JudgedEdit]:
    """Yield all edits with a verdict, none from the test part of the editors' corpus."""
    generator = random.Random(seed)  # noqa: S311
    sentences = [example for example in corpora.load(EDITOR, data) if example.split != "test"]
    by_id = {example.id.rpartition("/")[2]: example for example in sentences}
    for example in sentences:
        yield from _fixes(example, generator)
    yield from _deletions(sentences, generator)
    for example in corpora.load(_MORE, data):
        yield from _fixes(example, generator)
    for name in _PAIRS:
        yield from _pairs(corpora.load(name, data))
    for example in corpora.load("edits", data):
        span = (example.spans or ())[0]
        home = by_id.get(example.pair or "")
        yield JudgedEdit(
            str(home.document if home else example.pair),
            part_of(home) if home else "train",
            "judged",
            example.text,
            _apply(example.text, Edit(span.span.start, span.span.end, span.fix or "")),
            example.extra["verdict"] == "good",
            _READ,
        )
    yield from _contrasts(list(corpora.load("contrast", data)))


def _apply(text: str, edit: Edit) -> str:
    return apply_edits(text, [tidy_edit(text, edit)])


def _fixes(example: Example, generator: random.Random) -> Iterator[JudgedEdit]:
    """Yield the editor's fixes of a sentence, and damaged versions of them."""
    text, part, document = example.text, part_of(example), str(example.document)
    for span in example.spans or ():
        start, end = span.span.start, span.span.end
        if span.fix is None or len(text[start:end].split()) > _LONGEST:
            continue
        after = _apply(text, Edit(start, end, span.fix))
        yield JudgedEdit(document, part, "fix", text, after, good=True)
        made = {after, text}
        for edit in _damage(text, Edit(start, end, span.fix), generator):
            wrong = _apply(text, edit)
            if wrong not in made:
                made.add(wrong)
                yield JudgedEdit(document, part, "damaged", text, wrong, good=False, weight=_SYNTHETIC)


def _pairs(examples: Iterable[Example]) -> Iterator[JudgedEdit]:
    """Yield sentences before and after an edit, which are adjacent in the corpus."""
    before: Example | None = None
    for example in examples:
        if example.side == "source":
            before = example
        elif before is not None and before.pair == example.pair and before.text != example.text:
            name = f"{example.source}/{example.pair}"
            yield JudgedEdit(name, "train", "pair", before.text, example.text, good=True, weight=_SYNTHETIC)


def _damage(text: str, fix: Edit, generator: random.Random) -> Iterator[Edit]:
    """Yield two wrong versions of a fix: words shifted, missing, or in another form."""
    words = split_words(text)
    first, following = words.after(fix.start), words.after(fix.end)
    wrong: list[Edit] = []
    if following < len(words) and words.is_word(following):
        wrong.append(Edit(fix.start, words.spans[following][1], fix.replacement))
    if first > 0 and words.is_word(first - 1) and first < len(words):
        wrong.append(Edit(words.spans[first - 1][0], fix.end, fix.replacement))
    put = fix.replacement.split()
    if len(put) > 1:
        wrong += [
            Edit(fix.start, fix.end, " ".join(put[:-1])),
            Edit(fix.start, fix.end, " ".join(put[1:])),
        ]
    if put:
        wrong += [Edit(fix.start, fix.end, " ".join((*put[:-1], form))) for form in _other_forms(put[-1])]
        wrong.append(Edit(fix.start, fix.end, ""))
    elif following - first > 1:
        wrong.append(Edit(fix.start, words.spans[following - 2][1], ""))
    generator.shuffle(wrong)
    yield from wrong[:2]


def _other_forms(word: str) -> Iterator[str]:
    for ending in ("ing", "ed", "s", ""):
        if word.isalpha() and word.islower() and word.endswith(ending) and len(word) > len(ending) + 2:
            yield from (word[: len(word) - len(ending)] + other for other in _FORMS[ending])
            return


def _deletions(examples: Sequence[Example], generator: random.Random) -> Iterator[JudgedEdit]:
    """Yield deletions that no editor made: one or a few words of sentences without a mark."""
    for example in examples:
        words = split_words(example.text)
        if example.spans or len(words) < 8 or generator.random() < 0.4:
            continue
        at = generator.randrange(1, len(words) - 1)
        length = generator.choice((1, 1, 1, 2, 3))
        inside = range(at, min(at + length, len(words) - 1))
        if not any(words.is_word(each) and words.plain[each] not in FUNCTION for each in inside):
            continue
        edit = Edit(words.spans[at][0], words.spans[inside[-1]][1], "")
        after = _apply(example.text, edit)
        yield JudgedEdit(
            str(example.document),
            part_of(example),
            "damaged",
            example.text,
            after,
            good=False,
            weight=_SYNTHETIC,
        )


def _contrasts(examples: Iterable[Example]) -> Iterator[JudgedEdit]:
    """Yield the fix of each pair where the word is slanted, and the same fix where it is not."""
    fixes: dict[str, tuple[str, str]] = {}
    for number, example in enumerate(examples):
        pair = str(example.pair)
        part = "calibration" if number // 2 % 10 == 0 else "train"
        if example.spans:
            span = example.spans[0]
            if span.fix is None:
                continue
            fixes[pair] = (example.text[span.span.start : span.span.end], span.fix)
            after = _apply(example.text, Edit(span.span.start, span.span.end, span.fix))
            yield JudgedEdit(pair, part, "contrast", example.text, after, good=True, weight=_READ)
        elif pair in fixes:
            start, end = int(str(example.extra["start"])), int(str(example.extra["end"]))
            slanted, fix = fixes[pair]
            if slanted.lower() == example.text[start:end].lower():
                after = _apply(example.text, Edit(start, end, fix))
                yield JudgedEdit(pair, part, "contrast", example.text, after, good=False, weight=_READ)


def offered_edits(data: str | Path | None, spec: Spec, part: str) -> Iterator[JudgedEdit]:
    """Yield the edits that unslant could offer in one part of the editors' corpus, with the editor's verdict."""
    for _, edits in offered_by_document(data, spec, part):
        yield from edits


def offered_by_document(
    data: str | Path | None, spec: Spec, part: str, skip: Collection[str] = ()
) -> Iterator[tuple[str, list[JudgedEdit]]]:
    """Yield the same edits by document, with its name; some documents can be left out."""
    passages = [
        passage for passage in read_passages(corpora.load(EDITOR, data), part) if passage.id not in skip
    ]
    documents = (read(passage.text, "text", passage.id) for passage in passages)
    for passage, found in zip(passages, Planner(spec).candidates(documents), strict=True):
        edits = [
            edit
            for target, slots in found
            for slot in slots
            for edit in _decided_edits(passage, target, slot, part)
        ]
        yield passage.id, edits


def _decided_edits(
    passage: MarkedPassage, target: EditableSentence, slot: Slot, part: str
) -> Iterator[JudgedEdit]:
    """Yield the candidates for one span that do what the editor did, or change what the editor left alone."""
    text = target.text.replace("\0", " ")
    wanted = _wanted_fixes(passage, target.sentence.span.start, text)
    for candidate in slot.candidates:
        edit = tidy_edit(text, candidate.bare)
        if edit.start >= edit.end:
            continue
        after = apply_edits(text, [edit])
        touched = [after == fixed for start, end, fixed in wanted if start < edit.end and edit.start < end]
        if not touched or any(touched):
            yield JudgedEdit(passage.id, part, "offered", text, after, good=any(touched))


def _wanted_fixes(passage: MarkedPassage, base: int, text: str) -> list[tuple[int, int, str | None]]:
    """Return the spans that the editor marked in a sentence, and the sentence with each fix."""
    found: list[tuple[int, int, str | None]] = []
    for marked in passage.marked:
        start, end = marked.span.start - base, marked.span.end - base
        if start >= 0 and end <= len(text):
            fixed = _apply(text, Edit(start, end, marked.fix)) if marked.fix is not None else None
            found.append((start, end, fixed))
        elif start < len(text) and end > 0:
            found.append((start, end, None))
    return found
