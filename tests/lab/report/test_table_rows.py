"""Tables of results as text, Markdown and HTML, and drawings, written out in full."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from unslant.lab.report.table import (
    Cell,
    format_interval,
    format_number,
    format_p,
    html_table,
    markdown_table,
    text_table,
    wrap_note,
)
from unslant.report.svg import Svg

ROWS = [["system", "F1", "n"], ["rules", 0.512, 1200], ["model", None, 40]]


def test_a_text_table_is_aligned() -> None:
    assert text_table(ROWS) == "  system    F1      n\n  rules   0.51  1,200\n  model            40"


def test_empty_columns_can_be_left_out() -> None:
    rows = [["system", "F1", "n"], ["rules", None, 3], ["model", None, 4]]
    assert text_table(rows, drop_empty=True) == "  system  n\n  rules   3\n  model   4"


def test_only_columns_of_numbers_are_aligned_to_the_right_if_asked() -> None:
    rows = [["rule", "why", "n"], ["a", "short", 5], ["b", "longer text", 12]]
    assert text_table(rows, align_numbers=True, indent="") == (
        "rule  why           n\na     short         5\nb     longer text  12"
    )


def test_nothing_is_no_table() -> None:
    assert text_table([]) == ""


def test_a_markdown_table() -> None:
    assert markdown_table(ROWS) == (
        "| system | F1 | n |\n| --- | ---: | ---: |\n| rules | 0.51 | 1,200 |\n| model |  | 40 |"
    )


def test_markdown_and_html_are_escaped() -> None:
    rows = [["a|b", "<i>"], ["x", "&"]]
    assert "a\\|b" in markdown_table(rows)
    assert "&lt;i>" in markdown_table(rows)
    assert "&lt;i&gt;" in html_table(rows)
    assert "&amp;" in html_table(rows)


def test_an_html_table_has_heads_for_rows_and_columns() -> None:
    table = html_table(
        [["system", Cell("figures", span=2)], ["rules", 1, Cell("2", css="best")]], caption="A & B"
    )
    root = ET.fromstring(table)  # noqa: S314 - our own output
    assert root.findtext(".//caption") == "A & B"
    heads = root.findall(".//th")
    assert [head.attrib["scope"] for head in heads] == ["col", "colgroup", "row"]
    assert heads[1].attrib["colspan"] == "2"
    assert [cell.attrib.get("class") for cell in root.findall(".//td")] == [None, "best"]


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [(0.5, 3, "0.500"), (0.12345, 2, "0.12"), (None, 3, ""), (-1.0, 1, "-1.0"), (12.0, 0, "12")],
)
def test_numbers(value: float | None, digits: int, shown: str) -> None:
    assert format_number(value, digits) == shown


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [(0.1, 0.9, "0.100 to 0.900"), (None, 0.9, ""), (0.1, None, ""), (0.0, 0.0, "0.000 to 0.000")],
)
def test_intervals(low: float | None, high: float | None, shown: str) -> None:
    assert format_interval(low, high) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, ""), (0.0, "< 0.001"), (0.0009, "< 0.001"), (0.001, "0.001"), (0.0456, "0.046"), (1.0, "1.000")],
)
def test_p_values(value: float | None, shown: str) -> None:
    assert format_p(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1200, "1,200"),
        (1200.0, "1,200"),
        (0.5, "0.50"),
        (1234.567, "1,234.57"),
        (True, "True"),
        ("text", "text"),
        (None, ""),
        (Cell("cell"), "cell"),
    ],
)
def test_cells(value: object, shown: str) -> None:
    assert text_table([["head"], [value]], indent="").split("\n")[1] == shown


def test_a_note_is_wrapped_with_an_indent() -> None:
    lines = wrap_note("word " * 60).split("\n")
    assert len(lines) == 4
    assert all(len(line) <= 100 for line in lines)
    assert all(line.startswith("  ") for line in lines[1:])


def test_a_drawing_is_valid_and_escaped() -> None:
    drawing = Svg(100, 50.5, "A <title> & more")
    drawing.rect(1, 2, 3.25, 4, fill="red", title="a < b")
    drawing.circle(5, 6, 2, css="dot")
    drawing.line(0, 0, 10, 10, stroke_width=2)
    drawing.polyline([(0, 0), (1.5, 2)])
    drawing.diamond(10, 10, 5)
    drawing.text(1, 1, "x < y", text_anchor="end")
    root = ET.fromstring(drawing.render())  # noqa: S314 - our own output
    name = "{http://www.w3.org/2000/svg}"
    assert root.attrib["viewBox"] == "0 0 100 50.5"
    assert root.findtext(f"{name}title") == "A <title> & more"
    rect = root.find(f"{name}rect")
    assert rect is not None
    assert rect.attrib == {"x": "1", "y": "2", "width": "3.25", "height": "4", "fill": "red"}
    assert rect.findtext(f"{name}title") == "a < b"
    assert [child.tag.removeprefix(name) for child in root][1:] == [
        "rect",
        "circle",
        "line",
        "polyline",
        "polygon",
        "text",
    ]
    line = root.find(f"{name}line")
    assert line is not None
    assert line.attrib["stroke-width"] == "2"
    assert root.findtext(f"{name}text") == "x < y"
