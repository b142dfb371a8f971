"""Which suggestions were skipped in a file that was not gone through to the end."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path

from unslant.workspace.cache import cache_folder
from unslant.workspace.files import write_atomic

__all__ = ["Skipped"]


class Skipped:
    """The skipped suggestions of one file, kept in the user's cache until the file is done."""

    def __init__(self, path: Path) -> None:
        name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32]
        self._file = cache_folder() / "fix" / f"{name}.json"

    def load(self) -> list[str]:
        """Return the names of what was skipped; nothing if there is no record or it cannot be read."""
        try:
            names = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError):
            return []
        return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []

    def save(self, names: list[str]) -> None:
        """Keep the names; a folder that cannot be written only means that they will be asked again."""
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self._file, json.dumps(names).encode(), 0o600)

    def clear(self) -> None:
        """Forget them: the next time everything is asked."""
        with suppress(OSError):
            self._file.unlink(missing_ok=True)
