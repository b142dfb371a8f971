"""The page of a paper, as Markdown and as HTML: every table with the published figures, ours, and why they differ.

A figure of ours is found in the JSON that a command printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from unslant.lab.report.page import html_figure, html_page
from unslant.lab.report.table import format_interval, html_table, markdown_table
from unslant.lab.reproduce.paper import Paper, PaperRow, PaperTable, PublishedValue, count_rows
from unslant.lab.reproduce.run import StepResult, StepSettings, duration, portable_commands

__all__ = ["OurFigure", "Reproduction", "find_figure", "html_of", "markdown_of", "summary_of"]


@dataclass(frozen=True, slots=True)
class OurFigure:
    """A figure of ours, with its interval if the command gave one."""

    value: float
    low: float | None = None
    high: float | None = None
    error: float | None = None
    """The deviation over wordings, folds or runs."""

    def scale(self, factor: float) -> OurFigure:
        """Return the figure in another unit."""
        values = (self.value, self.low, self.high, self.error)
        value, low, high, error = (None if number is None else number * factor for number in values)
        return OurFigure(value or 0.0, low, high, error)


def find_figure(result: Any, place: str) -> OurFigure | None:
    """Return the figure at a place; None where there is none, or where it is undefined.

    A place is the name of a figure in a result of ``unslant evaluate``, or a path of keys with ``/`` between them. In a
    list, a number selects by position and ``key=value&key=value`` the first entry with these values; ``key^=value`` one
    whose value begins so.
    """
    if not place:
        return None
    found = _find_by_name(result, place)
    return _figure(found if found is not None else _walk(result, place.split("/")))


def _find_by_name(result: Any, name: str) -> Any:
    sections = result.get("sections", ()) if isinstance(result, Mapping) else ()
    return next(
        (figure for section in sections for figure in section["figures"] if figure["name"] == name), None
    )


def _walk(value: Any, path: Sequence[str]) -> Any:
    for part in path:
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list):
            value = _entry(value, part)
        if value is None:
            return None
    return value


def _entry(entries: Sequence[Any], part: str) -> Any:
    if part.lstrip("-").isdigit():
        at = int(part)
        return entries[at] if -len(entries) <= at < len(entries) else None
    return next((entry for entry in entries if all(_matches(entry, test) for test in part.split("&"))), None)


def _matches(entry: Any, test: str) -> bool:
    key, _, wanted = test.partition("=")
    if not isinstance(entry, Mapping):
        return False
    if key.endswith("^"):
        return str(entry.get(key[:-1], "")).startswith(wanted)
    return str(entry.get(key)) == wanted


def _figure(found: Any) -> OurFigure | None:
    if isinstance(found, bool):
        return None
    if isinstance(found, int | float):
        return OurFigure(float(found))
    if not isinstance(found, Mapping):
        return None
    value = found.get("value", found.get("mean", found.get("ours")))
    if not isinstance(value, int | float):
        return None
    error = found.get("standard_error", found.get("sd"))
    return OurFigure(float(value), found.get("low"), found.get("high"), error)


_HEAD = ("row", "measure", "published", "ours", "95 %", "difference", "why")
_WORDS = (0, 1, 6)
"""The columns that hold text."""
NOT_RUN = "not run here"
UNDEFINED = "undefined here"


@dataclass(frozen=True)
class Reproduction:
    """A paper and the results of its steps."""

    paper: Paper
    settings: StepSettings
    results: Mapping[str, StepResult]
    failed: Mapping[str, str]
    """What went wrong, by step."""

    def cells(self, table: PaperTable, row: PaperRow) -> list[OurFigure | None]:
        """Return our figure for each column, in the paper's unit."""
        found = self.results.get(row.step)
        if found is None:
            return []
        figures = [find_figure(found.result, place) for place in row.figures]
        return [figure.scale(table.scale) if figure else None for figure in figures]

    def reason(self, row: PaperRow) -> str:
        """Return why there is no figure, or why it differs."""
        if row.absent:
            return row.absent
        if row.step in self.failed:
            return f"failed: {self.failed[row.step]}"
        found, step = self.results.get(row.step), self.paper.steps[row.step]
        if found is None:
            return f"{NOT_RUN}: {duration(step.minutes)} on one core with a small model"
        stands_in = f"{found.replaced} instead of {step.encoder}" if found.replaced and step.encoder else ""
        return "; ".join(filter(None, [stands_in, row.why]))

    def counts(self) -> tuple[int, int, int]:
        """Return how many rows have a figure of ours, wait for a run, and are explained as absent."""
        ours = waiting = absent = 0
        for table in self.paper.tables:
            for row in table.rows:
                if any(self.cells(table, row)):
                    ours += 1
                elif row.absent:
                    absent += 1
                else:
                    waiting += 1
            absent += not table.rows
        return ours, waiting, absent


def _lines(found: Reproduction, table: PaperTable) -> Iterator[tuple[str, ...]]:
    """Yield the lines of a table: one per measure where there are figures of ours, else one per row."""
    for row in table.rows:
        ours = found.cells(table, row)
        if not any(ours):
            published = " / ".join(_published(value, table.digits) or "-" for value in row.published)
            why = found.reason(row) or UNDEFINED
            yield (row.name, " / ".join(table.columns[: len(row.published)]), published, "", "", "", why)
            continue
        for at, column in enumerate(table.columns):
            value = row.published[at] if at < len(row.published) else None
            mine = ours[at] if at < len(ours) else None
            if value is None and mine is None:
                continue
            why = found.reason(row) if mine is not None else ""
            yield (row.name, column, *_compare(value, mine, table.digits), why)


