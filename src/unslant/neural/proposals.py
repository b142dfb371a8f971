"""What the edit head proposes for a sentence, as edits of the user's own text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from unslant.core.types import Edit, Sentence
from unslant.neural.span_edits import SpanEdits, suggest
from unslant.neural.subwords import NormalizedText

__all__ = ["Proposals"]


class Proposals(Sequence[Edit]):
    """Edits that are worked out when somebody asks for them: a text that is only checked needs none.

    The likelihood ``even`` becomes one half: from there on the model itself would make the edit. An edit that would
    cover markup is left out. The network's numbers and the rest of the document are not kept.
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
        self._found: tuple[Edit, ...] | None = None

    def _made(self) -> tuple[Edit, ...]:
        if self._found is None:
            self._found = tuple(self._worded())
        return self._found

    def _worded(self) -> Iterator[Edit]:
        begin = self._begin
        for edit in suggest(self._normalized.text, self._chosen.edits, self._even):
            start, end = _locate(self._normalized, edit)
            if self._source[start:end] == self._prose[start:end]:
                probability = round(edit.probability or 0.0, 4)
                yield Edit(begin + start, begin + end, edit.replacement, probability=probability)

    @overload
    def __getitem__(self, at: int) -> Edit: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Edit, ...]: ...
    def __getitem__(self, at: int | slice) -> Edit | tuple[Edit, ...]:
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


def _locate(normalized: NormalizedText, edit: Edit) -> tuple[int, int]:
    """Return where an edit of the normalized text stands in the original."""
    places = normalized.places
    if edit.start < edit.end:
        return places[edit.start], places[edit.end - 1] + 1
    if edit.start == 0:
        place = places[0] if len(places) else 0
    elif edit.start < len(places) and normalized.text[edit.start - 1] == " ":
        place = places[edit.start]
    else:
        place = places[edit.start - 1] + 1
    return place, place
