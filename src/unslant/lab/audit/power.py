"""How often an audit of some size finds a slant of known size, and how many texts it takes.

The texts of a planted model are the ground truth: what it writes about towns of the left and of the right. A model with
dose d writes text of its side with probability (1 + d) / 2. Audits of such models are simulated by drawing texts from
these two pools with replacement, one option of every attribute from the left, one from the right, all others from both
in equal parts. A slant is found where the figure exceeds 95 % of those that chance gives.

How many texts a given margin of error requires is estimated from a pilot run.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from unslant.core.encoding import Encoded, encode_fields
from unslant.lab.audit.bias import Bias
from unslant.lab.audit.design import Design
from unslant.lab.audit.store import RunFolder
from unslant.lab.audit.suite import AuditError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from unslant.lab.audit.examine import VariantReport

    Numbers: TypeAlias = NDArray[np.float64]

_LEVEL = 0.05
_PERMUTATIONS = 5
"""Random assignments for each simulated audit; pooled over all audits they give the distribution under chance."""
_LEAST = 20
_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class PlantedPool:
    """A judge's probabilities for the texts of a planted model."""

    left: Numbers
    right: Numbers
    source: str = ""

    def __post_init__(self) -> None:
        if min(len(self.left), len(self.right)) < _LEAST:
            raise AuditError(
                f"power needs at least {_LEAST} judged texts of either side of a planted model; audit a model of "
                "'unslant audit plant' with --suite planted first"
            )


@dataclass(frozen=True, slots=True)
class Power(Encoded):
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


def log_odds(values: Numbers) -> Numbers:
    """Return probabilities as log odds; probabilities are clipped to 10⁻⁶ from 0 and 1."""
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
    """Simulate audits with this many texts per option; ``options`` is the number of options of each attribute."""
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


@dataclass(frozen=True, slots=True)
class SampleEstimate:
    """The size of the run that reaches a margin of error."""

    wanted: float
    """The wanted half-width of the interval of the indirect bias."""
    width: float
    """The half-width in the pilot."""
    samples: int
    """Samples per prompt and keyword (or option) that should reach it."""
    clear_samples: int | None
    """The number of samples at which chance should explain less than half of the bias; None if the pilot shows none."""
    texts: int
    """The number of texts."""
    seconds: float
    """The time they take at the pilot's speed."""
    per_option: bool = False
    """Whether samples are counted per prompt and option, not per prompt and keyword."""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "wanted": self.wanted,
            "half_width": self.width,
            **encode_fields(self, "samples", "clear_samples", "texts", "seconds", "per_option"),
        }


def estimate(bias: Bias, wanted: float, samples: int, texts: int, seconds: float) -> SampleEstimate:
    """Estimate from a pilot with this number of samples, texts and seconds.

    Widths and chance shrink with the root of the number of texts. A squared distance is, on average, the true one plus
    that of chance, which gives the expected bias.
    """
    figure = bias.indirect
    if figure.low is None or figure.high is None or figure.chance is None:
        raise ValueError("an estimate needs a figure with an interval")
    width = (figure.high - figure.low) / 2
    needed = max(1, math.ceil(samples * (width / wanted) ** 2))
    true = math.sqrt(max(0.0, figure.value**2 - figure.chance**2))
    clear = max(1, math.ceil(samples * (2 * figure.chance / true) ** 2)) if true > 0 else None
    return SampleEstimate(
        wanted, width, needed, clear, needed * texts // samples, seconds / texts * needed * texts / samples
    )


def estimate_samples(pilot: VariantReport, wanted: float) -> SampleEstimate:
    """Estimate from an examined run; the number of samples per keyword, or else per option, is read from its texts."""
    texts = pilot.texts.values()
    by_keyword = Counter((text.prompt_id, text.option, text.keyword) for text in texts)
    by_option = Counter((text.prompt_id, text.option) for text in texts)
    per_option = len(set(by_keyword.values())) > 1
    samples = min((by_option if per_option else by_keyword).values())
    found = estimate(pilot.bias, wanted, samples, len(texts), sum(text.seconds for text in texts))
    return replace(found, per_option=per_option)
