"""Add measured figures to a model's card: each with its interval, for each group of text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unslant.core.errors import InputError, ModelError
from unslant.core.files import read_bytes, read_json, read_text, write_text
from unslant.neural.checkpoint import CORPUS_HEADS

__all__ = ["attach", "measured_markdown"]

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
        raise ModelError(
            f"{str(folder)!r} has no card that can be read, so no figures can go onto it"
        ) from None
    found = dict(map(_result, results))
    card["figures"] = dict(card.get("figures", {})) | found
    write_text(folder / _CARD, json.dumps(card, indent=1) + "\n")
    page = folder / _PAGE
    before = read_text(page) if page.is_file() else ""
    kept = f"\n{before}".partition(f"\n{_HEADING}\n")[0].strip("\n")
    write_text(page, f"{kept}\n\n{measured_markdown(card['figures'])}".lstrip("\n"))
    _sign(folder)
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
        lines += [f"### {task}", "", "| text | figure | value | 95 % | on |", "|---|---|--:|--:|--:|"]
        for section in result["sections"]:
            title = section["title"].replace("|", "\\|")
            lines += [
                f"| {title} | {figure['name'].replace('|', chr(92) + '|')} | {_number(figure['value'])} "
                f"| {_interval(figure)} | {figure['items']:,} |"
                for figure in section["figures"]
            ]
        lines.append("")
    return "\n".join(lines)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _interval(figure: Mapping[str, Any]) -> str:
    low, high = figure.get("low"), figure.get("high")
    return "" if low is None or high is None else f"{low:.3f} to {high:.3f}"


def _sign(folder: Path) -> None:
    about = folder / _ABOUT
    if not about.is_file():
        return
    data = read_json(about, ModelError)
    for name in (_CARD, _PAGE):
        data["files"][name] = hashlib.sha256(read_bytes(folder / name, ModelError)).hexdigest()
    write_text(about, json.dumps(data, indent=1) + "\n")
