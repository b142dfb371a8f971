"""Where finished parts lie, so that a killed run goes on where it was, and nothing is written twice."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from unslant.lab.wiki.pairs import Part, pairs_of
from unslant.lab.wiki.problems import PASSING, HarvestError
from unslant.lab.wiki.settings import HarvestSettings

__all__ = ["PartTask", "alone", "committed", "finished", "harvest_part", "rows_of_part"]

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@dataclass(frozen=True)
class PartTask:
    """One part to do, as plain data that a worker elsewhere can be sent."""

    path: str
    folder: str
    """Where finished parts lie."""
    settings: dict[str, Any]

    @property
    def name(self) -> str:
        """The name of the dump file."""
        return Path(self.path).name

    @property
    def key(self) -> str:
        """A name for the result: another file or other settings, another name."""
        try:
            known = Path(self.path).stat()
            state = f"{known.st_size}\0{known.st_mtime_ns}"
        except OSError:
            state = "absent"
        told = f"{self.name}\0{state}\0{HarvestSettings.from_dict(self.settings).digest()}"
        return f"{self.name[:80]}-{hashlib.sha256(told.encode()).hexdigest()[:16]}"

    @property
    def rows(self) -> Path:
        """Where its pairs lie."""
        return Path(self.folder) / f"{self.key}.jsonl"

    @property
    def record(self) -> Path:
        """Where its counts lie; written last: a part is finished where this is there."""
        return Path(self.folder) / f"{self.key}.json"


def finished(task: PartTask) -> dict[str, Any] | None:
    """Return the record of a finished part, or None."""
    try:
        record: dict[str, Any] = json.loads(task.record.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return record if task.rows.is_file() else None


def harvest_part(task: PartTask, advance: Callable[[int], None] | None = None) -> dict[str, Any]:
    """Do one part, unless it is done, and return its record; the same code whatever engine calls it."""
    if done := finished(task):
        return done
    part = Part()
    settings = HarvestSettings.from_dict(task.settings)

    def write(file: Any) -> None:
        for row in pairs_of(Path(task.path), settings, part, advance):
            file.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")

    committed(task.rows, write)
    record: dict[str, Any] = {
        "name": task.name,
        "bytes": Path(task.path).stat().st_size if Path(task.path).is_file() else None,
        "sha256": part.digest,
        "site": asdict(part.site) if part.site else None,
        "counts": dict(sorted(part.counts.items())),
        "problem": part.problem,
    }
    if part.problem and part.problem["reason"] in PASSING:
        return record  # without a commit: the next run tries again
    committed(task.record, lambda file: file.write(json.dumps(record).encode()))
    return record


def committed(path: Path, write: Callable[[Any], object]) -> None:
    """Write a file whole or not at all, and have it on the disk before it gets its name."""
    part = path.with_name(f".{path.name}.{os.getpid():x}{os.urandom(4).hex()}.tmp")
    try:
        with part.open("xb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        if error.errno in _FULL:
            raise HarvestError(
                f"{path.parent}: the disk is full; make room and run the same command again, finished parts are kept"
            ) from None
        raise
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


@contextmanager
def alone(out: Path, patience: float = 10.0) -> Iterator[None]:
    """Hold a folder for one run; the hold of a run that was killed ends with it, or soon after."""
    try:
        import fcntl
    except ModuleNotFoundError:  # only where there is no such lock at all
        yield
        return
    deadline = time.monotonic() + patience
    with (out / ".lock").open("ab") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise HarvestError(
                        f"{out}: another harvest is writing there; wait, or give another --out"
                    ) from None
                time.sleep(0.05)
            except OSError:  # some network file systems have no locks
                break
        yield


def rows_of_part(task: PartTask) -> Iterator[dict[str, Any]]:
    """Yield the pairs of a finished part, in order."""
    with task.rows.open("rb") as file:
        for line in file:
            yield json.loads(line)
