"""The plan of a run: jobs, each with the settings of its folder, and the findings that are left out.

Left out is what a baseline accepts and what a change did not introduce.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from unslant.config import Settings
from unslant.core.errors import InputError, SourceError
from unslant.core.files import quote_name
from unslant.report.outcome import Outcome
from unslant.text.formats import CODE_SUFFIXES, SUFFIXES, format_of, is_table
from unslant.workspace.discover import Failure, Found, discover
from unslant.workspace.files import load_text, read_stdin
from unslant.workspace.ignore_file import IgnoreFiles
from unslant.workspace.run import FileJob

if TYPE_CHECKING:
    from unslant.workspace.baseline import Baseline
    from unslant.workspace.changes import Introduced


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The jobs of a run."""

    jobs: tuple[FileJob, ...]
    failures: tuple[Outcome, ...]
    """Arguments that cannot be checked."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Files that a search passed over because their suffix is not known, by suffix."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The arguments of the user, and how to read them."""

    arguments: tuple[str, ...]
    stdin: BinaryIO
    format: str | None = None
    """The format of all inputs; None: by suffix or settings."""
    stdin_name: str = "<stdin>"
    """The name of standard input in reports; its suffix determines the format."""
    code: bool = False
    """Whether the comments and docstrings of source files are read."""


def plan(inputs: Inputs, settings: Settings, settings_for: Callable[[Path], Settings]) -> RunPlan:
    """Find all files that the arguments name, and return their jobs."""
    jobs: list[FileJob] = []
    failures: list[Outcome] = []
    skipped: Counter[str] = Counter()
    ignores = IgnoreFiles()
    for found in _found(inputs, settings, skipped):
        if isinstance(found, Failure):
            failures.append(Outcome(str(found.path), error=found.message))
            continue
        try:
            jobs.append(
                _stdin(inputs, settings, ignores)
                if found.path is None
                else _job(found, inputs, settings_for, ignores)
            )
        except InputError as error:
            failures.append(Outcome(found.display, error=str(error)))
    return RunPlan(tuple(jobs), tuple(failures), skipped)


def _found(inputs: Inputs, settings: Settings, skipped: Counter[str]) -> Sequence[Found | Failure]:
    suffixes = {**SUFFIXES, **CODE_SUFFIXES} if inputs.code else SUFFIXES
    gitignore = settings.respect_gitignore
    return list(discover(inputs.arguments, suffixes, settings.exclude, settings.root, gitignore, skipped))


def _stdin(inputs: Inputs, settings: Settings, ignores: IgnoreFiles) -> FileJob:
    text = read_stdin(inputs.stdin, settings.max_bytes)
    form = inputs.format or format_of(inputs.stdin_name, inputs.code) or "text"
    named = not inputs.stdin_name.startswith("<")
    kept = ignores.kept_in(Path(inputs.stdin_name), settings) if named else ()
    return FileJob(
        inputs.stdin_name, None, form, settings.spec, settings.max_bytes, text=text, size=len(text), kept=kept
    )


def _job(
    found: Found, inputs: Inputs, settings_for: Callable[[Path], Settings], ignores: IgnoreFiles
) -> FileJob:
    path = found.path or Path()
    settings = settings_for(path)
    form = inputs.format or settings.format_for(path) or format_of(str(path), inputs.code)
    if form is None and is_table(path.name):
        raise SourceError(
            f"{quote_name(path)} is a table, not prose; to check a column of it, run: "
            f"unslant score {path} --column text -o scores.csv"
        )
    try:
        size = path.stat().st_size
    except OSError:
        size = 0  # loading it will report the error
    return FileJob(
        found.display,
        path,
        form or "text",
        settings.spec,
        settings.max_bytes,
        size=size,
        cached=settings.cache,
        within=found.within,
        kept=ignores.kept_in(path, settings),
    )


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
            fresh = tuple(self.baseline.filter(name, findings, report.sentence_of))
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
    new = _find_introduced(revision, max_bytes) if revision is not None else None
    return Filters(accepted, baseline or Path(), new)


def _find_introduced(revision: str, max_bytes: int) -> dict[str, Introduced]:
    """Compare all changed files, even those that are not checked, because words may have moved between them."""
    from unslant.workspace.changes import changed_files

    changes = changed_files(Path.cwd(), revision, lambda name: format_of(name) is not None, max_bytes)
    texts = {}
    for path in changes.old:
        try:
            texts[path] = load_text(path, max_bytes)
        except SourceError:
            continue  # reported when the file is checked
    return {str(path): new for path, new in changes.find_introduced(texts).items()}
