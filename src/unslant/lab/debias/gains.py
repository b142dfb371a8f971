"""The debias gains of both modes and their gradients, in closed form.

Mode 1 (equations 5 and 6). With ``dist(x, w) = log Z(h) - h·w`` the sum over a side of n words is
``n log Z(h) - h·(sum of w)``: one vector a side stands for all its words, exactly.

Mode 2 (equations 7 and 8). ``y`` is the likelier class. Where it is told anew at every step the gain of a token is
``-log max(p, 1-p)``: log 2 where the classifier cannot tell the sides apart, 0 where it is certain. Where it is held at
what it was for the unchanged state, the gain goes on growing beyond that point, until the divergence outweighs it.
"""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor
from torch.nn.functional import softplus

from unslant.lab.debias.debiaser import Debiaser

__all__ = ["ClassifierGain", "EmbeddingGain", "Gain", "Policy"]


class Policy:
    """What a gain may ask of the policy at a changed hidden state."""

    __slots__ = ("log_partition", "mean_row")

    def __init__(self, log_partition: Tensor, mean_row: Tensor) -> None:
        self.log_partition = log_partition  # log Z: (batch,)
        self.mean_row = (
            mean_row  # its gradient, the output layer's rows as weighted by the policy: (batch, width)
        )


class Gain(Protocol):
    """A gain that one batch of texts is led by."""

    def begin(self, hidden: Tensor, policy: Policy) -> None:
        """Look at the state of a new token before it is changed."""
        ...

    def __call__(self, hidden: Tensor, policy: Policy) -> tuple[Tensor, Tensor]:
        """Return the gain, (batch,), and its gradient by the hidden state, (batch, width)."""
        ...

    def end(self, hidden: Tensor) -> None:
        """Remember the state that the token was drawn from."""
        ...


class EmbeddingGain:
    """Far from the words of both sides, and as far from one side as from the other.

    It is divided by its value at the unchanged state, so that a strength means the same for any number of words; the
    direction of the gradient is that of equation 5.
    """

    def __init__(self, left: Tensor, right: Tensor, balance: float = 1.0) -> None:
        self._sums = torch.stack([left.sum(0), right.sum(0)])  # (2, width)
        self._counts = torch.tensor([float(len(left)), float(len(right))], device=left.device)
        self._balance = balance
        self._unit = torch.ones(())

    def begin(self, hidden: Tensor, policy: Policy) -> None:
        """Take the gain of the unchanged state as the unit."""
        self._unit = self._value(self._distances(hidden, policy)).abs().clamp(min=1e-6)

    def _distances(self, hidden: Tensor, policy: Policy) -> Tensor:
        return policy.log_partition[:, None] * self._counts - hidden @ self._sums.T  # (batch, 2)

    def _value(self, distances: Tensor) -> Tensor:
        return distances.square().sum(1) - self._balance * (distances[:, 0] - distances[:, 1]).abs()

    def __call__(self, hidden: Tensor, policy: Policy) -> tuple[Tensor, Tensor]:
        """Return equation 5 in units of its value at the unchanged state, and its gradient."""
        distances = self._distances(hidden, policy)
        side = self._balance * (distances[:, :1] - distances[:, 1:]).sign()
        weights = 2 * distances + torch.cat([-side, side], 1)  # by each of the two sums
        gradient = (weights @ self._counts)[:, None] * policy.mean_row - weights @ self._sums
        return self._value(distances) / self._unit, gradient / self._unit[:, None]

    def end(self, hidden: Tensor) -> None:
        """Nothing is remembered: mode 1 looks at one token at a time."""


class ClassifierGain:
    """A state from which the classifier cannot tell the sides apart, here and in the tokens before."""

    def __init__(
        self, debiaser: Debiaser, window: int = 5, discount: float = 0.9, *, hold_side: bool = False
    ) -> None:
        self._debiaser = debiaser
        self._window, self._discount, self._hold = window, discount, hold_side
        self._side: Tensor | None = None  # of the unchanged state: -1 left, 1 right; (batch,)
        self._past: list[Tensor] = []  # the gains of earlier tokens, the latest last: (batch,) each

    def begin(self, hidden: Tensor, policy: Policy) -> None:  # noqa: ARG002
        """Note which side the unchanged state is on."""
        self._side = self._debiaser.margin(hidden)[0].sign() if self._hold else None

    def __call__(self, hidden: Tensor, policy: Policy) -> tuple[Tensor, Tensor]:  # noqa: ARG002
        """Return equation 7 over the window, and its gradient by the newest state."""
        value, gradient = self._token(hidden)
        count = len(self._past) + 1
        for age, earlier in enumerate(reversed(self._past), 1):
            value = value + self._discount**age * earlier
        return value / count, gradient / count

    def end(self, hidden: Tensor) -> None:
        """Let the newest token into the window, and the oldest out of it."""
        self._past = [*self._past, self._token(hidden)[0]][-self._window :] if self._window else []

    def _token(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        margin, gradient = self._debiaser.margin(hidden)
        side = margin.sign() if self._side is None else self._side
        value = softplus(-side * margin)  # -log of the probability of the side; (batch,)
        return value, (-side * torch.sigmoid(-side * margin))[:, None] * gradient
