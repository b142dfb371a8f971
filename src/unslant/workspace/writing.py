"""Writing a changed text back to its file, only if the file is still the one that was read."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from unslant.core.errors import SourceError
from unslant.workspace import atomic
from unslant.workspace.load import decode, encode_like, explain, load_bytes, quoted

__all__ = ["Opened", "open_text"]

_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True)
class Opened:
    """A file as it was read."""

    path: Path
    data: bytes
    text: str

    def write(self, text: str) -> None:
        """Replace the file's text in one step; encoding, byte order mark, line ends and permissions stay.

        A file that is read-only, or that somebody changed in the meantime, is refused and left as it is.
        """
        name = quoted(self.path)
        try:
            mode = self.path.stat().st_mode
            if not mode & _WRITABLE or not os.access(self.path, os.W_OK):
                raise SourceError(f"{name} is read-only, so nothing was written; make it writable first")
            if load_bytes(self.path, len(self.data) + 1) != self.data:
                raise SourceError(_changed(name))
            atomic.write(self.path, encode_like(text, self.data), stat.S_IMODE(mode))
            self.path.chmod(stat.S_IMODE(mode))
        except SourceError as error:
            # a file that has grown is too large for what was expected of it
            raise SourceError(_changed(name) if "max-bytes" in str(error) else str(error)) from None
        except OSError as error:
            raise SourceError(explain(self.path, error).replace("be read", "be written")) from error


def _changed(name: str) -> str:
    return f"{name} was changed since it was checked, so nothing was written; run the command again"


def open_text(path: Path, max_bytes: int) -> Opened:
    """Read a file so that it can be written back."""
    data = load_bytes(path, max_bytes)
    return Opened(path, data, decode(data, path))
