"""Figures as tables in the publication's form, for a terminal or for Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unslant.core.taxonomy import dimensions
from unslant.lab.probing.figures import FIGURES, MAIN, Spread
from unslant.lab.probing.results import Cell, Result, published
from unslant.lab.report.table import markdown_table, text_table, wrap_note

__all__ = ["markdown", "remarks", "result_text", "tables"]

_NEO = "GPT-Neo"
_PARTS = {"wording": "the wording", "seed": "the seed", "text": "the text", "rest": "what they do together"}

Table = tuple[str, list[list[str]]]
"""A title, and rows of cells; the first row is the head."""


def result_text(result: Result) -> str:
    """Return everything about one task for a terminal."""
    parts = [f"{result.task}: {result.model}, {result.title}"]
    parts += [f"{title}\n{text_table(rows)}" if title else text_table(rows) for title, rows in tables(result)]
    parts += ["\n".join(wrap_note(line) for line in remarks(result))]
    return "\n\n".join(part for part in parts if part)


def markdown(result: Result) -> str:
    """Return the same as Markdown."""
    parts = [f"### {result.task.capitalize()}", _escaped(f"{result.model}, {result.title}.")]
    for title, rows in tables(result):
        parts.append("\n".join([*([title, ""] if title else []), markdown_table(rows)]))
    parts.append("\n".join(f"- {_escaped(line)}" for line in remarks(result)))
    return "\n\n".join(part for part in parts if part)


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("<", "&lt;")


def tables(result: Result) -> Iterator[Table]:
    """Yield the tables of one task."""
    if result.task == "identification":
        yield from _identification(result)
    yield _by_shots(result)


def _beside(result: Result) -> Mapping[str, Any]:
    setting = result.setting
    return published(
        result.task, str(setting.get("sampling", "random")), str(setting.get("decoding", "span"))
    )


def _by_shots(result: Result) -> Table:
    """Classes and figures downwards, numbers of examples across: Tables 4 to 8."""
    shots = list(dict.fromkeys(cell.shots for cell in result.cells))
    families = {cell.family for cell in result.cells}
    known = _beside(result) if result.task != "identification" and families & set(_beside(result)) else {}
    shown = [n for n in shots if any(str(n) in row for one in known.values() for row in one.values())]
    head = [""]
    for number in shots:
        head += [f"{number} examples" if number else "no example", *([_NEO] if number in shown else [])]
    rows = [head]
    for family in dict.fromkeys(cell.family for cell in result.cells):
        some = {cell.shots: cell for cell in result.cells if cell.family == family}
        for figure in FIGURES[result.task]:
            row = [f"{family.capitalize()}: {figure.title}"]
            for number in shots:
                row.append(_value(some[number].figures[figure.name], _runs(some[number])))
                if number in shown:
                    row.append(_theirs(known.get(family, {}).get(figure.name, {}), number))
            rows.append(row)
    rows += _baseline_rows(result, len(head), known)
    return "", rows


def _baseline_rows(result: Result, width: int, known: Mapping[str, Any]) -> list[list[str]]:
    rows = []
    for name, values in result.baselines.items():
        for figure in FIGURES[result.task]:
            row = [f"{name.capitalize()}: {figure.title}", _number(values[figure.name])]
            if name in known and width > 2:
                row.append(_theirs(known[name].get(figure.name, {}), 0))
            rows.append(row + [""] * (width - len(row)))
    return rows


def _identification(result: Result) -> Iterator[Table]:
    """Dimensions downwards, classes across, a table for each number of examples: Tables 9, A7 and A8."""
    known = _beside(result)
    for shots in dict.fromkeys(cell.shots for cell in result.cells):
        some = [cell for cell in result.cells if cell.shots == shots]
        heads = [[cell.family.capitalize(), *([_NEO] if cell.family in known else [])] for cell in some]
        rows = [["", *(one for head in heads for one in head)]]
        for name in dimensions():
            row = [name]
            for cell in some:
                found = cell.by_dimension.get(name)
                row += [_value(found, _runs(cell)) if found else "no text"]
                row += [_theirs(known[cell.family].get(name, {}), shots)] if cell.family in known else []
            rows.append(row)
        count = f"{shots} examples" if shots else "no example"
        yield f"Exact match by dimension, {count}", rows


def _runs(cell: Cell) -> int:
    return cell.wordings * cell.seeds


def _value(one: Spread, runs: int) -> str:
    if one.mean is None:
        return "undefined"
    return f"{one.mean:.1f} ± {one.deviation:.1f}" if runs > 1 else f"{one.mean:.1f}"


def _theirs(row: Mapping[str, Sequence[float]], shots: int) -> str:
    found = row.get(str(shots))
    if not found:
        return ""
    return f"{found[0]:.1f} ± {found[1]:.1f}" if len(found) > 1 else f"{found[0]:.1f}"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.1f}"


def remarks(result: Result) -> Iterator[str]:
    """Yield what the tables do not show: intervals, what the wording does, calibration, what was set aside."""
    main = next(one for one in FIGURES[result.task] if one.name == MAIN[result.task])
    for cell in result.cells:
        name = f"{cell.family}, {cell.shots} examples" if cell.shots else f"{cell.family}, no example"
        found = cell.figures[main.name]
        if found.low is not None and found.high is not None:
            yield f"{name}: {main.title} 95 % interval over texts {found.low:.1f} to {found.high:.1f}"
        yield from _of_wordings(name, cell, result, main.title)
        if cell.calibration and cell.calibration["ece"] is not None:
            mean, brier = cell.calibration["mean"], cell.calibration["brier"]
            yield (
                f"{name}: says yes with {mean:.2f} on average; calibration error {cell.calibration['ece']:.3f}, "
                f"Brier score {brier:.3f}"
            )
        if cell.set_aside:
            yield f"{name}: {cell.set_aside:,} of {cell.answers:,} answers were set aside and count nowhere"
    yield from result.notes


def _of_wordings(name: str, cell: Cell, result: Result, title: str) -> Iterator[str]:
    if cell.variance:
        parts = {part: share for part, share in cell.variance.items() if part != "seed" or cell.seeds > 1}
        shares = ", ".join(f"{share:.1%} {_PARTS[part]}" for part, share in parts.items())
        yield f"{name}: of the variance of single answers, {shares}"
    if cell.wordings > 1 and cell.each:
        (best, high), (worst, low) = cell.each[0], cell.each[-1]
        good, bad = _line(result.texts[best]), _line(result.texts[worst])
        yield f"{name}: best wording {high:.1f}, “{good}”; worst {low:.1f}, “{bad}”"
    for slot, variants in cell.words.items():
        if len(variants) > 1:
            said = ", ".join(f"{variant} {value:.1f}" for variant, value in variants.items())
            yield f"{name}: {title} by {slot}: {said}"


def _line(text: str) -> str:
    return text.replace("{targeting}", "").replace("\n", " / ")
