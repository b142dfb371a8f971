"""What the edit head says of a sentence, as proposals in the user's own text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from unslant.core.types import Proposal, Sentence
from unslant.neural.edits import Change
from unslant.neural.span_edits import SpanEdits, suggest
from unslant.neural.subwords import NormalizedText

__all__ = ["Proposals"]


class Proposals(Sequence[Proposal]):
    """Proposals that are put into words when somebody looks at them: a text that is only checked needs none.

    The likelihood ``even`` becomes one half: from there on the model itself would make the change. A change that would
    run over markup is left out. The network's numbers and the rest of the document are not kept.
    """

    __slots__ = ("_begin", "_chosen", "_even", "_found", "_normalized", "_prose", "_source")

    def __init__(
        self, sentence: Sentence, normalized: NormalizedText, chosen: SpanEdits, even: float
    ) -> None:
        begin, end = sentence.span.start, sentence.span.end
        self._begin = begin
        self._source = sentence.document.source[begin:end]
        self._prose = sentence.text
        self._normalized = normalized
        self._chosen = chosen
        self._even = even
        self._found: tuple[Proposal, ...] | None = None

    def _made(self) -> tuple[Proposal, ...]:
        if self._found is None:
            self._found = tuple(self._worded())
        return self._found

    def _worded(self) -> Iterator[Proposal]:
        begin = self._begin
        for one in suggest(self._normalized.text, self._chosen.edits, self._even):
            start, end = _back(self._normalized, one.change, len(self._prose))
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


def _back(normalized: NormalizedText, change: Change, length: int) -> tuple[int, int]:
    """Return where a change of the normalized text stands in the original; white space at its end goes whole."""
    places = normalized.places
    if change.start == change.end:
        if change.start == 0:
            place = places[0] if len(places) else 0
        elif change.start < len(places) and normalized.text[change.start - 1] == " ":
            place = places[change.start]
        else:
            place = places[change.start - 1] + 1
        return place, place
    end = places[change.end - 1] + 1
    if normalized.text[change.end - 1] == " ":
        end = places[change.end] if change.end < len(places) else length
    return places[change.start], end
