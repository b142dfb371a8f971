"""The published figures of BABE, out of its raw annotations."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from unslant.lab.annotation.aggregation import (
    NO_AGREEMENT,
    SCALES,
    WORDS,
    AggregationSummary,
    SummarySettings,
    compare_agreement,
    majority_labels,
    published_sentences,
    select_published,
    summarize,
)
from unslant.lab.annotation.agreement import AgreementSettings, measure_agreement
from unslant.lab.annotation.formats import AnnotationOptions
from unslant.lab.annotation.reading import read_annotations
from unslant.lab.corpora import load
from unslant.lab.corpora.dataset import Annotation
from unslant.lab.corpora.media_bias import final_rows, item_id
from unslant.lab.corpora.tables import TableRow
from unslant.lab.stats.bootstrap import Resampling

pytestmark = pytest.mark.shared


@cache
def raw(variant: str, data: Path) -> list[Annotation]:
    return read_annotations(f"babe/{variant}", AnnotationOptions(data=data))


@pytest.mark.parametrize(
    ("variant", "task", "expected"),
    [
        ("sg1", "bias", "0.39"),
        ("sg2", "bias", "0.40"),
        ("mbic", "bias", "0.21"),
        ("sg1", "opinion", "0.46"),
        ("sg2", "opinion", "0.60"),
        ("mbic", "opinion", "0.26"),
    ],
)
def test_alpha_is_the_published_one(variant: str, task: str, expected: str, shared_data: Path) -> None:
    settings = AgreementSettings(SCALES[task], Resampling(0))
    report = measure_agreement(raw(variant, shared_data), task, settings)
    assert f"{report.measures['alpha'].value:.2f}" == expected
    assert f"{compare_agreement(f'babe/{variant}', report).published:.2f}" == expected


def summary(variant: str, task: str, data: Path) -> AggregationSummary:
    name = f"babe/{variant}"
    settings = SummarySettings(sentences=published_sentences(name, data))
    return summarize(name, raw(variant, data), task, settings)


@pytest.mark.parametrize(("variant", "items"), [("sg1", 1700), ("sg2", 3674), ("mbic", 1700)])
@pytest.mark.parametrize("task", ["bias", "opinion"])
def test_class_shares_are_the_published_ones(variant: str, items: int, task: str, shared_data: Path) -> None:
    found = summary(variant, task, shared_data)
    assert found.items == items
    for item in found.compared:
        # The one sentence of SG2 without agreement, 0.03 %, is 0.00 % in the publication.
        assert item.same or (variant, item.name, item.ours) == (
            "sg2",
            NO_AGREEMENT,
            pytest.approx(100 / 3674),
        ), item
        # With judgements linked that the publication lost, no share moves by more than two sentences.
        assert item.ours is not None
        assert abs(100 * found.figures[item.name] - item.ours) < 201 / items


@pytest.mark.parametrize("variant", ["sg1", "sg2", "mbic"])
@pytest.mark.parametrize("task", ["bias", "opinion"])
def test_every_published_label_is_the_majority_of_its_judgements(
    variant: str, task: str, shared_data: Path
) -> None:
    name = f"babe/{variant}"
    judged = select_published(raw(variant, shared_data), published_sentences(name, shared_data))
    ours = {label.item: label.label or "No agreement" for label in majority_labels(judged, task)}
    rows = [row for row in final_rows(load(name, shared_data).source) if isinstance(row, TableRow)]
    assert len(rows) > 1000
    differing = [row.number for row in rows if ours[item_id(row.text("text"))] != row.text(f"label_{task}")]
    assert differing == []


def test_the_words_of_table_1(shared_data: Path) -> None:
    total, average = summary("sg1", "words", shared_data).compared
    assert total.ours == 1530
    assert f"{average.ours:.2f}" == "1.95"
    assert summary("sg1", "words", shared_data).figures[WORDS] == 1520
    crowd, crowd_average = summary("mbic", "words", shared_data).compared
    assert crowd.ours == pytest.approx(3283, rel=0.025)
    assert crowd.why
    assert crowd_average.ours == pytest.approx(2.40, abs=0.03)


def test_a_raw_file_is_read_by_its_path(shared_data: Path) -> None:
    path = shared_data / "babe" / "raw_labels_SG1.xlsx"
    assert read_annotations(path) == raw("sg1", shared_data)
