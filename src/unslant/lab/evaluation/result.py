"""Results: figures with intervals next to published ones, comparisons, text, and their place in model cards."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

from unslant.core.encoding import encode_fields
from unslant.core.errors import InputError, ModelError
from unslant.core.files import read_bytes, read_json, read_text, write_text
from unslant.lab.report.table import format_interval, format_number, markdown_table, text_table, wrap_note
from unslant.lab.stats.bootstrap import (
    Estimate,
    Resampling,
    compare_paired,
    estimate_metrics,
    standard_error,
)
from unslant.lab.stats.metrics import Metric, average_metrics
from unslant.neural.checkpoint import CORPUS_HEADS


@dataclass(frozen=True, slots=True)
class Published:
    """A figure that a paper reports."""

    system: str
    value: float
    source: str
    error: float | None = None
    same: bool = False
    """Whether it uses the same definition and the same text as here."""
    people: bool = False
    """Whether it measures people, not a system."""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            **encode_fields(self, "system", "value", "error"),
            "same_definition": self.same,
            "source": self.source,
        }


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(files("unslant.lab.evaluation").joinpath("published.toml").read_text("utf-8"))


def published(task: str, name: str) -> tuple[Published, ...]:
    """Return the published figures to compare one of ours with."""
    sources: dict[str, str] = _data()["sources"]
    entries = _data()["figures"].get(task, {}).get(name, ())
    return tuple(Published(**{**entry, "source": sources[entry["source"]]}) for entry in entries)


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that we measured."""

    name: str
    estimate: Estimate
    items: int
    """How many sentences, pairs or texts it is based on."""
    error: float | None = None
    """The standard error over folds."""
    published: tuple[Published, ...] = ()
    lower_is_better: bool = False
    measure: Metric | None = field(default=None, repr=False, compare=False)
    """The counts that it was computed from, so that two models can be compared on the same items."""

    @property
    def best(self) -> Published | None:
        """The published figure to compare with: by the same definition if there is one, else the best system's."""
        choose = min if self.lower_is_better else max
        systems = [entry for entry in self.published if not entry.people]
        alike = [entry for entry in systems if entry.same] or systems
        return choose(alike, key=lambda entry: entry.value) if alike else None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.name,
            **self.estimate.to_dict(),
            "standard_error": self.error,
            **encode_fields(self, "items", "lower_is_better", "published"),
        }


@dataclass(frozen=True, slots=True)
class Section:
    """Figures that belong together."""

    title: str
    figures: tuple[Figure, ...]
    table: str = ""
    """Adjacent sections with the same figures and the same table name are shown as columns of one table."""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"title": self.title, "figures": [figure.to_dict() for figure in self.figures]}


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a measurement."""

    task: str
    model: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()
    """Why our figures differ from the published ones, one line per reason."""
    pictures: Mapping[str, str] = field(default_factory=dict)
    """SVG, by name."""
    drawings: tuple[str, ...] = ()
    """The same pictures for a terminal."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Additional data, only in the JSON."""
    heads: str = ""
    """Which heads of a network answered: ``product`` or ``corpus``; empty: the model has none."""

    def figure(self, name: str, section: str | None = None) -> Figure:
        """Return a figure by its name."""
        for candidate in self.sections:
            if section is None or candidate.title == section:
                for found in candidate.figures:
                    if found.name == name:
                        return found
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        details = {"details": dict(self.details)} if self.details else {}
        return {**encode_fields(self, "task", "model", "heads", "sections", "notes"), **details}


def figures(
    task: str,
    measures: Mapping[str, Metric],
    resampling: Resampling,
    lower: Iterable[str] = (),
    groups: Sequence[Hashable] | None = None,
) -> tuple[Figure, ...]:
    """Return each measure as a figure, with its interval and the published figures.

    ``lower`` names the measures for which a lower value is better. Items of one of the ``groups`` are resampled
    together.
    """
    if groups is not None:
        measures = {name: measure.group_items(groups) for name, measure in measures.items()}
    found = estimate_metrics(measures, resampling)
    return tuple(
        Figure(
            name,
            found[name],
            measure.items,
            published=published(task, name),
            lower_is_better=name in lower,
            measure=measure,
        )
        for name, measure in measures.items()
    )