def _compare(value: PublishedValue | None, mine: OurFigure | None, digits: int) -> tuple[str, str, str, str]:
    if mine is None:
        return _published(value, digits), "", "", ""
    error = f" ± {mine.error:.{digits}f}" if mine.error is not None else ""
    return (
        _published(value, digits),
        _number(mine.value, digits) + error,
        format_interval(mine.low, mine.high, digits),
        _difference(mine.value, value.value, digits) if value is not None else "",
    )


def _published(value: PublishedValue | None, digits: int) -> str:
    if value is None:
        return ""
    error = f" ± {value.error:.{digits}f}" if value.error is not None else ""
    return _number(value.value, digits) + error


def _number(value: float, digits: int) -> str:
    """Return a number; a count has no decimals."""
    return f"{value:,.0f}" if _is_count(value) else f"{value:.{digits}f}"


def _difference(ours: float, published: float, digits: int) -> str:
    return f"{ours - published:+,.{0 if _is_count(ours) and _is_count(published) else digits}f}"


def _is_count(value: float) -> bool:
    return value.is_integer() and value > 100


def _prose(found: Reproduction, table: PaperTable) -> list[str]:
    """Return the sentences about a table."""
    # a row whose step was run may still have no figure, where it is undefined
    waiting = any(not row.absent and row.step not in found.results for row in table.rows)
    call = f"unslant reproduce {found.paper.name} {table.id}"
    return [
        *filter(None, [table.absent and f"Not reproduced: {table.absent}.", table.why and f"{table.why}."]),
        *(f"{note}." for note in table.notes),
        *([f"Rows that were not run here: run `{call}`."] if waiting else []),
    ]


def _commands(found: Reproduction, table: PaperTable) -> list[str]:
    """Return the commands behind a table, each once."""
    names = dict.fromkeys([row.step for row in table.rows if row.step] + [table.pictures])
    steps = [found.paper.steps[name] for name in names if name]
    return list(
        dict.fromkeys(
            f"unslant {command}" for step in steps for command in portable_commands(step, found.settings)
        )
    )


def _pictures(found: Reproduction, table: PaperTable) -> list[Path]:
    """Return the drawings of a table that are there."""
    if not table.pictures:
        return []
    names = found.paper.steps[table.pictures].pictures
    return [path for name in names if (path := found.settings.out / "pictures" / name).is_file()]


def summary_of(found: Reproduction) -> str:
    """Summarize in one sentence how much was reproduced."""
    tables, rows, _ = count_rows(found.paper)
    ours, waiting, absent = found.counts()
    return (
        f"{tables} tables and figures with {rows} rows: {ours} with a figure of ours, {waiting} not run here, "
        f"{absent} absent, each with the reason."
    )


def markdown_of(found: Reproduction) -> str:
    """Return the page in Markdown."""
    paper = found.paper
    parts = [f"# {paper.title}", paper.citation, paper.about, summary_of(found)]
    if found.settings.quick:
        parts.append(f"**{_QUICK}**")
    elif _has_small(found):
        parts.append(f"**{_SMALL}**")
    if paper.notes:
        parts.append("\n".join(f"- {note}." for note in paper.notes))
    for table in paper.tables:
        parts.append(f"## {table.label}: {table.title}")
        parts += _prose(found, table)
        if table.rows:
            parts.append(markdown_table([_HEAD, *_lines(found, table)], _WORDS))
        parts += [f"![{table.title}](pictures/{path.name})" for path in _pictures(found, table)]
        if commands := _commands(found, table):
            parts.append("```sh\n" + "\n".join(commands) + "\n```")
    return "\n\n".join(parts) + "\n"


_QUICK = "A quick run: few texts and an untrained encoder. It shows that everything runs; the figures mean nothing."


_SMALL = "Language models were asked about a small sample only; the commands say how many texts. The figures are rough."


def _has_small(found: Reproduction) -> bool:
    return found.settings.small and any(found.paper.steps[name].small for name in found.results)


def html_of(found: Reproduction) -> str:
    """Return the page in HTML."""
    paper = found.paper
    return html_page(
        f"{paper.title}: reproduction",
        [
            *_paragraphs([paper.citation, summary_of(found), *([_SMALL] if _has_small(found) else [])]),
            *_body(found),
        ],
        intro=_QUICK if found.settings.quick else paper.about,
    )


def _paragraphs(texts: Iterable[str]) -> list[str]:
    return [f"<p>{escape(text)}</p>\n" for text in texts]


def _body(found: Reproduction) -> Iterator[str]:
    if found.paper.notes:
        items = "".join(f"<li>{escape(note)}.</li>" for note in found.paper.notes)
        yield f"<ul>{items}</ul>\n"
    for table in found.paper.tables:
        yield f"<h2>{escape(f'{table.label}: {table.title}')}</h2>\n"
        yield from _paragraphs(text.replace("`", "") for text in _prose(found, table))
        if table.rows:
            yield html_table([_HEAD, *_lines(found, table)])
        for path in _pictures(found, table):
            yield html_figure(path.read_text("utf-8"), table.title)
        commands = _commands(found, table)
        if commands:
            yield f"<details><summary>Commands</summary><pre>{escape(chr(10).join(commands))}</pre></details>\n"
