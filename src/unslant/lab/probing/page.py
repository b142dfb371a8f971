"""One page with everything: tables, bars, and what the wording does. No script, nothing loaded, everything escaped."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files

from unslant.lab.probing.drawing import bars, dots
from unslant.lab.probing.figures import FIGURES, MAIN
from unslant.lab.probing.results import Result
from unslant.lab.probing.tables import remarks, tables
from unslant.version import VERSION

__all__ = ["page"]


@cache
def _style() -> str:
    return files("unslant.lab.probing").joinpath("page.css").read_text("utf-8")


def page(results: Sequence[Result]) -> str:
    """Return the page for some tasks."""
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    models = " and ".join(dict.fromkeys(escape(one.model) for one in results))
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>How {models} handles slant</title>\n<style>{_style()}</style>\n</head>\n<body>\n"
        f'<header><h1>How {models} handles slant</h1>\n<p class="soft">Figures in percent. Bars and '
        "lines are means over wordings and seeds, whiskers 95 % intervals over texts; a diamond is what Bauer et al. "
        "(2023) report for GPT-Neo 1.3B on CAD.</p></header>\n<main>\n"
    )
    body = "".join(part for one in results for part in _task(one))
    return (
        f"{head}{body}</main>\n<footer><p>Made by unslant {escape(VERSION)}.</p></footer>\n</body>\n</html>\n"
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
        yield f"<h3>{escape(title or 'All figures')}</h3>\n" + _table(rows)
    notes = "".join(f"<li>{escape(line)}</li>\n" for line in remarks(result))
    yield f"<h3>Remarks</h3>\n<ul>\n{notes}</ul>\n</section>\n"


def _legend(result: Result) -> Iterator[str]:
    families = list(dict.fromkeys(cell.family for cell in result.cells))
    if len(families) > 1:
        marks = "".join(
            f'<svg width="{len(name) * 8 + 40}" height="24" role="img"><rect class="c{at % 5}" x="8" y="6" '
            f'width="12" height="12"/><text x="26" y="16">{escape(name)}</text></svg>'
            for at, name in enumerate(families)
        )
        yield f'<p class="legend">{marks}</p>\n'


def _table(rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in rows[0])
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>\n"
        for row in rows[1:]
    )
    return f'<div class="scroll"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>\n'
