from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.types import Span
from unslant.lab.annotation.agreement import alignment_agreement, collect_marks, span_agreement
from unslant.lab.corpora.dataset import NOTHING, Annotation
from unslant.lab.stats.bootstrap import Resampling


def marked(item: str, who: str, *spans: tuple[int, int, str]) -> list[Annotation]:
    if not spans:
        return [Annotation(item, who, NOTHING, "spans")]
    return [Annotation(item, who, label, "spans", span=Span(start, end)) for start, end, label in spans]


def f1(*annotations: list[Annotation]) -> tuple[float | None, float | None]:
    found = span_agreement(collect_marks([item for group in annotations for item in group]))
    return found["exact"].value, found["overlap"].value


def test_by_hand() -> None:
    # x marks 3 spans, y marks 2. One is the same; one overlaps; one of x stands alone.
    # exact = 2*1/5; overlap = (2 of x + 2 of y)/5.
    first = marked("1", "x", (0, 4, "a"), (10, 20, "a"), (30, 31, "a"))
    second = marked("1", "y", (0, 4, "a"), (15, 25, "a"))
    assert f1(first, second) == (pytest.approx(0.4), pytest.approx(0.8))


def test_spans_that_touch_do_not_overlap_and_labels_must_be_equal() -> None:
    assert f1(marked("1", "x", (0, 4, "a")), marked("1", "y", (4, 8, "a"))) == (0, 0)
    assert f1(marked("1", "x", (0, 4, "a")), marked("1", "y", (0, 4, "b"))) == (0, 0)


def test_marking_nothing_where_another_marks_is_disagreement() -> None:
    same = [*marked("1", "x", (0, 4, "a")), *marked("1", "y", (0, 4, "a"))]
    assert f1(same) == (1, 1)
    assert f1(same, marked("2", "x", (0, 2, "a")), marked("2", "y")) == (
        pytest.approx(2 / 3),
        pytest.approx(2 / 3),
    )


def test_an_item_seen_by_one_annotator_says_nothing() -> None:
    assert f1(marked("1", "x", (0, 4, "a"))) == (None, None)
    assert f1(marked("1", "x"), marked("1", "y")) == (None, None)


Spans = list[tuple[int, int, str]]

spans = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5), st.sampled_from("ab")), max_size=4).map(
    lambda found: [(start, start + length, label) for start, length, label in found]
)


@given(spans, spans, spans)
@settings(max_examples=60, deadline=None)
def test_the_annotators_may_change_places_and_exact_never_exceeds_overlap(
    first: list, second: list, third: list
) -> None:  # type: ignore[type-arg]
    forth = f1(marked("1", "x", *first), marked("1", "y", *second), marked("1", "z", *third))
    back = f1(marked("1", "z", *first), marked("1", "x", *second), marked("1", "y", *third))
    assert forth == back
    if forth[0] is not None and forth[1] is not None:
        assert 0 <= forth[0] <= forth[1] <= 1


def test_alignment_by_hand() -> None:
    # 3 links are right, 2 are given, 1 of them is right: precision 1/2, recall 1/3, F1 2/5.
    reference = {"1": {("a", "x"), ("b", "y")}, "2": {("c", "z")}, "only here": {("d", "d")}}
    other = {"1": {("a", "x"), ("b", "z")}, "2": set()}
    found = alignment_agreement(reference, other, Resampling(50))
    assert found.precision.value == pytest.approx(1 / 2)
    assert found.recall.value == pytest.approx(1 / 3)
    assert found.f1.value == pytest.approx(2 / 5)


def test_the_same_alignment_is_one_and_none_is_undefined() -> None:
    links = {"1": {(1, 2)}}
    assert alignment_agreement(links, links).f1.value == 1
    assert alignment_agreement({"1": set()}, {"1": set()}).f1.value is None
    assert alignment_agreement({}, links).f1.value is None
