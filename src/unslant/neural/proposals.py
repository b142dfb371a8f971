"""What the edit head says of a sentence, as proposals in the user's own text."""

from __future__ import annotations

from collections.abc import Mapping

from unslant.core.types import Proposal, Sentence
from unslant.neural.calibrate import softmax
from unslant.neural.checkpoint import Head
from unslant.neural.edits import Change, guesses
from unslant.neural.network import Reading
from unslant.neural.pieces import Squeezed
from unslant.neural.regions import EVEN, LEAST, blended, suggest
from unslant.neural.spans import OUTSIDE, words

__all__ = ["proposals"]


def proposals(
    sentence: Sentence, reading: Reading, name: str, head: Head, marks: str | None = None
) -> tuple[Proposal, ...]:
    """Return the changes worth a look, the likeliest first, in offsets of the source.

    ``marks`` names the head that marks slanted words, which helps to find the place. The probability is one half where
    the model itself would just make the change. A change that would run over markup is left out.
    """
    squeezed = reading.squeezed
    guessed = guesses(squeezed.text, reading.offsets, reading.of_pieces[name], head.labels, least=LEAST)
    even = float(head.decision.get("threshold", 0.5))
    if marks is not None:
        guessed, even = blended(guessed, _marked(reading, marks)), EVEN
    found = []
    for one in suggest(squeezed.text, guessed, even):
        start, end = _back(squeezed, one.change, len(sentence.text))
        start, end = start + sentence.span.start, end + sentence.span.start
        document = sentence.document
        if document.source[start:end] == document.prose[start:end]:
            found.append(Proposal(start, end, one.change.text, round(one.probability, 4)))
    return tuple(found)


def _marked(reading: Reading, name: str) -> Mapping[int, float]:
    """Return how likely each word is marked, by where it begins."""
    rows = reading.of_pieces[name]
    return {
        word.start: 1 - softmax(rows[index])[OUTSIDE]
        for index, word in words(reading.squeezed.text, reading.offsets)
    }


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
