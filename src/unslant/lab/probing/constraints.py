"""What a model may write next: answers of a list, tokens of a document, or stretches of a document.

Each constraint is a small automaton over tokens. A state is a number; from a state some tokens may follow, and the
answer may or may not end there. None of them imports torch: ``processors`` makes them work with transformers.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

__all__ = ["AnswerTrie", "Constraint", "DocumentSpans", "DocumentTokens"]

_A = TypeVar("_A", bound=Hashable)


class Constraint(Protocol):
    """Says what may follow."""

    @property
    def start(self) -> int:
        """The state before anything is written."""
        ...

    def following(self, state: int) -> Collection[int]:
        """Return the tokens that may come next."""
        ...

    def may_end(self, state: int) -> bool:
        """Say whether the answer may end here."""
        ...

    def after(self, state: int, token: int) -> int:
        """Return the state once a token that may follow is written."""
        ...


class AnswerTrie(Generic[_A]):
    """A list of answers, each a sequence of tokens; whatever is written to its end is one of them.

    With ``early_end`` an answer may also end in its middle, as in Bauer et al. 2023, where that counts as wrong.
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
        """Return the tokens that go on with some answer."""
        return self._next[state].keys()

    def may_end(self, state: int) -> bool:
        """Say whether an answer is complete."""
        return state in self._answer or (self._early and state != self.start)

    def after(self, state: int, token: int) -> int:
        """Return the state after one more token of an answer."""
        return self._next[state][token]

    def answer(self, state: int) -> _A | None:
        """Return the answer that is complete in this state; None in the middle of one."""
        return self._answer.get(state)


class DocumentTokens:
    """Any tokens of a document, in any order and number."""

    start = 0

    def __init__(self, tokens: Sequence[int]) -> None:
        self._tokens = frozenset(tokens)

    def following(self, state: int) -> Collection[int]:  # noqa: ARG002
        """Return the document's tokens."""
        return self._tokens

    def may_end(self, state: int) -> bool:  # noqa: ARG002
        """Say yes: the answer may end anywhere."""
        return True

    def after(self, state: int, token: int) -> int:  # noqa: ARG002
        """Return the only state."""
        return state


class DocumentSpans:
    """Stretches of a document: a suffix automaton over its tokens.

    Its size and the time to build it are proportional to the document, the time of a step to the tokens that may
    follow. The tokens at ``not_first`` places, such as white space, begin no stretch.
    """

    start = 0

    def __init__(self, tokens: Sequence[int], not_first: Collection[int] = ()) -> None:
        self._next: list[dict[int, int]] = [{}]
        self._link = [-1]
        self._length = [0]
        self._end = [0]
        last = 0
        for place, token in enumerate(tokens):
            last = self._extended(last, token, place + 1)
        firsts = {token for place, token in enumerate(tokens) if place not in not_first}
        self._firsts = {token: state for token, state in self._next[0].items() if token in firsts}

    def _extended(self, last: int, token: int, end: int) -> int:
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
        # the target also stands for longer stretches, which this place does not end: part the two
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
        """Return the tokens that follow what is written somewhere in the document."""
        return self._firsts.keys() if state == self.start else self._next[state].keys()

    def may_end(self, state: int) -> bool:
        """Say whether something is written: a stretch may end anywhere, but is never empty."""
        return state != self.start

    def after(self, state: int, token: int) -> int:
        """Return the state after one more token."""
        return self._firsts[token] if state == self.start else self._next[state][token]

    def place(self, state: int, length: int) -> tuple[int, int]:
        """Return where ``length`` tokens that lead to this state stand first, as half-open token numbers."""
        return self._end[state] - length, self._end[state]

    @property
    def states(self) -> int:
        """How many states there are: fewer than two for each token."""
        return len(self._next)
