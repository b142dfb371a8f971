"""The files of the page, held in memory, so that a path in a request never reaches the disk."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

__all__ = ["File", "load_page"]

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""What is served; anything else in the folder is not for browsers."""


@dataclass(frozen=True, slots=True)
class File:
    """One file of the page."""

    content: bytes
    type: str
    etag: str


def load_page(folder: Path) -> dict[str, File]:
    """Return every file by its path below the folder; none if there is no page."""
    found = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file() and path.suffix in _TYPES:
            content = path.read_bytes()
            etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
            found[path.relative_to(folder).as_posix()] = File(content, _TYPES[path.suffix], etag)
    return found
