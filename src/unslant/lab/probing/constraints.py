"""Constraints on generated tokens: an answer from a list, tokens of a document, or a span of a document.

Each constraint is an automaton over tokens. A state is a number; a state determines which tokens may follow and whether
the answer may end. Constraints do not import torch: ``generator`` applies them in transformers.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

__all__ = ["AnswerTrie", "Constraint", "DocumentSpans", "DocumentTokens"]

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
