"""The page of a paper, as Markdown and as HTML: every table with the published figures, ours, and why they differ.

A figure of ours is found in the JSON that a command printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from html import escape
from pathlib import Path
from typing import Any

from unslant.lab.report.page import html_figure, html_page
from unslant.lab.report.table import Table, format_interval
from unslant.lab.reproduce.paper import Paper, PaperRow, PaperTable, PublishedValue, Step
from unslant.lab.reproduce.run import StepResult, StepSettings, duration, portable_commands


@dataclass(frozen=True, slots=True)
class OurFigure:
    """A figure of ours, with its interval if the command gave one."""

    value: float
    low: float | None = None
    high: float | None = None
    error: float | None = None
    """The deviation over wordings, folds or runs."""
    outdated: str = ""
    """Why it should be measured again."""

    def scale(self, factor: float) -> OurFigure:
        """Return the figure in another unit."""
        values = (self.value, self.low, self.high, self.error)
        value, low, high, error = (None if number is None else number * factor for number in values)
        return OurFigure(value or 0.0, low, high, error, self.outdated)


def find_figure(result: Any, place: str) -> OurFigure | None:
    """Return the figure at a place; None where there is none, or where it is undefined.

    A place is the name of a figure in a result of ``unslant evaluate``, or a path of keys with ``/`` between them. In a
    list, a number selects by position and ``key=value&key=value`` the first entry with these values; ``key^=value`` one
    whose value begins so.
    """
    if not place:
        return None
    if isinstance(result, Mapping) and "recorded" in result:
        return _figure(result["recorded"].get(place))
    sections = result.get("sections", ()) if isinstance(result, Mapping) else ()
    named = (figure for section in sections for figure in section["figures"] if figure["name"] == place)
    found = next(named, None)
    if found is None:
        found = result
        for part in place.split("/"):
            found = _step_into(found, part)
    return _figure(found)


def _step_into(value: Any, part: str) -> Any:
    """Return what a part of a path selects; None where there is nothing."""
    if isinstance(value, Mapping):
        return value.get(part)
    if not isinstance(value, list):
        return value
    if part.lstrip("-").isdigit():
        at = int(part)
        return value[at] if -len(value) <= at < len(value) else None
    return next((entry for entry in value if all(_matches(entry, test) for test in part.split("&"))), None)


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
    return OurFigure(float(value), found.get("low"), found.get("high"), error, found.get("outdated", ""))


_HEAD = ("row", "measure", "published", "ours", "95 %", "difference", "why")
_WORDS = (0, 1, 6)
"""The columns that hold text."""
NOT_RUN = "not run here"
UNDEFINED = "undefined here"
NO_MEASURE = "no figure of ours"


@dataclass(frozen=True, slots=True)
class FigureCounts:
    """How many of the published figures have one of ours beside them. A figure that two rows show counts once."""

    published: int = 0
    ours: int = 0
    outdated: int = 0
    """Those of ours that should be measured again."""
    not_run: int = 0
    absent: int = 0
    """Those that cannot be measured here; the page says why."""

    def __add__(self, other: FigureCounts) -> FigureCounts:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return FigureCounts(*(own + more for own, more in pairs))


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
        figures = [find_figure(found.result, place) if found else None for place in row.figures]
        figures += [None] * (len(table.columns) - len(figures))
        return [figure.scale(row.scale or table.scale) if figure else None for figure in figures]

    def reason(self, row: PaperRow, mine: OurFigure) -> str:
        """Return why a figure of ours differs."""
        found, step = self.results[row.step], self.paper.steps[row.step]
        stands_in = f"{found.replaced} instead of {step.encoder}" if found.replaced and step.encoder else ""
        seeds = {seed for command in found.commands for seed in re.findall(r"--seed (\d+)", command)}
        trained = ("", "one seed")[len(seeds)] if len(seeds) < 2 else f"mean of {len(seeds)} seeds"
        why = mine.outdated or found.outdated
        outdated = f"to be measured again: {why}" if why else ""
        return "; ".join(filter(None, [stands_in, trained, found.note, row.why, outdated]))

    def missing(self, row: PaperRow, at: int) -> str:
        """Return why a cell has no figure of ours."""
        if row.absent:
            return row.absent
        if row.step in self.failed:
            return f"failed: {self.failed[row.step]}"
        if at >= len(row.figures) or not row.figures[at]:
            return row.blank or NO_MEASURE
        step = self.paper.steps[row.step]
        run = self.results.get(row.step)
        if run is None or run.commands != tuple(portable_commands(step, self.settings)):
            used = f"about {duration(self.settings.minutes(step))} on one core with a small model"
            whole = (
                f" ({step.small}), {duration(step.minutes)} for all of it" if self._is_sample(step) else ""
            )
            return f"{NOT_RUN}: {used}{whole}"
        if self._is_sample(step):
            return f"not asked in this sample ({step.small}): {duration(step.minutes)} for all of it"
        return UNDEFINED

    def _is_sample(self, step: Step) -> bool:
        return self.settings.small and bool(step.small) and step.small != step.size

    def count(self, table: PaperTable) -> FigureCounts:
        """Count the published figures of a table."""
        total = FigureCounts()
        for row in table.rows:
            ours = self.cells(table, row)
            for at, (value, mine) in enumerate(zip(row.published, ours, strict=False)):
                if value is None or row.repeats:
                    continue
                if mine is not None:
                    again = bool(mine.outdated or self.results[row.step].outdated)
                    total += FigureCounts(1, ours=1, outdated=int(again))
                    continue
                open_ = not row.absent and at < len(row.figures) and bool(row.figures[at])
                waits = open_ and self.missing(row, at) != UNDEFINED
                total += FigureCounts(1, not_run=int(waits), absent=int(not waits))
        return total

    def counts(self) -> FigureCounts:
        """Count the published figures of the paper."""
        return sum((self.count(table) for table in self.paper.tables), FigureCounts())


def _lines(found: Reproduction, table: PaperTable) -> Iterator[tuple[str, ...]]:
    """Yield the lines of a table: one per measure where there are figures of ours, else one per row."""
    for row in table.rows:
        ours = found.cells(table, row)
        given = [at for at, value in enumerate(row.published) if value is not None]
        if not any(ours):
            published = " / ".join(_number(row.published[at], table.digits) for at in given)
            measures = " / ".join(table.columns[at] for at in given)
            reasons = dict.fromkeys(found.missing(row, at) for at in given or range(len(row.figures) or 1))
            yield (row.name, measures, published, "", "", "", "; ".join(reasons))
            continue
        for at, column in enumerate(table.columns):
            mine = ours[at]
            if at not in given and mine is None:
                continue
            value = row.published[at] if at in given else None
            why = found.reason(row, mine) if mine is not None else found.missing(row, at)
            yield (row.name, column, *_compare(value, mine, table), why)


def _compare(value: PublishedValue | None, mine: OurFigure | None, table: PaperTable) -> tuple[str, ...]:
    digits, published = table.digits, _number(value, table.digits)
    if mine is None:
        return published, "", "", ""
    difference = ""
    if value is not None and table.same_scale:
        both = _is_count(mine.value) and _is_count(value.value)
        difference = f"{mine.value - value.value:+,.{0 if both else digits}f}"
    return published, _number(mine, digits), format_interval(mine.low, mine.high, digits), difference


def _number(figure: PublishedValue | OurFigure | None, digits: int) -> str:
    """Return a figure with its error; a count has no decimals."""
    if figure is None:
        return ""
    error = f" ± {figure.error:.{digits}f}" if figure.error is not None else ""
    return (f"{figure.value:,.0f}" if _is_count(figure.value) else f"{figure.value:.{digits}f}") + error


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
    commands: list[str] = []
    for name in dict.fromkeys([*(row.step for row in table.rows), table.pictures]):
        run = found.results.get(name)
        if run or name:
            commands += run.commands if run else portable_commands(found.paper.steps[name], found.settings)
    return [f"unslant {command}" for command in dict.fromkeys(commands)]


def _pictures(found: Reproduction, table: PaperTable) -> list[Path]:
    """Return the drawings of a table that are there."""
    if not table.pictures:
        return []
    names = found.paper.steps[table.pictures].pictures
    return [path for name in names if (path := found.settings.out / "pictures" / name).is_file()]


def summary_of(found: Reproduction) -> str:
    """Summarize in one sentence how much was reproduced."""
    counts = found.counts()
    again = f" ({counts.outdated} of them to be measured again)" if counts.outdated else ""
    return (
        f"{counts.published} published figures in {len(found.paper.tables)} tables and figures: {counts.ours} with "
        f"ours beside them{again}, {counts.not_run} not run here, {counts.absent} that cannot be measured here, each "
        f"with the reason."
    )


_QUICK = "A quick run: few texts and an untrained encoder. It shows that everything runs; the figures mean nothing."
_SMALL = "Language models were asked about a small sample only; the commands say how many texts. The figures are rough."


def _warning(found: Reproduction) -> str:
    """Return what to know before one believes the figures."""
    if found.settings.quick:
        return _QUICK
    small = found.settings.small and any(found.paper.steps[name].small for name in found.results)
    return _SMALL if small else ""


def markdown_of(found: Reproduction) -> str:
    """Return the page in Markdown."""
    paper, warning = found.paper, _warning(found)
    parts = [f"# {paper.title}", " ".join(paper.summary), paper.citation, paper.about, summary_of(found)]
    parts += [warning and f"**{warning}**", "\n".join(f"- {note}." for note in paper.notes)]
    for table in paper.tables:
        parts += [f"## {table.label}: {table.title}", *_prose(found, table)]
        if table.rows:
            parts.append(Table([_HEAD, *_lines(found, table)], left=_WORDS).markdown())
        parts += [f"![{table.title}](pictures/{path.name})" for path in _pictures(found, table)]
        if commands := _commands(found, table):
            parts.append("```sh\n" + "\n".join(commands) + "\n```")
    return "\n\n".join(filter(None, parts)) + "\n"


def html_of(found: Reproduction) -> str:
    """Return the page in HTML."""
    paper, warning = found.paper, _warning(found)
    quick = found.settings.quick
    body = [*paper.summary, paper.citation, summary_of(found), *([warning] if warning and not quick else [])]
    parts = [f"<p>{escape(text)}</p>\n" for text in body]
    if paper.notes:
        parts.append(f"<ul>{''.join(f'<li>{escape(note)}.</li>' for note in paper.notes)}</ul>\n")
    for table in paper.tables:
        parts.append(f"<h2>{escape(f'{table.label}: {table.title}')}</h2>\n")
        parts += [f"<p>{escape(text.replace('`', ''))}</p>\n" for text in _prose(found, table)]
        if table.rows:
            parts.append(Table([_HEAD, *_lines(found, table)]).html())
        parts += [html_figure(path.read_text("utf-8"), table.title) for path in _pictures(found, table)]
        if commands := _commands(found, table):
            listed = escape("\n".join(commands))
            parts.append(f"<details><summary>Commands</summary><pre>{listed}</pre></details>\n")
    return html_page(f"{paper.title}: reproduction", parts, intro=warning if quick else paper.about)
