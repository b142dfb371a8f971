"""Applying edits, combining them, and counting what they change."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from unslant.text.diff import insertion
from unslant.text.words import split_words

if TYPE_CHECKING:
    from unslant.core.types import Edit

_JOINS = ("and", "or", "but")
"""Words that only join; a deletion takes them along."""


def sort_edits(edits: Iterable[Edit]) -> list[Edit]:
    """Return edits by position; a ``ValueError`` names the place where two overlap."""
    ordered = sorted(edits, key=lambda edit: edit.change)
    for left, right in pairwise(ordered):
        if right.start < left.end or left.change == right.change:
            raise ValueError(f"two edits overlap at {right.start}")
    return ordered


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with all edits applied; their order does not matter, and they must not overlap."""
    parts: list[str] = []
    at = 0
    for edit in sort_edits(edits):
        parts += (text[at : edit.start], edit.replacement)
        at = edit.end
    return "".join((*parts, text[at:]))


def join_edits(text: str, edits: Sequence[Edit]) -> Edit:
    """Return one edit that does what several do; the text between them stays as it is."""
    ordered = sort_edits(edits)
    if len(ordered) == 1:
        return ordered[0]
    start, end = ordered[0].start, ordered[-1].end
    replacement = apply_edits(text[start:end], [edit.shift(-start) for edit in ordered])
    return replace(ordered[0], end=end, replacement=replacement)


def move_offset(offset: int, edits: Sequence[Edit]) -> int:
    """Return where an offset is after edits in order; one inside an edit moves to the end of the replacement."""
    grown = list(accumulate(edit.growth for edit in edits))
    passed = bisect_right(edits, offset, key=lambda edit: edit.start)
    if passed and offset < edits[passed - 1].end:
        offset = edits[passed - 1].end
    return offset + (grown[passed - 1] if passed else 0)


def inserted_spans(edits: Sequence[Edit]) -> list[tuple[int, int]]:
    """Return where the replacement of each edit stands after all of them; edits are in order."""
    spans = []
    grown = 0
    for edit in edits:
        start = edit.start + grown
        spans.append((start, start + len(edit.replacement)))
        grown += edit.growth
    return spans


def rebase_back(edit: Edit, applied: Sequence[Edit]) -> Edit | None:
    """Return an edit of the text after other edits as one of the text before; None where it touches what they wrote."""
    moved = 0
    for other, (start, end) in zip(applied, inserted_spans(applied), strict=True):
        if edit.start >= end:
            moved -= other.growth
        elif edit.end > start:
            return None
    return edit.shift(moved) if edit.start + moved >= 0 else None


def trim_edit(text: str, edit: Edit) -> Edit:
    """Return the edit without the words that it writes as they were; tidying restores capitals and articles.

    *an iconic* → *a* only deletes *iconic*; *Clearly, the* → *The* only deletes *Clearly,*.
    """
    old, new = split_words(text[edit.start : edit.end]), split_words(edit.replacement)
    first, last, last_new = 0, len(old), len(new)
    while last and last_new and _same(old.plain[last - 1], new.plain[last_new - 1]):
        last, last_new = last - 1, last_new - 1
    while first < min(last, last_new) and _same(old.plain[first], new.plain[first]):
        first += 1
    kept = new.wording(first, last_new)
    if first < last:
        start, end = old.spans[first][0], old.spans[last - 1][1]
        return replace(edit, start=edit.start + start, end=edit.start + end, replacement=kept)
    if not kept or edit.start == edit.end:
        return edit
    whole = split_words(text)
    put_in = insertion(whole, whole.after(edit.start) + first, kept)
    return replace(edit, start=put_in.start, end=put_in.end, replacement=put_in.replacement)


def deleted_words(text: str, edit: Edit) -> str:
    """Return the words that go, if an edit does no more than leave out words; otherwise nothing.

    *failed miserably* → *failed* leaves out *miserably*, *cruel and long* → *long* leaves out *cruel*.
    """
    old = text[edit.start : edit.end]
    trimmed = trim_edit(old, edit.shift(-edit.start))
    if trimmed.replacement.strip() or trimmed.start == trimmed.end:
        return ""
    words = split_words(old[trimmed.start : trimmed.end])
    first, last = 0, len(words)
    while first < last and (words.plain[first] in _JOINS or not words.is_word(first)):
        first += 1
    while first < last and (words.plain[last - 1] in _JOINS or not words.is_word(last - 1)):
        last -= 1
    return words.wording(first, last) or words.text.strip()


def minimal_change(text: str, edit: Edit) -> tuple[int, int, str]:
    """Return what an edit does, letter by letter; edits that leave the same text have the same minimal change."""
    start, end, new = edit.change
    # a deletion in a run of equal letters could begin at any of them
    while not new and start > 0 and start < end and text[start - 1] == text[end - 1]:
        start, end = start - 1, end - 1
    while new and start < end and text[end - 1] == new[-1]:
        end, new = end - 1, new[:-1]
    while new and start < end and text[start] == new[0]:
        start, new = start + 1, new[1:]
    return start, end, new


def count_changed_words(text: str, edits: Iterable[Edit]) -> int:
    """Return how many words differ: for each edit the words deleted or the words written, whichever are more."""
    total = 0
    for edit in edits:
        old, new = split_words(text[edit.start : edit.end]), split_words(edit.replacement)
        gone = [word for at, word in enumerate(old.plain) if old.is_word(at)]
        come = [word for at, word in enumerate(new.plain) if new.is_word(at)]
        while gone and come and _same(gone[-1], come[-1]):
            gone.pop()
            come.pop()
        while gone and come and _same(gone[0], come[0]):
            del gone[0], come[0]
        total += max(len(gone), len(come))
    return total


def _same(word: str, other: str) -> bool:
    return word == other or {word, other} == {"a", "an"}
