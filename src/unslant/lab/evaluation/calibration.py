"""Whether probabilities are shares: of all sentences that get 0.7, seven in ten should be slanted."""

from __future__ import annotations

from collections.abc import Sequence

from unslant.lab.evaluation.babe import corpora_of
from unslant.lab.evaluation.held_out import Answer, Setting, ask, folded, part_of
from unslant.lab.evaluation.lineage import EVERYTHING
from unslant.lab.evaluation.models import SentenceModel, need
from unslant.lab.evaluation.reliability import bins_text, reliability_svg
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.stats.metrics import brier_score, calibration_error, reliability_bins

__all__ = ["calibration"]


def calibration(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure on BABE (by folds) and on the WIKIBIAS test sentences, where the model has not seen them."""
    for model in models:
        need(model, "probability", "calibration")
    sets, notes = _sets(models, setting)
    sections, pictures, drawings, details = [], {}, [], {}
    for corpus, answers in sets.items():
        chances = [one.prediction.score for one in answers]
        labels = [bool(one.example.label) for one in answers]
        measures = {"ECE": calibration_error(chances, labels), "Brier": brier_score(chances, labels)}
        found = figures("calibration", measures, setting.resampling, ("ECE", "Brier"))
        sections.append(Section(f"{corpus} ({len(answers):,})", found))
        bins = reliability_bins(chances, labels)
        pictures[corpus] = reliability_svg(bins, corpus)
        drawings.append(f"{corpus}\n{bins_text(bins)}")
        details[corpus] = [one.to_dict() for one in bins]
    return Result(
        "calibration",
        models[0].name,
        tuple(sections),
        tuple(notes),
        pictures,
        tuple(drawings),
        {"reliability": details},
    )


def _sets(models: Sequence[SentenceModel], setting: Setting) -> tuple[dict[str, list[Answer]], list[str]]:
    sets: dict[str, list[Answer]] = {}
    notes = ["no publication gives a calibration error"]
    for corpus in corpora_of(models)[-1:]:
        if all(one.lineage.may(corpus, one.lineage.fold_of(corpus) or EVERYTHING) for one in models):
            sets[corpus] = folded(models, corpus, setting)
        else:
            notes.append(f"{corpus} is left out, as the model learned from it")
    if len(models) == 1 and models[0].lineage.may("wikibias"):
        sets["wikibias"] = ask(models[0], part_of("wikibias", setting), "wikibias", setting)
    else:
        why = "the model learned from it" if len(models) == 1 else "there is more than one model"
        notes.append(f"wikibias is left out, as {why}")
    if not sets:
        models[0].lineage.check(models[0].name, "wikibias")
    return sets, notes
