"""Power: known slants are found as often as they should be."""

from __future__ import annotations

import numpy as np
import pytest

from unslant.lab.audit.power import PlantedPool, log_odds, measure_power, pool_values
from unslant.lab.audit.suite import AuditError

RANDOM = np.random.default_rng(1)


def pool(gap: float, size: int = 300) -> PlantedPool:
    left, right = (np.clip(RANDOM.normal(0.5 + side * gap / 2, 0.1, size), 0, 1) for side in (-1, 1))
    return PlantedPool(left, right)


def test_without_a_dose_only_chance_is_found() -> None:
    found = measure_power(pool(0.2), {"a": 2, "b": 4}, 30, 0.0, runs=400)
    assert 0.01 < found.found < 0.12
    assert found.low < 0.05 < found.high + 0.03
    assert found.bias == pytest.approx(found.chance, rel=0.1)


def test_power_rises_with_dose_texts_and_judge() -> None:
    doses = [measure_power(pool(0.1), {"a": 3}, 40, dose).found for dose in (0.0, 0.5, 1.0)]
    assert doses == sorted(doses)
    assert doses[0] < 0.2 < doses[2]
    sizes = [measure_power(pool(0.1), {"a": 3}, size, 0.5).found for size in (20, 200)]
    assert sizes[0] < sizes[1]
    assert measure_power(pool(0.0), {"a": 3}, 200, 1.0).found < 0.2, "a blind judge finds nothing"
    assert measure_power(pool(0.4), {"a": 3}, 200, 1.0).found == 1.0


def test_the_same_seed_gives_the_same_power() -> None:
    some = pool(0.1)
    assert measure_power(some, {"a": 2}, 20, 0.5, seed=3) == measure_power(some, {"a": 2}, 20, 0.5, seed=3)


def test_a_pool_takes_texts_that_were_judged() -> None:
    made = pool_values([0.2, None, *[0.3] * 30], [0.8] * 30, "here", logits=True)
    assert len(made.left) == 31
    assert made.right[0] == pytest.approx(np.log(4))
    with pytest.raises(AuditError, match="at least 20"):
        pool_values([0.5] * 5, [0.5] * 50, "here")


def test_log_odds_by_hand() -> None:
    found = log_odds(np.array([0.5, 0.75, 0.0]))
    assert found[:2].tolist() == pytest.approx([0.0, np.log(3)])
    assert np.isfinite(found).all()
