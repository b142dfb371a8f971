"""Leaving out what is not news: findings that a baseline accepts, or on words that a change did not introduce."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from unslant.report.outcome import Outcome
from unslant.workspace.plan import Plan

if TYPE_CHECKING:
    from unslant.workspace.baseline import Baseline
    from unslant.workspace.changes import Changes

__all__ = ["Filters", "make_filters"]


@dataclass(frozen=True, slots=True)
class Filters:
    """What a run leaves out."""

    baseline: Baseline | None = None
    changes: Changes | None = None

    def narrow(self, work: Plan) -> Plan:
        """Leave out files in which the change did nothing."""
        if self.changes is None:
            return work
        changes = self.changes
        return replace(
            work, jobs=tuple(job for job in work.jobs if job.path is None or changes.includes(job.path))
        )

    def apply(self, outcome: Outcome) -> Outcome:
        """Leave out findings."""
        report = outcome.report
        if report is None:
            return outcome
        findings = report.findings
        if self.changes is not None:
            introduced = self.changes.introduced(Path(outcome.path), report.document.source)
            findings = tuple(finding for finding in findings if introduced.touches(finding.span))
        if self.baseline is not None:
            findings = tuple(self.baseline.filter(outcome.path, findings))
        return replace(outcome, report=replace(report, findings=findings))

    def messages(self) -> Sequence[str]:
        """Return what is to be said at the end."""
        return self.baseline.stale() if self.baseline is not None else ()


def make_filters(revision: str | None, baseline: Path | None) -> Filters:
    """Read the baseline and the changes since a revision, as far as they are asked for."""
    accepted = changed = None
    if baseline is not None:
        from unslant.workspace.baseline import Baseline

        accepted = Baseline.load(baseline)
    if revision is not None:
        from unslant.workspace.changes import Changes

        changed = Changes.since(revision, Path.cwd())
    return Filters(accepted, changed)
