"""What the edit head says of a sentence, as proposals in the user's own text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import overload

from unslant.core.types import Proposal, Sentence
from unslant.neural.calibrate import softmax
from unslant.neural.checkpoint import Head
from unslant.neural.edits import Change
from unslant.neural.guessing import Guess, likely
from unslant.neural.network import Reading
from unslant.neural.pieces import Squeezed
from unslant.neural.regions import EVEN, LEAST, blended, suggest, worth_a_look
from unslant.neural.spans import OUTSIDE

__all__ = ["Proposals", "proposals"]


def even_at(head: Head, marks: str | None) -> float:
    """Return from which likelihood on the model itself would make a change."""
    return float(head.decision.get("threshold", 0.5)) if marks is None else EVEN


def worth_wording(reading: Reading, name: str, head: Head, marks: str | None = None) -> list[Guess]:
    """Return what the network thinks of the words that it would perhaps change.

    ``marks`` names the head that marks slanted words, which helps to find the place.
    """
    return likely(
        reading.squeezed.text,
        reading.words,
        reading.of_pieces[name],
        head.labels,
        least=worth_a_look(even_at(head, marks)),
        asked=LEAST,
        weigh=None if marks is None else _weighed(reading, marks),
    )


def proposals(
    sentence: Sentence, reading: Reading, name: str, head: Head, marks: str | None = None
) -> Sequence[Proposal]:
    """Return the changes worth a look, the likeliest first, in offsets of the source.

    The probability is one half where the model itself would just make the change. A change that would run over markup
    is left out.
    """
    guessed = worth_wording(reading, name, head, marks)
    return Proposals(sentence, reading.squeezed, guessed, even_at(head, marks)) if guessed else ()


def _weighed(reading: Reading, name: str) -> Callable[[int, float], float]:
    """Return what heeds, beside the edit head, how likely the word at a place is marked."""
    rows = reading.of_pieces[name]
    marked = [1 - softmax(rows[index])[OUTSIDE] for index, _ in reading.words]
    return lambda at, change: blended(change, marked[at])


class Proposals(Sequence[Proposal]):
    """Proposals that are put into words when somebody looks at them: a text that is only checked needs none.

    What the network said of the few words in question is kept, its numbers and the rest of the document are not.
    """

    __slots__ = ("_begin", "_found", "_guessed", "_prose", "_source", "_squeezed", "_threshold")

    def __init__(
        self, sentence: Sentence, squeezed: Squeezed, guessed: Sequence[Guess], threshold: float
    ) -> None:
        begin, end = sentence.span.start, sentence.span.end
        self._begin = begin
        self._source = sentence.document.source[begin:end]
        self._prose = sentence.text
        self._squeezed = squeezed
        self._guessed = guessed
        self._threshold = threshold
        self._found: tuple[Proposal, ...] | None = None

    def _made(self) -> tuple[Proposal, ...]:
        if self._found is None:
            self._found = tuple(self._worded())
        return self._found

    def _worded(self) -> Iterator[Proposal]:
        begin = self._begin
        for one in suggest(self._squeezed.text, self._guessed, self._threshold):
            start, end = _back(self._squeezed, one.change, len(self._prose))
            if self._source[start:end] == self._prose[start:end]:
                yield Proposal(begin + start, begin + end, one.change.text, round(one.probability, 4))

    @overload
    def __getitem__(self, at: int) -> Proposal: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Proposal, ...]: ...
    def __getitem__(self, at: int | slice) -> Proposal | tuple[Proposal, ...]:
        """Return one, or some as a tuple."""
        return self._made()[at]

    def __len__(self) -> int:
        return len(self._made())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Proposals | tuple) and self._made() == tuple(other)

    def __hash__(self) -> int:
        return hash(self._made())

    def __repr__(self) -> str:
        return repr(self._made())


def _back(squeezed: Squeezed, change: Change, length: int) -> tuple[int, int]:
    """Return where a change of the squeezed text stands in the original; white space at its end goes whole."""
    places = squeezed.places
    if change.start == change.end:
        if change.start == 0:
            place = places[0] if len(places) else 0
        elif change.start < len(places) and squeezed.text[change.start - 1] == " ":
            place = places[change.start]
        else:
            place = places[change.start - 1] + 1
        return place, place
    end = places[change.end - 1] + 1
    if squeezed.text[change.end - 1] == " ":
        end = places[change.end] if change.end < len(places) else length
    return places[change.start], end
