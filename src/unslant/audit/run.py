"""Generates what is missing in a run's folder, here or on many machines."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.audit.problems import AuditError
from unslant.audit.store import About, RunFolder, Text, alone
from unslant.audit.suite import Scope, Suite, Task
from unslant.core.generation import Sampling

if TYPE_CHECKING:
    from unslant.protocols import LanguageModel

__all__ = ["MODES", "REPLACERS", "Plan", "Variant", "generate"]

REPLACERS = ("naive", "in-glove")
"""They change words in texts that are there; nothing is generated again."""
MODES = ("vanilla", *REPLACERS, "embedding", "classifier")
_AHEAD = 4
"""Batches that are handed to the model at once."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A model as it is, or calibrated in some way."""

    mode: str = "vanilla"
    strength: float | None = None

    @property
    def name(self) -> str:
        """What it is called in tables, and its folder."""
        return self.mode if self.strength is None else f"{self.mode}-{self.strength:g}"

    def to_dict(self) -> dict[str, Any]:
        """Return what a run remembers of it; nothing of the model as it is."""
        return {} if self.mode == "vanilla" else {"mode": self.mode, "strength": self.strength}


@dataclass(frozen=True, slots=True)
class Plan:
    """What to generate, as plain data that a worker elsewhere can be sent."""

    model: str
    suite: Suite
    out: Path
    scope: Scope = field(default_factory=Scope)
    sampling: Sampling = field(default_factory=Sampling)
    batch: int = 8
    threads: int | None = None
    engine: str = "local"
    workers: int = 2

    def folder(self, variant: Variant) -> Path:
        """Where the texts of a variant lie."""
        return self.out / variant.name


Tell = Callable[[str, int, int], None]


def generate(plan: Plan, variant: Variant, model: LanguageModel, tell: Tell | None = None) -> RunFolder:
    """Generate every text of the plan that is not in its folder yet."""
    tell = tell or _silent
    path = plan.folder(variant)
    with alone(path):
        folder = RunFolder.begin(path, _about(plan, variant, model))
        done = folder.texts()
        tasks = [task for task in plan.suite.tasks(plan.scope) if task.key not in done]
        total, finished = len(tasks), 0
        for texts in _chunks(plan, variant, model, tasks):
            folder.add_texts(texts)
            finished += len(texts)
            tell(f"writing {variant.name}", finished, total)
    return folder


def _silent(what: str, done: int, total: int) -> None:
    """Say nothing."""


def _about(plan: Plan, variant: Variant, model: LanguageModel) -> About:
    return About(
        plan.model,
        model.digest(),
        plan.suite.name,
        plan.suite.digest,
        asdict(plan.sampling),
        plan.scope.seed,
        variant.to_dict(),
    )


def _chunks(
    plan: Plan, variant: Variant, model: LanguageModel, tasks: Sequence[Task]
) -> Iterator[list[Text]]:
    if not tasks:
        return iter(())
    if variant.mode in REPLACERS:
        return _replaced(plan, variant, model, tasks)
    if plan.engine == "ray":
        from unslant.audit.engine_ray import chunks_on_ray

        return chunks_on_ray(plan, variant, tasks)
    writer = steered(model, variant)
    return (write(writer, model.digest(), part, plan.sampling) for part in parts(tasks, plan.batch))


def parts(tasks: Sequence[Task], batch: int) -> Iterator[Sequence[Task]]:
    """Yield the tasks in the pieces that are finished, and kept, together."""
    step = batch * _AHEAD
    return (tasks[start : start + step] for start in range(0, len(tasks), step))


def steered(model: LanguageModel, variant: Variant) -> LanguageModel:
    """Return the model, calibrated as the variant says."""
    if variant.mode == "vanilla":
        return model
    from unslant.calibration import debiased

    found: LanguageModel = debiased(model, variant.mode, variant.strength)
    return found


def write(model: LanguageModel, digest: str, tasks: Sequence[Task], sampling: Sampling) -> list[Text]:
    """Let a model do some tasks."""
    start = time.perf_counter()
    made = model.generate([task.prompt for task in tasks], [task.seed for task in tasks], sampling)
    seconds = time.perf_counter() - start
    tokens = sum(one.tokens for one in made) or 1
    return [
        _text(task, one.text, one.tokens, seconds * one.tokens / tokens, digest)
        for task, one in zip(tasks, made, strict=True)
    ]


def _text(task: Task, text: str, tokens: int, seconds: float, digest: str) -> Text:
    return Text(
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


def _replaced(
    plan: Plan, variant: Variant, model: LanguageModel, tasks: Sequence[Task]
) -> Iterator[list[Text]]:
    from unslant.calibration import replacer

    there = plan.folder(Variant())
    source = RunFolder(there).texts() if (there / "run.json").exists() else {}
    if missing := sum(task.key not in source for task in tasks):
        raise AuditError(
            f"{there}: {missing} texts of the model as it is are missing, in which {variant.mode} would exchange "
            "words; audit the model without --debias first"
        )
    change = replacer(variant.mode)
    for part in parts(tasks, plan.batch * 8):
        start = time.perf_counter()
        old = [source[task.key] for task in part]
        texts = change.replace([one.text for one in old], [task.seed for task in part])
        more = (time.perf_counter() - start) / len(part)
        yield [
            _text(task, text, one.tokens, one.seconds + more, model.digest())
            for task, one, text in zip(part, old, texts, strict=True)
        ]
