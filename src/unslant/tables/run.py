"""Scoring whole tables in parts, each kept on disk, so that a run that was stopped goes on where it was.

A part holds the records of a fixed range of rows. How the rows are cut depends on the input alone, and the output is
written from the parts, so a run that was killed and resumed, on any number of processes, writes the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import ConfigError, InputError
from unslant.core.files import write_atomic
from unslant.tables.scoring import ScoreRows, ScoreSpec, columns
from unslant.tables.sinks import check_output, write_records
from unslant.tables.sources import Row, TableColumns, check_columns, read_rows
from unslant.version import VERSION

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["ScoreJob", "ScoreSummary", "score_tables"]

_PART_ROWS = 1_000
_PART_LENGTH = 2_000_000
"""The rows of a part have at most about this many code points."""

Progress = Callable[[int, int], None]
"""Called with the number of bytes read so far, of all inputs, and the number of rows."""


@dataclass(frozen=True, slots=True)
class ScoreJob:
    """What to score, and where to write the scores."""

    inputs: tuple[Path, ...]
    columns: TableColumns
    output: Path
    what: ScoreSpec
    workers: int = 1
    restart: bool = False
    """Whether to throw away what an earlier run left."""


@dataclass(slots=True)
class ScoreSummary:
    """What a run did."""

    rows: int = 0
    errors: int = 0
    """Rows that could not be scored."""
    findings: int = 0
    resumed: int = 0
    """Rows that an earlier run had scored."""


def score_tables(job: ScoreJob, progress: Progress | None = None) -> ScoreSummary:
    """Score all rows of all inputs and write the output."""
    check_output(job.output)
    for path in job.inputs:
        check_columns(path, job.columns)
    parts = _Parts(job)
    summary = ScoreSummary()
    for number, rows, records in _scored(job, parts, summary, progress or (lambda _, __: None)):
        if records is not None:
            parts.write(number, records)
        summary.rows += rows
    write_records(job.output, parts.read(summary), columns(job.what.findings))
    parts.remove()
    return summary


class _Parts:
    """The parts of a run, in a folder beside the output."""

    def __init__(self, job: ScoreJob) -> None:
        self._folder = job.output.with_name(f"{job.output.name}.parts")
        self._findings = job.what.findings
        plan = _plan(job)
        file = self._folder / "plan.json"
        if job.restart:
            shutil.rmtree(self._folder, ignore_errors=True)
        if file.is_file() and file.read_bytes() != plan:
            raise ConfigError(
                f"{str(self._folder)!r} holds parts of a run with other inputs or settings; "
                "repeat that command to finish it, or add --restart to discard them"
            )
        try:
            self._folder.mkdir(exist_ok=True)
            write_atomic(file, plan)
        except OSError as error:
            raise ConfigError(f"{str(self._folder)!r} cannot be written: {error.strerror}") from error

    def has(self, number: int) -> bool:
        """Return whether an earlier run finished this part."""
        return self._path(number).is_file()

    def write(self, number: int, records: Sequence[dict[str, Any]]) -> None:
        """Keep the records of a part, in one step: a part is there as a whole or not at all."""
        lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        write_atomic(self._path(number), lines.encode())

    def read(self, summary: ScoreSummary) -> Iterator[list[dict[str, Any]]]:
        """Yield the records of each part, in order, and count them."""
        number = 0
        while self.has(number):
            with self._path(number).open(encoding="utf-8") as stream:
                records = [json.loads(line) for line in stream]
            failed = sum(record["error"] is not None for record in records)
            summary.errors += failed
            summary.findings += (
                len(records) - failed
                if self._findings
                else sum(record["findings"] or 0 for record in records)
            )
            yield records
            number += 1

    def remove(self) -> None:
        """Remove the parts; the output holds everything."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _path(self, number: int) -> Path:
        return self._folder / f"part-{number:06}.jsonl"


def _plan(job: ScoreJob) -> bytes:
    """Return everything that the parts depend on."""
    inputs = [(path.as_posix(), path.stat().st_size, path.stat().st_mtime_ns) for path in job.inputs]
    spec = job.what.spec
    model = ""
    if "model" in spec.analyzers:
        from unslant.neural.checkpoint import identity

        model = identity(spec.model)
    plan = {
        "version": VERSION,
        "inputs": inputs,
        "columns": asdict(job.columns),
        "spec": spec.digest(),
        "model": hashlib.sha256(model.encode()).hexdigest(),
        "format": job.what.format,
        "findings": job.what.findings,
    }
    return json.dumps(plan, indent=1, sort_keys=True).encode()


Scored = tuple[int, int, "list[dict[str, Any]] | None"]
"""The number of a part, how many rows it has, and its records; None if they are on disk."""


def _scored(job: ScoreJob, parts: _Parts, summary: ScoreSummary, progress: Progress) -> Iterator[Scored]:
    cuts = _cut(job, progress)
    if job.workers > 1:
        yield from _in_processes(job, parts, summary, cuts)
        return
    score: ScoreRows | None = None
    for number, rows in enumerate(cuts):
        if parts.has(number):
            summary.resumed += len(rows)
            yield number, len(rows), None
        else:
            score = score or ScoreRows(job.what)
            yield number, len(rows), score(rows)


def _cut(job: ScoreJob, progress: Progress) -> Iterator[list[Row]]:
    """Yield the rows of all inputs in batches that depend on the input alone."""
    rows: list[Row] = []
    length = count = before = 0
    at = 0

    def reached(position: int) -> None:
        nonlocal at
        at = position

    for path in job.inputs:
        for row in read_rows(path, job.columns, reached):
            rows.append(row)
            length += len(row.text)
            if len(rows) >= _PART_ROWS or length >= _PART_LENGTH:
                count += len(rows)
                yield rows
                progress(before + at, count)
                rows, length = [], 0
        before += path.stat().st_size
        at = 0
    if rows:
        yield rows
        progress(before, count + len(rows))


def _in_processes(
    job: ScoreJob, parts: _Parts, summary: ScoreSummary, cuts: Iterator[list[Row]]
) -> Iterator[Scored]:
    """Score parts in several processes, with a few of them ahead, so that memory does not grow with the input."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    pool = ProcessPoolExecutor(job.workers, context, _init_worker, (job.what, job.workers))
    ahead: deque[tuple[int, int, Future[list[dict[str, Any]]]]] = deque()
    try:
        for number, rows in enumerate(cuts):
            if parts.has(number):
                summary.resumed += len(rows)
                yield number, len(rows), None
                continue
            ahead.append((number, len(rows), pool.submit(_score, rows)))
            if len(ahead) > 2 * job.workers:
                first, size, future = ahead.popleft()
                yield first, size, future.result()
        while ahead:
            first, size, future = ahead.popleft()
            yield first, size, future.result()
        pool.shutdown()
    except BrokenProcessPool:
        raise InputError(
            "a scoring process ended unexpectedly, perhaps out of memory; repeat the command with --jobs 1 to go on"
        ) from None
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise


_worker: ScoreRows | None = None


def _init_worker(what: ScoreSpec, workers: int) -> None:
    import os
    import signal

    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("UNSLANT_THREADS", str(max(1, (os.cpu_count() or 1) // workers)))
    _worker = ScoreRows(what)


def _score(rows: list[Row]) -> list[dict[str, Any]]:
    assert _worker is not None  # noqa: S101 - the pool has built it
    return _worker(rows)
