"""The reference implementation of Algorithm 1 as published: whole vocabulary, automatic differentiation; slow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from unslant.core.generation import Sampling
from unslant.lab.debias.debiaser import Debiaser
from unslant.lab.debias.guide import divergence, gain_units, next_strength
from unslant.lab.debias.settings import DebiasSettings
from unslant.lab.lm.decoding import Decoding, Dice, draw_tokens


def distance_sums(
    hidden: Tensor, log_partition: Tensor, left: Tensor, right: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the sums of the distances of equation 6 to the words of either side: (batch,) each."""
    to_left = (log_partition[:, None] - hidden @ left.T).sum(1)  # -log softmax, summed over the words
    to_right = (log_partition[:, None] - hidden @ right.T).sum(1)
    return to_left, to_right


def embedding_gain(hidden: Tensor, log_partition: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """Return equation 5 as printed: (batch,)."""
    to_left, to_right = distance_sums(hidden, log_partition, left, right)
    return to_left**2 + to_right**2 - (to_left - to_right).abs()


def likelier_side(hidden: Tensor, debiaser: Debiaser) -> Tensor:
    """Return y of equation 8, 1 where right is likelier: (batch,)."""
    return (debiaser.logits(hidden).softmax(1)[:, 1] > 0.5).to(hidden.dtype).detach()


def token_gain(hidden: Tensor, debiaser: Debiaser, y: Tensor | None = None) -> Tensor:
    """Return equation 8, with y the likelier class unless given: (batch,)."""
    logprobs = debiaser.logits(hidden).log_softmax(1)
    y = likelier_side(hidden, debiaser) if y is None else y
    return -(y * logprobs[:, 1] + (1 - y) * logprobs[:, 0])


def classifier_gain(gains: Sequence[Tensor], discount: float) -> Tensor:
    """Return equation 7 for the gains of a window of tokens, the newest last."""
    last = len(gains) - 1
    weighted = [discount ** (last - at) * gain for at, gain in enumerate(gains)]
    return torch.stack(weighted).sum(0) / len(gains)


class ReferenceGuide:
    """Guides one batch of texts by the full loop."""

    def __init__(
        self,
        head: Callable[[Tensor], Tensor],
        side: tuple[Tensor, Tensor] | Debiaser,
        settings: DebiasSettings,
        seeds: Sequence[int],
        sampling: Sampling,
    ) -> None:
        self._head, self._side, self._settings, self._sampling = head, side, settings, sampling
        self._dice = Dice(seeds, "trajectory")
        self._strength = torch.full((len(seeds),), float(settings.strength))
        self._past: list[Tensor] = []
        self._y: Tensor | None = None
        self._units = torch.ones(()), torch.ones(())
        self._rounding: Tensor | float = 0.0

    def logits(self, state: Decoding) -> Tensor:
        """Return the debiased policy's logits and adapt the strength of each text."""
        settings = self._settings
        self._strength = self._strength.to(state.hidden.device)
        action = draw_tokens(state.logits, self._dice.roll(), self._sampling)
        vanilla = state.logits.log_softmax(1)
        # the model's own rounding, so that the loop starts at its policy
        with torch.no_grad():
            self._rounding = state.logits - self._head(state.hidden)
        way = self._way(state.hidden)
        scale = state.hidden.square().mean(1, keepdim=True).sqrt() if way is None else way
        if isinstance(self._side, Debiaser) and settings.hold_side:
            self._y = likelier_side(state.hidden, self._side)
        if not isinstance(self._side, Debiaser):
            self._units = self._measure_units(state.hidden, self._side)
        with torch.enable_grad():
            move = torch.zeros_like(state.hidden if way is None else state.hidden[:, :1], requires_grad=True)
            rate = settings.step if way is None else settings.way_step
            adam = torch.optim.Adam([move], lr=rate, maximize=True)
            for _ in range(settings.steps):
                adam.zero_grad()
                self._objective(state.hidden + move * scale, vanilla, action).sum().backward()
                adam.step()
        hidden = (state.hidden + move * scale).detach()
        with torch.no_grad():
            logits = self._head(hidden) + self._rounding
            spent = divergence(vanilla, logits.log_softmax(1))
            self._strength = next_strength(self._strength, spent, settings.sigma, settings.limits)
            self._remember(hidden)
        return logits

    def _way(self, hidden: Tensor) -> Tensor | None:
        """Return the differences along which the states are moved; None: in any direction."""
        known = self._side.counterpart if isinstance(self._side, Debiaser) else None
        return None if known is None else known(hidden)

    def _objective(self, hidden: Tensor, vanilla: Tensor, action: Tensor) -> Tensor:
        """Return equation 9 with the reward of equation 4: (batch,)."""
        logits = self._head(hidden) + self._rounding
        policy = logits.log_softmax(1)
        ratio = (policy - vanilla).gather(1, action[:, None])[:, 0].exp()
        if not self._settings.differentiate_ratio:
            ratio = ratio.detach()
        reward = ratio * self._gain(hidden, logits)
        return self._strength * reward - divergence(vanilla, policy)

    def _gain(self, hidden: Tensor, logits: Tensor) -> Tensor:
        if isinstance(self._side, Debiaser):
            return classifier_gain(
                [*self._past, token_gain(hidden, self._side, self._y)], self._settings.discount
            )
        to_left, to_right = distance_sums(hidden, logits.logsumexp(1), *self._side)
        far, gap = self._units
        return (to_left**2 + to_right**2) / far - self._settings.balance * (to_left - to_right).abs() / gap

    def _measure_units(self, hidden: Tensor, sides: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        """Return the units of the two terms of equation 5, from their gradients at the unchanged state."""
        with torch.enable_grad():
            start = hidden.detach().requires_grad_()
            logits = self._head(start) + self._rounding
            to_left, to_right = distance_sums(start, logits.logsumexp(1), *sides)
            squares = to_left**2 + to_right**2
            (far,) = torch.autograd.grad(squares.sum(), start, retain_graph=True)
            (gap,) = torch.autograd.grad((to_left - to_right).sum(), start)
        return gain_units(squares.detach(), far, gap)

    def _remember(self, hidden: Tensor) -> None:
        if isinstance(self._side, Debiaser) and self._settings.window:
            self._past = [*self._past, token_gain(hidden, self._side, self._y)][-self._settings.window :]
