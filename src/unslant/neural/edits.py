"""From edits of words to changes of a text: joined where they meet, with white space and capitals in order.

A network chooses what happens to words: they go, something else is written, or something is put before them. Here
those choices become changes of the text, so that a change never leaves a double space, a lone comma or a sentence that
begins small. What no change covers stays as it was, to the letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from unslant.core.types import Span
from unslant.neural.edit_labels import DELETE, KEEP, Op, label, op_of

__all__ = [
    "DELETE",
    "KEEP",
    "Change",
    "Op",
    "Suggested",
    "apply",
    "changes",
    "label",
    "op_of",
    "settled",
    "tidy",
]

_CLOSERS = frozenset(",.;:?!)]}%'\u2019\u201d")
_OPENERS = frozenset("([{\u201c\u2018")
_SMALL = frozenset(
    "a an the this that these those it its he she they we his her their our in on at by for from of to with as after "
    "before during since while when where although though because if some many most several all both each one other "
    "there here and but or not".split()
)


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """A stretch of a text and what stands there afterwards; where nothing is replaced, start and end are equal."""

    start: int
    end: int
    text: str


def changes(text: str, chosen: Iterable[tuple[Span, Op]]) -> list[Change]:
    """Turn the edits of words, in order, into changes; those with nothing but white space between become one."""
    found: list[Change] = []
    for word, op in chosen:
        if op.kind == "keep":
            continue
        end = word.start if op.kind == "before" else word.end
        one = Change(word.start, end, op.text)
        if found and not text[found[-1].end : one.start].strip():
            found[-1] = _joined(text, found[-1], one)
        else:
            found.append(one)
    return found


def _joined(text: str, left: Change, right: Change) -> Change:
    between = (text[left.end : right.start] or " ") if left.text and right.text else ""
    if right.text[:1] in _CLOSERS:
        between = ""
    # what is put before a word leaves the gap before it as it was
    end = left.end if right.start == right.end else right.end
    return Change(left.start, end, left.text + between + right.text)


def tidy(text: str, change: Change) -> Change:
    """Return the change with the white space and the capital that it needs; the wording is the same."""
    return _capital(text, _spaced(text, _no_lone_comma(text, change)))


def settled(text: str, some: Sequence[Change]) -> list[Change]:
    """Tidy changes that are made together; none reaches into the next."""
    found: list[Change] = []
    for change, following in zip(some, [*(one.start for one in some[1:]), len(text)], strict=False):
        one = tidy(text, change)
        one = one if one.end <= following else _spaced(text, change)
        # what went with the last change, such as the space after it, is gone
        start = max(one.start, found[-1].end if found else 0)
        found.append(replace(one, start=start, end=max(one.end, start)))
    return found


def _spaced(text: str, change: Change) -> Change:
    if not change.text:
        return _deleted(text, change)
    if change.start == change.end:
        return _inserted(text, change)
    # where a mark stood between, two words would become one
    right = " " if change.text[-1].isalnum() and text[change.end : change.end + 1].isalnum() else ""
    if change.text[0] in _CLOSERS and text[: change.start].endswith(" "):
        return Change(change.start - 1, change.end, change.text + right)
    left = " " if change.text[0].isalnum() and text[change.start - 1 : change.start].isalnum() else ""
    return replace(change, text=left + change.text + right)


def _no_lone_comma(text: str, change: Change) -> Change:
    """Let a comma go too that would begin the sentence or follow another mark."""
    if change.text or text[change.end : change.end + 1] != ",":
        return change
    before = text[: change.start].rstrip()
    lone = not any(map(str.isalnum, before)) or before[-1] in ",;:("
    return replace(change, end=change.end + 1) if lone else change


def _deleted(text: str, change: Change) -> Change:
    start, end = change.start, change.end
    before, after = text[start - 1 : start], text[end : end + 1]
    if before == " " and (not after or after == " " or after in _CLOSERS):
        start -= 1
    elif after == " " and (not before or _opens(text, start - 1)):
        end += 1
    return Change(start, end, " " if before.isalnum() and after.isalnum() else "")


def _opens(text: str, place: int) -> bool:
    """Say whether a bracket or a quotation mark opens there."""
    plain = text[place] in "\"'" and (place == 0 or text[place - 1] == " ")
    return plain or text[place] in _OPENERS


def _inserted(text: str, change: Change) -> Change:
    place, wording = change.start, change.text
    if place == 0 or text[place - 1] == " ":
        if place and wording[0] in _CLOSERS:
            return Change(place - 1, place - 1, wording)
        return replace(change, text=wording + " ")
    if wording[0] in _CLOSERS:
        return change
    # between a word and the mark that follows it, or after an opening one
    follows = place < len(text) and text[place] in _CLOSERS
    left = " " if follows or text[place - 1].isalnum() else ""
    return replace(change, text=left + wording + ("" if follows else " "))


def _capital(text: str, change: Change) -> Change:
    """Keep the capital at the start of a sentence."""
    first = next((letter for letter in text if letter.isalnum()), "")
    if not first.isupper() or any(map(str.isalnum, text[: change.start])):
        return change
    place = next((at for at, letter in enumerate(change.text) if letter.isalnum()), None)
    end = change.end
    while end < len(text) and not text[end].isalnum():
        end += 1
    stop = end
    while stop < len(text) and text[stop].isalnum():
        stop += 1
    following = text[end:stop]
    if place is not None:
        wording = change.text[:place] + change.text[place].upper() + change.text[place + 1 :]
        if change.start == change.end and following.lower() in _SMALL and not following.isupper():
            return Change(change.start, stop, wording + text[change.end : end] + following.lower())
        return replace(change, text=wording)
    if following[:1].islower():
        kept = text[change.end : end] + following[:1].upper() + following[1:]
        return Change(change.start, stop, change.text + kept)
    return change


def apply(text: str, some: Iterable[Change]) -> str:
    """Return the text after changes of which none overlaps another."""
    for change in sorted(some, reverse=True):
        text = text[: change.start] + change.text + text[change.end :]
    return text


@dataclass(frozen=True, slots=True)
class Suggested:
    """A change with how likely it is: from one half on, the network itself would make it."""

    change: Change
    probability: float
