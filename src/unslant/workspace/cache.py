"""A cache of reports, so that unchanged files are not checked again.

The key of an entry covers everything that a report depends on: the text, its format, the settings and the version. The
entry contains the JSON form of the report without the document's name, and no more of the text than the words of its
findings; only the user can read it. If anything is wrong with the cache, the text is simply checked again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from unslant.core.errors import InputError
from unslant.core.files import read_bytes, write_atomic
from unslant.core.types import SCHEMA
from unslant.spec import Spec

_FORM = "unslant/cache/1"
_FIELDS = {"sentences", "findings", "notes", "provenance"}

MAX_BYTES = 64 << 20
"""The size limit of the cache; the least recently used entries are removed first."""


class ReportCache:
    """Cached reports."""

    def __init__(self, folder: Path, spec_digest: str, version: str, max_bytes: int = MAX_BYTES) -> None:
        self._folder = folder
        self._made_by = (_FORM, SCHEMA, version, spec_digest)
        self._max_bytes = max_bytes
        self._written = 0

    def get(self, source: str, format: str, id: str, extra: str = "") -> dict[str, Any] | None:  # noqa: A002
        """Return the JSON form of the report on this text, with this document name; None if it is not cached.

        ``extra`` is anything else that the report depends on, such as the path.
        """
        file = self._file(source, format, extra)
        try:
            data = read_bytes(file)
        except InputError:
            return None
        report = _verify(data)
        with suppress(OSError):
            if report is None:
                file.unlink()
            else:
                os.utime(file)
        return report and {"schema": SCHEMA, "document": {"id": id, "format": format}, **report}

    def put(self, source: str, report: Mapping[str, Any], extra: str = "") -> None:
        """Store the JSON form of the report on this text."""
        kept = {key: report[key] for key in sorted(_FIELDS)}
        body = json.dumps(kept, separators=(",", ":")).encode()
        if len(body) * 8 > self._max_bytes:
            return
        file = self._file(source, report["document"]["format"], extra)
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.parent.mkdir(mode=0o700, exist_ok=True)
            write_atomic(
                file, hashlib.sha256(body).hexdigest().encode() + b"\n" + body, mode=0o600, sync=False
            )
            self._written += len(body)
            # Pruning visits all entries, so it happens for one entry in many, or when a run has written a lot.
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
        """Remove the least recently used entries until a quarter of the space is free."""
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


def _verify(data: bytes) -> dict[str, Any] | None:
    """Return the report in an entry, or None if the entry is damaged."""
    digest, _, body = data.partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != digest:
        return None
    try:
        report = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return report if isinstance(report, dict) and report.keys() == _FIELDS and _well_formed(report) else None


_TEXTS = ("text", "kind", "why", "origin", "severity", "fingerprint")


def _well_formed(report: Mapping[str, Any]) -> bool:
    """Return whether every value has its type: anybody can compute the digest of an entry."""
    try:
        return (
            isinstance(report["provenance"], dict)
            and all(isinstance(note["message"], str) for note in report["notes"])
            and all(_is_score(sentence["probability"]) for sentence in report["sentences"])
            and all(_is_finding(finding) for finding in report["findings"])
        )
    except (KeyError, TypeError):
        return False


def _is_finding(finding: Mapping[str, Any]) -> bool:
    named = (finding["rule"], finding["dimension"])
    return (
        all(isinstance(finding[name], str) for name in _TEXTS)
        and all(name is None or isinstance(name, str) for name in named)
        and _is_score(finding["probability"])
        and all(isinstance(edit["replacement"], str) and _is_span(edit["span"]) for edit in finding["edits"])
    )


def _is_span(span: Mapping[str, Any]) -> bool:
    return isinstance(span["start"], int) and isinstance(span["end"], int)


def _is_score(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and 0 <= value <= 1)


def model_identity(spec: Spec) -> str:
    """Return the identity of the model, because its folder may contain another one tomorrow."""
    if "model" not in spec.analyzers:
        return ""
    from unslant.neural.checkpoint import identity

    return identity(spec.model)
