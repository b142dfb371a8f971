"""How many texts an answer takes, from a pilot."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from unslant.lab.audit.bias import Bias

if TYPE_CHECKING:
    from unslant.lab.audit.examine import Examined

__all__ = ["Estimated", "estimate", "estimate_samples"]


@dataclass(frozen=True, slots=True)
class Estimated:
    """What a pilot says of a larger run."""

    wanted: float
    """The half-width of the interval of the indirect bias that is asked for."""
    width: float
    """That of the pilot."""
    samples: int
    """Samples for each prompt and keyword that should reach it."""
    clear_samples: int | None
    """Samples with which chance should give less than half of the bias; None where the pilot shows no bias at all."""
    texts: int
    """How many texts ``samples`` makes."""
    seconds: float
    """How long they take at the pilot's speed."""
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


def estimate(bias: Bias, wanted: float, samples: int, texts: int, seconds: float) -> Estimated:
    """Estimate from a pilot of so many samples, texts and seconds.

    Widths and chance shrink with the root of the number of texts. A squared distance is, on average, the true one plus
    that of chance, which gives the bias to expect.
    """
    figure = bias.indirect
    if figure.low is None or figure.high is None or figure.chance is None:
        raise ValueError("an estimate takes a figure with an interval")
    width = (figure.high - figure.low) / 2
    needed = max(1, math.ceil(samples * (width / wanted) ** 2))
    true = math.sqrt(max(0.0, figure.value**2 - figure.chance**2))
    clear = max(1, math.ceil(samples * (2 * figure.chance / true) ** 2)) if true > 0 else None
    return Estimated(
        wanted, width, needed, clear, needed * texts // samples, seconds / texts * needed * texts / samples
    )


def estimate_samples(pilot: Examined, wanted: float) -> Estimated:
    """Estimate from an examined run, whose texts say how many samples it has per keyword, or else per option."""
    texts = pilot.texts.values()
    by_keyword = Counter((text.prompt_id, text.option, text.keyword) for text in texts)
    by_option = Counter((text.prompt_id, text.option) for text in texts)
    per_option = len(set(by_keyword.values())) > 1
    samples = min((by_option if per_option else by_keyword).values())
    found = estimate(pilot.bias, wanted, samples, len(texts), sum(text.seconds for text in texts))
    return replace(found, per_option=per_option)
