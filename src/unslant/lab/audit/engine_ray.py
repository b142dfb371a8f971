"""Generation on a Ray cluster: every worker opens the model once, the folder is written from one place."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from unslant.core.errors import InputError, MissingExtra
from unslant.core.generation import Sampling
from unslant.lab.audit.run import Plan, Variant, parts, steered, write
from unslant.lab.audit.store import Text
from unslant.lab.audit.suite import Task

if TYPE_CHECKING:
    from unslant.protocols import LanguageModel

__all__ = ["Writer", "chunks_on_ray"]


class Writer:
    """A worker: made from plain data, it opens its model when it is made."""

    def __init__(self, plan: Plan, variant: Variant) -> None:
        from unslant.lab.lm import open_model

        model = open_model(plan.model, batch=plan.batch, threads=plan.threads, precision=plan.precision)
        self._model: LanguageModel = steered(model, variant)
        self._digest = self._model.digest()

    def write(self, tasks: Sequence[Task], sampling: Sampling) -> list[Text]:
        """Do some tasks."""
        return write(self._model, self._digest, tasks, sampling)


def chunks_on_ray(plan: Plan, variant: Variant, tasks: Sequence[Task]) -> Iterator[list[Text]]:
    """Yield finished texts as they come; a worker that dies is started again, and its piece is done again."""
    try:
        import ray
    except ModuleNotFoundError as error:
        raise MissingExtra("the Ray engine", "ray", "ray") from error
    started = not ray.is_initialized()
    if started:
        # a cluster has the processors it has; only one that is started here is told how many
        there = bool(os.environ.get("RAY_ADDRESS"))
        ray.init(num_cpus=None if there else plan.workers, log_to_driver=False, include_dashboard=False)
    try:
        remote: Any = ray.remote(num_cpus=1, max_restarts=2, max_task_retries=2)(Writer)
        workers = [remote.remote(plan, variant) for _ in range(plan.workers)]
        yield from _spread(ray, workers, plan, tasks)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, InputError):
            raise error.cause from None
        raise
    finally:
        if started:
            ray.shutdown()


def _spread(ray: Any, workers: list[Any], plan: Plan, tasks: Sequence[Task]) -> Iterator[list[Text]]:
    todo = parts(tasks, plan.batch)
    waiting: dict[Any, Any] = {}
    for worker in workers:
        if piece := next(todo, None):
            waiting[worker.write.remote(piece, plan.sampling)] = worker
    while waiting:
        (done,), _ = ray.wait(list(waiting), num_returns=1)
        worker = waiting.pop(done)
        texts: list[Text] = ray.get(done)
        if piece := next(todo, None):
            waiting[worker.write.remote(piece, plan.sampling)] = worker
        yield texts
