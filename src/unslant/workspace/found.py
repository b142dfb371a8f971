"""What a search for files comes back with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["STDIN", "Failure", "Found"]

STDIN = "<stdin>"
"""How standard input is named in reports."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file to be checked."""

    path: Path | None
    """Where it is; None: standard input."""
    display: str
    """How it is named in reports: as the user spelled it, with forward slashes."""
    explicit: bool
    """Whether the user named this very file; otherwise a search came upon it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An argument, or a place that a search came to, of which nothing can be checked."""

    path: Path
    message: str
    """One sentence for a person."""
