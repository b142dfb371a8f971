"""The whole harvest: plan the parts, have them done, put them together."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from unslant.lab.wiki.engines import run_local, run_ray
from unslant.lab.wiki.merging import merge
from unslant.lab.wiki.problems import HarvestError
from unslant.lab.wiki.settings import HarvestSettings
from unslant.lab.wiki.store import PartTask, alone, finished

__all__ = ["Engine", "harvest"]


@dataclass(frozen=True)
class Engine:
    """How and where to work; nothing here changes the result."""

    name: Literal["local", "ray"] = "local"
    workers: int | None = None
    """Processes or Ray workers; None: one here, as many as there are on Ray."""
    address: str | None = None
    """Of a Ray cluster; None: start one here."""
    advance: Callable[[int], None] | None = None
    """Told how many bytes of the parts were read."""


def harvest(
    dumps: Sequence[str | Path],
    out: str | Path,
    settings: HarvestSettings | None = None,
    engine: Engine | None = None,
) -> dict[str, Any]:
    """Write ``pairs.parquet`` and ``manifest.json`` into ``out``, and return the manifest.

    Parts that an earlier run finished are taken as they are. A part with a problem is named in the manifest under
    ``problems``; the rest goes on.
    """
    settings, engine, out = settings or HarvestSettings(), engine or Engine(), Path(out)
    folder = _folder(out)
    tasks = _plan(dumps, folder, settings)
    with alone(out):
        for left in (*folder.glob(".*.tmp"), *out.glob(".*.tmp")):
            left.unlink(missing_ok=True)  # of a run that was killed
        records = _records(tasks, engine)
        there = [task for task in tasks if finished(task)]
        return merge(out, there, [records[task.name] for task in tasks], settings)


def _records(tasks: Sequence[PartTask], engine: Engine) -> dict[str, dict[str, Any]]:
    """Have the parts done that are not, and return what is known of each, by its name."""
    records: dict[str, dict[str, Any]] = {}
    open_tasks: list[PartTask] = []
    for task in tasks:
        if (record := finished(task)) is None:
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


def _run(tasks: list[PartTask], engine: Engine) -> Any:
    if not tasks:
        return iter(())
    if engine.name == "ray":
        return run_ray(tasks, engine.address, engine.workers)
    return run_local(tasks, engine.workers or 1, engine.advance)


def _advance(engine: Engine, task: PartTask) -> None:
    if engine.advance:
        engine.advance(_size(task))


def _size(task: PartTask) -> int:
    with suppress(OSError):
        return Path(task.path).stat().st_size
    return 0


def _folder(out: Path) -> Path:
    folder = out / "parts"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HarvestError(f"{out}: {error.strerror}; give a folder that can be written to") from None
    return folder


def _plan(dumps: Sequence[str | Path], folder: Path, settings: HarvestSettings) -> list[PartTask]:
    """Return the parts in the order of their names, numbers by value, so that no order of arguments matters."""
    names = [Path(dump).name for dump in dumps]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise HarvestError(f"{twice[0]}: given twice, or two parts of the same name; rename one")
    plain = settings.to_dict()
    tasks = [PartTask(str(Path(dump).resolve()), str(folder.resolve()), plain) for dump in dumps]
    return sorted(tasks, key=lambda task: _by_number(task.name))


def _by_number(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]
