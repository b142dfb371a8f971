"""Span edits: which span of a sentence to edit and how, chosen among all spans of a few words, or no edit.

An editor deletes or keeps a phrase as a whole, so a span is scored as a whole: by its first and last word, the words in
between, the words around it, and its length. One softmax covers all spans and leaving the sentence alone; another one
covers the edits of a span. In addition to the graph, this needs a few small tables.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from unslant.core.types import Edit, Span
from unslant.neural.calibrate import even_odds
from unslant.neural.checkpoint import labelled_edit
from unslant.text.edits import apply_edits

if TYPE_CHECKING:
    from unslant.neural.subwords import Words

PARTS = 5
"""The roles of a word: first or last in the span, inside it, right before it, or right after it."""
_NAMES = ("widths", "borders", "score", "ops")
_PLACES = 6
_PER_PLACE = 2
_LEAST = 0.02
"""Less likely edits are dropped."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A span, with the hidden state that scores its edits."""

    span: Span
    chance: float
    hidden: Any
    alone: bool
    """Whether it is one word."""


@dataclass(frozen=True, slots=True)
class EditPlace:
    """A span that an editor may change, with the probability of each edit."""

    span: Span
    chance: float
    """The probability that an editor changes exactly these words."""
    alone: bool
    """Whether it is one word."""
    shares: Mapping[str, float]
    """The probability of each edit, by its label, given that these words are changed."""


class SpanEdits:
    """The edits that the network would make in a text, computed on first access."""

    def __init__(self, none: float, edits: Callable[[], list[Edit]]) -> None:
        self.none = none
        """The probability that an editor would leave the text unchanged."""
        self._edits = edits

    @cached_property
    def edits(self) -> Sequence[Edit]:
        """The edits, likeliest first."""
        return self._edits()


