"""The texts that are open in the editor, as they are there and not as they are on the disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lsprotocol import types
from pygls.uris import to_fs_path

from unslant.editor.positions import Positions

__all__ = ["Documents", "OpenDocument"]


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """One text as it was at one moment."""

    uri: str
    language: str
    """The editor's name for the format."""
    version: int | None
    """The client's count of changes, sent back to it."""
    serial: int
    """Our own count, over all texts: no two states ever share one."""
    text: str

    @property
    def path(self) -> Path | None:
        """Where it will be saved; None: it has no file yet."""
        if not self.uri.startswith("file:"):
            return None
        path = to_fs_path(self.uri)
        return Path(path) if path else None


class Documents:
    """Follows what the client tells of its texts; what it does not know is left alone."""

    def __init__(self) -> None:
        self.encoding = "utf-16"
        """What the client counts in."""
        self._open: dict[str, OpenDocument] = {}
        self._serial = 0

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._open))

    def get(self, uri: str) -> OpenDocument | None:
        """Return a text as it is now."""
        return self._open.get(uri)

    def open(self, item: types.TextDocumentItem) -> None:
        """Take a new text."""
        self._open[item.uri] = OpenDocument(item.uri, item.language_id, item.version, self._next(), item.text)

    def change(
        self, uri: str, version: int | None, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> None:
        """Make changes, each in the text that the one before has left."""
        document = self._open.get(uri)
        if document is None:
            return
        text = document.text
        for change in changes:
            text = self._changed(text, change)
        self._open[uri] = replace(document, text=text, version=version, serial=self._next())

    def close(self, uri: str) -> None:
        """Forget a text."""
        self._open.pop(uri, None)

    def _changed(self, text: str, change: types.TextDocumentContentChangeEvent) -> str:
        if not isinstance(change, types.TextDocumentContentChangePartial):
            return change.text
        positions = Positions(text, self.encoding)
        start, end = positions.offset(change.range.start), positions.offset(change.range.end)
        return text[:start] + change.text + text[max(start, end) :]

    def _next(self) -> int:
        self._serial += 1
        return self._serial
