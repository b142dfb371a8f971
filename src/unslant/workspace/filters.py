"""Filters of a run: findings that a baseline accepts, and findings that a change did not introduce."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from unslant.core.errors import SourceError
from unslant.report.outcome import Outcome
from unslant.text.formats import format_of
from unslant.workspace.files import load_text
from unslant.workspace.plan import RunPlan

if TYPE_CHECKING:
    from unslant.workspace.baseline import Baseline
    from unslant.workspace.changes import Introduced

__all__ = ["Filters", "make_filters"]


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters of a run."""

    baseline: Baseline | None = None
    baseline_path: Path = Path()
    introduced: Mapping[str, Introduced] | None = None
    """The new words of each changed file, by its real path; None: no filter."""

    def narrow(self, work: RunPlan) -> RunPlan:
        """Drop files that have not changed."""
        if self.introduced is None:
            return work
        known = self.introduced
        return replace(
            work,
            jobs=tuple(job for job in work.jobs if job.path is None or os.path.realpath(job.path) in known),
        )

    def apply(self, outcome: Outcome) -> Outcome:
        """Drop filtered findings."""
        report = outcome.report
        if report is None:
            return outcome
        findings = report.findings
        accepted = 0
        if self.introduced is not None and (new := self.introduced.get(os.path.realpath(outcome.path))):
            findings = tuple(finding for finding in findings if new.overlaps(finding.span))
        if self.baseline is not None:
            from unslant.workspace.baseline import entry_name

            name = entry_name(Path(outcome.path), self.baseline_path)
            fresh = tuple(self.baseline.filter(name, findings))
            accepted, findings = len(findings) - len(fresh), fresh
        return replace(outcome, report=replace(report, findings=findings), accepted=accepted)

    def messages(self) -> Sequence[str]:
        """Return messages to print at the end."""
        stale = self.baseline.unused() if self.baseline is not None else []
        if not stale:
            return ()
        count = sum(entry.count for entry in stale)
        what = "finding that no longer occurs" if count == 1 else "findings that no longer occur"
        return (
            f"the baseline {str(self.baseline_path)!r} contains {count} {what}; update it with: unslant baseline",
        )


def make_filters(revision: str | None, baseline: Path | None, max_bytes: int) -> Filters:
    """Read the baseline and the changes since a revision, if given."""
    accepted = None
    if baseline is not None:
        from unslant.workspace.baseline import Baseline

        accepted = Baseline.load(baseline)
    new = _introduced(revision, max_bytes) if revision is not None else None
    return Filters(accepted, baseline or Path(), new)


def _introduced(revision: str, max_bytes: int) -> dict[str, Introduced]:
    """Compare all changed files, even those that are not checked, because words may have moved between them."""
    from unslant.workspace.changes import changed_files

    changes = changed_files(Path.cwd(), revision, lambda name: format_of(name) is not None)
    texts = {}
    for path in changes.old:
        try:
            texts[path] = load_text(path, max_bytes)
        except SourceError:
            continue  # reported when the file is checked
    return {str(path): new for path, new in changes.introduced(texts).items()}
