"""Fixing many files: loaded, fixed, written back if that is asked for, one outcome each, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from unslant.core.errors import InputError
from unslant.text.reading import read
from unslant.workspace.run import Job
from unslant.workspace.writing import Opened, open_text

if TYPE_CHECKING:
    from unslant.core.types import Finding
    from unslant.rewrite import Fixed, Fixer

__all__ = ["FixOutcome", "fix_jobs", "write_fixes"]


@dataclass(frozen=True, slots=True, eq=False)
class FixOutcome:
    """What became of one file: its edits, or the sentence that says why there are none, or why it was not written."""

    path: str
    fixed: Fixed | None = None
    opened: Opened | None = None
    """The file as it was read; None: the text was given."""
    error: str | None = None
    written: bool = False
    """Whether the edits are in the file."""

    @property
    def left(self) -> tuple[Finding, ...]:
        """The findings in the text as it now is in the file."""
        if self.fixed is None:
            return ()
        return self.fixed.left if self.written or not self.fixed.changed else self.fixed.report.findings


def fix_jobs(
    jobs: Sequence[Job], *, unsafe: bool = False, progress: Callable[[int], None] | None = None
) -> Iterator[FixOutcome]:
    """Yield one outcome per job, in order; nothing is written."""
    from unslant.rewrite import Fixer

    for spec, group in groupby(jobs, key=lambda job: job.spec):
        mine = list(group)
        try:
            fixer = Fixer(spec, unsafe=unsafe)
        except InputError as error:
            yield from (FixOutcome(job.display, error=str(error)) for job in mine)
            continue
        for job in mine:
            yield _fixed(fixer, job)
            if progress is not None:
                progress(job.size)


def _fixed(fixer: Fixer, job: Job) -> FixOutcome:
    opened = None
    try:
        if job.text is None:
            opened = open_text(job.path or Path(), job.max_bytes)
        text = job.text if opened is None else opened.text
        document = read(text or "", job.format, job.display)
        (fixed,) = fixer.fix([document])
    except InputError as error:
        return FixOutcome(job.display, error=str(error))
    return FixOutcome(job.display, fixed, opened)


def write_fixes(outcomes: Iterable[FixOutcome]) -> Iterator[FixOutcome]:
    """Write the edits of each file; a file that cannot be written yields an outcome that says why."""
    for outcome in outcomes:
        if outcome.fixed is None or outcome.opened is None or not outcome.fixed.changed:
            yield outcome
            continue
        try:
            outcome.opened.write(outcome.fixed.text)
        except InputError as error:
            yield replace(outcome, error=str(error))
        else:
            yield replace(outcome, written=True)
