"""Generates the missing texts of a run, on this machine or on a Ray cluster."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import InputError, MissingExtra
from unslant.core.generation import Generation, Sampling
from unslant.lab.audit.store import AuditText, RunFolder, RunInfo, lock_folder
from unslant.lab.audit.suite import AuditError, AuditTask, Suite, SuiteScope
from unslant.lab.debias.settings import CURRENT, STEERED

if TYPE_CHECKING:
    from unslant.protocols import LanguageModel

REPLACERS = ("naive", "naive-random", "in-glove")
"""They replace words in existing texts; nothing is generated again."""
MODES = ("vanilla", *REPLACERS, *STEERED, *CURRENT)
_AHEAD = 4
"""The number of batches that are generated between two writes."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A model without debiasing, or debiased in one way."""

    mode: str = "vanilla"
    strength: float | None = None
    guide: str | None = None
    """What was trained for the mode: bias words, a debiaser's folder, or a table of replacements."""
    target: float | None = None
    """The divergence per token to aim for; None: the mode's default."""
    balance: float | None = None
    """How strongly mode 1 pulls towards equal distance from both sides; None: the default."""
    hold_side: bool = False
    """Whether mode 2 pushes beyond the point where its classifier cannot tell the sides apart."""
    rate: float | None = None
    """The size of a step on the hidden state; None: the mode's default."""
    layer: int | None = None
    """The layer that is steered; None: where the sides are farthest apart."""

    @property
    def name(self) -> str:
        """Its name in tables, and of its folder."""
        strength = "" if self.strength is None else f"-{self.strength:g}"
        target = "" if self.target is None else f"-target-{self.target:g}"
        balance = "" if self.balance is None else f"-balance-{self.balance:g}"
        rate = "" if self.rate is None else f"-rate-{self.rate:g}"
        layer = "" if self.layer is None else f"-layer-{self.layer}"
        return f"{self.mode}{strength}{target}{balance}{rate}{layer}" + (
            "-hold-side" if self.hold_side else ""
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what a run records about it; nothing without debiasing."""
        if self.mode == "vanilla":
            return {}
        found: dict[str, Any] = {"mode": self.mode, "strength": self.strength}
        found |= {} if self.target is None else {"target": self.target}
        found |= {} if self.balance is None else {"balance": self.balance}
        found |= {} if self.rate is None else {"rate": self.rate}
        found |= {} if self.layer is None else {"layer": self.layer}
        return found | ({"hold_side": True} if self.hold_side else {})


@dataclass(frozen=True, slots=True)
class AuditPlan:
    """What to generate, as plain data that can be sent to a worker."""

    model: str
    suite: Suite
    out: Path
    scope: SuiteScope = field(default_factory=SuiteScope)
    sampling: Sampling = field(default_factory=Sampling)
    batch: int = 8
    threads: int | None = None
    engine: str = "local"
    workers: int = 2
    precision: str | None = None
    """The precision of the model's weights; None: 32 bits on a CPU, the model's own on a GPU."""

    def folder(self, variant: Variant) -> Path:
        """Return the folder of a variant's texts."""
        return self.out / variant.name


Progress = Callable[[str, int, int], None]


def generate(
    plan: AuditPlan,
    variant: Variant,
    model: LanguageModel,
    progress: Progress | None = None,
    most: int | None = None,
) -> RunFolder:
    """Generate every text of the plan that is not in its folder yet, or only so many."""
    progress = progress or _silent
    path = plan.folder(variant)
    with lock_folder(path):
        there = plan.folder(Variant())
        source = RunFolder(there).texts() if variant.mode in REPLACERS and there.is_dir() else {}
        writer = debias_variant(RecordedModel(model, source) if variant.mode in REPLACERS else model, variant)
        folder = RunFolder.begin(path, _about(plan, variant, model, writer))
        done = folder.texts()
        tasks = [task for task in plan.suite.tasks(plan.scope) if task.key not in done][:most]
        _refuse_missing(variant, there, tasks, source)
        finished = 0
        for texts in _chunks(plan, variant, writer, tasks):
            folder.add_texts(
                [replace(text, seconds=text.seconds + _seconds_before(source, text)) for text in texts]
            )
            finished += len(texts)
            progress(f"generating {variant.name}", finished, len(tasks))
    return folder


class RecordedModel:
    """Returns recorded texts in place of generating; everything else is delegated to the model."""

    def __init__(self, model: LanguageModel, texts: Mapping[str, AuditText]) -> None:
        self._model = model
        self._texts = {(text.prompt, text.seed): text for text in texts.values()}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def generate(self, prompts: Sequence[str], seeds: Sequence[int], sampling: Sampling) -> list[Generation]:  # noqa: ARG002
        """Return the recorded texts."""
        found = [self._texts[key] for key in zip(prompts, seeds, strict=True)]
        return [Generation(text.prompt, text.text, text.seed, text.tokens, "length") for text in found]


def _seconds_before(source: Mapping[str, AuditText], text: AuditText) -> float:
    return source[text.key].seconds if text.key in source else 0.0


def _refuse_missing(
    variant: Variant, there: Path, tasks: Sequence[AuditTask], source: Mapping[str, AuditText]
) -> None:
    missing = sum(task.key not in source for task in tasks)
    if variant.mode in REPLACERS and missing:
        raise AuditError(
            f"{there}: {missing} texts of the model without debiasing are missing, in which {variant.mode} would "
            "replace words; audit the model without --debias first"
        )


def _silent(what: str, done: int, total: int) -> None:
    """Report no progress."""


def _about(plan: AuditPlan, variant: Variant, model: LanguageModel, writer: LanguageModel) -> RunInfo:
    debiasing = {} if variant.mode == "vanilla" else {**variant.to_dict(), "digest": writer.digest()[:16]}
    return RunInfo(
        plan.model,
        model.digest(),
        plan.suite.name,
        plan.suite.digest,
        plan.sampling.to_dict(),
        plan.scope.seed,
        debiasing,
        getattr(model, "precision", ""),
    )


def _chunks(
    plan: AuditPlan, variant: Variant, writer: LanguageModel, tasks: Sequence[AuditTask]
) -> Iterator[list[AuditText]]:
    if plan.engine == "ray" and variant.mode not in REPLACERS and tasks:
        return _generate_on_ray(plan, variant, tasks)
    digest = writer.digest()
    return (generate_texts(writer, digest, part, plan.sampling) for part in split_tasks(tasks, plan.batch))


def split_tasks(tasks: Sequence[AuditTask], batch: int) -> Iterator[Sequence[AuditTask]]:
    """Yield the tasks in the chunks that are generated, and saved, together."""
    step = batch * _AHEAD
    return (tasks[start : start + step] for start in range(0, len(tasks), step))


def debias_variant(model: Any, variant: Variant) -> LanguageModel:
    """Return the model, debiased as the variant says."""
    if variant.mode == "vanilla":
        found: LanguageModel = model
        return found
    from unslant.lab.debias.model import debias
    from unslant.lab.debias.settings import DebiasSettings

    settings = None
    if variant.mode in STEERED:
        settings = DebiasSettings(
            variant.mode, target=variant.target, rate=variant.rate, hold_side=variant.hold_side
        )
        settings = settings if variant.balance is None else replace(settings, balance=variant.balance)
    try:
        return debias(
            model,
            variant.mode,
            strength=variant.strength,
            guide=variant.guide,
            settings=settings,
            layer=variant.layer,
        )
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("unslant"):
            raise
        raise MissingExtra("debiasing", error.name or "torch", "lm") from error


def generate_texts(
    model: LanguageModel, digest: str, tasks: Sequence[AuditTask], sampling: Sampling
) -> list[AuditText]:
    """Generate the texts of some tasks."""
    start = time.perf_counter()
    made = model.generate([task.prompt for task in tasks], [task.seed for task in tasks], sampling)
    seconds = time.perf_counter() - start
    tokens = sum(generation.tokens for generation in made) or 1
    return [
        _text(task, generation.text, generation.tokens, seconds * generation.tokens / tokens, digest)
        for task, generation in zip(tasks, made, strict=True)
    ]


def _text(task: AuditTask, text: str, tokens: int, seconds: float, digest: str) -> AuditText:
    return AuditText(
        task.key,
        task.attribute,
        task.option,
        task.keyword,
        task.side,
        task.prompt_id,
        task.prompt,
        task.sample,
        task.seed,
        text,
        tokens,
        seconds,
        digest[:16],
    )


class RayWorker:
    """A worker that opens its model once, when it is constructed."""

    def __init__(self, plan: AuditPlan, variant: Variant) -> None:
        from unslant.lab.lm import open_model

        model = open_model(plan.model, batch=plan.batch, threads=plan.threads, precision=plan.precision)
        self._model: LanguageModel = debias_variant(model, variant)
        self._digest = self._model.digest()

    def write(self, tasks: Sequence[AuditTask], sampling: Sampling) -> list[AuditText]:
        """Generate the texts of some tasks."""
        return generate_texts(self._model, self._digest, tasks, sampling)


def _generate_on_ray(
    plan: AuditPlan, variant: Variant, tasks: Sequence[AuditTask]
) -> Iterator[list[AuditText]]:
    """Yield texts as they are finished; a worker that dies is restarted, and its chunk is generated again."""
    try:
        import ray
    except ModuleNotFoundError as error:
        raise MissingExtra("the Ray engine", "ray", "ray") from error
    started = not ray.is_initialized()
    if started:
        # an existing cluster defines its own number of processors
        there = bool(os.environ.get("RAY_ADDRESS"))
        ray.init(num_cpus=None if there else plan.workers, log_to_driver=False, include_dashboard=False)
    try:
        remote: Any = ray.remote(num_cpus=1, max_restarts=2, max_task_retries=2)(RayWorker)
        workers = [remote.remote(plan, variant) for _ in range(plan.workers)]
        yield from _spread(ray, workers, plan, tasks)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, InputError):
            raise error.cause from None
        raise
    finally:
        if started:
            ray.shutdown()


def _spread(
    ray: Any, workers: list[Any], plan: AuditPlan, tasks: Sequence[AuditTask]
) -> Iterator[list[AuditText]]:
    todo = split_tasks(tasks, plan.batch)
    waiting: dict[Any, Any] = {}
    for worker in workers:
        if batch := next(todo, None):
            waiting[worker.write.remote(batch, plan.sampling)] = worker
    while waiting:
        (done,), _ = ray.wait(list(waiting), num_returns=1)
        worker = waiting.pop(done)
        texts: list[AuditText] = ray.get(done)
        if batch := next(todo, None):
            waiting[worker.write.remote(batch, plan.sampling)] = worker
        yield texts
