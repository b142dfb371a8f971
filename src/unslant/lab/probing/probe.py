"""Asks a language model about the texts of one task, and measures what it answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unslant.lab.probing.descriptions import Description, builtin, read_families, select, version
from unslant.lab.probing.encoder import Judge, encoder_description, judge_items
from unslant.lab.probing.items import Items, load_items
from unslant.lab.probing.prompts import default_decoding
from unslant.lab.probing.results import Measuring, Result, measure, with_setting
from unslant.lab.probing.running import Estimate, Grid, Plan, run
from unslant.lab.probing.sampling import Embedder, Sampler
from unslant.lab.probing.voices import Voice

__all__ = ["Setting", "Work", "ask_judge", "notes_of", "prepare"]


def _silent(done: int, total: int) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Setting:
    """What is asked, of what, and how."""

    shots: tuple[int, ...] = (0,)
    descriptions: tuple[str, ...] = ("all",)
    own: Path | None = None
    """A file with families of the user's own."""
    decoding: str | None = None
    sampling: str = "random"
    per: str = "set"
    seeds: int = 1
    temperature: float = 0.7
    top_k: int = 50
    items: int | None = None
    name_dimension: bool = False
    chat: bool = False
    line_ends: bool = True
    early_end: bool = False
    data: Path | None = None
    part: str = "evaluation"
    """Which texts are judged: ``evaluation`` (development and test part) or ``test``."""
    measuring: Measuring = field(default_factory=Measuring)

    def known(self) -> tuple[Description, ...]:
        """Return every wording that can be chosen."""
        return (*builtin(), *(read_families(self.own) if self.own else ()))


@dataclass
class Work:
    """One task, ready to be asked."""

    plan: Plan
    setting: Setting
    path: Path
    """The file for the answers."""

    def header(self) -> dict[str, Any]:
        """Return what has to be the same for a run to go on."""
        plan, setting = self.plan, self.setting
        return {
            "task": plan.items.task,
            "model": plan.voice.name,
            "digest": plan.voice.digest(),
            "texts": plan.items.digest,
            "items": len(plan.items.judged),
            "version": version(),
            "grid": plan.grid.to_dict(),
            "sampling": setting.sampling,
            "per": setting.per,
            "form": {"chat": setting.chat, "line_ends": setting.line_ends, "early_end": setting.early_end},
        }

    def estimate(self) -> Estimate:
        """Return what is still to be done, and what it will cost."""
        from unslant.lab.probing.records import Records

        known: Sequence[tuple[str, int, int, str]] = ()
        if self.path.exists():
            with Records(self.path, self.header()) as records:
                known = tuple(records.known)
        return self.plan.estimate(known)

    def run(self, tell: Callable[[int, int], None] = _silent) -> Result:
        """Ask what was not asked yet, and measure everything."""
        header = self.header()
        records = run(self.plan, self.path, header, tell)
        found = measure(records, self.plan.items, self.plan.grid.descriptions, self.setting.measuring)
        grid = self.plan.grid
        about = {**header, "decoding": grid.decoding, "threshold": self.setting.measuring.threshold}
        return with_setting(found, self.plan.voice.name, about, notes_of(self.plan.items, self.setting, grid))


def prepare(task: str, voice: Voice, setting: Setting, path: Path, embedder: Embedder | None = None) -> Work:
    """Choose texts, wordings and examples; raise where the model cannot see them all at once."""
    items = load_items(task, setting.data, part=setting.part, count=setting.items)
    grid = Grid(
        select(setting.known(), task, setting.descriptions),
        setting.shots,
        tuple(range(setting.seeds)),
        default_decoding(task, setting.decoding),
        setting.temperature,
        setting.top_k,
        setting.name_dimension,
    )
    sampling = setting.sampling if any(setting.shots) else "random"
    plan = Plan(grid, items, Sampler(items.pool, sampling, setting.per, embedder), voice)
    plan.check_room()
    return Work(plan, setting, path)


def ask_judge(task: str, model: Judge, setting: Setting, notes: Sequence[str] = ()) -> Result:
    """Measure a model that needs no questions on the very texts that a language model is asked about."""
    items = load_items(task, setting.data, part=setting.part, count=setting.items)
    records = judge_items(model, items)
    found = measure(records, items, [encoder_description(task)], setting.measuring)
    told = ["no question and no example: this model judges texts as they are", *notes]
    if task == "extraction":
        told.append(
            "where it marks several stretches, the longest counts; where it marks none, nothing matches"
        )
    told += [_stand_in(items)] if items.stand_in else []
    return with_setting(found, model.name, {"analyzer": model.name, "texts": items.digest}, told)


def _stand_in(items: Items) -> str:
    return (
        f"stand-in: {' and '.join(items.corpora)} in the place of CAD, whose dimensions, rationales and rephrasings "
        "are not in this copy; the published figures are on other texts"
    )


def notes_of(items: Items, setting: Setting, grid: Grid) -> list[str]:
    """Return what a reader has to know beside the figures."""
    notes = [_stand_in(items)] if items.stand_in else []
    if any(setting.shots):
        drawn = (
            "anew for each text" if setting.per == "item" else "once for each seed and shared by all texts"
        )
        if setting.sampling == "nearest":
            drawn = "because they are like the text"
        notes.append(
            f"examples ({setting.sampling}) were drawn {drawn}, never from the texts that are judged"
        )
    if items.task == "diagnosis":
        notes.append(
            "yes from a probability above "
            f"{setting.measuring.threshold:g} on; which F1 was published is not stated, so two are shown"
        )
    if items.task == "identification" and not setting.early_end:
        notes.append(
            "an answer is always a whole dimension; as published, one could also end in its middle, and be wrong"
        )
    if items.task in ("extraction", "rephrasing"):
        notes.append(
            f"drawn with temperature {grid.temperature:g} and top-k {grid.top_k}, at most as long as the text; an "
            f"answer ends with {'its line or ' if setting.line_ends else ''}the model's own end"
        )
        notes.append(
            "BLEU-4 by sacrebleu over all texts (13a, exponential smoothing); METEOR with the exact and the stem "
            "matcher (alpha 0.9, beta 3, gamma 0.5), no synonyms"
        )
    return notes
