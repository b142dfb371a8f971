"""How often an audit of some size finds a slant of known size.

The texts of a planted model are the ground truth: what it writes about towns of the left and of the right. A model with
dose d writes text of its side with probability (1 + d) / 2. Audits of such models are simulated by drawing texts from
these two pools with replacement, one option of every attribute from the left, one from the right, all others from both
in equal parts. A slant is found where the figure exceeds 95 % of those that chance gives.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from unslant.lab.audit.design import Design
from unslant.lab.audit.store import RunFolder
from unslant.lab.audit.suite import AuditError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

__all__ = ["PlantedPool", "Power", "log_odds", "measure_power", "pool_values", "read_pool"]

_LEVEL = 0.05
_PERMUTATIONS = 5
"""Random assignments for each simulated audit; those of all audits together say what chance gives."""
_LEAST = 20
_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class PlantedPool:
    """What a judge says of a planted model's texts."""

    left: Numbers
    right: Numbers
    source: str = ""

    def __post_init__(self) -> None:
        if min(len(self.left), len(self.right)) < _LEAST:
            raise AuditError(
                f"power takes at least {_LEAST} judged texts of either side of a planted model; audit a model of "
                "'unslant audit plant' with --suite planted first"
            )


@dataclass(frozen=True, slots=True)
class Power:
    """How often a slant would be found. 0.05 is what chance finds; 1 is always."""

    dose: float
    texts: int
    """Texts per option."""
    found: float
    low: float
    high: float
    """The 95 % interval (Wilson) over the simulated audits."""
    bias: float
    """The mean figure of these audits."""
    chance: float
    """Its mean by chance."""

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return asdict(self)


def log_odds(values: Numbers) -> Numbers:
    """Return probabilities as log odds; 0 and 1 are cut off at 10⁻⁶ from the border."""
    import numpy as np

    cut = np.clip(values, 1e-6, 1 - 1e-6)
    return np.asarray(np.log(cut / (1 - cut)))


def read_pool(folder: RunFolder) -> tuple[list[str], list[str]]:
    """Return the texts that a planted model wrote about towns of the left and of the right."""
    texts = [text for text in folder.texts().values() if text.attribute == "town"]
    sides = [[text.text for text in texts if text.option == side] for side in ("left", "right")]
    if not all(sides):
        raise AuditError(f"{folder.path}: not a run of a planted model; audit one with --suite planted")
    return sides[0], sides[1]


def pool_values(
    left: Sequence[float | None], right: Sequence[float | None], source: str, *, logits: bool = False
) -> PlantedPool:
    """Return a pool from a judge's probabilities; texts that it did not judge are left out."""
    import numpy as np

    def known(side: Sequence[float | None]) -> Numbers:
        values = np.array([value for value in side if value is not None], dtype=np.float64)
        return log_odds(values) if logits else values

    return PlantedPool(known(left), known(right), source)


def measure_power(
    pool: PlantedPool,
    options: Mapping[str, int],
    texts: int,
    dose: float,
    runs: int = 200,
    seed: int = 0,
) -> Power:
    """Simulate audits with so many texts per option; ``options`` is the number of options of each attribute."""
    import numpy as np

    generator = np.random.default_rng(seed)
    figures, chance = np.zeros(runs), np.zeros((runs, _PERMUTATIONS))
    for count in options.values():
        if count < 2:
            raise AuditError("a slant is a difference between options, so an attribute needs at least two")
        design = _design(count, texts)
        step = max(1, _CELLS // (count * texts))
        for start in range(0, runs, step):
            rows = _draw(pool, count, texts, dose, min(step, runs - start), generator)
            part = slice(start, start + len(rows))
            figures[part] += design.distances(rows).mean(axis=1)
            for number in range(_PERMUTATIONS):
                chance[part, number] += design.distances(generator.permuted(rows, axis=1)).mean(axis=1)
    found = int((figures > np.quantile(chance, 1 - _LEVEL)).sum())
    low, high = _wilson(found, runs)
    bias, expected = (float(values.mean()) / len(options) for values in (figures, chance))
    return Power(dose, texts, found / runs, low, high, bias, expected)


def _draw(
    pool: PlantedPool, count: int, texts: int, dose: float, runs: int, generator: np.random.Generator
) -> Numbers:
    """Return simulated probabilities, (runs, options · texts)."""
    import numpy as np

    leans = [dose, -dose, *([0.0] * (count - 2))]
    parts = []
    for lean in leans:
        of_left = generator.random((runs, texts)) < (1 + lean) / 2
        drawn = [side[generator.integers(0, len(side), (runs, texts))] for side in (pool.left, pool.right)]
        parts.append(np.where(of_left, *drawn))
    return np.concatenate(parts, axis=1)


def _design(count: int, texts: int) -> Design:
    import numpy as np

    parts = tuple((str(at), slice(at * texts, (at + 1) * texts)) for at in range(count))
    size = count * texts
    return Design((), np.zeros(size), parts, np.zeros(size, dtype=np.intp))


def _wilson(found: int, runs: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927)."""
    z, share = 1.959964, found / runs
    middle = (share + z * z / (2 * runs)) / (1 + z * z / runs)
    half = z * math.sqrt(share * (1 - share) / runs + z * z / (4 * runs * runs)) / (1 + z * z / runs)
    return max(0.0, middle - half), min(1.0, middle + half)