def compare(first: Result, other: Result, resampling: Resampling) -> Result:
    """Return how much higher each figure of the first model is, by a paired bootstrap.

    Leaves out figures over different items, for example where one model may not be measured on a corpus.
    """
    theirs = {section.title: section for section in other.sections}
    sections = [
        Section(section.title, found, section.table)
        for section in first.sections
        if section.title in theirs
        and (found := tuple(_differences(section, theirs[section.title], resampling)))
    ]
    notes = (
        "first model minus second; where the interval contains 0, either may be the better one",
        *dict.fromkeys((*first.notes, *other.notes)),
    )
    return Result(
        first.task,
        f"{first.model} less {other.model}",
        tuple(sections),
        notes,
        heads=first.heads or other.heads,
    )


def average(results: Sequence[Result], resampling: Resampling) -> Result:
    """Return the mean of several runs of one recipe, measured on the same items, with the standard error over runs."""
    first = results[0]
    sections = []
    for at, section in enumerate(first.sections):
        found = []
        for place, figure in enumerate(section.figures):
            same = [result.sections[at].figures[place] for result in results]
            measures = [other.measure for other in same if other.measure is not None]
            if len(measures) < len(results):
                continue
            mean = average_metrics(measures, same_items=True)
            values = [measure.value for measure in measures if measure.value is not None]
            estimate = estimate_metrics({figure.name: mean}, resampling)[figure.name]
            found.append(replace(figure, estimate=estimate, error=standard_error(values), measure=mean))
        sections.append(Section(section.title, tuple(found), section.table))
    note = f"mean of {len(results)} runs; the error is the standard error over runs"
    return Result(
        first.task, f"{first.model} and {len(results) - 1} more", tuple(sections), (note, *first.notes)
    )


def _differences(section: Section, other: Section, resampling: Resampling) -> Iterator[Figure]:
    theirs = {figure.name: figure.measure for figure in other.figures}
    for figure in section.figures:
        ours, second = figure.measure, theirs.get(figure.name)
        if ours is None or second is None or ours.items != second.items:
            continue
        if resampling.resamples == 0 or ours.value is None or second.value is None:
            value = None if ours.value is None or second.value is None else ours.value - second.value
            estimate = Estimate(value)
        else:
            found = compare_paired(ours, second, resampling)
            estimate = Estimate(found.value, found.low, found.high)
        yield Figure(figure.name, estimate, figure.items, lower_is_better=figure.lower_is_better)


_HEADS = {
    "product": "product (those that 'unslant check' uses)",
    "corpus": "corpus (those trained on the corpus; 'unslant check' does not use them)",
}


def result_text(result: Result) -> str:
    """Return a result as text: our figures with 95 % intervals and published figures, then drawings and notes."""
    parts = [f"{result.task}: {result.model}" + (f"\nheads: {_HEADS[result.heads]}" if result.heads else "")]
    for _, group in groupby(enumerate(result.sections), lambda pair: pair[1].table or pair[0]):
        some = [section for _, section in group]
        parts.append(_section_text(some[0]) if len(some) == 1 else _columns(some))
    parts += result.drawings
    every = [figure for section in result.sections for figure in section.figures]
    said = [_published_text(figure) for figure in every if len(figure.published) > 1]
    sources = dict.fromkeys(entry.source for figure in every for entry in figure.published)
    notes = [*(f"published: {source}." for source in sources), *(f"{note}." for note in result.notes)]
    parts += ["\n".join(map(wrap_note, lines)) for lines in (said, notes) if lines]
    return "\n\n".join(parts)


def _published_text(figure: Figure) -> str:
    systems = "; ".join(f"{entry.system} {_value(entry)}" for entry in figure.published)
    return f"{figure.name}, published: {systems}"


