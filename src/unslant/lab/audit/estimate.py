"""How many texts a margin of error takes, estimated from a pilot."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from unslant.lab.audit.bias import Bias

if TYPE_CHECKING:
    from unslant.lab.audit.examine import VariantReport

__all__ = ["SampleEstimate", "estimate", "estimate_samples"]


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
    """Samples from which on chance should give less than half of the bias; None if the pilot shows no bias."""
    texts: int
    """The number of texts."""
    seconds: float
    """The time they take at the pilot's speed."""
    per_option: bool = False
    """Whether samples are counted per prompt and option, not per prompt and keyword."""

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "wanted": self.wanted,
            "half_width": self.width,
            "samples": self.samples,
            "clear_samples": self.clear_samples,
            "texts": self.texts,
            "seconds": self.seconds,
            "per_option": self.per_option,
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
    """Estimate from an examined run, whose texts say how many samples it has per keyword, or else per option."""
    texts = pilot.texts.values()
    by_keyword = Counter((text.prompt_id, text.option, text.keyword) for text in texts)
    by_option = Counter((text.prompt_id, text.option) for text in texts)
    per_option = len(set(by_keyword.values())) > 1
    samples = min((by_option if per_option else by_keyword).values())
    found = estimate(pilot.bias, wanted, samples, len(texts), sum(text.seconds for text in texts))
    return replace(found, per_option=per_option)
