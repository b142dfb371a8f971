"""Results as people and programs read them."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree

import pytest

from unslant.lab.evaluation.calibration import bins_text, reliability_svg
from unslant.lab.evaluation.result import (
    Figure,
    Published,
    Result,
    Section,
    _data,
    figures,
    published,
    result_text,
)
from unslant.lab.evaluation.tasks import TASKS
from unslant.lab.stats.bootstrap import Estimate, Resampling
from unslant.lab.stats.metrics import mean, reliability_bins


def test_ours_its_interval_and_the_published_figure_stand_in_one_row() -> None:
    beside = (Published("good", 0.804, "A paper", 0.014), Published("people", 0.99, "A paper", people=True))
    ours = Figure("macro-F1", Estimate(0.8125, 0.79, 0.83), 1234, error=0.011, published=beside)
    text = result_text(Result("babe", "mine", (Section("babe/sg2", (ours,)),), ("smaller",)))
    (row,) = [line for line in text.splitlines() if line.lstrip().startswith("macro-F1  ")]
    assert row.split() == "macro-F1 0.812 0.790 to 0.830 ± 0.011 0.804 ± 0.014 good 1,234".split()
    assert "macro-F1, published: good 0.804 ± 0.014; people 0.990" in text
    assert "published: A paper." in text
    assert text.endswith("smaller.")


def test_columns_without_anything_are_not_shown_and_undefined_is_reported() -> None:
    section = Section("all", (Figure("recall", Estimate(None), 0), Figure("precision", Estimate(0.5), 2)))
    lines = result_text(Result("t", "m", (section,))).splitlines()
    assert lines[3].split() == ["ours", "on"]
    assert lines[4].split() == ["recall", "undefined", "0"]


def test_neighbours_of_one_table_are_its_columns() -> None:
    left = Section("mean", (Figure("a", Estimate(0.1), 3), Figure("b", Estimate(0.2), 4)), "by list")
    right = Section("worst", (Figure("a", Estimate(0.5), 3),), "by list")
    lines = result_text(Result("t", "m", (left, right))).splitlines()
    assert lines[2] == "by list"
    assert [line.split() for line in lines[3:]] == [
        ["mean", "worst", "on"],
        ["a", "0.100", "0.500", "3"],
        ["b", "0.200", "4"],
    ]


def test_the_figure_to_compare_with_is_of_the_same_definition_or_the_best() -> None:
    lax, strict = Published("lax", 0.5, "s"), Published("strict", 0.4, "s", same=True)
    assert Figure("f", Estimate(0.3), 1, published=(lax, strict)).best == strict
    assert Figure("f", Estimate(0.3), 1, published=(lax, Published("low", 0.2, "s"))).best == lax
    assert Figure("f", Estimate(0.3), 1).best is None


def test_the_json_has_everything() -> None:
    found = figures("tagging", {"exact F1": mean([1.0, 0.0])}, Resampling(10))
    wire = json.loads(json.dumps(Result("tagging", "m", (Section("all", found),), ("note",)).to_dict()))
    (figure,) = wire["sections"][0]["figures"]
    assert (figure["value"], figure["items"], wire["notes"]) == (0.5, 2, ["note"])
    assert {"system": "authors' predictions", "value": 0.396}.items() <= figure["published"][-1].items()


def test_published_figures_are_shares_with_a_source_and_belong_to_a_task() -> None:
    for task, entries in _data()["figures"].items():
        assert task in TASKS or task in ("judge-random", "rewrite")
        for name in entries:
            for item in published(task, name):
                assert 0 <= item.value < 1
                assert "et al." in item.source
    assert published("tagging", "nothing") == ()


def test_bins_hold_what_lies_between_their_borders() -> None:
    low, high = reliability_bins([0.1, 0.3, 0.5, 1.0], [False, True, True, True], 2)
    assert (low.count, low.confidence, low.share) == (2, pytest.approx(0.2), 0.5)
    assert (high.count, high.confidence, high.share) == (2, 0.75, 1.0)


def test_the_bar_is_as_long_as_the_share_and_the_mark_where_it_should_end() -> None:
    lines = bins_text(reliability_bins([0.3, 0.3], [True, False], 2)).splitlines()
    bar = lines[1].partition("0.500  ")[2]
    assert bar.index("|") == 12  # 0.3 of 40
    assert bar.rindex("#") == 19  # 0.5 of 40
    assert lines[2].endswith("-")


def test_the_picture_is_drawn_to_scale_and_escaped() -> None:
    drawn = reliability_svg(reliability_bins([0.3, 0.3], [True, False], 2), "a < b")
    picture = ElementTree.fromstring(drawn)  # noqa: S314
    name = "{http://www.w3.org/2000/svg}"
    (frame, bar) = picture.findall(f"{name}rect")
    assert float(bar.attrib["height"]) == pytest.approx(float(frame.attrib["height"]) / 2)
    (point,) = picture.findall(f"{name}circle")
    assert float(point.attrib["cx"]) == pytest.approx(40 + 0.3 * 320)
    title = picture.find(f"{name}title")
    assert title is not None
    assert (title.text or "").startswith("a < b:")
