"""Probes a model on one task: selects texts, wordings and examples, runs the grid and measures the answers.

Models that are not prompted (our own encoder, the rules) answer through the product's decoder, like ``unslant check``
and ``unslant evaluate``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from unslant.core.errors import ConfigError
from unslant.lab.probing.answerers import Answerer
from unslant.lab.probing.descriptions import (
    Description,
    ProbeAnswer,
    builtin_descriptions,
    default_decoding,
    read_families,
    select,
    version,
)
from unslant.lab.probing.items import Embedder, ExampleSampler, ProbeItem, ProbeItems, load_items
from unslant.lab.probing.results import MeasureSettings, ProbeResult, describe_result, measure
from unslant.lab.probing.runs import AnswerFile, AnswerRecord, Key, ProbeGrid, ProbePlan, RunCost, run
from unslant.lab.probing.settings import ProbeSettings
from unslant.neural.decoder import Prediction

_STEP = 256
NEEDS = {"diagnosis": "sentence", "identification": "dimension", "extraction": "spans"}
"""What a model has to predict to take part in a task."""


class PredictingModel(Protocol):
    """What a model has to provide."""

    @property
    def name(self) -> str:
        """The name shown with its figures."""
        ...

    @property
    def answers(self) -> frozenset[str]:
        """What it predicts."""
        ...

    def predict(self, texts: Sequence[str], corpus: str = "") -> Sequence[Prediction]:
        """Return one prediction per text, in order."""
        ...


def encoder_description(task: str) -> Description:
    """Return the placeholder for a task description: this model reads none."""
    return Description(task, "model", 1, "")


def answer_items(model: PredictingModel, items: ProbeItems) -> list[AnswerRecord]:
    """Return a model's predictions as answers to the questions that language models are asked."""
    need = NEEDS.get(items.task)
    if need is None or need not in model.answers:
        raise ConfigError(f"{model.name}: does not answer {items.task!r}; leave it out of --task")
    found: list[AnswerRecord] = []
    name = encoder_description(items.task).id
    for start in range(0, len(items.evaluated), _STEP):
        by_corpus: dict[str, list[ProbeItem]] = {}
        for item in items.evaluated[start : start + _STEP]:
            by_corpus.setdefault(item.id.partition(":")[0], []).append(item)
        for corpus, own in by_corpus.items():
            predictions = model.predict([item.text for item in own], corpus)
            found += [
                AnswerRecord(name, 0, 0, item.id, _answer(items.task, item, prediction))
                for item, prediction in zip(own, predictions, strict=True)
            ]
    return found


def _answer(task: str, item: ProbeItem, prediction: Prediction) -> ProbeAnswer:
    if task == "diagnosis":
        return ProbeAnswer("yes" if prediction.slanted else "no", prediction.probability)
    if task == "identification":
        return ProbeAnswer(prediction.dimension or "")
    if not prediction.spans:
        return ProbeAnswer("")
    # the question asks for one span: the longest counts
    span = max((predicted.span for predicted in prediction.spans), key=len)
    return ProbeAnswer(item.text[span.start : span.end], None, span)


def all_descriptions(file: Path | None) -> tuple[Description, ...]:
    """Return every available wording: those that ship, and those of a user's file."""
    return (*builtin_descriptions(), *(read_families(file) if file else ()))


@dataclass
class ProbeRun:
    """One task, ready to run."""

    plan: ProbePlan
    setting: ProbeSettings
    path: Path
    """The answer file."""

    def header(self) -> dict[str, Any]:
        """Return what must be the same for a run to be resumed."""
        plan, setting = self.plan, self.setting
        return {
            "task": plan.items.task,
            "model": plan.answerer.name,
            "digest": plan.answerer.digest(),
            "texts": plan.items.digest,
            "items": len(plan.items.evaluated),
            "version": version(),
            "grid": plan.grid.to_dict(),
            "sampling": setting.sampling,
            "per": setting.per,
            "form": {"chat": setting.chat, "line_ends": setting.line_ends, "early_end": setting.early_end},
        }

    def estimate(self) -> RunCost:
        """Return the cost of the unanswered prompts."""
        known: Sequence[Key] = ()
        if self.path.exists():
            with AnswerFile(self.path, self.header()) as records:
                known = tuple(records.known)
        return self.plan.estimate(known)

    def run(self, progress: Callable[[int, int], None] | None = None) -> ProbeResult:
        """Ask the unanswered questions and measure all answers."""
        header = self.header()
        records = run(self.plan, self.path, header, progress)
        found = measure(records, self.plan.items, self.plan.grid.descriptions, _measuring(self.setting))
        grid = self.plan.grid
        about = {**header, "decoding": grid.decoding, "threshold": self.setting.threshold}
        return describe_result(
            found, self.plan.answerer.name, about, collect_notes(self.plan.items, self.setting, grid)
        )


