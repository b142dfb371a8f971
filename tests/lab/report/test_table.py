"""Tables as text, Markdown and HTML."""

from __future__ import annotations

from unslant.lab.report.table import (
    Cell,
    format_interval,
    format_number,
    format_p,
    html_table,
    markdown_table,
    text_table,
)

ROWS = [["", "F1", "95 %"], ["rules", "0.31", "0.30 to 0.32"], ["model", "0.5", ""]]


def test_the_first_column_is_left_aligned_and_the_others_right() -> None:
    assert text_table(ROWS).splitlines() == [
        "           F1          95 %",
        "  rules  0.31  0.30 to 0.32",
        "  model   0.5",
    ]


def test_columns_without_content_can_be_dropped() -> None:
    rows = [["", "error", "F1"], ["rules", "", "0.3"], ["", "", "0.4"]]
    assert text_table(rows, drop_empty=True).splitlines() == ["          F1", "  rules  0.3", "         0.4"]
    assert "error" not in html_table(rows, drop_empty=True)


def test_numbers_are_formatted_and_only_they_are_right_aligned_on_request() -> None:
    rows = [["corpus", "texts", "licence"], ["wnc", 55503, "MIT"], ["babe", 3.5, None], ["x", 4.0, True]]
    assert text_table(rows, indent="", align_numbers=True).splitlines() == [
        "corpus   texts  licence",
        "wnc     55,503  MIT",
        "babe      3.50",
        "x            4  True",
    ]


def test_no_rows_give_no_text() -> None:
    assert text_table([]) == ""


def test_markdown_is_escaped() -> None:
    assert markdown_table([["a|b", "n"], ["<i>", 1]]) == "| a\\|b | n |\n| --- | ---: |\n| &lt;i> | 1 |"


def test_html_is_escaped_and_has_scopes_classes_and_spans() -> None:
    shown = html_table(
        [["", Cell("v<1>", span=2)], ["", "a", "b"], ["row", Cell("1", "heat-3"), 2]],
        caption="x & y",
        heads=2,
    )
    assert "<caption>x &amp; y</caption>" in shown
    assert '<th scope="colgroup" colspan="2">v&lt;1&gt;</th>' in shown
    assert '<tr><td></td><th scope="col">a</th><th scope="col">b</th></tr>' in shown
    assert '<tr><th scope="row">row</th><td class="heat-3">1</td><td>2</td></tr>' in shown


def test_unknown_numbers_are_left_empty() -> None:
    assert (format_number(None), format_interval(None, 1.0), format_p(None)) == ("", "", "")
    assert (format_number(0.12345), format_interval(0.1, 0.25, 2)) == ("0.123", "0.10 to 0.25")
    assert (format_number(-0.0001), format_interval(-0.001, 0.25, 2)) == ("0.000", "0.00 to 0.25"), "never -0"
    assert (format_p(0.0001), format_p(0.04)) == ("< 0.001", "0.040")
