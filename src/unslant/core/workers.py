"""What worker processes share: how they start, how many threads they use, and when they end."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from multiprocessing.context import BaseContext

__all__ = ["end_with_parent", "prepare_worker", "worker_context"]


def worker_context() -> BaseContext:
    """Return a way to start processes that copies no threads or locks of this one."""
    methods = multiprocessing.get_all_start_methods()
    return multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")


def prepare_worker(workers: int) -> None:
    """Leave interrupts to the parent process, share the cores, and end when the parent does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("UNSLANT_THREADS", str(max(1, (os.cpu_count() or 1) // workers)))
    end_with_parent()


def end_with_parent() -> None:
    """End this worker when the process that started it is killed; it would wait for work for ever."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
