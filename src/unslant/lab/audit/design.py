"""The judged texts of one attribute and one side, laid out so that thousands of resamples are measured at once.

The base rate of a set of texts is the distribution of the probabilities that a judge gives them. Two base rates are
compared by the second-order sliced Wasserstein distance: the root of the mean squared distance by which probability
mass has to be moved, over directions. In one dimension there is one direction, and the distance is exact.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from unslant.lab.audit.suite import Side
from unslant.lab.stats.bootstrap import draw_within, permute_within

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Numbers: TypeAlias = NDArray[np.float64]
    Places: TypeAlias = NDArray[np.intp]

PROJECTIONS = 128
"""The number of directions, in more than one dimension."""
_LEAST = 5
_CELLS = 2_000_000  # numbers in memory at a time: 16 MB


@dataclass(frozen=True, slots=True)
class JudgedText:
    """A text with the judge's probability that it is conservative."""

    key: str
    attribute: str
    option: str
    side: Side
    prompt_id: str
    value: float


@dataclass(frozen=True, slots=True)
class Design:
    """The probabilities of texts, with the option and the prompt of each."""

    keys: tuple[str, ...]
    values: Numbers
    """(texts), option after option."""
    options: tuple[tuple[str, slice], ...]
    prompts: Places
    """(texts): a number for each prompt."""

    def distances(self, rows: Numbers) -> Numbers:
        """Return the distance of each option from all, (rows, options), for rows of probabilities (rows, texts)."""
        import numpy as np

        found = np.empty((len(rows), len(self.options)))
        step = max(1, _CELLS // max(1, 2 * rows.shape[1]))
        for start in range(0, len(rows), step):
            block = rows[start : start + step]
            everything = np.sort(block, axis=1)
            for at, (_, part) in enumerate(self.options):
                found[start : start + step, at] = sorted_distance(np.sort(block[:, part], axis=1), everything)
        return found

    def means(self, rows: Numbers) -> Numbers:
        """Return the mean probability of each option, (rows, options)."""
        import numpy as np

        return np.stack([rows[:, part].mean(axis=1) for _, part in self.options], axis=1)

    def bootstrap(self, count: int, seed: int) -> Places:
        """Draw texts with replacement, each from the same option and prompt: (count, texts).

        Where an option has fewer than five texts per prompt, its texts of all prompts are drawn from together.
        """
        import numpy as np

        strata = list(self._groups(by_option=True))
        if min(len(places) for places in strata) < _LEAST:
            strata = [np.arange(part.start, part.stop) for _, part in self.options]
        return draw_within(strata, count, seed)

    def permutations(self, count: int, seed: int) -> Places:
        """Assign the texts of each prompt to the options at random, as if options made no difference."""
        return permute_within(list(self._groups(by_option=False)), count, seed)

    def halves(self, count: int, seed: int) -> Numbers:
        """Return the distance between two random halves of each option, (count, options); NaN if it has one text."""
        import numpy as np

        generator = np.random.default_rng(seed)
        found = np.full((count, len(self.options)), np.nan)
        for at, (_, part) in enumerate(self.options):
            size = part.stop - part.start
            if size < 2:
                continue
            mixed = generator.permuted(np.tile(self.values[part], (count, 1)), axis=1)
            half, other = np.sort(mixed[:, : size // 2], axis=1), np.sort(mixed[:, size // 2 :], axis=1)
            found[:, at] = sorted_distance(half, other)
        return found

    def _groups(self, *, by_option: bool) -> Iterator[Places]:
        import numpy as np

        parts = [part for _, part in self.options] if by_option else [slice(0, len(self.values))]
        for part in parts:
            places = np.arange(part.start, part.stop)
            for prompt in np.unique(self.prompts[part]):
                yield places[self.prompts[part] == prompt]


def lay_out(scored: Sequence[JudgedText], options: Sequence[str]) -> Design | None:
    """Return the design of one attribute and side; None where an option has no text."""
    import numpy as np

    groups: dict[str, list[JudgedText]] = defaultdict(list)
    for text in scored:
        groups[text.option].append(text)
    if any(not groups[name] for name in options):
        return None
    ordered: list[JudgedText] = []
    parts: list[tuple[str, slice]] = []
    for name in options:
        start = len(ordered)
        ordered += sorted(groups[name], key=lambda text: text.key)
        parts.append((name, slice(start, len(ordered))))
    numbers = {name: at for at, name in enumerate(sorted({text.prompt_id for text in ordered}))}
    return Design(
        tuple(text.key for text in ordered),
        np.array([text.value for text in ordered], dtype=np.float64),
        tuple(parts),
        np.array([numbers[text.prompt_id] for text in ordered], dtype=np.intp),
    )


def sliced_wasserstein(a: ArrayLike, b: ArrayLike, projections: int = PROJECTIONS, seed: int = 0) -> float:
    """Return the second-order sliced Wasserstein distance of two samples.

    Samples are rows of numbers, or single numbers; their sizes may differ. Formula: the root of the mean over
    directions θ of ∫ (F⁻¹(q) - G⁻¹(q))² dq, where F and G are the distributions of ``a·θ`` and ``b·θ``. 0 means the
    same distribution; for probabilities it is at most 1, reached when all of one are 0 and all of the other 1.
    """
    import numpy as np

    first, other = _rows(a), _rows(b)
    if first.shape[1] != other.shape[1]:
        raise ValueError(f"samples of {first.shape[1]} and of {other.shape[1]} dimensions")
    if first.shape[1] > 1:
        directions = np.random.default_rng(seed).normal(size=(first.shape[1], projections))
        directions /= np.linalg.norm(directions, axis=0, keepdims=True)
        first, other = first @ directions, other @ directions
    squared = sorted_distance(np.sort(first.T), np.sort(other.T)) ** 2
    return float(np.sqrt(squared.mean()))


def sorted_distance(first: Numbers, other: Numbers) -> Numbers:
    """Return the Wasserstein distance of order 2 of each row of one with the same row of the other, both sorted.

    (…, n) and (…, m) give (…).
    """
    import numpy as np

    left, right, weights = coupling(first.shape[-1], other.shape[-1])
    return np.asarray(np.sqrt((weights * (first[..., left] - other[..., right]) ** 2).sum(axis=-1)))


def coupling(n: int, m: int) -> tuple[NDArray[np.intp], NDArray[np.intp], Numbers]:
    """Return how n sorted points are matched with m sorted points: index pairs and the mass of each pair.

    It depends only on the two sizes, so one coupling serves all resamples.
    """
    import numpy as np

    # in integer units of 1/(n·m), so that rounding cannot separate equal borders
    borders = np.union1d(np.arange(n + 1, dtype=np.int64) * m, np.arange(m + 1, dtype=np.int64) * n)
    starts = borders[:-1]
    return starts // m, starts // n, np.diff(borders) / (n * m)


def _rows(sample: ArrayLike) -> Numbers:
    import numpy as np

    found = np.asarray(sample, dtype=np.float64)
    if not found.size:
        raise ValueError("an empty sample has no distribution")
    found = found.reshape(len(found), -1) if found.ndim else found.reshape(1, 1)
    if not np.isfinite(found).all():
        raise ValueError("a sample contains a value that is not a number")
    return found
