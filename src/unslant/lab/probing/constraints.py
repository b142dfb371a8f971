"""Constrained answers: an answer from a list, tokens of a document, or a span of a document, and how one is decoded.

Each constraint is an automaton over tokens. A state is a number; a state determines which tokens may follow and whether
the answer may end. Constraints do not import torch: ``generator`` applies them in transformers.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

_A = TypeVar("_A", bound=Hashable)


class Constraint(Protocol):
    """An automaton over tokens."""

    @property
    def start(self) -> int:
        """The initial state."""
        ...

    def following(self, state: int) -> Collection[int]:
        """Return the permitted next tokens."""
        ...

    def may_end(self, state: int) -> bool:
        """Return whether the answer may end in this state."""
        ...

    def after(self, state: int, token: int) -> int:
        """Return the state after a permitted token."""
        ...


class AnswerTrie(Generic[_A]):
    """A trie of answers, each a sequence of tokens.

    With ``early_end`` an answer may stop before it is complete, as in Bauer et al. 2023, who count that as wrong.
    """

    start = 0

    def __init__(self, answers: Mapping[_A, Sequence[int]], *, early_end: bool = False) -> None:
        self._next: list[dict[int, int]] = [{}]
        self._answer: dict[int, _A] = {}
        self._early = early_end
        for answer, tokens in answers.items():
            if not tokens:
                raise ValueError(f"the answer {answer!r} has no tokens")
            state = 0
            for token in tokens:
                state = self._next[state].setdefault(token, len(self._next))
                if state == len(self._next):
                    self._next.append({})
            if state in self._answer:
                raise ValueError(f"the answers {self._answer[state]!r} and {answer!r} have the same tokens")
            self._answer[state] = answer

    def following(self, state: int) -> Collection[int]:
        """Return the tokens that continue an answer."""
        return self._next[state].keys()

    def may_end(self, state: int) -> bool:
        """Return whether an answer is complete."""
        return state in self._answer or (self._early and state != self.start)

    def after(self, state: int, token: int) -> int:
        """Return the state after one more token of an answer."""
        return self._next[state][token]

    def answer(self, state: int) -> _A | None:
        """Return the answer that is complete in this state, or None."""
        return self._answer.get(state)


class DocumentTokens:
    """Any tokens of a document, in any order and any number."""

    start = 0

    def __init__(self, tokens: Sequence[int]) -> None:
        self._tokens = frozenset(tokens)

    def following(self, state: int) -> Collection[int]:  # noqa: ARG002
        """Return the document's tokens."""
        return self._tokens

    def may_end(self, state: int) -> bool:  # noqa: ARG002
        """Return True: the answer may end anywhere."""
        return True

    def after(self, state: int, token: int) -> int:  # noqa: ARG002
        """Return the only state."""
        return state


class DocumentSpans:
    """Spans of a document, as a suffix automaton over its tokens.

    Size and construction time are linear in the document; a step is linear in the number of permitted tokens. A token
    whose every position is in ``not_first``, such as white space, cannot start a span.
    """

    start = 0

    def __init__(self, tokens: Sequence[int], not_first: Collection[int] = ()) -> None:
        self._next: list[dict[int, int]] = [{}]
        self._link = [-1]
        self._length = [0]
        self._end = [0]
        last = 0
        for at, token in enumerate(tokens):
            last = self._extend(last, token, at + 1)
        firsts = {token for at, token in enumerate(tokens) if at not in not_first}
        self._firsts = {token: state for token, state in self._next[0].items() if token in firsts}

    def _extend(self, last: int, token: int, end: int) -> int:
        state = self._new(self._length[last] + 1, end, {})
        at = last
        while at != -1 and token not in self._next[at]:
            self._next[at][token] = state
            at = self._link[at]
        if at == -1:
            self._link[state] = 0
            return state
        target = self._next[at][token]
        if self._length[target] == self._length[at] + 1:
            self._link[state] = target
            return state
        # the target also represents longer spans that do not end at this position: split it
        clone = self._new(self._length[at] + 1, self._end[target], dict(self._next[target]))
        self._link[clone] = self._link[target]
        self._link[target] = self._link[state] = clone
        while at != -1 and self._next[at].get(token) == target:
            self._next[at][token] = clone
            at = self._link[at]
        return state

    def _new(self, length: int, end: int, following: dict[int, int]) -> int:
        self._next.append(following)
        self._link.append(-1)
        self._length.append(length)
        self._end.append(end)
        return len(self._next) - 1

    def following(self, state: int) -> Collection[int]:
        """Return the tokens that follow the current span anywhere in the document."""
        return self._firsts.keys() if state == self.start else self._next[state].keys()

    def may_end(self, state: int) -> bool:
        """Return whether the span is not empty; otherwise it may end anywhere."""
        return state != self.start

    def after(self, state: int, token: int) -> int:
        """Return the state after one more token."""
        return self._firsts[token] if state == self.start else self._next[state][token]

    def locate(self, state: int, length: int) -> tuple[int, int]:
        """Return the first occurrence of the ``length`` tokens that lead to this state, as a half-open token range."""
        return self._end[state] - length, self._end[state]

    @property
    def states(self) -> int:
        """The number of states: fewer than two per token."""
        return len(self._next)


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