class SpanEditDecoder:
    """Decodes the output of the graph into span edits, with the same arithmetic as in training.

    ``widths`` (longest, d) and ``borders`` (2, d) are added to the projections of the words; tanh of the sum is the
    hidden state. ``score`` (d + 1) and ``ops`` (edits, d + 1) turn it into logits; their last column is the bias.
    """

    def __init__(self, tables: Mapping[str, Any], labels: Sequence[str]) -> None:
        self._widths, self._borders, self._score, self._ops = (tables[name] for name in _NAMES)
        self._labels = labels[1:]  # the first label keeps everything
        size = self._widths.shape[1]
        expected = {
            "widths": (len(self._widths), size),
            "borders": (2, size),
            "score": (size + 1,),
            "ops": (len(self._labels), size + 1),
        }
        for name, shape in expected.items():
            if tables[name].shape != shape or not len(self._widths):
                raise ValueError(f"{name} has the shape {tables[name].shape}, not {shape}")

    @classmethod
    def read(cls, content: bytes, labels: Sequence[str]) -> SpanEditDecoder:
        """Read the file of tables in a model's folder; raise ``ValueError`` if it is malformed."""
        import zipfile

        import numpy as np

        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as tables:
                found = {name: np.asarray(tables[name], np.float32) for name in _NAMES}
        except (KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(f"not a file of edit tables: {error}") from None
        return cls(found, labels)

    @property
    def outputs(self) -> int:
        """The number of outputs per word that the graph must have."""
        return PARTS * int(self._widths.shape[1]) + 1

    def choices(self, text: str, found: Words, subwords: Any) -> SpanEdits:
        """Return the likeliest edits of a text; ``subwords`` has one row per subword."""
        if not found:
            return SpanEdits(1.0, list)
        kept, none = self._likeliest(found, subwords, _LEAST)
        return SpanEdits(none, lambda: self._word_edits(text, kept))

    def places(self, found: Words, subwords: Any) -> tuple[list[EditPlace], float]:
        """Return the likeliest spans, however unlikely, with all their edits, and the probability of no edit."""
        if not found:
            return [], 1.0
        kept, none = self._likeliest(found, subwords, 0.0)
        return [
            EditPlace(place.span, place.chance, place.alone, self._by_label(place)) for place in kept
        ], none

    def _by_label(self, place: _Place) -> dict[str, float]:
        return dict(zip(self._labels, self._shares(place).tolist(), strict=True))

    def _likeliest(self, found: Words, subwords: Any, least: float) -> tuple[list[_Place], float]:
        """Return the likeliest spans of at least this probability, and the probability that none is changed."""
        import numpy as np

        rows = np.asarray(subwords, np.float32)[[index for index, _ in found]]
        hidden = self._hidden(rows[:, :-1])
        size = self._widths.shape[1]
        flat = np.concatenate([*(spans @ self._score[:size] for spans in hidden), [0.0]])
        flat += self._score[size]
        flat[-1] = rows[:, -1].mean()
        powers = np.exp(flat - flat.max())
        chances = powers / powers.sum()
        kept: list[_Place] = []
        for place in np.argsort(-chances[:-1], kind="stable")[:_PLACES].tolist():
            if chances[place] < least:
                break
            first, width = place, 0
            while first >= len(hidden[width]):
                first -= len(hidden[width])
                width += 1
            span = Span(found[first][1].start, found[first + width][1].end)
            # copy the row, so that the other rows can be freed
            kept.append(_Place(span, float(chances[place]), hidden[width][first].copy(), not width))
        return kept, float(chances[-1])

    def _word_edits(self, text: str, places: Sequence[_Place]) -> list[Edit]:
        found = [edit for place in places for edit in self._edits(text, place)]
        return sorted(found, key=lambda edit: (-(edit.probability or 0.0), edit.change))

    def _hidden(self, rows: Any) -> list[Any]:
        """Return the hidden states of all spans: for each length, a row per first word."""
        import numpy as np

        size = self._widths.shape[1]
        first, last, inside, before, after = (rows[:, at * size : (at + 1) * size] for at in range(PARTS))
        begin = first + np.concatenate([self._borders[:1], before[:-1]])
        end = last + np.concatenate([after[1:], self._borders[1:]])
        sums = np.concatenate([np.zeros_like(inside[:1]), np.cumsum(inside, axis=0)])
        count = len(rows)
        return [
            np.tanh(
                begin[: count - width]
                + end[width:]
                + (sums[width + 1 :] - sums[: count - width]) / (width + 1)
                + self._widths[width]
            )
            for width in range(min(len(self._widths), count))
        ]

    def _shares(self, place: _Place) -> Any:
        """Return the probability of each edit of a span, in the order of the labels."""
        import numpy as np

        size = self._widths.shape[1]
        numbers = self._ops[:, :size] @ place.hidden + self._ops[:, size]
        powers = np.exp(numbers - numbers.max())
        return powers / powers.sum()

    def _edits(self, text: str, place: _Place) -> Iterator[Edit]:
        """Yield the likeliest edits of a span."""
        import numpy as np

        shares = self._shares(place)
        taken = 0
        for at in np.argsort(-shares, kind="stable")[: _PER_PLACE + 2].tolist():
            likely = place.chance * float(shares[at])
            edit = labelled_edit(self._labels[at], place.span, likely)
            # an insertion before the first of several words would keep all of them
            usable = (edit.start < edit.end or place.alone) and not _is_redundant(text, edit)
            if usable and likely >= _LEAST and taken < _PER_PLACE:
                taken += 1
                yield edit


def _is_redundant(text: str, edit: Edit) -> bool:
    """Return whether an edit would change nothing, or repeat what is already there."""
    wording = edit.replacement.lower()
    if edit.start < edit.end:
        return text[edit.start : edit.end].lower() == wording
    before = text[: edit.start].rstrip().lower()
    return f" {before}".endswith(f" {wording}") or before[-1:] == wording[-1:] == ","


def suggest(text: str, chosen: Sequence[Edit], even: float) -> list[Edit]:
    """Return edits of whole words, likeliest first, without those that leave no word; ``even`` becomes one half."""
    found: dict[tuple[int, int, str], Edit] = {}
    for choice in chosen:
        edit = _widen(text, choice)
        if edit.change not in found and any(map(str.isalnum, apply_edits(text, [edit]))):
            found[edit.change] = replace(edit, probability=even_odds(choice.probability or 0.0, even))
    return list(found.values())


def _widen(text: str, edit: Edit) -> Edit:
    """Widen an edit to the whole hyphenated word: *self-proclaimed*, not *self*."""
    start, end = edit.start, edit.end
    if start >= 2 and text[start - 1] == "-" and text[start - 2].isalnum():
        start -= 1
        while start and (text[start - 1].isalnum() or text[start - 1] == "-"):
            start -= 1
    if edit.start == edit.end:
        return replace(edit, start=start, end=start)
    if text[end : end + 1] == "-" and text[end + 1 : end + 2].isalnum():
        while end < len(text) and (text[end].isalnum() or text[end] == "-"):
            end += 1
    return replace(edit, start=start, end=end)
