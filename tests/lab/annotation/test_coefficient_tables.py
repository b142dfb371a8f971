"""Agreement coefficients on small tables, each worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.errors import InputError, UnknownName
from unslant.lab.annotation.coefficients import (
    Ratings,
    RatingScale,
    against_others_statistic,
    alpha,
    cohen_kappa,
    fleiss_kappa,
    mean_cohen_statistic,
    percent_agreement,
)


def table(*rows: str) -> Ratings:
    """One row per annotator, one letter per item; a dot where nothing was rated."""
    return Ratings.from_triples(
        (f"item {at}", f"annotator {number}", label)
        for number, row in enumerate(rows)
        for at, label in enumerate(row)
        if label != "."
    )


@pytest.mark.parametrize(
    ("rows", "share"),
    [
        (("aabb", "aabb"), 1.0),
        (("aabb", "bbaa"), 0.0),
        (("aabb", "aaab"), 3 / 4),
        # three annotators: items agree in 3 of 3, 1 of 3, 1 of 3 and 3 of 3 pairs
        (("aabb", "aaab", "abbb"), (1 + 1 / 3 + 1 / 3 + 1) / 4),
        # the item with one rating is left out
        (("aa.", "ab."), 1 / 2),
        (("aab", "aa."), 1.0),
    ],
)
def test_percent_agreement(rows: tuple[str, ...], share: float) -> None:
    assert percent_agreement(table(*rows)).value == pytest.approx(share)


@pytest.mark.parametrize(
    ("first", "second", "kappa"),
    [
        ("aabb", "aabb", 1.0),
        # observed 0, expected 1/4 + 1/4
        ("aabb", "bbaa", -1.0),
        # observed 3/4; shares a 1/2 and 3/4, b 1/2 and 1/4: expected 1/2
        ("aabb", "aaab", (3 / 4 - 1 / 2) / (1 / 2)),
        # observed 1/2, expected 1/2
        ("abab", "aabb", 0.0),
        # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: the example of many textbooks
        ("y" * 25 + "n" * 25, "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15, 0.4),
    ],
)
def test_cohens_kappa(first: str, second: str, kappa: float) -> None:
    assert cohen_kappa(table(first, second), "annotator 0", "annotator 1").value == pytest.approx(kappa)


def test_cohens_kappa_looks_at_shared_items_only() -> None:
    ratings = table("aabb..", "aaabab")
    assert cohen_kappa(ratings, "annotator 0", "annotator 1").value == pytest.approx(0.5)


@pytest.mark.parametrize("rows", [("aaaa", "aaaa"), ("aa..", "..bb")])
def test_cohens_kappa_is_undefined_without_variety_or_shared_items(rows: tuple[str, str]) -> None:
    assert cohen_kappa(table(*rows), "annotator 0", "annotator 1").value is None


def test_an_unknown_annotator_is_named() -> None:
    with pytest.raises(UnknownName, match="no annotator named 'annotator 9'"):
        cohen_kappa(table("ab", "ab"), "annotator 0", "annotator 9")


@pytest.mark.parametrize(
    ("rows", "kappa"),
    [
        (("aabb", "aabb", "aabb"), 1.0),
        # two annotators: P = 3/4; shares 5/8 and 3/8: expected 34/64
        (("aabb", "aaab"), (3 / 4 - 34 / 64) / (1 - 34 / 64)),
        (("aabb", "bbaa"), (0 - 1 / 2) / (1 / 2)),
    ],
)
def test_fleiss_kappa(rows: tuple[str, ...], kappa: float) -> None:
    assert fleiss_kappa(table(*rows)).value == pytest.approx(kappa)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (("aabb", "aabb"), 1.0),
        # nominal: D_o = 2/8 (one item of two ratings disagrees twice), D_e = 2 * 5 * 3 / (8 * 7)
        (("aabb", "aaab"), 1 - (2 / 8) / (2 * 5 * 3 / (8 * 7))),
        # D_o = 8/8, D_e = 2 * 4 * 4 / (8 * 7)
        (("aabb", "bbaa"), 1 - 1 / (32 / 56)),
        (("aaaa", "aaaa"), None),
        (("ab..", "..ab"), None),
    ],
)
def test_nominal_alpha(rows: tuple[str, ...], expected: float | None) -> None:
    assert alpha(table(*rows)).value == (None if expected is None else pytest.approx(expected))


def test_interval_alpha() -> None:
    # ratings 1-1, 2-3, 4-4: D_o = 1/6 * 2 * 1; all ordered pairs of 1,1,2,3,4,4 squared: mean over 6 * 5
    values = [1, 1, 2, 3, 4, 4]
    expected = sum((x - y) ** 2 for x in values for y in values) / 30
    found = alpha(table("124", "134"), RatingScale("interval")).value
    assert found == pytest.approx(1 - (2 / 6) / expected)


def test_an_interval_scale_with_two_labels_is_nominal() -> None:
    ratings = table("0011", "0001")
    assert alpha(ratings, RatingScale("interval")).value == pytest.approx(alpha(ratings).value)
    assert alpha(ratings, RatingScale("ordinal")).value == pytest.approx(alpha(ratings).value)


def test_an_ordinal_scale_goes_by_its_order() -> None:
    near, far = table("lmh", "lhh"), table("lmh", "hmh")
    scale = RatingScale("ordinal", ("l", "m", "h"))
    near_value, far_value = alpha(near, scale).value, alpha(far, scale).value
    assert near_value is not None
    assert far_value is not None
    assert near_value > far_value


@pytest.mark.parametrize(
    ("scale", "message"),
    [
        (RatingScale("ordinal", ("l", "h")), "the label 'm' is not on the scale; the scale has l, h"),
        (RatingScale("interval"), "an interval scale needs numbers or an order, and the labels are l, m, h"),
    ],
)
def test_a_label_without_a_place_is_named(scale: RatingScale, message: str) -> None:
    with pytest.raises(InputError, match=message):
        alpha(table("lmh", "lmh"), scale)


def test_rating_an_item_twice_is_an_error() -> None:
    twice = [("item 1", "Ann", "a"), ("item 1", "Ann", "b")]
    with pytest.raises(InputError, match="annotator Ann rated the item item 1 twice; keep one of the two"):
        Ratings.from_triples(twice)


def test_one_annotator_against_the_others() -> None:
    ratings = table("aabb", "aabb", "bbaa")
    ones = np.ones((1, 4))
    agreeing = float(against_others_statistic(ratings, 0)(ones)[0])
    odd = float(against_others_statistic(ratings, 2)(ones)[0])
    # half of the first annotator's pairs agree, none of the third's; chance is one half
    assert agreeing == pytest.approx(0.0)
    assert odd == pytest.approx(-1.0)


def test_the_mean_over_pairs_of_annotators() -> None:
    ratings = table("aabb", "aabb", "bbaa")
    # kappas 1, -1 and -1
    assert float(mean_cohen_statistic(ratings)(np.ones((1, 4)))[0]) == pytest.approx(-1 / 3)


def test_one_label_against_the_rest() -> None:
    ratings = table("abc", "abb").one_against_rest("a")
    assert ratings.labels == ("", "a")
    assert percent_agreement(ratings).value == 1.0


letters = st.lists(st.text(alphabet="abc", min_size=5, max_size=5), min_size=2, max_size=4)


@given(letters, st.permutations("abc"))
@settings(max_examples=40)
def test_renaming_labels_changes_no_nominal_coefficient(rows: list[str], names: list[str]) -> None:
    renamed = [row.translate(str.maketrans("abc", "".join(names))) for row in rows]
    for measure in (alpha, fleiss_kappa, percent_agreement):
        before, after = measure(table(*rows)).value, measure(table(*renamed)).value
        assert (before is None) == (after is None)
        if before is not None:
            assert before == pytest.approx(after)


@given(letters)
@settings(max_examples=40)
def test_no_coefficient_is_above_one(rows: list[str]) -> None:
    for measure in (alpha, fleiss_kappa, percent_agreement):
        value = measure(table(*rows)).value
        assert value is None or value <= 1 + 1e-9


@given(st.text(alphabet="abc", min_size=2, max_size=8))
@settings(max_examples=40)
def test_annotators_who_say_the_same_agree(row: str) -> None:
    value = alpha(table(row, row, row)).value
    assert value is None if len(set(row)) == 1 else value == pytest.approx(1)
