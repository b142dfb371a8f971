"""What the edit head says of a sentence, as proposals in the user's own text."""

from __future__ import annotations

from unslant.core.types import Proposal, Sentence
from unslant.neural.checkpoint import Head
from unslant.neural.edits import Change, guesses, suggest
from unslant.neural.network import Reading
from unslant.neural.pieces import Squeezed

__all__ = ["proposals"]


def proposals(sentence: Sentence, reading: Reading, name: str, head: Head) -> tuple[Proposal, ...]:
    """Return the changes worth a look, the likeliest first, in offsets of the source.

    The probability is one half where the head itself, at the threshold chosen on development data, would just make the
    change. A change that would run over markup is left out.
    """
    threshold = float(head.decision.get("threshold", 0.5))
    squeezed = reading.squeezed
    guessed = guesses(
        squeezed.text, reading.offsets, reading.of_pieces[name], head.labels, least=threshold / 4
    )
    found = []
    for one in suggest(squeezed.text, guessed, threshold):
        start, end = _back(squeezed, one.change, len(sentence.text))
        start, end = start + sentence.span.start, end + sentence.span.start
        document = sentence.document
        if document.source[start:end] == document.prose[start:end]:
            found.append(Proposal(start, end, one.change.text, round(one.probability, 4)))
    return tuple(found)


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
