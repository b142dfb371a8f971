"""Probing results as a page: tables, bars, and the effect of the wording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from unslant.lab.probing.drawing import bars, dots
from unslant.lab.probing.figures import FIGURES, MAIN
from unslant.lab.probing.results import Result
from unslant.lab.probing.tables import remarks, tables
from unslant.lab.report.page import html_page
from unslant.lab.report.svg import Svg
from unslant.lab.report.table import html_table

__all__ = ["page"]


def page(results: Sequence[Result]) -> str:
    """Return the page for some tasks."""
    models = " and ".join(dict.fromkeys(result.model for result in results))
    return html_page(
        f"How {models} handles slant",
        (part for result in results for part in _task(result)),
        intro="Figures in percent. Bars and lines are means over wordings and seeds, whiskers 95 % intervals over "
        "texts; a diamond marks what Bauer et al. (2023) report for GPT-Neo 1.3B on CAD.",
    )


def _task(result: Result) -> Iterator[str]:
    main = next(one for one in FIGURES[result.task] if one.name == MAIN[result.task])
    yield f"<section>\n<h2>{escape(result.task.capitalize())}</h2>\n"
    yield f'<p class="soft">{escape(result.title)}</p>\n'
    yield from _legend(result)
    for shots in dict.fromkeys(cell.shots for cell in result.cells):
        has = any(cell.by_dimension for cell in result.cells)
        yield f"<h3>{escape(main.title)}{' by dimension' if has else ''}, {shots or 'no'} examples</h3>\n"
        yield bars(result, shots)
    if any(cell.wordings > 1 for cell in result.cells):
        yield f"<h3>How much the wording matters: {escape(main.title)} of each wording</h3>\n{dots(result)}"
    for title, rows in tables(result):
        yield f"<h3>{escape(title or 'All figures')}</h3>\n" + html_table(rows)
    notes = "".join(f"<li>{escape(line)}</li>\n" for line in remarks(result))
    yield f"<h3>Remarks</h3>\n<ul>\n{notes}</ul>\n</section>\n"


def _legend(result: Result) -> Iterator[str]:
    families = list(dict.fromkeys(cell.family for cell in result.cells))
    if len(families) > 1:
        marks = ""
        for at, name in enumerate(families):
            svg = Svg(len(name) * 8 + 40, 24, name)
            svg.rect(8, 6, 12, 12, css=f"c{at % 5}")
            svg.text(26, 16, name)
            marks += svg.render()
        yield f'<p class="legend">{marks}</p>\n'
