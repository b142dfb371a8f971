"""The whole harvest: plan the parts, process them here, in several processes or on Ray, and merge them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from unslant.core.errors import InputError, MissingExtra
from unslant.core.workers import end_with_parent
from unslant.lab.wiki.merging import merge_parts
from unslant.lab.wiki.parts import PartTask, harvest_part, lock_folder, read_finished
from unslant.lab.wiki.problems import HarvestError
from unslant.lab.wiki.settings import HarvestSettings

__all__ = ["HarvestEngine", "PartOutcome", "harvest", "run_local", "run_ray"]

PartOutcome = tuple[PartTask, dict[str, Any] | None, str]
"""A part, its record, and where it has none why."""
_RETRIES = 1


def run_local(
    tasks: Sequence[PartTask], jobs: int, advance: Callable[[int], None] | None
) -> Iterator[PartOutcome]:
    """Do the parts one after the other, or in ``jobs`` processes; yield each as it is done."""
    if jobs <= 1:
        for task in tasks:
            yield _try_part(task, advance)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed

    with ProcessPoolExecutor(jobs, initializer=end_with_parent) as pool:
        for future in as_completed([pool.submit(_try_part, task) for task in tasks]):
            yield future.result()


def run_ray(tasks: Sequence[PartTask], address: str | None, workers: int | None) -> Iterator[PartOutcome]:
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
        do = ray.remote(num_cpus=1, max_retries=2)(_try_part)
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


def _try_part(task: PartTask, advance: Callable[[int], None] | None = None) -> PartOutcome:
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


@dataclass(frozen=True)
class HarvestEngine:
    """How and where to work; nothing here changes the result."""

    name: Literal["local", "ray"] = "local"
    workers: int | None = None
    """Processes or Ray workers; None: one here, as many as there are on Ray."""
    address: str | None = None
    """Of a Ray cluster; None: start one here."""
    advance: Callable[[int], None] | None = None
    """Called with the number of bytes read since the last call."""


def harvest(
    dumps: Sequence[str | Path],
    out: str | Path,
    settings: HarvestSettings | None = None,
    engine: HarvestEngine | None = None,
) -> dict[str, Any]:
    """Write ``pairs.parquet`` and ``manifest.json`` into ``out``, and return the manifest.

    Parts that an earlier run finished are taken as they are. A part with a problem is named in the manifest under
    ``problems``; the rest goes on.
    """
    settings, engine, out = settings or HarvestSettings(), engine or HarvestEngine(), Path(out)
    folder = _parts_folder(out)
    tasks = _plan_parts(dumps, folder, settings)
    with lock_folder(out):
        for left in (*folder.glob(".*.tmp"), *out.glob(".*.tmp")):
            left.unlink(missing_ok=True)  # of a run that was killed
        records = _process_parts(tasks, engine)
        there = [task for task in tasks if read_finished(task)]
        return merge_parts(out, there, [records[task.name] for task in tasks], settings)


def _process_parts(tasks: Sequence[PartTask], engine: HarvestEngine) -> dict[str, dict[str, Any]]:
    """Have the parts done that are not, and return what is known of each, by its name."""
    records: dict[str, dict[str, Any]] = {}
    open_tasks: list[PartTask] = []
    for task in tasks:
        if (record := read_finished(task)) is None:
            open_tasks.append(task)
        else:
            records[task.name] = record
            _advance(engine, task)
    open_tasks.sort(key=_size, reverse=True)  # a large part begun last would keep one worker busy alone
    for task, record, why in _run(open_tasks, engine):
        if record is None:
            problem = {"reason": "failed", "message": f"{task.name}: {why}; run again to try once more"}
            record = {
                "name": task.name,
                "bytes": None,
                "sha256": None,
                "site": None,
                "counts": {},
                "problem": problem,
            }
        elif engine.name == "ray" or (engine.workers or 1) > 1:
            _advance(engine, task)
        records[task.name] = record
    return records


def _run(tasks: list[PartTask], engine: HarvestEngine) -> Any:
    if not tasks:
        return iter(())
    if engine.name == "ray":
        return run_ray(tasks, engine.address, engine.workers)
    return run_local(tasks, engine.workers or 1, engine.advance)


def _advance(engine: HarvestEngine, task: PartTask) -> None:
    if engine.advance:
        engine.advance(_size(task))


def _size(task: PartTask) -> int:
    with suppress(OSError):
        return Path(task.path).stat().st_size
    return 0


def _parts_folder(out: Path) -> Path:
    folder = out / "parts"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HarvestError(f"{out}: {error.strerror}; give a folder that can be written to") from None
    return folder


def _plan_parts(dumps: Sequence[str | Path], folder: Path, settings: HarvestSettings) -> list[PartTask]:
    """Return the parts in the order of their names, numbers by value, so that no order of arguments matters."""
    names = [Path(dump).name for dump in dumps]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise HarvestError(f"{twice[0]}: given twice, or two parts of the same name; rename one")
    plain = settings.to_dict()
    tasks = [PartTask(str(Path(dump).resolve()), str(folder.resolve()), plain) for dump in dumps]
    return sorted(tasks, key=lambda task: _by_number(task.name))


def _by_number(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]
