"""The remarks on a file that are not findings, the same in every format that people read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unslant.core.types import Note
from unslant.report.printable import clean, shorten
from unslant.text.skipped import REASONS, find_skipped

if TYPE_CHECKING:
    from unslant.report.outcome import Outcome, RenderSettings

_ROOM = 60


def notes_on(outcome: Outcome, settings: RenderSettings, room: int = _ROOM) -> tuple[Note, ...]:
    """Return the remarks on a file, and what was left alone in it if the settings ask for that."""
    if outcome.report is None or settings.skipped is None:
        return outcome.notes
    document = outcome.report.document
    # markup and code go without saying, and another language has a remark already
    silent = {"markup", "language"} if outcome.notes else {"markup"}
    left = []
    for span, reason in find_skipped(document, settings.skipped):
        if reason not in silent:
            words = " ".join(clean(document.source[span.start : span.end]).split())
            left.append(Note(f"left alone, {REASONS[reason]}: {shorten(words, room)}", span))
    return (*outcome.notes, *left)
