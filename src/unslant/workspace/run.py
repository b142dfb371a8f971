"""Checking many files: loaded, read, looked up in the cache, checked, one outcome each, in order."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from unslant.core.errors import InputError
from unslant.core.types import Document, Finding, Report
from unslant.pipeline import Pipeline
from unslant.report.outcome import Outcome
from unslant.spec import Spec
from unslant.text.reading import read
from unslant.version import VERSION
from unslant.workspace.files import Opened, load_text, open_text

if TYPE_CHECKING:
    from unslant.rewrite import Fixed, Fixer
    from unslant.workspace.cache import ReportCache

__all__ = ["FileJob", "FixOutcome", "check_in_parallel", "check_jobs", "fix_jobs", "write_fixes"]

Progress = Callable[[int], None]

_PARALLEL_FROM = 2_000_000
"""Below this many bytes starting other processes costs more than it saves."""


@dataclass(frozen=True, slots=True)
class FileJob:
    """One file to check and how."""

    display: str
    """How the user knows it."""
    path: Path | None
    """Where it is; None: the text is given."""
    format: str
    spec: Spec
    max_bytes: int
    text: str | None = None
    size: int = 0
    """Bytes, as far as known, for progress."""
    cached: bool = False
    """Whether an earlier report of the same content may be used."""


def check_jobs(
    jobs: Sequence[FileJob], workers: int = 1, progress: Progress | None = None
) -> Iterator[Outcome]:
    """Yield one outcome per job, in order; ``progress`` is told of bytes done."""
    told = progress or (lambda _: None)
    if workers > 1 and len(jobs) > 1 and sum(job.size for job in jobs) >= _PARALLEL_FROM:
        from unslant.workspace.run import check_in_parallel

        yield from check_in_parallel(jobs, workers, told)
    else:
        yield from check_in_order(jobs, told)


def check_in_order(jobs: Iterable[FileJob], progress: Progress) -> Iterator[Outcome]:
    """Yield one outcome per job, in order, all in this process."""
    for spec, group in groupby(jobs, key=lambda job: job.spec):
        jobs_of_spec = list(group)
        try:
            run = _Run(spec, any(job.cached for job in jobs_of_spec), progress)
        except InputError as error:
            yield from (Outcome(job.display, error=str(error)) for job in jobs_of_spec)
            continue
        yield from run.outcomes(jobs_of_spec)


class _Run:
    """The jobs that share a spec, through one pipeline."""

    def __init__(self, spec: Spec, cached: bool, progress: Progress) -> None:
        self._spec = spec
        self._progress = progress
        self._within = 0
        self._pipeline = Pipeline(spec, self._advance)
        self._cache = _open_cache(spec) if cached else None
        self._waiting: deque[Outcome | FileJob] = deque()

    def outcomes(self, jobs: Iterable[FileJob]) -> Iterator[Outcome]:
        """Yield outcomes in the order of the jobs, though documents are checked in batches."""
        for report in self._pipeline.check(self._documents(jobs)):
            yield from self._ready()
            job = self._waiting.popleft()
            assert isinstance(job, FileJob)  # noqa: S101 - keeps the queue and the pipeline honest
            self._remember(job, report)
            yield self._done(job, Outcome(job.display, report))
        yield from self._ready()

    def _documents(self, jobs: Iterable[FileJob]) -> Iterator[Document]:
        for job in jobs:
            try:
                text = job.text if job.text is not None else load_text(job.path or Path(), job.max_bytes)
                document = read(text, job.format, job.display)
            except InputError as error:
                self._waiting.append(self._done(job, Outcome(job.display, error=str(error))))
                continue
            known = self._recall(job, document)
            if known is not None:
                self._waiting.append(self._done(job, Outcome(job.display, known)))
                continue
            self._waiting.append(job)
            yield document

    def _ready(self) -> Iterator[Outcome]:
        while self._waiting and isinstance(self._waiting[0], Outcome):
            yield self._waiting.popleft()  # type: ignore[misc]

    def _advance(self, count: int) -> None:
        self._within += count
        self._progress(count)

    def _done(self, job: FileJob, outcome: Outcome) -> Outcome:
        self._progress(max(0, job.size - self._within))
        self._within = 0
        return outcome

    def _recall(self, job: FileJob, document: Document) -> Report | None:
        if self._cache is None or not job.cached:
            return None
        wire = self._cache.get(document.source, document.format, document.id, self._extra(document))
        return Report.from_dict(document, wire) if wire is not None else None

    def _remember(self, job: FileJob, report: Report) -> None:
        if self._cache is not None and job.cached and not report.provenance.get("interrupted"):
            self._cache.put(report.document.source, report.to_dict(), self._extra(report.document))

    def _extra(self, document: Document) -> str:
        """Return what else decides the report: the path, where some paths are treated unlike others."""
        return document.id if self._spec.per_file_ignores else ""


def _open_cache(spec: Spec) -> ReportCache:
    from unslant.workspace.cache import ReportCache, cache_folder

    return ReportCache(cache_folder(), spec.digest() + _of_the_model(spec), VERSION)


def _of_the_model(spec: Spec) -> str:
    """Return what names the model: its folder may hold another one tomorrow."""
    if "model" not in spec.analyzers:
        return ""
    from unslant.neural.checkpoint import identity

    return identity(spec.model)


_CHUNK = 1_000_000
"""Small files travel together until they hold this many bytes."""


def check_in_parallel(jobs: Sequence[FileJob], workers: int, progress: Progress) -> Iterator[Outcome]:
    """Yield one outcome per job, in order."""
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    chunks = list(_chunks(jobs))
    count = min(workers, len(chunks))
    pool = ProcessPoolExecutor(count, context, _begin, (count,))
    try:
        futures = [pool.submit(_check, chunk) for chunk in chunks]
        for chunk, future in zip(chunks, futures, strict=True):
            yield from _collected(chunk, future)
            progress(sum(job.size for job in chunk))
        pool.shutdown()
    except BaseException:
        _stop(pool)
        raise


def _collected(chunk: list[FileJob], future: Future[list[Outcome]]) -> list[Outcome]:
    try:
        return future.result()
    except BrokenProcessPool:
        message = "the process that checked it ended unexpectedly, perhaps for want of memory; try --jobs 1"
        return [Outcome(job.display, error=f"{job.display!r}: {message}") for job in chunk]


def _chunks(jobs: Sequence[FileJob]) -> Iterator[list[FileJob]]:
    chunk: list[FileJob] = []
    size = 0
    for job in jobs:
        chunk.append(job)
        size += job.size
        if size >= _CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _check(jobs: list[FileJob]) -> list[Outcome]:
    return list(check_in_order(jobs, lambda _: None))


def _begin(workers: int) -> None:
    """Leave interrupts to the parent, and the other cores to the other processes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("UNSLANT_THREADS", str(max(1, (os.cpu_count() or 1) // workers)))


def _stop(pool: ProcessPoolExecutor) -> None:
    """End at once: what is under way is of no use any more."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()


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
    jobs: Sequence[FileJob], *, unsafe: bool = False, progress: Callable[[int], None] | None = None
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


def _fixed(fixer: Fixer, job: FileJob) -> FixOutcome:
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
