"""Reports of texts that were checked before, so that an unchanged file need not be checked again.

An entry is found by everything that decides a report: the text, its format, the settings and the version. It
holds the report's wire form without the document's name, and of the text no more than the words of its
findings; only the user can read it. The cache is a convenience: whatever is wrong with it, the text is
checked as if there were none.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from unslant.core.types import SCHEMA
from unslant.workspace.files import write_atomic

__all__ = ["ReportCache", "cache_folder"]

_FORM = "unslant/cache/1"
_FIELDS = {"sentences", "findings", "notes", "provenance"}

MAX_BYTES = 64 << 20
"""How much the cache may hold; beyond, the entries that were not used for longest go."""


def cache_folder() -> Path:
    """Return where reports are kept: ``UNSLANT_CACHE_DIR``, or where the system wants such things."""
    named = os.environ.get("UNSLANT_CACHE_DIR")
    if named:
        return Path(named)
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("unslant", appauthor=False))


class ReportCache:
    """Reports by what they were made from."""

    def __init__(self, folder: Path, spec_digest: str, version: str, max_bytes: int = MAX_BYTES) -> None:
        self._folder = folder
        self._made_by = (_FORM, SCHEMA, version, spec_digest)
        self._max_bytes = max_bytes
        self._written = 0

    def get(self, source: str, format: str, id: str, extra: str = "") -> dict[str, Any] | None:  # noqa: A002
        """Return the wire form of the report of this text, under this document's name; None: not known.

        ``extra`` is whatever else decided the report, such as the path where settings depend on it.
        """
        file = self._file(source, format, extra)
        try:
            data = file.read_bytes()
        except OSError:
            return None
        report = _checked(data)
        with suppress(OSError):
            if report is None:
                file.unlink()
            else:
                os.utime(file)
        return report and {"schema": SCHEMA, "document": {"id": id, "format": format}, **report}

    def put(self, source: str, report: Mapping[str, Any], extra: str = "") -> None:
        """Keep the wire form of the report of this text."""
        kept = {key: report[key] for key in sorted(_FIELDS)}
        body = json.dumps(kept, separators=(",", ":")).encode()
        if len(body) * 8 > self._max_bytes:
            return
        file = self._file(source, report["document"]["format"], extra)
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.parent.mkdir(mode=0o700, exist_ok=True)
            write_atomic(file, hashlib.sha256(body).hexdigest().encode() + b"\n" + body, mode=0o600)
            self._written += len(body)
            # Counting takes a walk through all entries: one entry in many does it, or a run that wrote much.
            if file.name.startswith("00") or self._written * 8 > self._max_bytes:
                self._written = 0
                self._prune()

    def _file(self, source: str, format: str, extra: str) -> Path:  # noqa: A002
        digest = hashlib.sha256()
        for part in (*self._made_by, format, extra, source):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(data))
            digest.update(data)
        name = digest.hexdigest()
        return self._folder / name[:2] / f"{name[2:]}.json"

    def _prune(self) -> None:
        """Remove the entries not used for longest until a quarter of the room is free."""
        entries = []
        for file in self._folder.glob("[0-9a-f][0-9a-f]/*"):
            with suppress(OSError):
                status = file.stat()
                entries.append((status.st_mtime_ns, file, status.st_size))
        held = sum(size for _, _, size in entries)
        if held <= self._max_bytes:
            return
        for _, file, size in sorted(entries):
            if held <= self._max_bytes * 3 // 4:
                return
            with suppress(OSError):
                file.unlink()
            held -= size


def _checked(data: bytes) -> dict[str, Any] | None:
    """Return the report in an entry, or None if the entry is not what was written."""
    digest, _, body = data.partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != digest:
        return None
    try:
        report = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return report if isinstance(report, dict) and report.keys() == _FIELDS else None
