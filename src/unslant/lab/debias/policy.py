"""Algorithm 1 at the price of a fraction of a token: a few candidates, one bucket for the rest, closed-form gradients.

Only the last hidden state is changed, so a token's logits change by ``rows @ shift``. The candidates' rows are followed
one by one; the rest moves together, by the row that the vanilla policy expects of it. That row is told by the likeliest
tokens after the candidates and a sample of all others: all of them would cost as much as the output layer itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from unslant.core.generation import Sampling
from unslant.lab.debias.gains import Gain, Policy
from unslant.lab.debias.schedule import divergence, next_strength
from unslant.lab.debias.settings import Settings
from unslant.lab.lm.decoding import Decoding
from unslant.lab.lm.sampling import Dice, choose

__all__ = ["Adam", "FastGuide"]

_NEAR, _SAMPLE = 192, 4096
"""Of the rest: how many of the likeliest tokens, and about how many of all others, tell its row."""


class Adam:
    """Adam, as an ascent on one tensor whose rows do not know of each other."""

    def __init__(self, like: Tensor, rate: float, betas: tuple[float, float] = (0.9, 0.999)) -> None:
        self.value = torch.zeros_like(like)
        self._first, self._second = torch.zeros_like(like), torch.zeros_like(like)
        self._rate, self._betas, self._count = rate, betas, 0

    def climb(self, gradient: Tensor) -> None:
        """Take one step up the gradient."""
        self._count += 1
        one, two = self._betas
        self._first.lerp_(gradient, 1 - one)
        self._second.mul_(two).addcmul_(gradient, gradient, value=1 - two)
        size = self._second.div(1 - two**self._count).sqrt_().add_(1e-8)
        self.value.addcdiv_(self._first, size, value=self._rate / (1 - one**self._count))


@dataclass(frozen=True, slots=True)
class _Vanilla:
    """The unchanged policy of one token of each text."""

    places: Tensor
    """The candidates: (batch, candidates)."""
    rows: Tensor
    """Their rows of the output layer, then the one that stands for the rest: (batch, candidates + 1, width)."""
    columns: Tensor
    """The same the other way around, (batch, width, candidates + 1): products with a vector are thrice as fast."""
    logits: Tensor
    """Of the candidates and the rest: (batch, candidates + 1)."""
    log_partition: Tensor
    """(batch,)."""
    action: Tensor
    """The row of the token that the vanilla policy drew: (batch, width)."""

    @property
    def logprobs(self) -> Tensor:
        return self.logits - self.log_partition[:, None]


class FastGuide:
    """Leads one batch of texts; each has its own strength."""

    def __init__(
        self, head: Tensor, gain: Gain, settings: Settings, seeds: Sequence[int], sampling: Sampling
    ) -> None:
        self._head, self._gain, self._settings, self._sampling = head, gain, settings, sampling
        self._stride = max(1, len(head) // _SAMPLE)
        self._sample = head[:: self._stride].contiguous()
        # the trajectory has its own dice: strength 0 then writes what the model writes without calibration
        self._dice = Dice(seeds, "trajectory")
        self._strength = torch.full((len(seeds),), settings.strength, device=head.device)

    @torch.no_grad()
    def logits(self, state: Decoding) -> Tensor:
        """Return the debiased policy's logits and adapt the strength of each text."""
        action = choose(state.logits, self._dice.roll(), self._sampling)
        vanilla = self._vanilla(state, action)
        shift = self._shift(state.hidden, vanilla)
        changes = _times(shift, vanilla.columns)
        debiased = (vanilla.logits + changes).log_softmax(1)
        seen = divergence(vanilla.logprobs, debiased)
        self._strength = next_strength(self._strength, seen, self._settings.sigma, self._settings.limits)
        self._gain.end(state.hidden + shift)
        logits = state.logits + changes[:, -1:]
        return logits.scatter_(1, vanilla.places, vanilla.logits[:, :-1] + changes[:, :-1])

    def _vanilla(self, state: Decoding, action: Tensor) -> _Vanilla:
        count = min(self._settings.candidates, state.logits.shape[1] - 1)
        total = state.logits.logsumexp(1)
        values, places = state.logits.topk(min(count + _NEAR, state.logits.shape[1]), dim=1)
        shares = (values - total[:, None]).exp_()
        left = (1 - shares[:, :count].sum(1)).clamp(min=1e-7)
        near = embedding_bag(
            places[:, count:], self._head, per_sample_weights=shares[:, count:].contiguous(), mode="sum"
        )
        far = self._far(state.logits, values[:, -1:], 1 - shares.sum(1))
        rows = torch.cat([self._head[places[:, :count]], ((near + far) / left[:, None])[:, None]], 1)
        return _Vanilla(
            places[:, :count],
            rows,
            rows.transpose(1, 2).contiguous(),
            torch.cat([values[:, :count], (total + left.log())[:, None]], 1),
            total,
            self._head[action],
        )

    def _far(self, logits: Tensor, least: Tensor, share: Tensor) -> Tensor:
        """Return the mean row of the tokens below ``least``, as a sample tells it, times their share of the policy."""
        some = logits[
            :, :: self._stride
        ]  # numbers of tokens go by how frequent they are, so this is an even sample
        weights = torch.where(some < least, some - least, -torch.inf).exp_()
        weights *= (share.clamp(min=0) / weights.sum(1).clamp(min=1e-20))[:, None]
        return weights @ self._sample

    def _shift(self, hidden: Tensor, vanilla: _Vanilla) -> Tensor:
        """Return how far Adam moves the hidden state: (batch, width)."""
        settings = self._settings
        scale = hidden.square().mean(1, keepdim=True).sqrt()
        start = _times(vanilla.logprobs.exp(), vanilla.rows)
        self._gain.begin(hidden, Policy(vanilla.log_partition, start))
        adam = Adam(hidden, settings.step)
        for _ in range(settings.steps):
            shift = adam.value * scale
            logits = vanilla.logits + _times(shift, vanilla.columns)
            total = logits.logsumexp(1)
            mean = _times((logits - total[:, None]).exp_(), vanilla.rows)
            value, gradient = self._gain(hidden + shift, Policy(total, mean))
            # log of the ratio of the policies for the token that the vanilla policy drew
            ratio = ((vanilla.action * shift).sum(1) - total + vanilla.log_partition).exp()
            if settings.differentiate_ratio:
                gradient = gradient + value[:, None] * (vanilla.action - mean)
            climb = (self._strength * ratio)[:, None] * gradient - (mean - start)
            adam.climb(climb * scale)
        return adam.value * scale


def _times(vector: Tensor, rows: Tensor) -> Tensor:
    return (vector[:, None] @ rows)[:, 0]
