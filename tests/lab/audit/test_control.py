"""The control: whether a judge sees the side that prompts are on."""

from __future__ import annotations

import pytest

from unslant.lab.audit.bias import Bias, control, measure
from unslant.lab.audit.design import JudgedText
from unslant.lab.stats.bootstrap import Resampling

QUICK = Resampling(200, 0)


def judged(shift: float, sides: tuple[str, ...] = ("indirect", "liberal", "conservative")) -> Bias:
    """Two options of unequal size, and a judge who moves by the shift under conservative prompts."""
    scored = [
        JudgedText(
            f"{option}-{side}-{prompt}-{at}",
            "trade",
            option,
            side,  # type: ignore[arg-type]
            f"{side}-{prompt}",
            0.4 + 0.1 * (at * 0.618 % 1) + (shift if side == "conservative" else 0.0),
        )
        for option, count in (("bakers", 30), ("smiths", 10))
        for side in sides
        for prompt in range(2)
        for at in range(count)
    ]
    return measure(scored, {"trade": ("bakers", "smiths")}, Resampling(0))


def test_a_judge_that_sees_the_side_is_found_out() -> None:
    found = control(judged(0.2), QUICK)
    assert found is not None
    assert found.value == pytest.approx(0.2, abs=0.02)
    assert found.low is not None
    assert found.high is not None
    assert 0.15 < found.low < found.high < 0.25


def test_a_blind_judge_is_found_out_too() -> None:
    found = control(judged(0.0), QUICK)
    assert found is not None
    assert found.value == pytest.approx(0)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0 < found.high
    assert found.high - found.low < 0.04


def test_it_points_the_other_way_where_the_judge_does() -> None:
    found = control(judged(-0.1), Resampling(0))
    assert found is not None
    assert found.value == pytest.approx(-0.1, abs=0.02)
    assert (found.low, found.high) == (None, None)


def test_without_direct_prompts_there_is_no_control() -> None:
    assert control(judged(0.0, ("indirect",)), QUICK) is None
