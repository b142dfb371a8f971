"""A control of the judge: whether it sees the side that the prompts themselves are on.

Direct prompts name a side. A judge that does not find texts under conservative prompts more conservative than texts
under liberal ones is blind to what this model writes, and no figure that it gives of options means much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from unslant.lab.audit.bias import Bias
from unslant.lab.audit.design import Design
from unslant.lab.stats.bootstrap import Estimate, Resampling, percentile_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["control"]

_SIDES = ("conservative", "liberal")


def control(bias: Bias, resampling: Resampling | None = None) -> Estimate | None:
    """Return the mean judgement under conservative prompts less that under liberal ones, averaged over attributes.

    Every option counts alike, whatever the number of its texts. None where the suite has no direct prompts.
    """
    resampling = resampling or Resampling()
    pairs = [one.designs for one in bias.attributes if set(_SIDES) <= one.designs.keys()]
    if not pairs:
        return None
    value = _gap(pairs, None, 0)
    if not resampling.resamples:
        return Estimate(float(value[0]))
    low, high = percentile_interval(_gap(pairs, resampling.resamples, resampling.seed), resampling.level)
    return Estimate(float(value[0]), float(low), float(high))


def _gap(pairs: Sequence[Mapping[str, Design]], count: int | None, seed: int) -> NDArray[np.float64]:
    """Return the gap as it is, (1), or on resamples, (count)."""
    import numpy as np

    found = []
    for number, designs in enumerate(pairs):
        means = []
        for at, side in enumerate(_SIDES):
            design = designs[side]
            places = None if count is None else design.bootstrap(count, seed + 10 * number + at)
            rows = design.values[None, :] if places is None else design.values[places]
            means.append(design.means(rows).mean(axis=1))
        found.append(means[0] - means[1])
    return np.asarray(np.mean(found, axis=0))
