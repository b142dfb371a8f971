"""Generates what is missing in a run's folder, here or on many machines."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import MissingExtra
from unslant.core.generation import Generation, Sampling
from unslant.lab.audit.problems import AuditError
from unslant.lab.audit.store import About, RunFolder, Text, alone
from unslant.lab.audit.suite import Scope, Suite, Task

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
    """A model as it is, or debiased in some way."""

    mode: str = "vanilla"
    strength: float | None = None
    guide: str | None = None
    """What was trained for the mode: a debiaser's folder, or a file of neutral vectors."""
    target: float | None = None
    """The divergence a token to aim at; None: that of the mode."""

    @property
    def name(self) -> str:
        """What it is called in tables, and its folder."""
        strength = "" if self.strength is None else f"-{self.strength:g}"
        return f"{self.mode}{strength}" + ("" if self.target is None else f"-target-{self.target:g}")

    def to_dict(self) -> dict[str, Any]:
        """Return what a run remembers of it; nothing of the model as it is."""
        if self.mode == "vanilla":
            return {}
        told = {"mode": self.mode, "strength": self.strength}
        return told if self.target is None else {**told, "target": self.target}


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
    precision: str | None = None
    """Of the model's numbers; None: 32 bits on a CPU, its own on a GPU."""

    def folder(self, variant: Variant) -> Path:
        """Where the texts of a variant lie."""
        return self.out / variant.name


Tell = Callable[[str, int, int], None]


def generate(plan: Plan, variant: Variant, model: LanguageModel, tell: Tell | None = None) -> RunFolder:
    """Generate every text of the plan that is not in its folder yet."""
    tell = tell or _silent
    path = plan.folder(variant)
    with alone(path):
        there = plan.folder(Variant())
        source = RunFolder(there).texts() if variant.mode in REPLACERS and there.is_dir() else {}
        writer = steered(Recorded(model, source) if variant.mode in REPLACERS else model, variant)
        folder = RunFolder.begin(path, _about(plan, variant, model, writer))
        done = folder.texts()
        tasks = [task for task in plan.suite.tasks(plan.scope) if task.key not in done]
        _refuse_missing(variant, there, tasks, source)
        finished = 0
        for texts in _chunks(plan, variant, writer, tasks):
            folder.add_texts([replace(one, seconds=one.seconds + _before(source, one)) for one in texts])
            finished += len(texts)
            tell(f"writing {variant.name}", finished, len(tasks))
    return folder


class Recorded:
    """A model that has already written: it gives its texts again, and is the model itself in everything else."""

    def __init__(self, model: LanguageModel, texts: Mapping[str, Text]) -> None:
        self._model = model
        self._texts = {(one.prompt, one.seed): one for one in texts.values()}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def generate(self, prompts: Sequence[str], seeds: Sequence[int], sampling: Sampling) -> list[Generation]:  # noqa: ARG002
        """Return what was written before."""
        found = [self._texts[key] for key in zip(prompts, seeds, strict=True)]
        return [Generation(one.prompt, one.text, one.seed, one.tokens, "length") for one in found]


def _before(source: Mapping[str, Text], text: Text) -> float:
    return source[text.key].seconds if text.key in source else 0.0


def _refuse_missing(variant: Variant, there: Path, tasks: Sequence[Task], source: Mapping[str, Text]) -> None:
    missing = sum(task.key not in source for task in tasks)
    if variant.mode in REPLACERS and missing:
        raise AuditError(
            f"{there}: {missing} texts of the model as it is are missing, in which {variant.mode} would exchange "
            "words; audit the model without --debias first"
        )


def _silent(what: str, done: int, total: int) -> None:
    """Say nothing."""


def _about(plan: Plan, variant: Variant, model: LanguageModel, writer: LanguageModel) -> About:
    told = {} if variant.mode == "vanilla" else {**variant.to_dict(), "digest": writer.digest()[:16]}
    return About(
        plan.model,
        model.digest(),
        plan.suite.name,
        plan.suite.digest,
        asdict(plan.sampling),
        plan.scope.seed,
        told,
        getattr(model, "precision", ""),
    )


def _chunks(
    plan: Plan, variant: Variant, writer: LanguageModel, tasks: Sequence[Task]
) -> Iterator[list[Text]]:
    if plan.engine == "ray" and variant.mode not in REPLACERS and tasks:
        from unslant.lab.audit.engine_ray import chunks_on_ray

        return chunks_on_ray(plan, variant, tasks)
    digest = writer.digest()
    return (write(writer, digest, part, plan.sampling) for part in parts(tasks, plan.batch))


def parts(tasks: Sequence[Task], batch: int) -> Iterator[Sequence[Task]]:
    """Yield the tasks in the pieces that are finished, and kept, together."""
    step = batch * _AHEAD
    return (tasks[start : start + step] for start in range(0, len(tasks), step))


def steered(model: Any, variant: Variant) -> LanguageModel:
    """Return the model, debiased as the variant says."""
    if variant.mode == "vanilla":
        found: LanguageModel = model
        return found
    from unslant.lab.debias.model import debias
    from unslant.lab.debias.settings import DebiasSettings

    settings = DebiasSettings(variant.mode, target=variant.target) if variant.mode not in REPLACERS else None
    try:
        return debias(model, variant.mode, strength=variant.strength, guide=variant.guide, settings=settings)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("unslant"):
            raise
        raise MissingExtra("debiasing", error.name or "torch", "lm") from error


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
