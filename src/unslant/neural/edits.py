"""From an edit per word to changes of a text: joined where they meet, with white space and capitals in order.

A network chooses one edit for every word: keep it, delete it, write something else, or put something before it. Here
those choices become changes of the text, so that a change never leaves a double space, a lone comma or a sentence that
begins small. What no change covers stays as it was, to the letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from unslant.core.types import Span
from unslant.neural.calibrate import even_odds
from unslant.neural.spans import words

__all__ = [
    "DELETE",
    "KEEP",
    "Change",
    "Guess",
    "Op",
    "Suggested",
    "apply",
    "changes",
    "guesses",
    "label",
    "op_of",
    "suggest",
    "tidy",
]

KEEP, DELETE = "keep", "delete"
_REPLACE, _BEFORE = "replace:", "before:"
_CLOSERS = frozenset(",.;:?!)]}%'\u2019\u201d")
_OPENERS = frozenset("([{\u201c\u2018")
_FLOOR = 0.2
"""Changes that are less likely, even odds being a half, are not worth anyone's look."""
_PER_PLACE = 3
_SMALL = frozenset(
    "a an the this that these those it its he she they we his her their our in on at by for from of to with as after "
    "before during since while when where although though because if some many most several all both each one other "
    "there here and but or not".split()
)


@dataclass(frozen=True, slots=True)
class Op:
    """What happens to one word."""

    kind: Literal["keep", "delete", "replace", "before"]
    text: str = ""
    """What is written instead of it, or before it."""


def op_of(name: str) -> Op:
    """Read a label of the head; one that cannot be read is a ``ValueError``."""
    if name == KEEP:
        return Op("keep")
    if name == DELETE:
        return Op("delete")
    for kind, prefix in (("replace", _REPLACE), ("before", _BEFORE)):
        if name.startswith(prefix) and name[len(prefix) :].strip():
            return Op("replace" if kind == "replace" else "before", name[len(prefix) :])
    raise ValueError(f"no such edit: {name!r}")


def label(op: Op) -> str:
    """Return the label of an edit; :func:`op_of` reads it back."""
    return {"keep": KEEP, "delete": DELETE, "replace": _REPLACE, "before": _BEFORE}[op.kind] + op.text


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
    between = text[left.end : right.start] if left.text and right.text else ""
    if right.text[:1] in _CLOSERS:
        between = ""
    return Change(left.start, right.end, left.text + between + right.text)


def tidy(text: str, change: Change) -> Change:
    """Return the change with the white space and the capital that it needs; the wording is the same."""
    if not change.text:
        change = _deleted(text, change)
    elif change.start == change.end:
        change = _inserted(text, change)
    elif change.text[0] in _CLOSERS and text[: change.start].endswith(" "):
        change = replace(change, start=change.start - 1)
    elif change.text[0].isalnum() and _leans(text, change.start):
        change = replace(change, text=f" {change.text}")
    return _capital(text, change)


def _leans(text: str, place: int) -> bool:
    """Say whether a mark that follows its word without a gap stands there."""
    return place > 0 and text[place] in _CLOSERS and text[place - 1].isalnum()


def _deleted(text: str, change: Change) -> Change:
    start, end = change.start, change.end
    begins = not any(map(str.isalnum, text[:start]))
    # a comma that would begin the sentence, or follow another mark, goes too
    if text[end : end + 1] == "," and (begins or text[:start].rstrip()[-1:] in (",", ";", ":", "(")):
        end += 1
    before, after = text[start - 1 : start], text[end : end + 1]
    if before == " " and (not after or after == " " or after in _CLOSERS):
        start -= 1
    elif after == " " and (not before or before in _OPENERS):
        end += 1
    return Change(start, end, "")


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
    return replace(change, text=f" {wording}" if follows else f"{wording} ")


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
class Guess:
    """What the network thinks of one word."""

    word: Span
    change: float
    """How likely anything happens to it."""
    ops: tuple[tuple[Op, float], ...]
    """The likeliest edits that change something, with their probabilities, the likeliest first."""


def guesses(
    text: str, offsets: Sequence[tuple[int, int]], logits: Any, labels: Sequence[str], *, least: float = 0.0
) -> list[Guess]:
    """Read the logits of pieces, (pieces, labels), as guesses of words; ``keep`` is the first label.

    Edits that would change nothing, such as a word by itself, are left out; words below ``least`` have none.
    """
    import numpy as np

    found = words(text, offsets)
    if not found:
        return []
    rows = np.asarray(logits)[[index for index, _ in found]].astype(np.float64)
    rows = np.exp(rows - rows.max(axis=1, keepdims=True))
    rows /= rows.sum(axis=1, keepdims=True)
    result = []
    for (_, word), row in zip(found, rows, strict=True):
        chance = float(1 - row[0])
        ops: list[tuple[Op, float]] = []
        if chance >= least:
            for at in np.argsort(-row[1:], kind="stable")[: _PER_PLACE + 2] + 1:
                op = op_of(labels[int(at)])
                if not _idle(text, word, op):
                    ops.append((op, float(row[at])))
        result.append(Guess(word, chance, tuple(ops[:_PER_PLACE])))
    return result


def _idle(text: str, word: Span, op: Op) -> bool:
    """Say whether an edit would leave the text as it is, or say the same twice."""
    if op.kind == "replace":
        return text[word.start : word.end].lower() == op.text.lower()
    if op.kind == "before":
        before = text[: word.start].rstrip().lower()
        return f" {before}".endswith(f" {op.text.lower()}") or before[-1:] == op.text[-1:] == ","
    return False


@dataclass(frozen=True, slots=True)
class Suggested:
    """A change with how likely it is: from one half on, the network itself would make it."""

    change: Change
    probability: float


def suggest(text: str, guessed: Sequence[Guess], threshold: float) -> list[Suggested]:
    """Return the changes worth a look, the likeliest first, at most three for a place.

    Places that reach the threshold are settled first; words that do not are joined among themselves only.
    """
    found: list[Suggested] = []
    sure = [one.change >= threshold for one in guessed]
    for settled in (True, False):
        group: list[Guess] = []
        for one, is_sure in zip(guessed, sure, strict=True):
            wanted = bool(one.ops) and is_sure == settled and even_odds(one.change, threshold) >= _FLOOR
            if group and not (wanted and _meet(text, group[-1], one)):
                found += _of_group(text, group, threshold)
                group = []
            if wanted:
                group.append(one)
        found += _of_group(text, group, threshold) if group else []
    return sorted(found, key=lambda one: (-one.probability, one.change))


def _meet(text: str, left: Guess, right: Guess) -> bool:
    return left.ops[0][0].kind != "before" and not text[left.word.end : right.word.start].strip()


def _of_group(text: str, group: Sequence[Guess], threshold: float) -> list[Suggested]:
    """Return the change of neighbouring words, and what the first of them could become instead."""
    chance = even_odds(sum(one.change for one in group) / len(group), threshold)
    best = group[0].ops[0][1]
    found: dict[Change, float] = {}
    for op, likely in group[0].ops:
        chosen = [(group[0].word, op), *((one.word, one.ops[0][0]) for one in group[1:])]
        joined = changes(text, chosen)
        if len(joined) != 1:  # putting words before the first leaves it between the two
            continue
        change = tidy(text, joined[0])
        if any(map(str.isalnum, apply(text, [change]))):
            found.setdefault(change, chance * likely / best)
    return [Suggested(change, probability) for change, probability in found.items()]
