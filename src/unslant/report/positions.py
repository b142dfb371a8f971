"""Where a finding is: lines and columns, and file names relative to a root or as URIs."""

from __future__ import annotations

import os
import re
from array import array
from bisect import bisect_right
from pathlib import Path
from urllib.parse import quote


class LineIndex:
    r"""The starts of the lines of a source, built in linear time and searched in logarithmic time.

    A line ends with ``\n``, ``\r\n`` or ``\r``, each counted as one end; no other character ends a line.
    """

    __slots__ = ("_starts",)

    def __init__(self, source: str) -> None:
        ends = "\r\n?|\n" if "\r" in source else "\n"
        self._starts = array("Q", [0])
        self._starts.extend(match.end() for match in re.finditer(ends, source))

    def __len__(self) -> int:
        """Return how many lines there are; a source that ends with a line end has an empty last line."""
        return len(self._starts)

    def locate(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of a code point, both counted from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def start(self, line: int) -> int:
        """Return the offset at which a line begins, lines counted from 1."""
        return self._starts[line - 1]


def relative(path: str, root: Path) -> str | None:
    """Return the path relative to the root, with forward slashes; None if outside it or not a file (``<stdin>``)."""
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
        return _quote(below), True
    if not path or path == "-" or path.startswith("<"):
        return _quote(path), False
    return _absolute_uri(Path(path)), False


def folder_uri(root: Path) -> str:
    """Return the absolute URI of a folder, with the slash at the end that makes it a base."""
    return _absolute_uri(root).rstrip("/") + "/"


def _absolute_uri(path: Path) -> str:
    posix = Path(os.path.abspath(path)).as_posix()  # noqa: PTH100 - resolve() follows links
    return "file://" + _quote(posix if posix.startswith("/") else f"/{posix}")


def _quote(path: str) -> str:
    # File names are bytes on most systems; bytes that are not text are restored.
    return quote(path.encode("utf-8", "surrogateescape"), safe="/")
