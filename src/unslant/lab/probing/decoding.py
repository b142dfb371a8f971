"""Constrained decoding of one answer: the next token is the most probable, or sampled, among those permitted."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unslant.lab.probing.constraints import Constraint

__all__ = ["END", "DecodedAnswer", "DecodingRequest", "TokenSelector"]

END = -1
"""Represents the end of the answer among the candidate tokens; a model may have several end tokens."""


@dataclass(frozen=True, slots=True)
class DecodingRequest:
    """A prompt, the constraint on its completion, and how tokens are sampled."""

    tokens: Sequence[int]
    constraint: Constraint | None = None
    """None permits any completion."""
    max_tokens: int = 16
    temperature: float = 0.0
    """0 always selects the most probable token."""
    top_k: int = 0
    """Sample from the k most probable tokens; 0 samples from all."""
    seed: str = ""
    """The same seed gives the same sample, whatever else is in the batch."""


@dataclass(slots=True)
class DecodedAnswer:
    """The tokens a model generated."""

    tokens: list[int] = field(default_factory=list)
    state: int = 0
    """The state of the constraint after these tokens."""
    ended: bool = False
    """Whether the model ended the answer; if not, it was truncated."""
    first: Mapping[int, float] = field(default_factory=dict)
    """The probabilities at the first token with more than one candidate; only for constrained answers."""
    probability: float = 1.0
    """The probability of the answer among all answers that the constraint permits."""


class TokenSelector:
    """Selects the tokens of one answer.

    ``pending`` holds selected tokens that the model has not processed yet. A token without alternative is selected
    without running the model.
    """

    def __init__(self, request: DecodingRequest, ends: Collection[int]) -> None:
        self.request = request
        self.completion = DecodedAnswer(state=request.constraint.start if request.constraint else 0)
        self.pending: list[int] = []
        self.done = False
        self._ends = sorted(ends)
        self._rng = random.Random(request.seed)  # noqa: S311 - which words, not a secret
        self._advance()

    def select(self, logits: Any) -> None:
        """Select the next token from the model's logits (a tensor over the vocabulary)."""
        candidates, scores = self._candidates(logits)
        if not candidates:
            self.done = True
            return
        probabilities = _softmax(scores)
        if self.request.constraint is not None and not self.completion.first:
            self.completion.first = dict(zip(candidates, probabilities, strict=True))
        index = self._sample(scores)
        self.completion.probability *= probabilities[index]
        self._append(candidates[index])
        self._advance()

    def _candidates(self, logits: Any) -> tuple[list[int], list[float]]:
        constraint = self.request.constraint
        if constraint is None:
            count = self.request.top_k if self.request.temperature and self.request.top_k else 1
            if self.request.temperature and not self.request.top_k:
                count = logits.shape[-1]
            top = logits.topk(min(count, logits.shape[-1]))
            tokens = [END if int(token) in self._ends else int(token) for token in top.indices]
            return tokens, top.values.tolist()
        candidates = sorted(constraint.following(self.completion.state))
        scores = logits[candidates].tolist() if candidates else []
        if constraint.may_end(self.completion.state):
            candidates.append(END)
            scores.append(float(logits[self._ends].logsumexp(0)) if self._ends else -math.inf)
        return candidates, scores

    def _sample(self, scores: Sequence[float]) -> int:
        if not self.request.temperature:
            return max(range(len(scores)), key=scores.__getitem__)
        order = sorted(range(len(scores)), key=lambda at: -scores[at])
        kept = order[: self.request.top_k] if self.request.top_k else order
        weights = _softmax([scores[at] / self.request.temperature for at in kept])
        roll = self._rng.random()
        for at, weight in zip(kept, weights, strict=True):
            roll -= weight
            if roll < 0:
                return at
        return kept[0]  # rounding left a remainder

    def _append(self, token: int) -> None:
        if token == END:
            self.completion.ended = self.done = True
            return
        self.completion.tokens.append(token)
        self.pending.append(token)
        if self.request.constraint is not None:
            self.completion.state = self.request.constraint.after(self.completion.state, token)
        if len(self.completion.tokens) >= self.request.max_tokens:
            self.done = True

    def _advance(self) -> None:
        """Append every token that has no alternative, or the end if nothing can follow."""
        constraint = self.request.constraint
        while constraint is not None and not self.done:
            following = constraint.following(self.completion.state)
            if constraint.may_end(self.completion.state):
                if following:
                    return
                self._append(END)
            elif len(following) == 1:
                self._append(next(iter(following)))
            else:
                self.done = not following
                return


def _softmax(scores: Sequence[float]) -> list[float]:
    highest = max(scores)
    if highest == -math.inf:
        return [1 / len(scores)] * len(scores)
    powers = [math.exp(score - highest) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]
