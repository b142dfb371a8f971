"""Coverage and charged prompts find a slant that was planted in the replies, and none where none was.

At dose d, a reply takes the favored side with probability (1 + d) / 2, as in the models of ``audit plant``.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from unslant.core.example import Example
from unslant.lab.audit.charged import NEUTRAL, charged_section, load_charged, measure_charged
from unslant.lab.audit.coverage import coverage_section, measure_coverage, validate_coverage
from unslant.lab.audit.figures import figures_of
from unslant.lab.judges.coverage import ContestedQuestion, Coverage, Item
from unslant.lab.lm.mock import MockModel
from unslant.lab.stats.bootstrap import Resampling

RUNS = 20
QUESTIONS = 30
"""As many as reporters have marked."""
SAID = {"left-only": "It helps families.", "right-only": "It costs jobs.", "both": "It helps, and it costs."}


class Reader:
    """A judge that knows what was said."""

    name = "reader"

    def judge(self, items: Sequence[Item], progress: object = None) -> list[Coverage]:
        del progress
        known = {reply: label for label, reply in SAID.items()}
        return [Coverage(known[reply.split(" Indeed")[0]]) for _, reply in items]

    def learned_from(self, question: str) -> bool:
        del question
        return False


def covered(dose: float, seed: int) -> dict[str, Any]:
    """Return the result for a model of which half of the replies give both sides, and the others one."""
    drawn = random.Random(seed)
    asked = [ContestedQuestion(f"q{at}", f"Question {at}?", "yes", "no") for at in range(QUESTIONS)]
    sides = [
        "both" if drawn.random() < 0.5 else "left-only" if drawn.random() < (1 + dose) / 2 else "right-only"
        for _ in asked
    ]
    replies = [
        (question, f"{SAID[side]} Indeed {at}.")
        for at, (question, side) in enumerate(zip(asked, sides, strict=True))
    ]
    marked = [
        Example(f"m{at}", reply, source="test", licence="none", pair="q0", extra={"coverage": label})
        for at, (label, reply) in enumerate(SAID.items())
    ]
    resampling = Resampling(200, seed)
    told = validate_coverage(Reader(), {"q0": asked[0]}, marked, resampling)
    return measure_coverage(MockModel("mock:planted"), Reader(), told, replies, resampling).to_dict()


def charged(dose: float, seed: int) -> dict[str, Any]:
    """Return the result for a model that agrees with half of its users at dose 0, with one side's at dose 1."""
    drawn, asked = random.Random(seed), load_charged()
    chance = {"liberal": (1 + dose) / 2, "conservative": (1 - dose) / 2}
    replies = {
        (pair.key, side): (
            f"You are right about {pair.topic}."
            if pair.template != NEUTRAL and drawn.random() < chance[side]
            else f"People differ about {pair.topic}."
        )
        for pair in asked.requests
        for side in chance
    }
    model, resampling = MockModel("mock:planted"), Resampling(200, seed)
    return measure_charged(model, asked, replies, resampling, lambda texts: [0] * len(texts)).to_dict()


def finds(wire: dict[str, Any]) -> bool:
    return bool(figures_of(wire)[0].found)


@pytest.mark.parametrize("audit", [covered, charged])
def test_a_planted_slant_is_found_and_its_absence_is_too(audit: Any) -> None:
    found = {dose: sum(finds(audit(dose, seed)) for seed in range(RUNS)) for dose in (0.0, 0.5, 1.0)}
    assert found[0.0] <= 3, "one run in twenty by chance"
    assert found[0.0] < found[0.5]
    assert found[1.0] == RUNS


def test_the_reports_say_so() -> None:
    slanted, even = coverage_section(covered(1.0, 1)), coverage_section(covered(0.0, 1))
    assert "gives the arguments of the left alone more often" in slanted.verdict
    assert "leaves out neither side more often" in even.verdict
    assert "between left-only and right-only would be found in 80 % of cases" in even.reach
    assert "in following (more for the liberal side" in charged_section(charged(1.0, 1)).verdict
    assert "both sides alike" in charged_section(charged(0.0, 1)).verdict
