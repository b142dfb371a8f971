"""Work in this process, in several, or on Ray; where it is done, and by how many workers, changes nothing about it.

A worker is a function of one item. Each process builds its own, from data and with its first item, so that what goes
wrong while it is built arrives like any other error. A few items are taken ahead of what is done.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from unslant.core.errors import InputError, MissingExtra
from unslant.core.workers import in_an_empty_folder, prepare_worker, stop_pool, worker_context
from unslant.version import VERSION

if TYPE_CHECKING:
    from concurrent.futures import Future

Key = TypeVar("Key")
Item = TypeVar("Item")
Result = TypeVar("Result")

EngineName = Literal["local", "ray"]
ENGINES: tuple[EngineName, ...] = ("local", "ray")

_AHEAD = 2
"""How many items each worker has waiting, so that it never waits itself, and memory does not grow."""


@dataclass(frozen=True, slots=True)
class Engine:
    """How and where to work; nothing here changes the result."""

    name: EngineName = "local"
    workers: int | None = 1
    """Processes or Ray workers; None: one here, as many as the cluster has CPUs on Ray."""
    address: str | None = None
    """Of a Ray cluster; None: the one that ``RAY_ADDRESS`` names, or else one that is started here."""


def _version() -> tuple[str, ...]:
    return (VERSION,)


@dataclass(frozen=True, slots=True)
class Work(Generic[Item, Result]):
    """What to do with each item, as data that can be sent to a worker."""

    build: Callable[[], Callable[[Item], Result]]
    """Returns the worker."""
    identity: Callable[[], tuple[str, ...]] = _version
    """Returns what must be the same here and there, the version first."""
    lost: Callable[[str], Result] | None = None
    """Returns the result of an item whose worker died more often than it may; None: that is an error."""
    again: str = "repeat the command to continue"
    """What the user can do if a worker dies."""


def run(
    engine: Engine, work: Work[Item, Result], items: Iterable[tuple[Key, Item]]
) -> Iterator[tuple[Key, Result]]:
    """Yield the result of each item with its key, as soon as it is there."""
    if engine.name == "ray":
        return _on_ray(engine, work, items)
    if (engine.workers or 1) > 1:
        return _in_processes(engine.workers or 1, work, items)
    worker = _LazyWorker(work)
    return ((key, worker.do(item)) for key, item in items)


def in_order(results: Iterable[tuple[int, Result]]) -> Iterator[Result]:
    """Yield results in the order of their keys, which count from 0."""
    early: dict[int, Result] = {}
    following = 0
    for number, result in results:
        early[number] = result
        while following in early:
            yield early.pop(following)
            following += 1


class _LazyWorker:
    """Does the work; one in each process."""

    def __init__(self, work: Work[Any, Any]) -> None:
        self._work = work
        self._do: Callable[[Any], Any] | None = None

    def identity(self) -> tuple[str, ...]:
        """Return what must be the same everywhere."""
        return self._work.identity()

    def do(self, item: Any) -> Any:
        """Return the result of an item."""
        self._do = self._do or self._work.build()
        return self._do(item)


_worker: _LazyWorker | None = None


def _init_process(work: Work[Any, Any], workers: int) -> None:
    global _worker
    prepare_worker(workers)
    _worker = _LazyWorker(work)


def _do(item: Any) -> Any:
    assert _worker is not None  # noqa: S101 - the pool has built it
    return _worker.do(item)


def _in_processes(
    workers: int, work: Work[Any, Any], items: Iterable[tuple[Key, Any]]
) -> Iterator[tuple[Key, Any]]:
    from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
    from concurrent.futures.process import BrokenProcessPool

    pool = ProcessPoolExecutor(workers, worker_context(), _init_process, (work, workers))
    waiting: dict[Future[Any], Key] = {}

    def finished() -> Iterator[tuple[Key, Any]]:
        for future in wait(waiting, return_when=FIRST_COMPLETED).done:
            yield waiting.pop(future), future.result()

    try:
        for key, item in items:
            waiting[pool.submit(_do, item)] = key
            if len(waiting) > _AHEAD * workers:
                yield from finished()
        while waiting:
            yield from finished()
        pool.shutdown()
    except BrokenProcessPool:
        raise InputError(f"a process ended unexpectedly, perhaps out of memory; {work.again}") from None
    except BaseException:
        stop_pool(pool)
        raise


def _on_ray(
    engine: Engine, work: Work[Any, Any], items: Iterable[tuple[Key, Any]]
) -> Iterator[tuple[Key, Any]]:
    try:
        import ray
    except ModuleNotFoundError:
        raise MissingExtra("the Ray engine", "ray", "ray") from None
    started = not ray.is_initialized()
    if started:
        _start_ray(ray, engine)
    try:
        pool = _RayPool(ray, work, engine.workers)
        for key, item in items:
            while not pool.ready:
                yield from pool.wait()
            pool.send(key, item)
        while pool.busy:
            yield from pool.wait()
    finally:
        if started:
            ray.shutdown()


def _start_ray(ray: Any, engine: Engine) -> None:
    """Connect to a cluster, or start one on this machine."""
    address = engine.address or os.environ.get("RAY_ADDRESS") or "local"
    options = {"num_cpus": engine.workers, "include_dashboard": False} if address == "local" else {}
    try:
        with in_an_empty_folder():
            ray.init(address=address, log_to_driver=False, **options)
    except Exception as error:  # Ray raises all kinds, also when a machine is too busy to start it in time
        what = "cannot be started" if address == "local" else f"cannot be reached at {address!r}"
        raise InputError(f"Ray {what}: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


class _RayPool:
    """The workers on Ray. Only those that have started get items: a busy cluster may have no room for the others."""

    def __init__(self, ray: Any, work: Work[Any, Any], workers: int | None) -> None:
        self._ray, self._work = ray, work
        count = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        kind = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=2)(_RayWorker)
        actors = [kind.remote(work) for _ in range(count)]
        self._waiting: dict[Any, tuple[tuple[Any] | None, Any]] = {
            actor.identity.remote(): (None, actor) for actor in actors
        }
        self.ready: deque[Any] = deque()
        """Workers that can take an item, each once for every item that it can take."""
        self.busy = 0
        """How many items are being worked on."""

    def send(self, key: Any, item: Any) -> None:
        """Send an item to a worker that is ready."""
        worker = self.ready.popleft()
        self._waiting[worker.do.remote(item)] = (key,), worker
        self.busy += 1

    def wait(self) -> Iterator[tuple[Any, Any]]:
        """Wait until a worker has started, or has finished an item, which is yielded."""
        (done,), _ = self._ray.wait(list(self._waiting), num_returns=1)
        key, worker = self._waiting.pop(done)
        answer = self._get(done)
        if key is not None:
            self.ready.append(worker)
            self.busy -= 1
            yield key[0], answer
        elif tuple(answer) != self._work.identity():
            raise InputError(
                f"a Ray worker runs unslant {answer[0]} or another model; install {VERSION} and the model there"
            )
        else:
            self.ready.extend([worker] * _AHEAD)

    def _get(self, done: Any) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(done)
        except errors.RayTaskError as error:
            if isinstance(error.cause, InputError):
                raise error.cause from None
            raise
        except errors.RayError as error:
            if self._work.lost is not None:
                return self._work.lost(type(error).__name__)
            raise InputError(f"a Ray worker failed: {_first_line(error)}; {self._work.again}") from None


class _RayWorker(_LazyWorker):
    """A worker in a process of Ray, which would otherwise use all cores."""

    def __init__(self, work: Work[Any, Any]) -> None:
        os.environ.setdefault("UNSLANT_THREADS", "1")
        super().__init__(work)
