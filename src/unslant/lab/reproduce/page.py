"""The page of a paper, as Markdown and as HTML: every table with the published figures, ours, and why they differ.

A figure of ours is found in the JSON that a command printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from unslant.lab.report.page import html_figure, html_page
from unslant.lab.report.table import format_interval, html_table, markdown_table
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
        return FigureCounts(
            self.published + other.published,
            self.ours + other.ours,
            self.outdated + other.outdated,
            self.not_run + other.not_run,
            self.absent + other.absent,
        )


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
        why = mine.outdated or found.outdated
        outdated = f"to be measured again: {why}" if why else ""
        return "; ".join(filter(None, [stands_in, _seeds(found), found.note, row.why, outdated]))

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
            return f"{NOT_RUN}: {self._cost(step)}"
        if self._is_sample(step):
            return f"not asked in this sample ({step.small}): {duration(step.minutes)} for all of it"
        return UNDEFINED

    def _is_sample(self, step: Step) -> bool:
        return self.settings.small and bool(step.small) and step.small != step.size

    def _cost(self, step: Step) -> str:
        """Return how long a step takes at the size of this run."""
        used = f"about {duration(self.settings.minutes(step))} on one core with a small model"
        if not self._is_sample(step):
            return used
        return f"{used} ({step.small}), {duration(step.minutes)} for all of it"

    def count(self, table: PaperTable) -> FigureCounts:
        """Count the published figures of a table."""
        total = FigureCounts()
        for row in table.rows:
            ours = self.cells(table, row)
            for at, value in enumerate(row.published):
                if value is not None and not row.repeats:
                    total += self._count_cell(row, at, ours[at])
        return total

    def _count_cell(self, row: PaperRow, at: int, mine: OurFigure | None) -> FigureCounts:
        if mine is not None:
            return FigureCounts(
                1, ours=1, outdated=int(bool(mine.outdated or self.results[row.step].outdated))
            )
        open_ = not row.absent and at < len(row.figures) and bool(row.figures[at])
        waits = open_ and self.missing(row, at) != UNDEFINED
        return FigureCounts(1, not_run=int(waits), absent=int(not waits))

    def counts(self) -> FigureCounts:
        """Count the published figures of the paper."""
        return sum((self.count(table) for table in self.paper.tables), FigureCounts())


def _seeds(found: StepResult) -> str:
    """Return how many seeds a trained model's figure rests on."""
    seeds = {seed for command in found.commands for seed in re.findall(r"--seed (\d+)", command)}
    if not seeds:
        return ""
    return "one seed" if len(seeds) == 1 else f"mean of {len(seeds)} seeds"


def _lines(found: Reproduction, table: PaperTable) -> Iterator[tuple[str, ...]]:
    """Yield the lines of a table: one per measure where there are figures of ours, else one per row."""
    for row in table.rows:
        ours = found.cells(table, row)
        given = [at for at, value in enumerate(row.published) if value is not None]
        if not any(ours):
            published = " / ".join(_published(row.published[at], table.digits) for at in given)
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


def _compare(
    value: PublishedValue | None, mine: OurFigure | None, table: PaperTable
) -> tuple[str, str, str, str]:
    digits = table.digits
    if mine is None:
        return _published(value, digits), "", "", ""
    error = f" ± {mine.error:.{digits}f}" if mine.error is not None else ""
    return (
        _published(value, digits),
        _number(mine.value, digits) + error,
        format_interval(mine.low, mine.high, digits),
        _difference(mine.value, value.value, digits) if value is not None and table.same_scale else "",
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
    commands: list[str] = []
    for name in filter(None, names):
        run = found.results.get(name)
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


def markdown_of(found: Reproduction) -> str:
    """Return the page in Markdown."""
    paper = found.paper
    parts = [f"# {paper.title}", " ".join(paper.summary), paper.citation, paper.about, summary_of(found)]
    parts = [part for part in parts if part]
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
            *_paragraphs(
                [*paper.summary, paper.citation, summary_of(found), *([_SMALL] if _has_small(found) else [])]
            ),
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
