"""Files of verdicts on edits: what readers said of edits that unslant proposed, by document and position.

The text comes from the corpora. Each document has one use: from most of them the rewriter learns to judge wordings; the
rest shows how far its judgement can be trusted, since what it has learned by heart would not; and some documents are
kept for measuring only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from unslant.core.errors import InputError
from unslant.lab import corpora
from unslant.lab.corpora.editor import EDITOR, read_passages
from unslant.lab.corpora.tables import CorpusMissing

ARTICLES = "allsides"
_PARTS = ("train", "calibration", "dev")
"""Edits of the test part are not learned from."""
_FROZEN = 0.13
"""The share of documents whose verdicts nobody tunes on: about 400 edits to review of those that ship."""
_JUDGED = 0.6
"""The share of documents that the rewriter learns to judge from."""


def is_frozen(document: str) -> bool:
    """Return whether a document belongs to the test set that nobody tunes on."""
    return _place("edits", document) < _FROZEN


def teaches_judging(document: str) -> bool:
    """Return whether the rewriter learns from the verdicts on a document."""
    return not is_frozen(document) and _place("judging", document) < _JUDGED


def _place(salt: str, document: str) -> float:
    digest = hashlib.sha256(f"{salt}/{document}".encode()).digest()
    return int.from_bytes(digest[:4]) / 2**32


def read_verdicts(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """Read files of verdicts, one JSON object a line."""
    rows: list[dict[str, Any]] = []
    for path in paths:
        try:
            rows += [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        except (OSError, ValueError) as error:
            raise InputError(f"{str(path)!r} cannot be read as verdicts: {error}") from error
    needed = {"document", "start", "end", "replacement", "verdict"}
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not needed <= row.keys():
            raise InputError(f"verdict {number} lacks one of {', '.join(sorted(needed))}")
    return rows


def texts_of(names: set[str], data: str | Path | None) -> dict[str, str]:
    """Return the texts of documents, by name, as far as the corpora have them."""
    found: dict[str, str] = {}
    with suppress(CorpusMissing):
        found = {example.id: example.text for example in corpora.load(ARTICLES, data) if example.id in names}
    for part in _PARTS:
        for passage in read_passages(corpora.load(EDITOR, data), part):
            if passage.id in names:
                found[passage.id] = passage.text
    return found
