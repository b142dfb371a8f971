"""Algorithm 1 of Liu et al. (2021), fast: a few candidate tokens, one bucket for the rest, closed-form gradients.

Only the last hidden state is changed, so a token's logits change by ``rows @ shift``. The rows of the candidates are
followed one by one; the rest moves together, by the row that the vanilla policy expects of it. That row is estimated
from the likeliest tokens after the candidates and a sample of all others: all of them would cost as much as the output
layer itself.

The gain of mode 1 (equations 5 and 6): with ``dist(x, w) = log Z(h) - h·w`` the sum over a side of n words is
``n log Z(h) - h·(sum of w)``, so one vector per side stands for all its words, exactly.

The gain of mode 2 (equations 7 and 8): ``y`` is the likelier class, decided at every step, so the gain of a token is
``-log max(p, 1-p)``: log 2 where the classifier is undecided, 0 where it is certain. Its gradient points to p = 0.5
from either side. With ``hold_side`` the side of the unchanged state is held instead, and the gain goes on growing
beyond 0.5, until the divergence outweighs it.

A debiaser that has seen texts after prompts of both sides knows the way from a state to its counterpart on the other
side. The state is then moved along this way only, as far as the gain and the divergence want it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.functional import embedding_bag, softplus

from unslant.core.generation import Sampling
from unslant.lab.debias.debiaser import Debiaser
from unslant.lab.debias.settings import DebiasSettings
from unslant.lab.lm.decoding import Decoding, Dice, draw_tokens

_NEAR, _SAMPLE = 192, 4096
"""The row of the rest is estimated from this many of its likeliest tokens and about this many of all others."""


def divergence(vanilla: Tensor, debiased: Tensor) -> Tensor:
    """Return KL(vanilla || debiased) of log probabilities over the last axis: 0 for equal policies, never negative."""
    terms = vanilla.exp() * (vanilla - debiased)
    # an impossible token adds nothing, though its logarithm is minus infinity
    return torch.where(vanilla == -torch.inf, 0.0, terms).sum(-1).clamp(min=0)


def next_strength(strength: Tensor, spent: Tensor, sigma: float, limits: tuple[float, float]) -> Tensor:
    """Return lambda for the next token: halved at 2 sigma or more, doubled at sigma/2 or less, else unchanged."""
    factor = torch.ones_like(strength)
    factor = torch.where(spent >= 2 * sigma, 0.5, factor)
    factor = torch.where(spent <= sigma / 2, 2.0, factor)
    return (strength * factor).clamp(*limits)


class Policy:
    """What a gain needs to know about the policy at a changed hidden state."""

    __slots__ = ("log_partition", "mean_row")

    def __init__(self, log_partition: Tensor, mean_row: Tensor) -> None:
        self.log_partition = log_partition  # log Z: (batch,)
        # the gradient of log Z: the output layer's rows, weighted by the policy
        self.mean_row = mean_row  # (batch, width)


class Gain(Protocol):
    """The debias gain of one batch of texts."""

    def way(self, hidden: Tensor) -> Tensor | None:
        """Return the differences along which states may be moved, (batch, width); None: in any direction."""
        ...

    def begin(self, hidden: Tensor, policy: Policy) -> None:
        """Receive the state of a new token before it is changed."""
        ...

    def __call__(self, hidden: Tensor, policy: Policy) -> tuple[Tensor, Tensor]:
        """Return the gain, (batch,), and its gradient by the hidden state, (batch, width)."""
        ...

    def end(self, hidden: Tensor) -> None:
        """Receive the state that the token was drawn from."""
        ...


class EmbeddingGain:
    """Rewards states far from the words of both sides (the L2 terms of equation 5), and equally far (its L1 term).

    As printed, the L1 term is lost: the sums over 250 words are squared in the one and not in the other, so that its
    gradient is some 10⁻⁵ of the whole. Here the L2 terms count in units of their value at the unchanged state, and the
    L1 term in units that make its gradient there ``balance`` times as long as theirs.
    """

    def __init__(self, left: Tensor, right: Tensor, balance: float = 1.0) -> None:
        self._sums = torch.stack([left.sum(0), right.sum(0)])  # (2, width)
        self._counts = torch.tensor([float(len(left)), float(len(right))], device=left.device)
        self._balance = balance
        self._far, self._gap = torch.ones(()), torch.ones(())

    def way(self, hidden: Tensor) -> None:
        """Do nothing: mode 1 knows no way to the other side."""

    def begin(self, hidden: Tensor, policy: Policy) -> None:
        """Set the units of both terms by the unchanged state."""
        distances = self._distances(hidden, policy)
        far, gap = self._gradients(distances, policy)
        self._far, self._gap = gain_units(distances.square().sum(1), far, gap)

    def _distances(self, hidden: Tensor, policy: Policy) -> Tensor:
        return policy.log_partition[:, None] * self._counts - hidden @ self._sums.T  # (batch, 2)

    def _gradients(self, distances: Tensor, policy: Policy) -> tuple[Tensor, Tensor]:
        """Return the gradients of the squares and of the first sum minus the second: (batch, width) each."""
        weights = 2 * distances
        far = (weights @ self._counts)[:, None] * policy.mean_row - weights @ self._sums
        gap = (self._counts[0] - self._counts[1]) * policy.mean_row - (self._sums[0] - self._sums[1])
        return far, gap

    def __call__(self, hidden: Tensor, policy: Policy) -> tuple[Tensor, Tensor]:
        """Return equation 5 in these units, and its gradient."""
        distances = self._distances(hidden, policy)
        far, gap = self._gradients(distances, policy)
        apart = distances[:, 0] - distances[:, 1]
        weight = self._balance / self._gap
        value = distances.square().sum(1) / self._far - weight * apart.abs()
        return value, far / self._far[:, None] - (weight * apart.sign())[:, None] * gap

    def end(self, hidden: Tensor) -> None:
        """Do nothing: mode 1 considers one token at a time."""


def gain_units(squares: Tensor, far: Tensor, gap: Tensor) -> tuple[Tensor, Tensor]:
    """Return the units of the two terms of equation 5, (batch,) each, from their value and gradients.

    The L2 terms become 1; one unit of the L1 term has a gradient as long as that of the L2 terms in theirs.
    """
    unit = squares.clamp(min=1e-6)
    steepness = far.norm(dim=1) / unit
    return unit, gap.norm(dim=1).clamp(min=1e-12) / steepness.clamp(min=1e-12)


class ClassifierGain:
    """Rewards states for which the classifier is undecided, over the newest token and those before it."""

    def __init__(
        self, debiaser: Debiaser, window: int = 5, discount: float = 0.9, *, hold_side: bool = False
    ) -> None:
        self._debiaser = debiaser
        self._window, self._discount, self._hold = window, discount, hold_side
        self._side: Tensor | None = None  # of the unchanged state: -1 left, 1 right; (batch,)
        self._past: list[Tensor] = []  # the gains of earlier tokens, the latest last: (batch,) each

    def way(self, hidden: Tensor) -> Tensor | None:
        """Return the way to the other side, if the debiaser knows it."""
        return None if self._debiaser.counterpart is None else self._debiaser.counterpart(hidden)

    def begin(self, hidden: Tensor, policy: Policy) -> None:  # noqa: ARG002
        """Hold the side of the unchanged state."""
        self._side = self._debiaser.margin(hidden)[0].sign() if self._hold else None

    def __call__(self, hidden: Tensor, policy: Policy) -> tuple[Tensor, Tensor]:  # noqa: ARG002
        """Return equation 7 over the window, and its gradient by the newest state."""
        value, gradient = self._token(hidden)
        count = len(self._past) + 1
        for age, earlier in enumerate(reversed(self._past), 1):
            value = value + self._discount**age * earlier
        return value / count, gradient / count

    def end(self, hidden: Tensor) -> None:
        """Add the newest token to the window and drop the oldest."""
        self._past = [*self._past, self._token(hidden)[0]][-self._window :] if self._window else []

    def _token(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        margin, gradient = self._debiaser.margin(hidden)
        side = margin.sign() if self._side is None else self._side
        value = softplus(-side * margin)  # -log of the probability of the side; (batch,)
        return value, (-side * torch.sigmoid(-side * margin))[:, None] * gradient


class Adam:
    """Adam as gradient ascent on one tensor whose rows are independent."""

    def __init__(self, like: Tensor, rate: float, betas: tuple[float, float] = (0.9, 0.999)) -> None:
        self.value = torch.zeros_like(like)
        self._first, self._second = torch.zeros_like(like), torch.zeros_like(like)
        self._rate, self._betas, self._count = rate, betas, 0

    def climb(self, gradient: Tensor) -> None:
        """Take one step along the gradient."""
        self._count += 1
        beta1, beta2 = self._betas
        self._first.lerp_(gradient, 1 - beta1)
        self._second.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        size = self._second.div(1 - beta2**self._count).sqrt_().add_(1e-8)
        self.value.addcdiv_(self._first, size, value=self._rate / (1 - beta1**self._count))


@dataclass(frozen=True, slots=True)
class _Vanilla:
    """The unchanged policy of one token of each text."""

    places: Tensor
    """The candidates: (batch, candidates)."""
    rows: Tensor
    """The candidates' rows of the output layer, then the row of the rest: (batch, candidates + 1, width)."""
    columns: Tensor
    """The transpose, (batch, width, candidates + 1): products with a vector are three times as fast."""
    logits: Tensor
    """The logits of the candidates and the rest: (batch, candidates + 1)."""
    log_partition: Tensor
    """(batch,)."""
    action: Tensor
    """The row of the token that the vanilla policy drew: (batch, width)."""

    @property
    def logprobs(self) -> Tensor:
        return self.logits - self.log_partition[:, None]


