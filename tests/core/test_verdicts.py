"""The packed sequence of verdicts is a sequence like any other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.core.types import SentenceVerdict, Span, Verdict
from unslant.core.verdicts import Verdicts

spans = st.builds(
    lambda start, length: Span(start, start + length), st.integers(0, 10**9), st.integers(1, 10**6)
)
verdicts = st.builds(
    SentenceVerdict, spans, st.none() | st.floats(0, 1), st.none() | st.sampled_from(Verdict)
)


@given(st.lists(verdicts, max_size=10), st.integers(-12, 12), st.integers(-12, 12))
def test_what_goes_in_comes_out(given_: list[SentenceVerdict], start: int, stop: int) -> None:
    packed = Verdicts()
    for verdict in given_:
        packed.append(verdict.span, verdict.probability, verdict.verdict)
    assert list(packed) == given_
    assert packed == given_
    assert len(packed) == len(given_)
    assert packed[start:stop] == tuple(given_[start:stop])
    for at in range(-len(given_), len(given_)):
        assert packed[at] == given_[at]
    with pytest.raises(IndexError):
        packed[len(given_)]
