from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from unslant.lab.annotation.human_evaluation import evaluate_answers, one_sample_t, paired_t, qualify
from unslant.lab.annotation.results import HumanJudgement
from unslant.lab.stats.bootstrap import Resampling


def test_a_t_test_by_hand() -> None:
    # 1 to 5: mean 3, standard deviation sqrt(2.5), standard error sqrt(0.5), t = 3/sqrt(0.5) = 4.243 with 4 degrees.
    # The 97.5 % point of t with 4 degrees is 2.776: 3 plus or minus 1.963.
    estimate, t, p = one_sample_t([1, 2, 3, 4, 5])
    assert estimate.value == 3
    assert t == pytest.approx(4.243, abs=0.001)
    assert estimate.low == pytest.approx(3 - 1.963, abs=0.001)
    assert estimate.high == pytest.approx(3 + 1.963, abs=0.001)
    assert p == pytest.approx(0.0132, abs=0.0001)


numbers = st.lists(st.tuples(st.integers(-8, 8), st.integers(-8, 8)), min_size=3, max_size=12)


@given(numbers.filter(lambda pairs: len({first - second for first, second in pairs}) > 1))
@settings(max_examples=40, deadline=None)
def test_the_paired_t_test_is_that_of_scipy(pairs: list[tuple[int, int]]) -> None:
    first, second = zip(*pairs, strict=True)
    expected = stats.ttest_rel(first, second)
    estimate, t, p = paired_t(first, second)
    assert t == pytest.approx(expected.statistic)
    assert p == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval(0.95)
    assert (estimate.low, estimate.high) == (pytest.approx(interval.low), pytest.approx(interval.high))
    back, t_back, p_back = paired_t(second, first)
    assert (back.value, t_back, p_back) == (
        pytest.approx(-(estimate.value or 0)),
        pytest.approx(-t),
        pytest.approx(p),
    )


def test_too_little_to_test_is_undefined() -> None:
    assert one_sample_t([])[0].value is None
    assert one_sample_t([2]) == (one_sample_t([2])[0], None, None)
    constant, t, p = one_sample_t([2, 2, 2])
    assert (constant.low, constant.high, t, p) == (2, 2, None, None)


def manifest(gold: int = 0, limit: float = 0.2) -> dict[str, Any]:
    items: dict[str, Any] = {
        f"q{number}": {
            "item": f"q{number}",
            "system": "test",
            "gold": {"meaning": [0], "fluency": [0], "bias": [-1, -2]},
        }
        for number in range(gold)
    }
    for number in range(30):
        for system in ("one", "two"):
            items[f"{system}{number}"] = {"item": str(number), "system": system}
    return {"form": "rewrites", "items": items, "error_limit": limit}


def answered(task: str, who: str, system: str, item: str, **values: int) -> list[HumanJudgement]:
    return [HumanJudgement(item, system, who, question, value, task) for question, value in values.items()]


def judged(who: str, one: int, two: int, noise: int = 0) -> list[HumanJudgement]:
    generator = random.Random(who)
    found = []
    for number in range(30):
        for system, bias in (("one", one), ("two", two)):
            values = {
                "meaning": 1 + number % 2,
                "fluency": 0,
                "bias": bias + generator.randint(-noise, noise),
            }
            found += answered(f"{system}{number}", who, system, str(number), **values)
    return found


def test_means_and_comparisons() -> None:
    result = evaluate_answers(manifest(), [*judged("x", -1, 0, 1), *judged("y", -1, 0, 1)], Resampling(0))
    means = {(mean.system, mean.question): mean for mean in result.means}
    assert means["one", "bias"].mean.value == pytest.approx(-1, abs=0.3)
    assert means["one", "bias"].p is not None
    assert means["one", "bias"].p < 0.001
    assert means["one", "meaning"].p is not None, (
        "0 is an identical meaning, and the publication tests against it"
    )
    assert means["one", "meaning"].p < 0.001
    assert means["one", "fluency"].p is None, "all values are equal"
    assert means["one", "bias"].items == 30, "items are counted, not judgements"
    (compared,) = [comparison for comparison in result.comparisons if comparison.question == "bias"]
    assert compared.p is not None
    assert compared.p < 0.001
    assert compared.difference.value == pytest.approx(-1, abs=0.4)


def test_equal_systems_do_not_differ() -> None:
    result = evaluate_answers(manifest(), [*judged("x", 0, 0, 2), *judged("y", 0, 0, 2)], Resampling(0))
    (compared,) = [comparison for comparison in result.comparisons if comparison.question == "bias"]
    assert compared.p is not None
    assert compared.p > 0.05


def test_more_annotators_of_the_same_items_do_not_pass_for_more_items() -> None:
    few = evaluate_answers(manifest(), judged("x", -1, 0, 1), Resampling(0))
    copies = [
        HumanJudgement(item.item, item.system, f"copy {n}", item.question, item.value, item.task)
        for n in range(5)
        for item in judged("x", -1, 0, 1)
    ]
    many = evaluate_answers(manifest(), copies, Resampling(0))
    assert [mean.mean for mean in few.means] == [mean.mean for mean in many.means]


def took_test(who: str, wrong: int, of: int = 5) -> list[HumanJudgement]:
    found = []
    for number in range(of):
        bias = 2 if number < wrong else -1
        found += answered(f"q{number}", who, "test", f"q{number}", meaning=0, fluency=0, bias=bias)
    return found


def test_who_errs_too_often_or_leaves_answers_out_is_left_out() -> None:
    answers = [
        *took_test("good", 0),
        *took_test("fair", 3),
        *took_test("poor", 4),
        *took_test("lazy", 0, of=4),
    ]
    results = {result.annotator: result for result in qualify(manifest(5), answers)}
    # Fifteen answers, a limit of 20 %: three errors pass, four do not.
    assert {name: result.passed for name, result in results.items()} == {
        "good": True,
        "fair": True,
        "poor": False,
        "lazy": False,
    }
    assert (results["poor"].errors, results["lazy"].answered, results["lazy"].wanted) == (4, 12, 15)


def test_those_who_failed_do_not_count_and_test_items_neither() -> None:
    answers = [*took_test("good", 0), *judged("good", -1, 0), *took_test("poor", 5), *judged("poor", 2, 2)]
    result = evaluate_answers(manifest(5), answers, Resampling(0))
    means = {(mean.system, mean.question): mean.mean.value for mean in result.means}
    assert means["one", "bias"] == -1
    assert not any(system == "test" for system, _ in means)


def test_without_a_test_everyone_counts_and_agreement_is_reported() -> None:
    result = evaluate_answers(manifest(), [*judged("x", -1, 1), *judged("y", -1, 1)], Resampling(20))
    assert result.qualifications == []
    assert result.agreement["bias"].value == pytest.approx(1)
    assert result.agreement["fluency"].value is None
    assert json.loads(json.dumps(result.to_dict()))["means"][0]["items"] == 30
