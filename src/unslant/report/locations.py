"""File names as other tools want them: relative to a root, and as URIs."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

__all__ = ["file_uri", "folder_uri", "relative"]


def relative(path: str, root: Path) -> str | None:
    """Return the path below the root, with forward slashes; None if outside or no file (``<stdin>``)."""
    if not path or path == "-" or path.startswith("<"):
        return None
    absolute, base = os.path.abspath(path), os.path.abspath(root)  # noqa: PTH100 - resolve() follows links
    try:
        inside = os.path.commonpath((absolute, base)) == base
    except ValueError:  # another drive
        return None
    return Path(absolute).relative_to(base).as_posix() if inside else None


def file_uri(path: str, root: Path) -> tuple[str, bool]:
    """Return a percent-encoded URI reference, and whether it is relative to the root."""
    below = relative(path, root)
    if below is not None:
        return _quoted(below), True
    if not path or path == "-" or path.startswith("<"):
        return _quoted(path), False
    return _absolute(Path(path)), False


def folder_uri(root: Path) -> str:
    """Return the absolute URI of a folder, with the slash at the end that makes it a base."""
    return _absolute(root).rstrip("/") + "/"


def _absolute(path: Path) -> str:
    posix = Path(os.path.abspath(path)).as_posix()  # noqa: PTH100 - resolve() follows links
    return "file://" + _quoted(posix if posix.startswith("/") else f"/{posix}")


def _quoted(path: str) -> str:
    # File names are bytes on most systems; those that are no text come back as they were.
    return quote(path.encode("utf-8", "surrogateescape"), safe="/")
