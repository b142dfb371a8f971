"""The plan of a run: from arguments to jobs, each with the settings of its folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from unslant.config import Settings
from unslant.core.errors import InputError, SourceError
from unslant.core.files import quote_name
from unslant.report.outcome import Outcome
from unslant.text.formats import CODE_SUFFIXES, SUFFIXES, format_of, is_table
from unslant.workspace.discover import Failure, Found, discover
from unslant.workspace.files import read_stdin
from unslant.workspace.run import FileJob

__all__ = ["Inputs", "RunPlan", "plan"]


_WORTH_CACHING = 100_000
"""The file size, in bytes, from which the cache is faster than the rules."""


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
    for found in _found(inputs, settings, skipped):
        if isinstance(found, Failure):
            failures.append(Outcome(str(found.path), error=found.message))
            continue
        try:
            jobs.append(_stdin(inputs, settings) if found.path is None else _job(found, inputs, settings_for))
        except InputError as error:
            failures.append(Outcome(found.display, error=str(error)))
    return RunPlan(tuple(jobs), tuple(failures), skipped)


def _found(inputs: Inputs, settings: Settings, skipped: Counter[str]) -> Sequence[Found | Failure]:
    suffixes = {**SUFFIXES, **CODE_SUFFIXES} if inputs.code else SUFFIXES
    gitignore = settings.respect_gitignore
    return list(discover(inputs.arguments, suffixes, settings.exclude, settings.root, gitignore, skipped))


def _stdin(inputs: Inputs, settings: Settings) -> FileJob:
    text = read_stdin(inputs.stdin, settings.max_bytes)
    form = inputs.format or format_of(inputs.stdin_name, inputs.code) or "text"
    return FileJob(
        inputs.stdin_name, None, form, settings.spec, settings.max_bytes, text=text, size=len(text)
    )


def _job(found: Found, inputs: Inputs, settings_for: Callable[[Path], Settings]) -> FileJob:
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
    # the rules need a few milliseconds per page, less than a cache lookup
    worth = size >= _WORTH_CACHING or settings.spec.analyzers != ("rules",)
    cached = settings.cache and worth
    return FileJob(
        found.display,
        path,
        form or "text",
        settings.spec,
        settings.max_bytes,
        size=size,
        cached=cached,
        within=found.within,
    )
