"""The documents that are open in the editor, positions in them as the editor counts them, and their settings.

The settings are those of ``unslant check`` for the file, overridden by the editor's settings.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lsprotocol import types
from pygls.uris import to_fs_path

from unslant.config import Settings, SettingsCache
from unslant.core.errors import ConfigError
from unslant.core.types import Span
from unslant.profiles import AUTO, profiles
from unslant.report.positions import LineIndex
from unslant.text.formats import format_of
from unslant.text.utf16 import Utf16Offsets


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """A document in one state."""

    uri: str
    language: str
    """The editor's language id."""
    version: int | None
    """The client's version number."""
    serial: int
    """Our own number, unique over all states of all documents."""
    text: str
    focus: int = 0
    """Where the writer is: the offset of the last change, or the start of a document that was just opened."""

    @property
    def path(self) -> Path | None:
        """The path of its file, or None."""
        if not self.uri.startswith("file:"):
            return None
        path = to_fs_path(self.uri)
        return Path(path) if path else None


class Documents:
    """Tracks the open documents; unknown ones are ignored."""

    def __init__(self) -> None:
        self.encoding = "utf-16"
        """The position encoding of the client."""
        self._open: dict[str, OpenDocument] = {}
        self._serial = 0

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._open))

    def get(self, uri: str) -> OpenDocument | None:
        """Return the current state of a document."""
        return self._open.get(uri)

    def open(self, item: types.TextDocumentItem) -> None:
        """Add a document."""
        self._open[item.uri] = OpenDocument(item.uri, item.language_id, item.version, self._next(), item.text)

    def change(
        self, uri: str, version: int | None, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> None:
        """Apply changes, each to the result of the one before."""
        document = self._open.get(uri)
        if document is None:
            return
        text, focus = document.text, document.focus
        for change in changes:
            text, focus = self._apply_change(text, change)
        self._open[uri] = replace(document, text=text, version=version, serial=self._next(), focus=focus)

    def close(self, uri: str) -> None:
        """Remove a document."""
        self._open.pop(uri, None)

    def _apply_change(self, text: str, change: types.TextDocumentContentChangeEvent) -> tuple[str, int]:
        """Return the text after a change, and where the change is."""
        if not isinstance(change, types.TextDocumentContentChangePartial):
            return change.text, common_start(text, change.text)
        positions = Positions(text, self.encoding)
        start, end = positions.offset(change.range.start), positions.offset(change.range.end)
        return text[:start] + change.text + text[max(start, end) :], start

    def _next(self) -> int:
        self._serial += 1
        return self._serial


def common_start(text: str, other: str) -> int:
    """Return how many code points two texts have in common at their start."""
    low, high = 0, min(len(text), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        # slices are compared much faster than code points one by one
        low, high = (middle, high) if text[low:middle] == other[low:middle] else (low, middle - 1)
    return low


_ENDS = "\r\n"


class Positions:
    r"""Converts between offsets and the client's positions; lines end with ``\n``, ``\r\n`` or ``\r`` only."""

    __slots__ = ("_encoding", "_lines", "_source", "_utf16")

    def __init__(self, source: str, encoding: str = "utf-16") -> None:
        """Count in ``utf-16``, ``utf-8`` or ``utf-32``."""
        self._source = source
        self._lines = LineIndex(source)
        plain = encoding == "utf-32" or source.isascii()
        self._encoding = "utf-32" if plain else encoding
        self._utf16 = Utf16Offsets(source if self._encoding == "utf-16" else "")

    def place(self, offset: int) -> types.Position:
        """Return the position of a code point."""
        line, column = self._lines.locate(offset)
        start = offset - column + 1
        if self._encoding == "utf-8":
            character = len(self._source[start:offset].encode("utf-8", "surrogatepass"))
        else:
            character = self._utf16.units(offset) - self._utf16.units(start)
        return types.Position(line - 1, character)

    def range(self, span: Span) -> types.Range:
        """Return the range of a span."""
        return types.Range(self.place(span.start), self.place(span.end))

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position; beyond the end of a line or document, it is that end.

        A position within a character counts as the start of that character.
        """
        if position.line >= len(self._lines):
            return len(self._source)
        start, end = self.line(position.line)
        if self._encoding == "utf-32":
            return min(start + position.character, end)
        left = position.character
        for offset in range(start, end):
            width = self._width(self._source[offset])
            if left < width:
                return offset
            left -= width
        return end

    def line(self, number: int) -> tuple[int, int]:
        """Return the start and end of a line, counted from 0, without its line end."""
        start = self._lines.start(number + 1)
        last = number + 1 >= len(self._lines)
        end = len(self._source) if last else self._lines.start(number + 2)
        while not last and end > start and self._source[end - 1] in _ENDS:
            end -= 1
        return start, end

    def _width(self, char: str) -> int:
        if self._encoding == "utf-16":
            return 2 if char > "\uffff" else 1
        return len(char.encode("utf-8", "surrogatepass"))


OpenSettings = Callable[[Mapping[str, object]], SettingsCache]
"""Returns the settings of all folders, overridden by the editor's settings."""

_LANGUAGES = {
    **dict.fromkeys(("quarto", "rmd"), "quarto"),
    **dict.fromkeys(("html", "xhtml"), "html"),
    **dict.fromkeys(("wikitext", "mediawiki"), "wikitext"),
    **dict.fromkeys(("restructuredtext", "rst"), "rst"),
    **{name: name for name in ("asciidoc", "latex", "markdown", "mdx", "org", "typst")},
}
"""The formats by the editor's language id; all others are plain text."""


class Configuration:
    """The settings of documents, read on first use and again after ``reload``."""

    def __init__(self, open_settings: OpenSettings) -> None:
        self.generation = 0
        """The number of reloads; earlier results are outdated."""
        self._open_settings = open_settings
        self._options: object = {}
        self._profile: str | None = None
        self._cache: SettingsCache | None = None

    def reload(self, options: object = None) -> None:
        """Discard all settings; ``options`` replace those of the editor unless None."""
        self._options = self._options if options is None else options
        self._cache = None
        self.generation += 1

    def set_profile(self, name: str) -> None:
        """Judge all documents by this profile from the next reload on, whatever the settings say."""
        if name not in (AUTO, *profiles()):
            raise ConfigError(f"there is no profile {name!r}; choose one of {', '.join((AUTO, *profiles()))}")
        self._profile = name

    def settings(self, document: OpenDocument) -> Settings:
        """Return the settings of a document, or raise ``ConfigError``."""
        if self._cache is None:
            if not isinstance(self._options, Mapping):
                raise ConfigError("the editor's settings for unslant must be a table of keys and values")
            chosen = {} if self._profile is None else {"profile": self._profile}
            self._cache = self._open_settings({**self._options, **chosen})
        return self._cache.for_path(document.path or Path.cwd())


def format_for(document: OpenDocument, settings: Settings) -> str:
    """Return the format of a document, as in ``check``, or by its language id if the suffix is unknown."""
    known = _LANGUAGES.get(document.language, "text")
    if document.path is None:
        return known
    return settings.format_for(document.path) or format_of(str(document.path)) or known


def is_excluded(path: Path, settings: Settings) -> bool:
    """Return whether ``exclude`` matches a file or a folder above it."""
    if not settings.exclude:
        return False
    from unslant.workspace.walk import ignores_from_patterns

    root = Path(os.path.realpath(settings.root))
    real = Path(os.path.realpath(path))
    patterns = ignores_from_patterns(settings.exclude, str(root))
    if patterns is None or not real.is_relative_to(root):
        return False
    above = [folder for folder in real.parents if folder != root and folder.is_relative_to(root)]
    return any(patterns.ignores(str(folder), True) for folder in above) or patterns.ignores(str(real), False)


def editor_options(sent: object) -> object:
    """Return the settings that an editor sends: those under ``unslant``, or all of them."""
    if isinstance(sent, Mapping) and "unslant" in sent:
        return sent["unslant"]
    return sent
