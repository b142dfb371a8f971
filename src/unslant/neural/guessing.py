"""What the edit head thinks of each word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from unslant.core.types import Span
from unslant.neural.edit_labels import Op, op_of
from unslant.neural.spans import Words, words

__all__ = ["Guess", "guesses", "likely"]

_PER_PLACE = 3
_ROUGH = 1e-3
"""More than half the digits can be wrong by."""


@dataclass(frozen=True, slots=True)
class Guess:
    """What the network thinks of one word."""

    word: Span
    change: float
    """How likely anything happens to it."""
    ops: tuple[tuple[Op, float], ...]
    """The likeliest edits that change something, with their probabilities, the likeliest first."""


def guesses(text: str, offsets: Sequence[tuple[int, int]], logits: Any, labels: Sequence[str]) -> list[Guess]:
    """Read the logits of pieces, (pieces, labels), as guesses of words; ``keep`` is the first label.

    Edits that would change nothing, such as a word by itself, are left out.
    """
    return likely(text, words(text, offsets), logits, labels, least=0.0)


def likely(
    text: str,
    found: Words,
    logits: Any,
    labels: Sequence[str],
    *,
    least: float,
    asked: float = 0.0,
    weigh: Callable[[int, float], float] | None = None,
) -> list[Guess]:
    """Return the guesses of words that change with the probability ``least`` or more; most words never do.

    ``weigh`` may say otherwise than the head how likely the word at a place changes; a word of which the head itself
    thinks less than ``asked`` has no edits.
    """
    import numpy as np

    if not found:
        return []
    rows = np.asarray(logits)[[index for index, _ in found]]
    # half the digits are enough to see which words stay; the others are read with all of them
    rough = (1 - _shares(rows.astype(np.float32))[:, 0]).tolist()
    weigh = weigh or _as_it_is
    places = [at for at, chance in enumerate(rough) if weigh(at, chance) >= least - _ROUGH]
    if not places:
        return []
    rows = _shares(rows[places].astype(np.float64))
    result = []
    for place, row, chosen in zip(places, rows, _best(rows[:, 1:], _PER_PLACE + 2), strict=True):
        word, own = found[place][1], float(1 - row[0])
        chance = weigh(place, own)
        if chance >= least:
            ops = [(op_of(labels[at + 1]), float(row[at + 1])) for at in chosen] if own >= asked else []
            real = [(op, share) for op, share in ops if not _idle(text, word, op)]
            result.append(Guess(word, chance, tuple(real[:_PER_PLACE])))
    return result


def _as_it_is(_: int, chance: float) -> float:
    return chance


def _shares(rows: Any) -> Any:
    """Return the softmax of each row."""
    import numpy as np

    powers = np.exp(rows - rows.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def _best(rows: Any, count: int) -> list[list[int]]:
    """Return the places of the largest numbers of each row, the largest first, of equal ones the first.

    A whole sort of every row would do the same, and cost more than the rest of the reading.
    """
    import numpy as np

    if rows.shape[1] <= count:
        return np.argsort(-rows, axis=1, kind="stable").tolist()  # type: ignore[no-any-return]
    least = np.partition(rows, -count, axis=1)[:, -count]
    found = []
    for row, floor in zip(rows, least.tolist(), strict=True):
        among = (row >= floor).nonzero()[0]
        found.append(among[np.argsort(-row[among], kind="stable")][:count].tolist())
    return found


def _idle(text: str, word: Span, op: Op) -> bool:
    """Say whether an edit would leave the text as it is, or say the same twice."""
    if op.kind == "replace":
        return text[word.start : word.end].lower() == op.text.lower()
    if op.kind == "before":
        before = text[: word.start].rstrip().lower()
        return f" {before}".endswith(f" {op.text.lower()}") or before[-1:] == op.text[-1:] == ","
    return False
