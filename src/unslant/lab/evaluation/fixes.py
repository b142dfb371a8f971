"""Fixes as a user gets them, on the editors' corpus: how many of the words that must change get an edit.

Whole documents are fixed with the settings that ship. A ``must`` *has a safe edit* if a safe edit changes some of its
words, and *has a review edit* if only an edit that needs review does. An edit *equals the fix* if it leaves the
sentence that the editor's fix leaves. *On marked words* are edits that change words which an
editor marked, ``must`` or ``may``. Intervals resample documents. Whether an edit is good, only reading tells: see
``fix_reading``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unslant.core.example import LabelledSpan
from unslant.core.types import Applicability, Edit
from unslant.lab import corpora
from unslant.lab.corpora.editor import EDITOR, MarkedPassage, read_passages
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.stats.metrics import Metric
from unslant.rewrite import Fixed, Fixer, Suggestion
from unslant.text.edits import apply_edits
from unslant.text.reading import read
from unslant.text.tidy import tidy_edit

if TYPE_CHECKING:
    from unslant.lab.evaluation.held_out import Setting
    from unslant.lab.stats.bootstrap import Resampling
    from unslant.spec import Spec

__all__ = ["FixedPassage", "fix_passages", "fixes", "measure_fixes", "offered_edits"]

_SAFE, _REVIEW = Applicability.SAFE, Applicability.REVIEW


@dataclass(frozen=True, slots=True)
class FixedPassage:
    """A passage and what the product does with it."""

    passage: MarkedPassage
    edits: tuple[Suggestion, ...]
    """Those that are made or offered."""

    def answer(self, marked: LabelledSpan) -> Suggestion | None:
        """Return the edit that changes some of the marked words; a safe one before one that needs review."""
        touching = [edit for edit in self.edits if edit.edit.span.overlaps(marked.span)]
        return min(touching, key=lambda each: each.edit.applicability is not _SAFE, default=None)

    def equals(self, suggestion: Suggestion, marked: LabelledSpan) -> bool:
        """Say whether an edit leaves the sentence that the editor's fix leaves."""
        if marked.fix is None or not suggestion.sentence.contains(marked.span):
            return False
        base = suggestion.sentence.start
        fix = Edit(marked.span.start - base, marked.span.end - base, marked.fix)
        fixed = apply_edits(suggestion.before, [tidy_edit(suggestion.before, fix)])
        return " ".join(fixed.split()) == " ".join(suggestion.after.split())

    def is_marked(self, suggestion: Suggestion) -> bool:
        """Say whether the editor marked some of the words that an edit changes."""
        return any(marked.span.overlaps(suggestion.edit.span) for marked in self.passage.marked)


def fix_passages(
    passages: Sequence[MarkedPassage], spec: Spec, progress: Callable[[str, int, int], None] = lambda *_: None
) -> list[FixedPassage]:
    """Fix each passage as a user would."""
    documents = (read(passage.text, "text", passage.id) for passage in passages)
    found = []
    for number, (passage, fixed) in enumerate(zip(passages, Fixer(spec).fix(documents), strict=True), 1):
        found.append(FixedPassage(passage, offered_edits(fixed)))
        progress("documents", number, len(passages))
    return found


def offered_edits(fixed: Fixed) -> tuple[Suggestion, ...]:
    """Return the edits that are made or offered, without those that are only shown."""
    return tuple(edit for edit in fixed.edits if edit.edit.applicability in (_SAFE, _REVIEW))


def measure_fixes(fixed: Sequence[FixedPassage], resampling: Resampling, model: str) -> Result:
    """Return the figures about the words that must change, and about the edits."""
    import numpy as np

    rows = np.array([_counts(item) for item in fixed], dtype=float).reshape(len(fixed), 10)
    musts = {
        "has a safe edit": Metric(rows, lambda sums: sums[..., 1] / sums[..., 0]),
        "has a review edit": Metric(rows, lambda sums: sums[..., 2] / sums[..., 0]),
        "has no edit": Metric(rows, lambda sums: 1 - (sums[..., 1] + sums[..., 2]) / sums[..., 0]),
        "the edit equals the fix": Metric(rows, lambda sums: sums[..., 3] / (sums[..., 1] + sums[..., 2])),
    }
    safe = {
        "on marked words": Metric(rows, lambda sums: sums[..., 5] / sums[..., 4]),
        "edits per 1,000 words": Metric(rows, lambda sums: 1000 * sums[..., 4] / sums[..., 8]),
    }
    review = {
        "on marked words": Metric(rows, lambda sums: sums[..., 7] / sums[..., 6]),
        "edits per 1,000 words": Metric(rows, lambda sums: 1000 * sums[..., 6] / sums[..., 8]),
    }
    sections = (
        Section("words that must change", figures("fixes", musts, resampling)),
        Section("safe edits", figures("fixes", safe, resampling), "edits"),
        Section("review edits", figures("fixes", review, resampling), "edits"),
    )
    total = rows.sum(axis=0)
    notes = (
        f"{int(total[0])} words or phrases that must change; {int(total[4])} safe edits, {int(total[6])} to review",
        "an edit on marked words changes some that an editor marked, must or may",
        "intervals resample documents",
    )
    return Result("fixes", model, sections, notes)


def _counts(item: FixedPassage) -> tuple[int, ...]:
    """Return musts, with a safe and with a review edit, equal; edits safe, on marks, review, on marks; words."""
    musts = [marked for marked in item.passage.marked if marked.grade == "must"]
    answers = [(marked, item.answer(marked)) for marked in musts]
    kinds = [answer.edit.applicability for _, answer in answers if answer is not None]
    equal = sum(answer is not None and item.equals(answer, marked) for marked, answer in answers)
    safe = [edit for edit in item.edits if edit.edit.applicability is _SAFE]
    review = [edit for edit in item.edits if edit.edit.applicability is _REVIEW]
    return (
        len(musts),
        kinds.count(_SAFE),
        kinds.count(_REVIEW),
        equal,
        len(safe),
        sum(map(item.is_marked, safe)),
        len(review),
        sum(map(item.is_marked, review)),
        item.passage.words,
        1,
    )


def fixes(spec: Spec, setting: Setting, *, part: str, model: str) -> tuple[Result, list[FixedPassage]]:
    """Fix one part of the editors' corpus with these settings; return the figures and the edits."""
    passages = list(read_passages(corpora.load(EDITOR, setting.data), part))
    fixed = fix_passages(passages, spec, setting.progress)
    result = measure_fixes(fixed, setting.resampling, model)
    noted = (f"{part} part, {len(passages)} documents", *result.notes)
    return Result(result.task, result.model, result.sections, noted), fixed
