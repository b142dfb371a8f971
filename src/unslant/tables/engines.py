"""Where parts of a table are scored: in this process, in several, or on Ray.

Each engine takes parts, a few of them ahead of what it has scored, and yields their records. Which engine runs and how
many workers it has changes nothing about the records.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from unslant.core.errors import InputError, MissingExtra
from unslant.core.workers import in_an_empty_folder, prepare_worker, worker_context
from unslant.tables.scoring import Record, ScoreRows, ScoreSpec
from unslant.tables.sources import Row
from unslant.version import VERSION
from unslant.workspace.cache import model_identity

if TYPE_CHECKING:
    from concurrent.futures import Future

EngineName = Literal["local", "ray"]
ENGINES: tuple[EngineName, ...] = ("local", "ray")

Part = tuple[int, list[Row]]
"""The number of a part, and its rows."""
Scored = tuple[int, list[Record]]
"""The number of a part, and its records."""

_AHEAD = 2
"""How many parts each worker has waiting, so that it never waits itself, and memory does not grow."""


@dataclass(frozen=True, slots=True)
class ScoreEngine:
    """How and where to work; nothing here changes the result."""

    name: EngineName = "local"
    workers: int | None = 1
    """Processes or Ray workers; None: one here, as many as the cluster has CPUs on Ray."""


def score_parts(engine: ScoreEngine, what: ScoreSpec, parts: Iterable[Part]) -> Iterator[Scored]:
    """Yield the records of all parts, not necessarily in order."""
    if engine.name == "ray":
        return _on_ray(what, parts, engine.workers)
    if (engine.workers or 1) > 1:
        return _in_processes(what, parts, engine.workers or 1)
    return _here(what, parts)


def _here(what: ScoreSpec, parts: Iterable[Part]) -> Iterator[Scored]:
    score: ScoreRows | None = None
    for number, rows in parts:
        score = score or ScoreRows(what)
        yield number, score(rows)


def _in_processes(what: ScoreSpec, parts: Iterable[Part], workers: int) -> Iterator[Scored]:
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    pool = ProcessPoolExecutor(workers, worker_context(), _init_process, (what, workers))
    ahead: deque[tuple[int, Future[list[Record]]]] = deque()
    try:
        for number, rows in parts:
            ahead.append((number, pool.submit(_score, rows)))
            if len(ahead) > _AHEAD * workers:
                first, future = ahead.popleft()
                yield first, future.result()
        while ahead:
            first, future = ahead.popleft()
            yield first, future.result()
        pool.shutdown()
    except BrokenProcessPool:
        raise InputError(
            "a scoring process ended unexpectedly, perhaps out of memory; repeat the command with --jobs 1 to continue"
        ) from None
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise


_process: ScoreRows | None = None


def _init_process(what: ScoreSpec, workers: int) -> None:
    global _process
    prepare_worker(workers)
    _process = ScoreRows(what)


def _score(rows: list[Row]) -> list[Record]:
    assert _process is not None  # noqa: S101 - the pool has built it
    return _process(rows)


class RayScorer:
    """Scores parts on Ray; the scorer is built with the first part, so that its errors arrive with that part."""

    def __init__(self, what: ScoreSpec) -> None:
        os.environ.setdefault("UNSLANT_THREADS", "1")
        self._what = what
        self._score: ScoreRows | None = None

    def identity(self) -> tuple[str, str]:
        """Return the version and the model that score here."""
        return VERSION, model_identity(self._what.spec)

    def score(self, rows: list[Row]) -> list[Record]:
        """Return the records of the rows, in order."""
        self._score = self._score or ScoreRows(self._what)
        return self._score(rows)


def _on_ray(what: ScoreSpec, parts: Iterable[Part], workers: int | None) -> Iterator[Scored]:
    try:
        import ray
    except ModuleNotFoundError:
        raise MissingExtra("the Ray engine", "ray", "ray") from None
    started = not ray.is_initialized()
    if started:
        _start_ray(ray, workers)
    try:
        yield from _with_ray_workers(ray, what, parts, workers)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, InputError):
            raise error.cause from None
        raise
    except ray.exceptions.RayError as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise InputError(f"a Ray worker failed: {reason}; repeat the command to continue") from None
    finally:
        if started:
            ray.shutdown()


def _start_ray(ray: Any, workers: int | None) -> None:
    """Connect to the cluster that ``RAY_ADDRESS`` names, or start one on this machine."""
    address = os.environ.get("RAY_ADDRESS") or "local"
    options = {"num_cpus": workers, "include_dashboard": False} if address == "local" else {}
    try:
        with in_an_empty_folder():
            ray.init(address=address, log_to_driver=False, **options)
    except Exception as error:  # Ray raises all kinds, also when a machine is too busy to start it in time
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        what = "cannot be started" if address == "local" else f"cannot be reached at {address!r}"
        raise InputError(f"Ray {what}: {reason}") from None


def _with_ray_workers(
    ray: Any, what: ScoreSpec, parts: Iterable[Part], workers: int | None
) -> Iterator[Scored]:
    count = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
    crew = _RayCrew(ray, what, count)
    for number, rows in parts:
        while not crew.ready:
            yield from crew.wait()
        crew.send(number, rows)
    while crew.scoring:
        yield from crew.wait()


class _RayCrew:
    """The workers on Ray. Only those that have started get parts: a busy cluster may have no room for the others."""

    def __init__(self, ray: Any, what: ScoreSpec, count: int) -> None:
        self._ray = ray
        self._identity = VERSION, model_identity(what.spec)
        kind = ray.remote(num_cpus=1, max_restarts=2, max_task_retries=2)(RayScorer)
        actors = [kind.remote(what) for _ in range(count)]
        self._waiting: dict[Any, tuple[int | None, Any]] = {
            actor.identity.remote(): (None, actor) for actor in actors
        }
        self.ready: deque[Any] = deque()
        """Workers that can take a part, each once for every part that it can take."""
        self.scoring = 0
        """How many parts are being scored."""

    def send(self, number: int, rows: list[Row]) -> None:
        """Send a part to a worker that is ready."""
        worker = self.ready.popleft()
        self._waiting[worker.score.remote(rows)] = number, worker
        self.scoring += 1

    def wait(self) -> Iterator[Scored]:
        """Wait until a worker has started, or has scored a part, which is yielded."""
        (done,), _ = self._ray.wait(list(self._waiting), num_returns=1)
        number, worker = self._waiting.pop(done)
        answer = self._ray.get(done)
        if number is not None:
            self.ready.append(worker)
            self.scoring -= 1
            yield number, answer
            return
        if tuple(answer) != self._identity:
            raise InputError(
                f"a Ray worker runs unslant {answer[0]} or another model; install {VERSION} and the model there"
            )
        self.ready.extend([worker] * _AHEAD)