class FastGuide:
    """Guides one batch of texts; each has its own strength."""

    def __init__(
        self, head: Tensor, gain: Gain, settings: DebiasSettings, seeds: Sequence[int], sampling: Sampling
    ) -> None:
        self._head, self._gain, self._settings, self._sampling = head, gain, settings, sampling
        self._stride = max(1, len(head) // _SAMPLE)
        self._sample = head[:: self._stride].contiguous()
        # the trajectory has its own random stream, so that strength 0 reproduces the vanilla model
        self._dice = Dice(seeds, "trajectory")
        self._strength = torch.full((len(seeds),), float(settings.strength), device=head.device)

    @torch.no_grad()
    def logits(self, state: Decoding) -> Tensor:
        """Return the debiased policy's logits and adapt the strength of each text."""
        action = draw_tokens(state.logits, self._dice.roll(), self._sampling)
        vanilla = self._vanilla(state, action)
        shift = self._shift(state.hidden, vanilla)
        changes = _times(shift, vanilla.columns)
        debiased = (vanilla.logits + changes).log_softmax(1)
        spent = divergence(vanilla.logprobs, debiased)
        self._strength = next_strength(self._strength, spent, self._settings.sigma, self._settings.limits)
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
        far = self._estimate_far_row(state.logits, values[:, -1:], 1 - shares.sum(1))
        rows = torch.cat([self._head[places[:, :count]], ((near + far) / left[:, None])[:, None]], 1)
        return _Vanilla(
            places[:, :count],
            rows,
            rows.transpose(1, 2).contiguous(),
            torch.cat([values[:, :count], (total + left.log())[:, None]], 1),
            total,
            self._head[action],
        )

    def _estimate_far_row(self, logits: Tensor, least: Tensor, share: Tensor) -> Tensor:
        """Return the mean row of the tokens below ``least``, estimated from a sample, times their probability."""
        # token ids are sorted by frequency, so this is an even sample
        some = logits[:, :: self._stride]
        weights = torch.where(some < least, some - least, -torch.inf).exp_()
        weights *= (share.clamp(min=0) / weights.sum(1).clamp(min=1e-20))[:, None]
        return weights @ self._sample

    def _shift(self, hidden: Tensor, vanilla: _Vanilla) -> Tensor:
        """Return by how much Adam shifts the hidden state: (batch, width)."""
        settings = self._settings
        way = self._gain.way(hidden)
        scale = hidden.square().mean(1, keepdim=True).sqrt() if way is None else way
        start = _times(vanilla.logprobs.exp(), vanilla.rows)
        self._gain.begin(hidden, Policy(vanilla.log_partition, start))
        adam = Adam(hidden, settings.step) if way is None else Adam(hidden[:, :1], settings.way_step)
        for _ in range(settings.steps):
            shift = adam.value * scale
            logits = vanilla.logits + _times(shift, vanilla.columns)
            total = logits.logsumexp(1)
            mean = _times((logits - total[:, None]).exp_(), vanilla.rows)
            value, gradient = self._gain(hidden + shift, Policy(total, mean))
            # the ratio of the policies for the token that the vanilla policy drew
            ratio = ((vanilla.action * shift).sum(1) - total + vanilla.log_partition).exp()
            if settings.differentiate_ratio:
                gradient = gradient + value[:, None] * (vanilla.action - mean)
            climb = (self._strength * ratio)[:, None] * gradient - (mean - start)
            climb *= scale
            adam.climb(climb if way is None else climb.sum(1, keepdim=True))
        return adam.value * scale


def _times(vector: Tensor, rows: Tensor) -> Tensor:
    return (vector[:, None] @ rows)[:, 0]