def _columns(sections: Sequence[Section]) -> str:
    names = list(dict.fromkeys(figure.name for section in sections for figure in section.figures))
    by_name = [{figure.name: figure for figure in section.figures} for section in sections]
    rows = [["", *(section.title for section in sections), "on"]]
    for name in names:
        own = [figures.get(name) for figures in by_name]
        values = [format_number(figure.estimate.value) if figure else "" for figure in own]
        rows.append([name, *values, f"{max(figure.items for figure in own if figure):,}"])
    return f"{sections[0].table}\n{text_table(rows)}"


def _section_text(section: Section) -> str:
    rows: list[tuple[str, ...]] = [("", "ours", "95 %", "error", "published", "", "on")]
    for figure in section.figures:
        best, found = figure.best, figure.estimate
        rows.append(
            (
                figure.name,
                format_number(found.value) or "undefined",
                format_interval(found.low, found.high),
                f"± {figure.error:.3f}" if figure.error is not None else "",
                _value(best) if best else "",
                best.system if best else "",
                f"{figure.items:,}",
            )
        )
    return f"{section.title}\n{text_table(rows, drop_empty=True)}"


def _value(entry: Published) -> str:
    return f"{entry.value:.3f}" + (f" ± {entry.error:.3f}" if entry.error is not None else "")


_CARD, _PAGE, _ABOUT = "card.json", "card.md", "model.json"
_HEADING = "## Measured"
_KEPT = ("name", "value", "low", "high", "standard_error", "items")


def attach(folder: Path, results: Sequence[Path]) -> list[str]:
    """Add results of ``unslant evaluate TASK --output-format json`` to the card of a run or package; return the tasks.

    Replaces a task that is already on the card, and updates the digests of a package.
    """
    try:
        card = read_json(folder / _CARD)
        if not isinstance(card, dict):
            raise InputError("not an object")
    except InputError:
        raise ModelError(f"{str(folder)!r} has no readable card, so figures cannot be added") from None
    found = dict(map(_result, results))
    card["figures"] = dict(card.get("figures", {})) | found
    write_text(folder / _CARD, json.dumps(card, indent=1) + "\n")
    page = folder / _PAGE
    before = read_text(page) if page.is_file() else ""
    kept = f"\n{before}".partition(f"\n{_HEADING}\n")[0].strip("\n")
    write_text(page, f"{kept}\n\n{measured_markdown(card['figures'])}".lstrip("\n"))
    about = folder / _ABOUT
    if about.is_file():
        data = read_json(about, ModelError)
        for name in (_CARD, _PAGE):
            data["files"][name] = hashlib.sha256(read_bytes(folder / name, ModelError)).hexdigest()
        write_text(about, json.dumps(data, indent=1) + "\n")
    return list(found)


def _result(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        data = read_json(path)
        sections = [
            {
                "title": str(section["title"]),
                "figures": [{key: figure.get(key) for key in _KEPT} for figure in section["figures"]],
            }
            for section in data["sections"]
        ]
        heads = str(data.get("heads", ""))
        task = str(data["task"]) + (CORPUS_HEADS if heads == "corpus" else "")
        return task, {"model": str(data["model"]), "heads": heads, "sections": sections}
    except (InputError, KeyError, TypeError, AttributeError):
        raise InputError(f"{path}: not a result of 'unslant evaluate TASK --output-format json'") from None


def measured_markdown(figures: Mapping[str, Any]) -> str:
    """Return all figures as Markdown, with a table for each task."""
    lines = [_HEADING, ""]
    for task, result in figures.items():
        rows = [("text", "figure", "value", "95 %", "on")]
        for section in result["sections"]:
            for figure in section["figures"]:
                interval = format_interval(figure.get("low"), figure.get("high"))
                value = format_number(figure["value"]) or "-"
                rows.append((section["title"], figure["name"], value, interval, f"{figure['items']:,}"))
        lines += [f"### {task}", "", markdown_table(rows, (0, 1)), ""]
    return "\n".join(lines)
