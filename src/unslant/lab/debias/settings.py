"""How strongly and by what means a language model is calibrated, as plain data."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass

from unslant.core.errors import ConfigError, UnknownName

__all__ = ["METHODS", "Settings"]

METHODS = ("none", "embedding", "classifier", "naive", "in-glove")
"""Every way of writing that can be asked for; the last two only replace words in what was written."""

_TARGETS = {"embedding": 0.02, "classifier": 0.05}
_RATES = {"embedding": 0.005, "classifier": 0.02}
_LIMIT = 2.0**20


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of Liu et al. (2021); where the paper leaves one open, the field says so."""

    mode: str = "embedding"
    """Where the reward comes from: ``embedding`` (mode 1) or ``classifier`` (mode 2)."""
    strength: float = 0.6
    """Lambda for the first token of a text; 0 leaves the model as it is."""
    target: float | None = None
    """Sigma, the divergence per token to aim at; None: 0.02 for mode 1, 0.05 for mode 2."""
    steps: int = 15
    """Adam steps on the hidden state of each token."""
    rate: float | None = None
    """How far an Adam step goes, in root mean squares of the hidden state; None: 0.005 for mode 1, 0.02 for mode 2,
    whose gain ends so near that smaller steps spend a tenth of the divergence they may; the paper names none."""
    window: int = 5
    """Tau: how many earlier tokens mode 2 looks back on."""
    discount: float = 0.9
    """Gamma: how much less each earlier token counts; the paper names none."""
    balance: float = 1.0
    """The weight of the term of mode 1 that asks for equal distance to both sides; the paper's is 1."""
    hold_side: bool = True
    """Whether mode 2 decides once a token, at the unchanged state, which side is the likelier; else at every step, and
    a step that reaches the border of the sides ends there, where hardly a word has changed."""
    differentiate_ratio: bool = False
    """Whether the ratio of the policies is differentiated too, or is only a coefficient, as the paper calls it."""
    candidates: int = 64
    """How many of the likeliest tokens are followed one by one, the rest being one; 0: the full loop, all of them."""

    def __post_init__(self) -> None:
        if self.mode not in _TARGETS:
            raise UnknownName("mode of calibration", self.mode, _TARGETS)
        for name in ("strength", "target", "rate", "balance"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise ConfigError(f"the {name} of calibration is {value}; it is a number from 0 on.")
        if self.target == 0:
            raise ConfigError("the target of calibration is 0; it is a divergence over 0, such as 0.05.")
        if not 0 < self.discount <= 1:
            raise ConfigError(f"the discount of calibration is {self.discount}; it is over 0 and at most 1.")
        if min(self.steps - 1, self.window, self.candidates) < 0:
            raise ConfigError("calibration needs at least one step, and a window and candidates from 0 on.")

    @property
    def sigma(self) -> float:
        """The divergence per token to aim at."""
        return _TARGETS[self.mode] if self.target is None else self.target

    @property
    def step(self) -> float:
        """How far an Adam step goes."""
        return _RATES[self.mode] if self.rate is None else self.rate

    @property
    def limits(self) -> tuple[float, float]:
        """Between which lambda stays: without an end to doubling, a reward that cannot grow would end in infinity."""
        return self.strength / _LIMIT, self.strength * _LIMIT

    def digest(self) -> str:
        """Return a SHA-256 digest of all settings."""
        told = {**asdict(self), "rate": self.step, "target": self.sigma}
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
