"""Against whom a text slants: macro-F1 over the dimensions that the corpora at hand cover."""

from __future__ import annotations

from collections.abc import Sequence

from unslant.lab.evaluation.held_out import Answer, Setting, ask, part_of, single
from unslant.lab.evaluation.models import SentenceModel, need
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.stats.metrics import ClassMetrics

__all__ = ["dimensions"]

CORPORA = ("reddit_bias", "crows_pairs", "stereoset", "hatexplain")


def dimensions(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure on the held-out parts of the corpora that stand in for CAD's dimensions, together and one by one."""
    model = single(models, "dimensions")
    need(model, "dimension", "dimensions")
    for corpus in CORPORA:
        model.lineage.check(model.name, corpus)
    answers: list[Answer] = []
    for corpus in CORPORA:
        examples = [one for one in part_of(corpus, setting) if one.dimension is not None]
        answers += ask(model, examples, corpus, setting)
    sections = [_section("together", answers, setting, classes=True)]
    for corpus in CORPORA:
        own = [one for one in answers if one.example.source == corpus]
        sections.append(_section(corpus, own, setting))
    notes = (
        "stand-ins: CAD's fine dimensions are not in this copy; held out is a tenth of each corpus, pairs together",
        "macro-F1 over the dimensions that occur; saying that a text slants against nobody is wrong here",
    )
    return Result("dimensions", model.name, tuple(sections), notes)


def _section(title: str, answers: Sequence[Answer], setting: Setting, *, classes: bool = False) -> Section:
    gold = [str(one.example.dimension) for one in answers]
    found = ClassMetrics.exclusive(gold, [one.prediction.dimension or "none" for one in answers])
    groups = [f"{one.example.source}/{one.example.pair or one.example.id}" for one in answers]
    measures = {"macro-F1": found.macro(), "weighted F1": found.weighted()}
    if classes:
        measures |= {f"F1 of {name}": found.f1(name) for name in found.names}
    grouped = {name: one.group_items(groups) for name, one in measures.items()}
    return Section(f"{title} ({len(answers):,})", figures("dimensions", grouped, setting.resampling))
