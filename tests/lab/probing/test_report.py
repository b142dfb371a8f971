"""The page and the tables: everything escaped, a dot for every wording, the published figures beside ours."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from unslant.core.taxonomy import dimensions
from unslant.lab.probing.descriptions import ProbeAnswer, builtin_descriptions, select
from unslant.lab.probing.items import ProbeItem, ProbeItems
from unslant.lab.probing.report import draw_bars, draw_dots, render_html, render_markdown, render_text
from unslant.lab.probing.results import MeasureSettings, ProbeResult, describe_result, measure, published
from unslant.lab.probing.runs import AnswerRecord

BAD = "<script>alert('x')</script>|&"


@pytest.fixture(scope="module")
def result() -> ProbeResult:
    """Answers to twelve questions and none, right for every second text, more often where bias is asked for."""
    judged = tuple(
        ProbeItem(f"i{at}", f"text {at}", (name,), name) for at, name in enumerate(dimensions()[:8])
    )
    items = ProbeItems("identification", judged, judged, (BAD,), 580, stand_in=True)
    descriptions = select(builtin_descriptions(), "identification", ["question", "null"])
    records = [
        AnswerRecord(
            description.id,
            shots,
            0,
            item.id,
            ProbeAnswer(item.answers[0] if _right(description.text, at) else "age"),
        )
        for description in descriptions
        for shots in (0, 5)
        for at, item in enumerate(judged)
    ]
    found = measure(records, items, descriptions, MeasureSettings(resamples=50))
    return describe_result(found, BAD, {"sampling": "random"}, [BAD])


def _right(text: str, at: int) -> bool:
    return at % 2 == 0 or ("of bias" in text and at == 1)


def test_everything_is_escaped(result: ProbeResult) -> None:
    shown = render_html([result])
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown
    assert "default-src 'none'" in shown
    assert "<script" not in render_markdown(result)


def test_tasks_can_be_hidden_and_tables_open_when_asked_for(result: ProbeResult) -> None:
    shown = render_html([result, result])
    for number in (1, 2):
        assert f'<input type="checkbox" id="show-part-{number}" checked> identification</label>' in shown
        assert f'<section class="part-{number}">' in shown
        assert f"body:has(#show-part-{number}:not(:checked)) .part-{number}" in shown
    assert shown.count("<table>") <= shown.count("<details>")
    assert "checkbox" not in render_html([result]), "nothing to choose from"


def test_the_pictures_are_sound_and_hold_every_wording(result: ProbeResult) -> None:
    drawn = draw_dots(result)
    root = ET.fromstring(drawn)  # noqa: S314
    circles = [element for element in root.iter() if element.tag.endswith("circle")]
    assert len(circles) == 2 * 13
    assert all(
        "Question" in (circle[0].text or "") or (circle[0].text or "").endswith(": ") for circle in circles
    )
    root = ET.fromstring(draw_bars(result, 0))  # noqa: S314
    rectangles = [element for element in root.iter() if element.tag.endswith("rect")]
    assert len(rectangles) == 8 * 2
    diamonds = [element for element in root.iter() if element.get("class") == "published"]
    assert len(diamonds) == 8 * 2
    for rectangle in rectangles:
        assert float(rectangle.get("width") or 0) >= 1


def test_the_words_that_matter_are_named(result: ProbeResult) -> None:
    cell = next(cell for cell in result.cells if (cell.family, cell.shots) == ("question", 0))
    assert cell.words["target"]["bias"] > cell.words["target"]["toxicity"]
    assert cell.words["sort"]["type"] == pytest.approx(cell.words["sort"]["dimension"])
    assert cell.variance is not None
    assert 0 < cell.variance["wording"] < cell.variance["text"]
    assert sum(cell.variance.values()) == pytest.approx(1)
    assert cell.each[0][1] == pytest.approx(100 * 5 / 8)
    assert cell.each[-1][1] == pytest.approx(100 * 4 / 8)
    assert "of bias" in result.texts[cell.each[0][0]]


def test_the_tables_name_the_stand_in_and_the_published_figures(result: ProbeResult) -> None:
    shown = render_text(result)
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


def test_a_result_without_answers_is_undefined_not_zero(result: ProbeResult) -> None:
    judged = (ProbeItem("i", "text", ("race",), "race"),)
    items = ProbeItems("identification", judged, judged, ("x",), None, stand_in=False)
    (null,) = select(builtin_descriptions(), "identification", ["null"])
    found = measure(
        [AnswerRecord(null.id, 0, 0, "i", ProbeAnswer("", valid=False))],
        items,
        [null],
        MeasureSettings(resamples=5),
    )
    (cell,) = found.cells
    assert cell.metrics["exact"].mean is None
    assert (cell.invalid, cell.answers) == (1, 1)
    assert "undefined" in render_text(replace(found, model="m"))
    assert "<svg" in render_html([replace(result, cells=found.cells)])
