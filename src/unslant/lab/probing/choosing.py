"""Which token comes next: the likeliest, or drawn, of those that a constraint allows."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence
from typing import Any

from unslant.lab.probing.requests import END, Request, Written

__all__ = ["Pen"]


class Pen:
    """Writes one answer, token by token, as the request wants it.

    ``pending`` are the tokens that are certain but that the model has not read yet: where only one token may follow,
    it is written without asking.
    """

    def __init__(self, request: Request, ends: Collection[int]) -> None:
        self.request = request
        self.written = Written(state=request.constraint.start if request.constraint else 0)
        self.pending: list[int] = []
        self.done = False
        self._ends = sorted(ends)
        self._rng = random.Random(request.seed)  # noqa: S311 - which words, not a secret
        self._go_on()

    def take(self, logits: Any) -> None:
        """Write the next token by the model's logits (a tensor over the vocabulary)."""
        options, scores = self._options(logits)
        if not options:
            self.done = True
            return
        chances = _softmax(scores)
        if self.request.constraint is not None and not self.written.first:
            self.written.first = dict(zip(options, chances, strict=True))
        place = self._drawn(scores)
        self.written.probability *= chances[place]
        self._write(options[place])
        self._go_on()

    def _options(self, logits: Any) -> tuple[list[int], list[float]]:
        constraint = self.request.constraint
        if constraint is None:
            count = self.request.top_k if self.request.temperature and self.request.top_k else 1
            if self.request.temperature and not self.request.top_k:
                count = logits.shape[-1]
            found = logits.topk(min(count, logits.shape[-1]))
            return [
                END if int(one) in self._ends else int(one) for one in found.indices
            ], found.values.tolist()
        options = sorted(constraint.following(self.written.state))
        scores = logits[options].tolist() if options else []
        if constraint.may_end(self.written.state):
            options.append(END)
            scores.append(float(logits[self._ends].logsumexp(0)) if self._ends else -math.inf)
        return options, scores

    def _drawn(self, scores: Sequence[float]) -> int:
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
        return kept[0]  # what rounding leaves over goes to the likeliest

    def _write(self, token: int) -> None:
        if token == END:
            self.written.ended = self.done = True
            return
        self.written.tokens.append(token)
        self.pending.append(token)
        if self.request.constraint is not None:
            self.written.state = self.request.constraint.after(self.written.state, token)
        if len(self.written.tokens) >= self.request.longest:
            self.done = True

    def _go_on(self) -> None:
        """Write whatever is certain: a token without alternative, or the end where nothing may follow."""
        constraint = self.request.constraint
        while constraint is not None and not self.done:
            following = constraint.following(self.written.state)
            if constraint.may_end(self.written.state):
                if following:
                    return
                self._write(END)
            elif len(following) == 1:
                self._write(next(iter(following)))
            else:
                self.done = not following
                return


def _softmax(scores: Sequence[float]) -> list[float]:
    highest = max(scores)
    if highest == -math.inf:
        return [1 / len(scores)] * len(scores)
    powers = [math.exp(one - highest) for one in scores]
    total = sum(powers)
    return [one / total for one in powers]
