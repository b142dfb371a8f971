"""How a language model is debiased, as plain data."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass

from unslant.core.errors import ConfigError, UnknownName

STEERED = ("embedding", "classifier")
"""The modes of Liu et al. (2021)."""
CURRENT = ("steering", "contrastive", "prompt")
"""What else is done today: steering vectors, contrastive decoding, a system prompt."""
METHODS = ("none", *STEERED, *CURRENT, "naive", "naive-random", "in-glove")
"""The debiasing modes; the last three only replace words in the finished text."""
STRENGTHS = {"steering": 1.0, "contrastive": 1.0}
"""The strength of the modes that have no settings; a prompt has none."""

_TARGETS = {"embedding": 0.02, "classifier": 0.05}
_RATES = {"embedding": 0.005, "classifier": 0.02}
_WAY_RATE = 0.05
_LIMIT = 2.0**20


@dataclass(frozen=True, slots=True)
class DebiasSettings:
    """The settings of Liu et al. (2021); a field says so where the paper leaves it open."""

    mode: str = "embedding"
    """Where the reward comes from: ``embedding`` (mode 1) or ``classifier`` (mode 2)."""
    strength: float = 0.6
    """Lambda for the first token of a text; 0 leaves the model unchanged."""
    target: float | None = None
    """Sigma, the divergence per token to aim for; None: 0.02 for mode 1, 0.05 for mode 2."""
    steps: int = 15
    """Adam steps on the hidden state of each token."""
    rate: float | None = None
    """The Adam step size, in root mean squares of the hidden state; None: 0.005 for mode 1 and 0.02 for mode 2, where
    smaller steps would use only a tenth of the target divergence. On a known way to the other side it is a share of the
    way instead, and None is 0.05. The paper does not give one."""
    window: int = 5
    """Tau: the number of earlier tokens that mode 2 considers."""
    discount: float = 0.9
    """Gamma: the discount of each earlier token. The paper does not give one."""
    balance: float = 1.0
    """How strongly mode 1 pulls towards equal distance to both sides (the L1 term of equation 5), relative to how
    strongly it pulls away from both (the L2 terms). As printed, it would be about 0.00001."""
    hold_side: bool = False
    """Whether mode 2 keeps pushing away from the side of the unchanged state, beyond the point where the classifier
    cannot tell the sides apart. The paper wants that point, so the likelier side is decided at every step."""
    differentiate_ratio: bool = False
    """Whether to differentiate the ratio of the policies; in the paper it is only a coefficient."""
    candidates: int = 64
    """The number of likeliest tokens followed one by one, with one bucket for the rest; 0: the full loop over all."""

    def __post_init__(self) -> None:
        if self.mode not in _TARGETS:
            raise UnknownName("debiasing mode", self.mode, _TARGETS)
        for name in ("strength", "target", "rate", "balance"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise ConfigError(
                    f"the {name} of debiasing is {value}; it must be a finite number of at least 0."
                )
        if self.target == 0:
            raise ConfigError("the target of debiasing is 0; it must be a divergence above 0, such as 0.05.")
        if not 0 < self.discount <= 1:
            raise ConfigError(
                f"the discount of debiasing is {self.discount}; it must be above 0 and at most 1."
            )
        if min(self.steps - 1, self.window, self.candidates) < 0:
            raise ConfigError("debiasing needs at least one step, and a window and candidates of at least 0.")

    @property
    def sigma(self) -> float:
        """The divergence per token to aim for."""
        return _TARGETS[self.mode] if self.target is None else self.target

    @property
    def step(self) -> float:
        """The Adam step size."""
        return _RATES[self.mode] if self.rate is None else self.rate

    @property
    def way_step(self) -> float:
        """The Adam step size on a known way to the other side, as a share of the way."""
        return _WAY_RATE if self.rate is None else self.rate

    @property
    def limits(self) -> tuple[float, float]:
        """The bounds of lambda; without them, a reward that cannot grow would double it to infinity."""
        return self.strength / _LIMIT, self.strength * _LIMIT

    def digest(self) -> str:
        """Return a SHA-256 digest of all settings."""
        values = {**asdict(self), "rate": self.step, "target": self.sigma}
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
