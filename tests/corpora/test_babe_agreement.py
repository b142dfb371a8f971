"""The published figures of BABE, out of its raw annotations."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from unslant.corpora.agreement import Resampling, agreement
from unslant.corpora.agreement.report import AgreementSettings
from unslant.corpora.annotation import Annotation
from unslant.corpora.annotation_files import Reading, read_annotations
from unslant.corpora.babe_agreement import SCALES, compare_agreement
from unslant.corpora.summary import Summary, SummarySettings, summarize

pytestmark = pytest.mark.shared


@cache
def raw(variant: str, data: Path) -> list[Annotation]:
    return read_annotations(f"babe/{variant}", Reading(data=data))


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
    report = agreement(raw(variant, shared_data), task, settings)
    assert f"{report.measures['alpha'].value:.2f}" == expected
    assert f"{compare_agreement(f'babe/{variant}', report).published:.2f}" == expected


def summary(variant: str, task: str, data: Path) -> Summary:
    return summarize(f"babe/{variant}", raw(variant, data), task, SummarySettings())


@pytest.mark.parametrize(("variant", "items"), [("sg1", 1700), ("sg2", 3674), ("mbic", 1700)])
@pytest.mark.parametrize("task", ["bias", "opinion"])
def test_class_shares_differ_by_no_more_than_three_sentences(
    variant: str, items: int, task: str, shared_data: Path
) -> None:
    found = summary(variant, task, shared_data)
    assert found.items == items
    for one in found.compared:
        assert one.ours is not None
        assert one.published is not None
        # The published tables are cut or rounded in the second digit.
        assert abs(one.ours - one.published) < 300 / items + 0.01, one
        assert one.same or one.why, one


def test_the_words_of_table_1(shared_data: Path) -> None:
    total, average = summary("sg1", "words", shared_data).compared
    assert total.ours == 1530
    assert f"{average.ours:.2f}" == "1.95"
    crowd, crowd_average = summary("mbic", "words", shared_data).compared
    assert crowd.ours == pytest.approx(3283, rel=0.025)
    assert crowd.why
    assert crowd_average.ours == pytest.approx(2.40, abs=0.03)


def test_a_raw_file_is_read_by_its_path(shared_data: Path) -> None:
    path = shared_data / "babe" / "raw_labels_SG1.xlsx"
    assert read_annotations(path) == raw("sg1", shared_data)
