"""What worker processes share: how they start, how many threads they use, and when they end."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

if sys.platform == "win32":
    from multiprocessing.context import SpawnContext as _Context
    from multiprocessing.context import SpawnProcess as _Process
else:
    from multiprocessing import resource_tracker
    from multiprocessing.context import ForkServerContext as _Context
    from multiprocessing.context import ForkServerProcess as _Process

_SAFE_PATH = "PYTHONSAFEPATH"


class _SafeProcess(_Process):
    """A process that looks for modules only where this one does, and does not run the user's script again."""

    def start(self) -> None:
        with _without_current_folder(), _without_main():
            super().start()


class _SafeContext(_Context):
    Process = _SafeProcess


def worker_context() -> _SafeContext:
    """Return a way to start processes that copies no threads or locks of this one, and runs nothing of the folder.

    Python looks for modules in the current folder first when it is started with code on its command line, as workers
    are. A file ``random.py`` in a folder that is checked would run in them.
    """
    if sys.platform != "win32":
        # a process of its own, started with the first lock that workers share
        with _without_current_folder():
            resource_tracker.ensure_running()
    return _SafeContext()


@contextmanager
def in_an_empty_folder() -> Iterator[None]:
    """Be elsewhere meanwhile: Ray has its workers look for modules where it was started."""
    with TemporaryDirectory() as folder, chdir(folder):
        yield


@contextmanager
def _without_current_folder() -> Iterator[None]:
    """Have processes that start meanwhile look for modules only where this one does."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


@contextmanager
def _without_main() -> Iterator[None]:
    """Hide the script that runs, which multiprocessing would run again in every process that starts meanwhile."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def prepare_worker(workers: int) -> None:
    """Leave interrupts to the parent process, share the cores, and end when the parent does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("UNSLANT_THREADS", str(max(1, (os.cpu_count() or 1) // workers)))
    end_with_parent()


def stop_pool(pool: ProcessPoolExecutor) -> None:
    """Stop processes immediately; unfinished results are not needed any more."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()


def end_with_parent() -> None:
    """End this worker when the process that started it is killed; it would wait for work for ever."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
