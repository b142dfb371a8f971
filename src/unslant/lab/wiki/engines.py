"""Where parts are done: here, in several processes, or on a Ray cluster; the results are the same."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from unslant.core.errors import InputError, MissingExtra
from unslant.lab.wiki.store import PartTask, harvest_part

__all__ = ["Outcome", "run_local", "run_ray"]

Outcome = tuple[PartTask, dict[str, Any] | None, str]
"""A part, its record, and where it has none why."""
_RETRIES = 1


def run_local(
    tasks: Sequence[PartTask], jobs: int, advance: Callable[[int], None] | None
) -> Iterator[Outcome]:
    """Do the parts one after the other, or in ``jobs`` processes; yield each as it is done."""
    if jobs <= 1:
        for task in tasks:
            yield _tried(task, advance)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed

    with ProcessPoolExecutor(jobs, initializer=_leave_with_parent) as pool:
        for future in as_completed([pool.submit(_tried, task) for task in tasks]):
            yield future.result()


def _leave_with_parent() -> None:
    """End this worker when the run that started it was killed; it would wait for work for ever."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def run_ray(tasks: Sequence[PartTask], address: str | None, workers: int | None) -> Iterator[Outcome]:
    """Do the parts on Ray; the folder for parts and the dumps must be reachable under the same path everywhere."""
    try:
        import ray
    except ModuleNotFoundError:
        raise MissingExtra("the Ray engine", "ray", "ray") from None

    started = not ray.is_initialized()
    if started:
        ray.init(
            address=address,
            num_cpus=None if address else workers,
            log_to_driver=False,
            include_dashboard=False,
        )
    try:
        do = ray.remote(num_cpus=1, max_retries=2)(_tried)
        waiting = {do.remote(task): task for task in tasks}
        while waiting:
            (done,), _ = ray.wait(list(waiting), num_returns=1)
            task = waiting.pop(done)
            try:
                yield ray.get(done)
            except ray.exceptions.RayTaskError as error:
                if isinstance(error.cause, InputError):
                    raise error.cause from None
                yield task, None, type(error.cause).__name__
            except ray.exceptions.RayError as error:  # the worker died more often than it may
                yield task, None, type(error).__name__
    finally:
        if started:
            ray.shutdown()


def _tried(task: PartTask, advance: Callable[[int], None] | None = None) -> Outcome:
    """Do a part, again where it failed; a part that fails for good is reported, and the others go on."""
    why = ""
    for _ in range(1 + _RETRIES):
        try:
            return task, harvest_part(task, advance), ""
        except InputError:
            raise
        except (
            Exception
        ) as error:  # a front door to many hours of work: one part must not take the others down
            why = f"{type(error).__name__}: {error}"
    return task, None, why
