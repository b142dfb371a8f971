"""The texts of one attribute and one side, laid out so that thousands of resamples are measured at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from unslant.lab.audit.distance import sorted_distance
from unslant.lab.audit.suite import Side
from unslant.lab.stats.bootstrap import draw_within
from unslant.lab.stats.permutation import permute_within

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]
    Places: TypeAlias = NDArray[np.intp]

__all__ = ["Design", "Scored", "lay_out"]

_LEAST = 5
_CELLS = 2_000_000  # numbers held at a time: 16 MB


@dataclass(frozen=True, slots=True)
class Scored:
    """What a judge said of one text: the probability that it is conservative."""

    key: str
    attribute: str
    option: str
    side: Side
    prompt_id: str
    value: float


@dataclass(frozen=True, slots=True)
class Design:
    """Which of the judgements belong to which option, and which were made under the same prompt."""

    keys: tuple[str, ...]
    values: Numbers
    """(texts), option after option."""
    options: tuple[tuple[str, slice], ...]
    prompts: Places
    """(texts): a number for each prompt."""

    def distances(self, rows: Numbers) -> Numbers:
        """Return how far each option is from all options, (rows, options), for rows of judgements (rows, texts)."""
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
        """Return the mean judgement of each option, (rows, options)."""
        import numpy as np

        return np.stack([rows[:, part].mean(axis=1) for _, part in self.options], axis=1)

    def bootstrap(self, count: int, seed: int) -> Places:
        """Draw texts with replacement, each from the same option and prompt: (count, texts).

        Where an option has fewer than five texts a prompt, too few to stand for it, its texts are drawn from together.
        """
        import numpy as np

        strata = list(self._groups(by_option=True))
        if min(len(places) for places in strata) < _LEAST:
            strata = [np.arange(part.start, part.stop) for _, part in self.options]
        return draw_within(strata, count, seed)

    def permutations(self, count: int, seed: int) -> Places:
        """Deal the texts of each prompt to the options at random, as if options made no difference."""
        return permute_within(list(self._groups(by_option=False)), count, seed)

    def halves(self, count: int, seed: int) -> Numbers:
        """Return the distance of two random halves of each option, (count, options); nan where it has one text."""
        import numpy as np

        generator = np.random.default_rng(seed)
        found = np.full((count, len(self.options)), np.nan)
        for at, (_, part) in enumerate(self.options):
            size = part.stop - part.start
            if size < 2:
                continue
            mixed = generator.permuted(np.tile(self.values[part], (count, 1)), axis=1)
            one, other = np.sort(mixed[:, : size // 2], axis=1), np.sort(mixed[:, size // 2 :], axis=1)
            found[:, at] = sorted_distance(one, other)
        return found

    def _groups(self, *, by_option: bool) -> Iterator[Places]:
        import numpy as np

        parts = [part for _, part in self.options] if by_option else [slice(0, len(self.values))]
        for part in parts:
            places = np.arange(part.start, part.stop)
            for prompt in np.unique(self.prompts[part]):
                yield places[self.prompts[part] == prompt]


def lay_out(scored: Sequence[Scored], options: Sequence[str]) -> Design | None:
    """Return the design of the judgements of one attribute and side; None where an option has none."""
    import numpy as np

    groups: dict[str, list[Scored]] = defaultdict(list)
    for one in scored:
        groups[one.option].append(one)
    if any(not groups[name] for name in options):
        return None
    ordered: list[Scored] = []
    parts: list[tuple[str, slice]] = []
    for name in options:
        start = len(ordered)
        ordered += sorted(groups[name], key=lambda one: one.key)
        parts.append((name, slice(start, len(ordered))))
    numbers = {name: at for at, name in enumerate(sorted({one.prompt_id for one in ordered}))}
    return Design(
        tuple(one.key for one in ordered),
        np.array([one.value for one in ordered], dtype=np.float64),
        tuple(parts),
        np.array([numbers[one.prompt_id] for one in ordered], dtype=np.intp),
    )
