"""How judges are fitted: weights, folds, penalties and calibration."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest

from unslant.core.example import Example
from unslant.lab.judges.fitting import (
    Articles,
    JudgeSettings,
    choose_penalty,
    fit_logistic,
    select_sided,
)
from unslant.lab.judges.judge import JudgeError

SIZES = {("Left A", "left"): 16, ("Left B", "left"): 4, ("Right A", "right"): 9, ("Right B", "right"): 1}


def article(number: int, outlet: str, leaning: str | None) -> Example:
    return Example(
        id=str(number),
        text=f"text {number}",
        source="made-up",
        licence="none",
        outlet=outlet,
        leaning=leaning,
    )


def make_articles(sizes: dict[tuple[str, str], int] | None = None, **settings: object) -> Articles:
    examples = [
        article(number, outlet, leaning)
        for (outlet, leaning), size in (sizes or SIZES).items()
        for number in range(size)
    ]
    return Articles.of(examples, JudgeSettings(**settings))  # type: ignore[arg-type]


def test_only_the_left_and_the_right_count() -> None:
    examples = [
        article(1, "A", "left"),
        article(2, "B", "center"),
        article(3, "C", None),
        article(4, "D", "right"),
    ]
    assert [example.id for example in select_sided(examples)] == ["1", "4"]
    articles = Articles.of(examples, JudgeSettings())
    assert list(articles.labels) == [0, 1]
    assert list(articles.outlets) == ["a", "d"]


@pytest.mark.parametrize("side", ["left", "right"])
def test_one_side_alone_is_no_corpus(side: str) -> None:
    with pytest.raises(JudgeError, match="articles of both sides, but one side has none"):
        Articles.of([article(1, "A", side), article(2, "B", "center")], JudgeSettings())


def test_both_sides_weigh_the_same_however_many_articles_they_have() -> None:
    articles = make_articles()
    weights = articles.weights()
    assert weights.sum() == pytest.approx(1)
    assert weights[articles.labels == 1].sum() == pytest.approx(0.5)


def test_an_outlet_weighs_by_the_root_of_its_size() -> None:
    articles = make_articles()
    weights = articles.weights()
    totals = defaultdict(float)
    for name, weight in zip(articles.outlets, weights, strict=True):
        totals[name] += float(weight)
    assert totals["left a"] / totals["left b"] == pytest.approx(4 / 2)
    assert totals["right a"] / totals["right b"] == pytest.approx(3 / 1)


def test_without_outlets_every_article_of_a_side_weighs_the_same() -> None:
    articles = make_articles(by_outlet=False)
    weights = articles.weights()
    assert len({round(float(weight), 12) for weight in weights[articles.labels == 0]}) == 1
    assert weights[articles.labels == 0].sum() == pytest.approx(0.5)


def test_weights_of_some_places_are_balanced_again() -> None:
    articles = make_articles()
    places = np.array([0, 1, 16, 20, 29])
    weights = articles.weights(places)
    assert len(weights) == 5
    assert weights[articles.labels[places] == 1].sum() == pytest.approx(0.5)


def test_an_outlet_is_in_one_fold_and_both_sides_are_spread() -> None:
    sizes = {(f"Left {n}", "left"): 10 + n for n in range(10)} | {
        (f"Right {n}", "right"): 5 for n in range(10)
    }
    articles = make_articles(sizes, folds=5)
    folds = articles.folds()
    homes = defaultdict(set)
    for name, fold in zip(articles.outlets, folds, strict=True):
        homes[name].add(int(fold))
    assert all(len(found) == 1 for found in homes.values())
    for side in (0, 1):
        counts = Counter(folds[articles.labels == side].tolist())
        assert set(counts) == set(range(5))
        assert max(counts.values()) <= 1.5 * min(counts.values())


def test_a_random_split_is_the_same_each_time_and_even() -> None:
    articles = make_articles(by_outlet=False, folds=3)
    folds = articles.folds()
    assert folds.tolist() == articles.folds().tolist()
    assert max(Counter(folds.tolist()).values()) - min(Counter(folds.tolist()).values()) <= 1


def test_a_logistic_fit_points_the_right_way_and_shrinks_with_the_penalty() -> None:
    generator = np.random.default_rng(0)
    matrix = generator.normal(size=(200, 3))
    labels = (matrix[:, 0] + 0.1 * generator.normal(size=200) > 0).astype(float)
    weights = np.full(200, 1 / 200)
    weak, strong = (fit_logistic(matrix, labels, weights, penalty) for penalty in (1e-4, 1.0))
    assert weak[0] > 5 * max(abs(weak[1]), abs(weak[2]))
    assert 0 < strong[0] < weak[0]


def test_the_penalty_with_the_lowest_loss_on_held_out_articles_is_chosen() -> None:
    articles = make_articles({(f"{side} {n}", side): 6 for n in range(10) for side in ("left", "right")})
    truth = np.where(articles.labels == 1, 1.0, -1.0)
    noise = np.random.default_rng(1).normal(size=len(truth))

    def predict(inside: np.ndarray, outside: np.ndarray, penalty: float) -> np.ndarray:
        assert not set(inside) & set(outside)
        return truth[outside] * (0.2 if penalty > 1e-4 else 1.0) + noise[outside]

    best, losses, scale, _ = choose_penalty(articles, predict)
    assert best in (3e-5, 1e-4)
    assert losses[best] == min(losses.values()) < losses[3e-4] <= np.log(2) + 0.01
    assert scale > 0


def test_logits_that_say_nothing_are_calibrated_to_one_half() -> None:
    articles = make_articles({(f"{side} {n}", side): 6 for n in range(10) for side in ("left", "right")})

    def predict(inside: np.ndarray, outside: np.ndarray, penalty: float) -> np.ndarray:  # noqa: ARG001
        return np.zeros(len(outside))

    _, losses, _, offset = choose_penalty(articles, predict)
    assert offset == pytest.approx(0, abs=1e-3)
    assert all(loss == pytest.approx(np.log(2), abs=1e-6) for loss in losses.values())


def test_sides_that_are_separable_do_not_run_to_certainty() -> None:
    articles = make_articles({(f"{side} {n}", side): 6 for n in range(10) for side in ("left", "right")})
    truth = np.where(articles.labels == 1, 1.0, -1.0)
    _, _, scale, offset = choose_penalty(articles, lambda _inside, outside, _penalty: truth[outside] * 50)
    chance = 1 / (1 + np.exp(-(scale * 50 + offset)))
    assert 0.9 < chance < 0.999
