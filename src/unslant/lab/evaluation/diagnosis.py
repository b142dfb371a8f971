"""Diagnosis on CAD: is a text biased? Half of the set is."""

from __future__ import annotations

from collections.abc import Sequence

from unslant.lab import corpora
from unslant.lab.corpora.cad import build_cad_sets
from unslant.lab.evaluation.held_out import Answer, Setting, ask, single
from unslant.lab.evaluation.models import SentenceModel, need
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.stats.metrics import ClassMetrics, accuracy

__all__ = ["at_even_odds", "diagnosis"]

CORPUS = "cad"


def diagnosis(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure on identity- and affiliation-directed abuse of the test part, and as many neutral texts."""
    model = single(models, "diagnosis")
    need(model, "sentence", "diagnosis")
    model.lineage.check(model.name, CORPUS)
    examples = list(corpora.load(CORPUS, setting.data))
    chosen = build_cad_sets([one for one in examples if one.split == "test"])["diagnosis"]
    answers = ask(model, chosen, CORPUS, setting)
    odds = _share([one.label for one in examples if one.split == "train"])
    gold = [bool(one.example.label) for one in answers]
    even = at_even_odds(answers, odds)
    as_is = [one.prediction.slanted for one in answers]
    measures = {
        "accuracy, even odds": accuracy(gold, even),
        "macro-F1, even odds": ClassMetrics.exclusive(gold, even).macro(),
        "accuracy, as it is": accuracy(gold, as_is),
        "macro-F1, as it is": ClassMetrics.exclusive(gold, as_is).macro(),
    }
    notes = (
        f"even odds: half of the set is biased and {odds:.0%} of the training part, so that the probability "
        f"{odds:.2f} is even; for a model without probabilities both are the same",
        "the publication drew its set from the full corpus with rationales; this copy has the primary category only, "
        "and only its test part is used",
        *model.lineage.notes(CORPUS),
    )
    section = Section(f"{len(answers):,} texts", figures("diagnosis", measures, setting.resampling))
    return Result("diagnosis", model.name, (section,), notes)


def at_even_odds(answers: Sequence[Answer], odds: float) -> list[bool]:
    """Return verdicts for a set of which half is biased, from probabilities for text of which ``odds`` is.

    By Bayes, a probability is above one half under even odds just where it is above the odds it was made for.
    """
    return [
        one.prediction.slanted if one.prediction.probability is None else one.prediction.probability >= odds
        for one in answers
    ]


def _share(labels: Sequence[bool | None]) -> float:
    judged = [label for label in labels if label is not None]
    return sum(judged) / len(judged)
