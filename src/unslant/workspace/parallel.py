"""Several files at the same time, in processes of their own."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from unslant.report.outcome import Outcome
from unslant.workspace.run import Job, Progress, check_in_order

__all__ = ["check_in_parallel"]

_CHUNK = 1_000_000
"""Small files travel together until they hold this many bytes."""


def check_in_parallel(jobs: Sequence[Job], workers: int, progress: Progress) -> Iterator[Outcome]:
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


def _collected(chunk: list[Job], future: Future[list[Outcome]]) -> list[Outcome]:
    try:
        return future.result()
    except BrokenProcessPool:
        message = "the process that checked it ended unexpectedly, perhaps for want of memory; try --jobs 1"
        return [Outcome(job.display, error=f"{job.display!r}: {message}") for job in chunk]


def _chunks(jobs: Sequence[Job]) -> Iterator[list[Job]]:
    chunk: list[Job] = []
    size = 0
    for job in jobs:
        chunk.append(job)
        size += job.size
        if size >= _CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _check(jobs: list[Job]) -> list[Outcome]:
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
