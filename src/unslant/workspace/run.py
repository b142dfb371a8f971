"""Checking and fixing many files, in one process or several: one outcome per file, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING

from unslant.core.errors import AlignmentError, InputError, SourceError
from unslant.core.files import explain_unwritten, quote_name
from unslant.core.types import Document, Edit, Finding, KeptWords, Report
from unslant.profiles import is_documentation, profile_by_path
from unslant.report.outcome import Outcome
from unslant.report.printable import plural
from unslant.spec import Spec
from unslant.text.formats import CHECK_ONLY
from unslant.version import VERSION
from unslant.workspace.files import OpenedFile, load_text, open_text

if TYPE_CHECKING:
    from concurrent.futures import Future

    from unslant.edits.fixer import Fixer
    from unslant.edits.result import Fixed
    from unslant.workspace.cache import ReportCache

Progress = Callable[[int], None]

_PARALLEL_FROM = 2_000_000
"""The number of bytes from which starting more processes pays off."""


@dataclass(frozen=True, slots=True)
class FileJob:
    """A file to check or fix, and how."""

    display: str
    """The name in reports."""
    path: Path | None
    """The path; None if the text is given."""
    format: str
    spec: Spec
    max_bytes: int
    text: str | None = None
    size: int = 0
    """The size in bytes, if known, for the progress bar."""
    cached: bool = False
    """Whether a cached report of the same content may be used."""
    within: Path | None = None
    """The folder that the user named; ``fix`` writes nothing outside of it."""
    kept: tuple[KeptWords, ...] = ()
    """What the writer keeps in it."""


def check_jobs(
    jobs: Sequence[FileJob], workers: int = 1, progress: Progress | None = None
) -> Iterator[Outcome]:
    """Yield one outcome per job, in order; ``progress`` is called with the number of bytes done."""
    report_progress = progress or (lambda _: None)
    if workers > 1 and len(jobs) > 1 and sum(job.size for job in jobs) >= _PARALLEL_FROM:
        yield from check_in_parallel(jobs, workers, report_progress)
    else:
        yield from check_in_order(jobs, report_progress)


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
    """Checks jobs with the same spec in one pipeline, which is built when the first report is not in the cache."""

    def __init__(self, spec: Spec, cached: bool, progress: Progress) -> None:
        self._spec = spec
        self._progress = progress
        self._within = 0
        self._cache = _open_cache(spec) if cached else None
        self._waiting: deque[Outcome | FileJob] = deque()

    def outcomes(self, jobs: Iterable[FileJob]) -> Iterator[Outcome]:
        """Yield outcomes in the order of the jobs, though documents are checked in batches."""
        documents = self._documents(jobs)
        try:
            reports = self._reports(documents)
        except InputError as error:
            yield from self._fail(documents, str(error))
            return
        for report in reports:
            yield from self._ready()
            job = self._waiting.popleft()
            assert isinstance(job, FileJob)  # noqa: S101 - the pipeline yields one report per document
            self._store(job, report)
            yield self._done(job, Outcome(job.display, report))
        yield from self._ready()

    def _reports(self, documents: Iterator[Document]) -> Iterator[Report]:
        """Build the pipeline, unless there is nothing to check, and let it check."""
        first = next(documents, None)
        if first is None:
            return iter(())
        from unslant.pipeline import Pipeline

        return Pipeline(self._spec.without_rewriter(), self._advance).check(chain((first,), documents))

    def _fail(self, documents: Iterator[Document], message: str) -> Iterator[Outcome]:
        """Yield the reports that the cache has, and a message for every other file."""
        deque(documents, maxlen=0)
        for each in self._waiting:
            yield each if isinstance(each, Outcome) else Outcome(each.display, error=message)

    def _documents(self, jobs: Iterable[FileJob]) -> Iterator[Document]:
        for job in jobs:
            try:
                text = job.text if job.text is not None else load_text(job.path or Path(), job.max_bytes)
                known = self._lookup(job, text)
                document = _read(job, text) if known is None else None
            except InputError as error:
                self._waiting.append(self._done(job, Outcome(job.display, error=str(error))))
                continue
            if document is None:
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

    def _lookup(self, job: FileJob, text: str) -> Report | None:
        if self._cache is None or not job.cached:
            return None
        wire = self._cache.get(text, job.format, job.display, self._extra(job))
        if wire is None:
            return None
        # a report needs no more of its document than the source, unless a note says something about the whole
        document = _read(job, text) if wire["notes"] else Document(text, text, job.display, job.format)
        try:
            return Report.from_dict(document, wire)
        except (AlignmentError, AttributeError, KeyError, TypeError, ValueError):
            return None  # the entry does not fit the text, whoever wrote it

    def _store(self, job: FileJob, report: Report) -> None:
        if self._cache is not None and job.cached and not report.provenance.get("interrupted"):
            self._cache.put(report.document.source, report.to_dict(), self._extra(job))

    def _extra(self, job: FileJob) -> str:
        """Return what else the report depends on: what the path decides."""
        path = job.display
        decided = (profile_by_path(path, self._spec), str(is_documentation(path)), *map(repr, job.kept))
        return "\0".join((*decided, path) if self._spec.per_file_ignores else decided)


def _read(job: FileJob, text: str) -> Document:
    from unslant.text.reading import read

    document = read(text, job.format, job.display)
    return replace(document, kept=job.kept) if job.kept else document


def _open_cache(spec: Spec) -> ReportCache:
    from unslant.core.files import cache_folder
    from unslant.workspace.cache import ReportCache, model_identity

    return ReportCache(cache_folder(), spec.digest() + model_identity(spec), VERSION)


_CHUNK = 1_000_000
"""Small files are sent to a process together, up to this many bytes."""


def check_in_parallel(jobs: Sequence[FileJob], workers: int, progress: Progress) -> Iterator[Outcome]:
    """Yield one outcome per job, in order."""
    from concurrent.futures import ProcessPoolExecutor

    from unslant.core.workers import prepare_worker, stop_pool, worker_context

    chunks = list(_chunks(jobs))
    count = min(workers, len(chunks))
    pool = ProcessPoolExecutor(count, worker_context(), prepare_worker, (count,))
    try:
        futures = [pool.submit(_check, chunk) for chunk in chunks]
        for chunk, future in zip(chunks, futures, strict=True):
            yield from _collect(chunk, future)
            progress(sum(job.size for job in chunk))
        pool.shutdown()
    except BaseException:
        stop_pool(pool)
        raise


def _collect(chunk: list[FileJob], future: Future[list[Outcome]]) -> list[Outcome]:
    from concurrent.futures.process import BrokenProcessPool

    try:
        return future.result()
    except BrokenProcessPool:
        message = "the process that checked the file ended unexpectedly, perhaps out of memory; try --jobs 1"
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


@dataclass(frozen=True, slots=True, eq=False)
class FixOutcome:
    """The result for one file: its edits, or an error message."""

    path: str
    fixed: Fixed | None = None
    opened: OpenedFile | None = None
    """The file as it was read; None if the text was given."""
    error: str | None = None
    written: bool = False
    """Whether the edits are in the file."""
    copy: Path | None = None
    """The copy of a Word document that holds the edits as tracked changes."""
    tracked: int = 0
    """How many tracked changes the copy has."""
    commented: int = 0
    """How many comments on findings without a wording it has."""
    refused: tuple[Edit, ...] = ()
    """The edits that the copy lacks, because they concern text that stays as it is."""

    @property
    def refusal(self) -> str:
        """What to tell about the edits that the copy lacks; empty if there are none."""
        if not self.refused:
            return ""
        return f"{plural(len(self.refused), 'edit')} left out: in somebody's insertion, a field or a text box"

    @property
    def left(self) -> tuple[Finding, ...]:
        """The findings in the file as it is now."""
        if self.fixed is None:
            return ()
        if self.fixed.changed and not self.written:
            return self.fixed.report.findings
        missed = [each for each in self.fixed.edits if each.applied and each.edit in self.refused]
        return (*self.fixed.left, *(finding for each in missed for finding in each.findings))


def fix_jobs(
    jobs: Sequence[FileJob], *, unsafe: bool = False, progress: Callable[[int], None] | None = None
) -> Iterator[FixOutcome]:
    """Yield one outcome per job, in order; nothing is written."""
    from unslant.edits.fixer import Fixer

    for spec, group in groupby(jobs, key=lambda job: job.spec):
        jobs_of_spec = list(group)
        try:
            fixer = Fixer(spec, unsafe=unsafe)
        except InputError as error:
            yield from (FixOutcome(job.display, error=str(error)) for job in jobs_of_spec)
            continue
        reviewing = None
        for job in jobs_of_spec:
            if _is_word(job.path) and not unsafe:
                # a tracked change is reviewed in any case
                reviewing = reviewing or Fixer(spec, unsafe=True)
            yield _fix_file(reviewing if reviewing and _is_word(job.path) else fixer, job)
            if progress is not None:
                progress(job.size)


def _fix_file(fixer: Fixer, job: FileJob) -> FixOutcome:
    opened = None
    try:
        if job.format in CHECK_ONLY:
            raise SourceError(
                f"{quote_name(job.display)} is {CHECK_ONLY[job.format]}, which unslant checks but does not change; "
                "make the edits by hand, or export it as Markdown first"
            )
        if job.format == "paragraphs" and not _is_word(job.path):
            raise SourceError(
                f"{quote_name(job.display)} is an office document, which unslant checks but does not change; "
                "save it as .docx to get the edits as tracked changes"
            )
        if job.text is None:
            opened = open_text(job.path or Path(), job.max_bytes, job.within)
        text = job.text if opened is None else opened.text
        document = _read(job, text or "")
        (fixed,) = fixer.fix([document])
    except InputError as error:
        return FixOutcome(job.display, error=str(error))
    return FixOutcome(job.display, fixed, opened)


def write_fixes(outcomes: Iterable[FixOutcome]) -> Iterator[FixOutcome]:
    """Write the edits of each file; a file that cannot be written yields an outcome with an error."""
    for outcome in outcomes:
        if outcome.fixed is None or outcome.opened is None or not outcome.fixed.changed:
            yield outcome
            continue
        try:
            if _is_word(outcome.opened.path):
                yield save_tracked(outcome, outcome.fixed.applied)
                continue
            outcome.opened.write(outcome.fixed.text)
        except InputError as error:
            yield replace(outcome, error=str(error))
        else:
            yield replace(outcome, written=True)


def _is_word(path: Path | None) -> bool:
    return path is not None and path.suffix.lower() == ".docx"


def save_tracked(outcome: FixOutcome, edits: Sequence[Edit]) -> FixOutcome:
    """Write a copy of a Word document beside it, with these edits as tracked changes.

    Findings that none of the edits touches become comments. The document itself is not changed.
    """
    from unslant.workspace.tracked_changes import Comment, track_changes

    fixed, opened = outcome.fixed, outcome.opened
    if fixed is None or opened is None:
        raise SourceError(f"{quote_name(outcome.path)} was not read and cannot be written")
    comments = [
        Comment(finding.span, finding.why)
        for finding in fixed.report.findings
        if not any(edit.start < finding.span.end and finding.span.start < edit.end for edit in edits)
    ]
    tracked = track_changes(opened.data, quote_name(opened.path), edits, comments)
    copy = opened.path.with_name(f"{opened.path.stem}.reviewed{opened.path.suffix}")
    try:
        with copy.open("xb") as stream:
            stream.write(tracked.data)
    except FileExistsError:
        raise SourceError(
            f"{quote_name(copy)} exists already and was not overwritten; move it, and run the command again"
        ) from None
    except OSError as error:
        raise SourceError(explain_unwritten(copy, error)) from error
    return replace(
        outcome,
        written=True,
        copy=copy,
        tracked=len(tracked.made),
        commented=tracked.comments,
        refused=tracked.left,
    )
