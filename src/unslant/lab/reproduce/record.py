"""The figures of ours that come with unslant: what its maintainers measured, by paper and step.

They fill the pages in ``docs/papers`` and the counts of ``unslant reproduce --list``. A step has the commands that
were run and the figures that the tables show, each under its place in the JSON that the last command printed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from unslant.core.files import read_json, write_text
from unslant.lab.reproduce.page import OurFigure, find_figure
from unslant.lab.reproduce.paper import Paper
from unslant.lab.reproduce.run import StepResult, StepSettings, plan

_SETTINGS = ("encoder", "model", "precision", "seeds", "small")


@dataclass(frozen=True, slots=True)
class Record:
    """The recorded figures of a paper."""

    settings: StepSettings
    """How the steps were run; what was not run is shown with the same settings."""
    results: Mapping[str, StepResult]


def read_record(name: str, out: Path) -> Record:
    """Return the recorded figures of a paper, for pages that are written to ``out``."""
    text = files("unslant.lab.reproduce").joinpath("recorded", f"{name}.json").read_text("utf-8")
    wire = json.loads(text)
    results = {
        step: StepResult(
            tuple(entry["commands"]),
            {"recorded": entry["figures"]},
            0.0,
            entry["replaced"],
            entry.get("outdated", ""),
            entry.get("note", ""),
        )
        for step, entry in wire["steps"].items()
    }
    return Record(StepSettings(out, **wire["settings"]), results)


def add_results(record: Record, paper: Paper, out: Path) -> Record:
    """Return the record with the results of a run below ``out``, reduced to the figures that the tables show."""
    places: dict[str, set[str]] = {}
    for table in paper.tables:
        for row in table.rows:
            places.setdefault(row.step, set()).update(filter(None, row.figures))
    results = dict(record.results)
    for state in plan(paper, replace(record.settings, out=out)):
        if state.result is None:
            continue
        found = {place: find_figure(state.result.result, place) for place in sorted(places[state.name])}
        figures = {place: _to_wire(figure) for place, figure in found.items() if figure}
        results[state.name] = replace(state.result, result={"recorded": figures}, outdated="")
    return Record(record.settings, {step: results[step] for step in paper.steps if step in results})


def _to_wire(figure: OurFigure) -> dict[str, float]:
    values = {"value": figure.value, "low": figure.low, "high": figure.high, "sd": figure.error}
    return {name: float(f"{value:.6g}") for name, value in values.items() if value is not None}


def write_record(record: Record, path: Path) -> None:
    """Write a record, where :func:`read_record` finds it."""
    known = read_json(path)["settings"] if path.is_file() else {}
    settings = {name: getattr(record.settings, name) for name in _SETTINGS if name in known}
    steps: dict[str, Any] = {}
    for step, result in record.results.items():
        steps[step] = {
            "commands": list(result.commands),
            "replaced": result.replaced,
            **({"outdated": result.outdated} if result.outdated else {}),
            **({"note": result.note} if result.note else {}),
            "figures": result.result["recorded"],
        }
    write_text(path, json.dumps({"settings": settings, "steps": steps}, indent=1, ensure_ascii=False) + "\n")
