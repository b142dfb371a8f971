"""The page and the tables: everything escaped, a dot for every wording, the published figures beside ours."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from unslant.core.taxonomy import dimensions
from unslant.lab.probing.descriptions import builtin, select
from unslant.lab.probing.drawing import bars, dots
from unslant.lab.probing.items import Item, Items
from unslant.lab.probing.page import page
from unslant.lab.probing.prompts import Answer
from unslant.lab.probing.records import Record
from unslant.lab.probing.results import Measuring, Result, measure, published, with_setting
from unslant.lab.probing.tables import markdown, result_text

BAD = "<script>alert('x')</script>|&"


@pytest.fixture(scope="module")
def result() -> Result:
    """Answers to twelve questions and none, right for every second text, more often where bias is asked for."""
    judged = tuple(Item(f"i{at}", f"text {at}", (name,), name) for at, name in enumerate(dimensions()[:8]))
    items = Items("identification", judged, judged, (BAD,), 580, stand_in=True)
    descriptions = select(builtin(), "identification", ["question", "null"])
    records = [
        Record(one.id, shots, 0, item.id, Answer(item.answers[0] if _right(one.text, at) else "age"))
        for one in descriptions
        for shots in (0, 5)
        for at, item in enumerate(judged)
    ]
    found = measure(records, items, descriptions, Measuring(resamples=50))
    return with_setting(found, BAD, {"sampling": "random"}, [BAD])


def _right(text: str, at: int) -> bool:
    return at % 2 == 0 or ("of bias" in text and at == 1)


def test_everything_is_escaped(result: Result) -> None:
    shown = page([result])
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown
    assert "default-src 'none'" in shown
    assert "<script" not in markdown(result)


def test_the_pictures_are_sound_and_hold_every_wording(result: Result) -> None:
    drawn = dots(result)
    root = ET.fromstring(drawn)  # noqa: S314
    circles = [one for one in root.iter() if one.tag.endswith("circle")]
    assert len(circles) == 2 * 13
    assert all("Question" in (one[0].text or "") or (one[0].text or "").endswith(": ") for one in circles)
    root = ET.fromstring(bars(result, 0))  # noqa: S314
    rectangles = [one for one in root.iter() if one.tag.endswith("rect")]
    assert len(rectangles) == 8 * 2
    diamonds = [one for one in root.iter() if one.get("class") == "published"]
    assert len(diamonds) == 8 * 2
    for one in rectangles:
        assert float(one.get("width") or 0) >= 1


def test_the_words_that_matter_are_named(result: Result) -> None:
    cell = next(one for one in result.cells if (one.family, one.shots) == ("question", 0))
    assert cell.words["target"]["bias"] > cell.words["target"]["toxicity"]
    assert cell.words["sort"]["type"] == pytest.approx(cell.words["sort"]["dimension"])
    assert cell.variance is not None
    assert 0 < cell.variance["wording"] < cell.variance["text"]
    assert sum(cell.variance.values()) == pytest.approx(1)
    assert cell.each[0][1] == pytest.approx(100 * 5 / 8)
    assert cell.each[-1][1] == pytest.approx(100 * 4 / 8)
    assert "of bias" in result.texts[cell.each[0][0]]


def test_the_tables_name_the_stand_in_and_the_published_figures(result: Result) -> None:
    shown = result_text(result)
    assert "stand-in for CAD" in shown
    assert re.search(r"gender +[\d.]+ ± [\d.]+ +17\.9 ± 5\.5 +[\d.]+ +17\.8", shown)
    assert "political affiliation" in shown
    assert "no text" in shown
    assert "± 0.0" not in shown.partition("All")[0].splitlines()[0]


def test_the_published_figures_are_those_of_the_publication() -> None:
    assert published("extraction")["statement"]["f1"]["20"] == [51.6, 0.5]
    assert published("extraction", decoding="unconstrained")["statement"]["f1"]["20"] == [38.4, 1.0]
    assert published("extraction", decoding="constrained")["statement"]["f1"]["20"] == [46.4, 0.5]
    assert published("rephrasing")["question"]["meteor"]["20"] == [36.9, 1.1]
    assert published("rephrasing")["copy"] == {
        "f1": {"0": [49.9]},
        "bleu": {"0": [48.9]},
        "meteor": {"0": [55.2]},
    }
    assert published("identification", "oracle")["completion"]["political affiliation"]["5"] == [92.2, 2.3]
    assert published("identification", "nearest") == {}
    for sampling in ("random", "oracle"):
        for rows in published("identification", sampling).values():
            assert set(rows) == set(dimensions())


def test_a_result_without_answers_is_undefined_not_zero(result: Result) -> None:
    judged = (Item("i", "text", ("race",), "race"),)
    items = Items("identification", judged, judged, ("x",), None, stand_in=False)
    (null,) = select(builtin(), "identification", ["null"])
    found = measure(
        [Record(null.id, 0, 0, "i", Answer("", judged=False))], items, [null], Measuring(resamples=5)
    )
    (cell,) = found.cells
    assert cell.figures["exact"].mean is None
    assert (cell.set_aside, cell.answers) == (1, 1)
    assert "undefined" in result_text(replace(found, model="m"))
    assert "<svg" in page([replace(result, cells=found.cells)])
