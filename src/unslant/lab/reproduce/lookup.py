"""Finds a figure in the JSON that a command printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["OurFigure", "find_figure"]


@dataclass(frozen=True, slots=True)
class OurFigure:
    """A figure of ours, with its interval if the command gave one."""

    value: float
    low: float | None = None
    high: float | None = None
    error: float | None = None
    """The deviation over wordings, folds or runs."""

    def scaled(self, factor: float) -> OurFigure:
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
    found = _named(result, place)
    return _figure(found if found is not None else _walk(result, place.split("/")))


def _named(result: Any, name: str) -> Any:
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
    return next((entry for entry in entries if all(_meets(entry, test) for test in part.split("&"))), None)


def _meets(entry: Any, test: str) -> bool:
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
