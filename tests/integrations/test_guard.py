"""Guarding a stream: nothing is lost, findings are told, and time is bounded."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.errors import UnslantError
from unslant.core.types import Finding
from unslant.integrations.guard import StreamGuard

STREAM = ["The senator sla", "mmed the plan. It", " failed.\nNobody", " spoke"]


def test_findings_are_reported_sentence_by_sentence() -> None:
    told: list[tuple[str, list[str]]] = []

    def note(sentence: str, findings: tuple[Finding, ...]) -> None:
        told.append((sentence, [finding.text for finding in findings]))

    passed = list(StreamGuard(on_finding=note)(STREAM))
    assert passed == ["The senator slammed the plan.", " It failed.", "\n", "Nobody spoke"]
    assert told == [("The senator slammed the plan.", ["slammed"])]


def test_edits_are_made_on_request() -> None:
    assert "".join(StreamGuard(replace=True, unsafe=True)(STREAM)).startswith(
        "The senator criticized the plan. It failed."
    )


def test_when_the_budget_is_spent_the_rest_passes_unchecked() -> None:
    guard = StreamGuard(replace=True, unsafe=True, budget=1e-9)
    text = "The senator slammed the plan. The senator slammed the vote."
    assert "".join(guard([text])) == "The senator criticized the plan. The senator slammed the vote."
    assert guard.unchecked == len(" The senator slammed the vote.")
    with pytest.raises(UnslantError, match="budget"):
        StreamGuard(budget=0)


@settings(max_examples=30, deadline=None)
@given(pieces=st.lists(st.text(max_size=20), max_size=10))
def test_nothing_is_lost(pieces: list[str]) -> None:
    assert "".join(StreamGuard()(pieces)) == "".join(pieces)


def test_an_endless_sentence_is_not_held_back() -> None:
    assert len(next(StreamGuard()("x" for _ in range(10_000)))) == 2_000