def _measuring(setting: ProbeSettings) -> MeasureSettings:
    return MeasureSettings(setting.threshold, setting.resamples)


def prepare(
    task: str, answerer: Answerer, setting: ProbeSettings, path: Path, embedder: Embedder | None = None
) -> ProbeRun:
    """Select texts, wordings and examples; raise if they do not fit into the context window."""
    items = load_items(task, setting.data, part=setting.part, count=setting.items)
    grid = ProbeGrid(
        select(all_descriptions(setting.descriptions_file), task, setting.descriptions),
        setting.shots,
        tuple(range(setting.seeds)),
        default_decoding(task, setting.decoding),
        setting.temperature,
        setting.top_k,
        setting.name_dimension,
    )
    sampling = setting.sampling if any(setting.shots) else "random"
    plan = ProbePlan(grid, items, ExampleSampler(items.pool, sampling, setting.per, embedder), answerer)
    plan.check_context_length()
    return ProbeRun(plan, setting, path)


def ask_judge(
    task: str, model: PredictingModel, setting: ProbeSettings, notes: Sequence[str] = ()
) -> ProbeResult:
    """Evaluate a model that takes no prompts on the same texts."""
    items = load_items(task, setting.data, part=setting.part, count=setting.items)
    records = answer_items(model, items)
    found = measure(records, items, [encoder_description(task)], _measuring(setting))
    lines = ["no prompt and no examples: this model classifies the text itself", *notes]
    if task == "extraction":
        lines.append("of several spans, the longest counts; without a span, nothing matches")
    lines += [_stand_in_note(items)] if items.stand_in else []
    return describe_result(found, model.name, {"analyzer": model.name, "texts": items.digest}, lines)


def _stand_in_note(items: ProbeItems) -> str:
    return (
        f"stand-in: {' and '.join(items.corpora)} instead of CAD, whose dimensions, rationales and rephrasings are "
        "not in this copy; the published results are on other texts"
    )


def collect_notes(items: ProbeItems, setting: ProbeSettings, grid: ProbeGrid) -> list[str]:
    """Return notes that a reader needs to interpret the results."""
    notes = [_stand_in_note(items)] if items.stand_in else []
    if any(setting.shots):
        how = "anew for each text" if setting.per == "item" else "once per seed and shared by all texts"
        if setting.sampling == "nearest":
            how = "by similarity to the text"
        notes.append(
            f"examples ({setting.sampling}) were selected {how}, never from the texts under evaluation"
        )
    if items.task == "diagnosis":
        notes.append(
            f"the answer is yes above a probability of {setting.threshold:g}; the publication does not say "
            "which F1 it reports, so both are shown"
        )
    if items.task == "identification" and not setting.early_end:
        notes.append(
            "an answer is always a complete dimension; in the publication it could also be cut short, and be wrong"
        )
    if items.task in ("extraction", "rephrasing"):
        notes.append(
            f"sampled with temperature {grid.temperature:g} and top-k {grid.top_k}, at most as long as the text; an "
            f"answer ends {'at the end of the line or ' if setting.line_ends else ''}with the end-of-sequence token"
        )
        notes.append(
            "BLEU-4 is corpus BLEU from sacrebleu (13a, exponential smoothing); METEOR uses the exact and the stem "
            "matcher (alpha 0.9, beta 3, gamma 0.5) without synonyms"
        )
    return notes
