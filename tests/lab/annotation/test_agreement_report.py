from __future__ import annotations

import json

import pytest

from unslant.core.errors import UnknownName
from unslant.core.types import Span
from unslant.lab.annotation.agreement import AgreementSettings, measure_agreement
from unslant.lab.annotation.coefficients import RatingScale
from unslant.lab.corpora.dataset import Annotation
from unslant.lab.stats.bootstrap import Resampling


def rated(batch: str, *rows: str, task: str = "bias") -> list[Annotation]:
    return [
        Annotation(f"{batch}.{item}", f"annotator {who}", label, task, batch)
        for who, row in enumerate(rows)
        for item, label in enumerate(row)
        if label != "."
    ]


def test_only_the_task_that_was_requested_is_measured() -> None:
    annotations = [*rated("1", "abab", "abab"), *rated("1", "aabb", "bbaa", task="opinion")]
    assert measure_agreement(annotations, "bias").measures["percent"].value == 1
    assert measure_agreement(annotations, "opinion").measures["percent"].value == 0


def test_counts_say_what_agreement_rests_on() -> None:
    report = measure_agreement(rated("1", "abab", "ab..", "a..."), "bias")
    assert (report.items, report.annotators, report.ratings, report.paired) == (4, 3, 7, 2)


def test_batches_are_measured_apart_in_their_natural_order() -> None:
    annotations = [*rated("10", "abab", "baba"), *rated("2", "abab", "abab")]
    report = measure_agreement(annotations, "bias", AgreementSettings(by=frozenset({"batch"})))
    assert list(report.by_batch) == ["2", "10"]
    assert report.by_batch["2"].measures["alpha"].value == pytest.approx(1)
    assert report.by_batch["10"].measures["cohen_kappa"].value == pytest.approx(-1)


def test_a_label_that_is_confused_scores_lower_than_one_that_is_not() -> None:
    settings = AgreementSettings(by=frozenset({"label", "annotator"}))
    report = measure_agreement(rated("1", "aabbccaabbcc", "aabbbcaabccc"), "bias", settings)
    assert report.by_label["a"].value == pytest.approx(1)
    assert report.by_label["b"].value is not None
    assert report.by_label["b"].value < 1
    assert set(report.by_annotator) == {"annotator 0", "annotator 1"}


def test_many_annotators_have_no_mean_of_pairs() -> None:
    report = measure_agreement(rated("1", *["ab"] * 25), "bias")
    assert "cohen_kappa" not in report.measures
    assert report.measures["alpha"].value == pytest.approx(1)


def test_against_a_reference_the_share_of_equal_labels() -> None:
    settings = AgreementSettings(reference="annotator 0")
    report = measure_agreement(rated("1", "abab", "abbb"), "bias", settings)
    assert report.against_reference["annotator 1"].f1.value == pytest.approx(0.75)
    with pytest.raises(UnknownName, match="no annotator named 'nobody'"):
        measure_agreement(rated("1", "ab", "ab"), "bias", AgreementSettings(reference="nobody"))


def span(item: str, who: str, start: int, label: str) -> Annotation:
    return Annotation(item, who, label, "spans", "1", "", Span(start, start + 3))


def test_spans_are_compared_as_spans() -> None:
    annotations = [
        span("1", "x", 0, "a"),
        span("1", "y", 1, "a"),
        span("2", "x", 0, "b"),
        span("2", "y", 9, "b"),
    ]
    settings = AgreementSettings(by=frozenset({"label", "annotator", "batch"}), reference="x")
    report = measure_agreement(annotations, "spans", settings)
    assert report.measures["exact"].value == 0
    assert report.measures["overlap"].value == pytest.approx(0.5)
    assert (report.by_label["a"].value, report.by_label["b"].value) == (1, 0)
    assert report.by_annotator["x"].value == pytest.approx(0.5)
    assert report.by_batch["1"].measures["overlap"].value == pytest.approx(0.5)
    assert report.against_reference["y"].precision.value == 0


def test_the_wire_form_is_json_with_intervals() -> None:
    settings = AgreementSettings(
        RatingScale("ordinal", ("a", "b")), Resampling(50), frozenset({"label", "batch"})
    )
    wire = json.loads(json.dumps(measure_agreement(rated("1", "abab", "abaa"), "bias", settings).to_dict()))
    assert wire["level"] == "ordinal"
    assert (
        wire["measures"]["alpha"]["low"]
        <= wire["measures"]["alpha"]["value"]
        <= wire["measures"]["alpha"]["high"]
    )
    assert wire["by_batch"]["1"]["items"] == 4


def test_alpha_by_number_draws_so_many_judgements_of_each_item() -> None:
    annotations = [
        Annotation(str(item), f"annotator {who}", "yes" if (item + (who == 3)) % 2 else "no", "bias")
        for item in range(40)
        for who in range(4)
    ]
    report = measure_agreement(annotations, "bias", AgreementSettings(by=frozenset({"number"})))
    assert list(report.by_number) == ["2", "3", "4"]
    # all judgements of all items: there is nothing to draw
    whole, alpha = report.by_number["4"], report.measures["alpha"].value
    assert whole.value == whole.low == whole.high == pytest.approx(alpha)
    two = report.by_number["2"]
    assert two.low is not None
    assert two.high is not None
    assert two.low < two.high
    few = measure_agreement(annotations[:40], "bias", AgreementSettings(by=frozenset({"number"})))
    assert few.by_number == {}  # ten items say nothing
