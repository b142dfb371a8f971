"""Which stretch of a sentence to edit: the word that is likeliest to be changed, and its neighbours that go with it.

Two heads know where an editor would change something: the one that chooses edits, and the one that marks slanted words.
Together they find the place more often than either alone. Asking each word by itself breaks phrases apart and lets
small words stand that lean on what is gone; so a place grows from its surest word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unslant.core.types import Span
from unslant.neural.calibrate import even_odds
from unslant.neural.edit_labels import Op
from unslant.neural.edits import Change, Guess, Suggested, apply, changes, tidy

__all__ = ["EVEN", "LEAST", "blended", "suggest", "worth_a_look"]

LEAST = 0.1
"""Words that the edit head would less likely change are not asked about."""
EVEN = 0.75
"""Where both heads speak, a place that reaches this is one that they stand by."""
_MARKS = 0.7
"""How much the head that marks words counts beside the one that edits."""
_GROWS = 0.7
"""Neighbours go with the surest word of a place from here on."""
_FLOOR = 0.2
"""Changes that are less likely, even odds being a half, are not worth anyone's look."""
_ALONE = 0.8
"""How likely the surest word of a place goes alone, beside the whole place."""
_PER_PLACE = 3
_DELETE = Op("delete")
_EDGES = frozenset(
    "a an the this that these those his her its their of in on at by for from to with as and or but one who which is "
    "was are were be been".split()
)
"""Words that lean on what follows or went before: a place neither begins nor ends with them, unless it is one."""


def blended(change: float, mark: float) -> float:
    """Return how likely a word is changed, as both heads together see it."""
    return (1 - _MARKS) * change + _MARKS * mark


def worth_a_look(even: float) -> float:
    """Return a likelihood below which :func:`suggest` has no use for a word; a little less, to be safe."""
    return 0.999 * min(_GROWS, _FLOOR * (2 * even if 0 < even < 1 else 1))


def suggest(text: str, guessed: Sequence[Guess], even: float = EVEN) -> list[Suggested]:
    """Return the changes worth a look, the likeliest first, at most three for a place; places do not overlap.

    From ``even`` on, the network itself would make the change.
    """
    found: list[Suggested] = []
    taken: set[int] = set()
    for peak in sorted(range(len(guessed)), key=lambda at: (-guessed[at].change, at)):
        if even_odds(guessed[peak].change, even) < _FLOOR:
            break
        if peak not in taken:
            first, last = _region(text, guessed, peak, taken)
            taken.update(range(first, last + 1))
            found += _of_place(text, guessed, (first, peak, last), even)
    return sorted(found, key=lambda one: (-one.probability, one.change))


def _region(text: str, guessed: Sequence[Guess], peak: int, taken: set[int]) -> tuple[int, int]:
    first = last = peak
    while first - 1 not in taken and _grows(text, guessed, first - 1, first - 1):
        first -= 1
    while last + 1 not in taken and _grows(text, guessed, last, last + 1):
        last += 1
    while first < peak and _word(text, guessed[first]) in _EDGES:
        first += 1
    while last > peak and _word(text, guessed[last]) in _EDGES:
        last -= 1
    return first, last


def _grows(text: str, guessed: Sequence[Guess], left: int, new: int) -> bool:
    """Say whether a neighbour, the new one of two, goes with a place."""
    if left < 0 or left + 1 >= len(guessed) or guessed[new].change < _GROWS:
        return False
    return not text[guessed[left].word.end : guessed[left + 1].word.start].strip()


def _word(text: str, guess: Guess) -> str:
    return text[guess.word.start : guess.word.end].lower()


def _of_place(
    text: str, guessed: Sequence[Guess], place: tuple[int, int, int], even: float
) -> Iterator[Suggested]:
    """Yield what a place could become: the likeliest edit of its first word, other edits, its surest word alone."""
    first, peak, last = place
    chance = even_odds(guessed[peak].change, even)
    span = Span(guessed[first].word.start, guessed[last].word.end)
    # something put before the first of several words would leave them all standing
    own = [one for one in guessed[first].ops if one[0].kind != "before" or first == last]
    ops = own or [(_DELETE, 1.0)]
    # leaving a place out is what most edits are; a wording must be likely by itself
    options = [(span, op, likely / ops[0][1] if op == _DELETE else likely) for op, likely in ops]
    if first < last:
        options.append((guessed[peak].word, _DELETE, _ALONE * options[0][2]))
    seen: set[Change] = set()
    for where, op, share in options:
        (change,) = changes(text, [(_whole(text, where), op)])
        change = tidy(text, change)
        if change not in seen and len(seen) < _PER_PLACE and any(map(str.isalnum, apply(text, [change]))):
            seen.add(change)
            yield Suggested(change, chance * share)


def _whole(text: str, span: Span) -> Span:
    """Return the span with all of a word that has hyphens: *self-proclaimed*, not *self*."""
    start, end = span.start, span.end
    if start >= 2 and text[start - 1] == "-" and text[start - 2].isalnum():
        start -= 1
        while start and (text[start - 1].isalnum() or text[start - 1] == "-"):
            start -= 1
    if text[end : end + 1] == "-" and text[end + 1 : end + 2].isalnum():
        while end < len(text) and (text[end].isalnum() or text[end] == "-"):
            end += 1
    return Span(start, end)
