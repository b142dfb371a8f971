"""Text of forums: is it biased, against whom does it slant, and which phrase carries the bias."""

from __future__ import annotations

from collections.abc import Sequence

from unslant.lab import corpora
from unslant.lab.corpora.cad import build_cad_sets
from unslant.lab.evaluation.held_out import Answer, Setting, ask, part_of, single
from unslant.lab.evaluation.models import SentenceModel, need
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.stats.metrics import ClassMetrics, accuracy
from unslant.lab.stats.spans import SpanPrediction, exact_f1, overlap_f1, token_f1, token_f1_mean

__all__ = ["at_even_odds", "diagnosis", "dimensions", "phrases"]

DIAGNOSIS_CORPUS = "cad"


def diagnosis(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure on identity- and affiliation-directed abuse of the test part, and as many neutral texts."""
    model = single(models, "diagnosis")
    need(model, "sentence", "diagnosis")
    model.lineage.check(model.name, DIAGNOSIS_CORPUS)
    examples = list(corpora.load(DIAGNOSIS_CORPUS, setting.data))
    chosen = build_cad_sets([one for one in examples if one.split == "test"])["diagnosis"]
    answers = ask(model, chosen, DIAGNOSIS_CORPUS, setting)
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
        *model.lineage.notes(DIAGNOSIS_CORPUS),
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


DIMENSION_CORPORA = ("reddit_bias", "crows_pairs", "stereoset", "hatexplain")


def dimensions(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure on the held-out parts of the corpora that stand in for CAD's dimensions, together and one by one."""
    model = single(models, "dimensions")
    need(model, "dimension", "dimensions")
    for corpus in DIMENSION_CORPORA:
        model.lineage.check(model.name, corpus)
    answers: list[Answer] = []
    for corpus in DIMENSION_CORPORA:
        examples = [one for one in part_of(corpus, setting) if one.dimension is not None]
        answers += ask(model, examples, corpus, setting)
    sections = [_dimension_section("together", answers, setting, classes=True)]
    for corpus in DIMENSION_CORPORA:
        own = [one for one in answers if one.example.source == corpus]
        sections.append(_dimension_section(corpus, own, setting))
    notes = (
        "stand-ins: CAD's fine dimensions are not in this copy; held out is a tenth of each corpus, pairs together",
        "macro-F1 over the dimensions that occur; saying that a text slants against nobody is wrong here",
    )
    return Result("dimensions", model.name, tuple(sections), notes)


def _dimension_section(
    title: str, answers: Sequence[Answer], setting: Setting, *, classes: bool = False
) -> Section:
    gold = [str(one.example.dimension) for one in answers]
    found = ClassMetrics.exclusive(gold, [one.prediction.dimension or "none" for one in answers])
    groups = [f"{one.example.source}/{one.example.pair or one.example.id}" for one in answers]
    measures = {"macro-F1": found.macro(), "weighted F1": found.weighted()}
    if classes:
        measures |= {f"F1 of {name}": found.f1(name) for name in found.names}
    grouped = {name: one.group_items(groups) for name, one in measures.items()}
    return Section(f"{title} ({len(answers):,})", figures("dimensions", grouped, setting.resampling))


PHRASE_CORPUS = "reddit_bias"


def phrases(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure on the biased comments of the held-out part, each of which has one phrase."""
    model = single(models, "phrases")
    need(model, "spans", "phrases")
    model.lineage.check(model.name, PHRASE_CORPUS)
    examples = [one for one in part_of(PHRASE_CORPUS, setting) if one.spans]
    marked = [
        SpanPrediction(
            one.example.text,
            tuple(span.span for span in one.example.spans or ()),
            tuple(span.span for span in one.prediction.spans),
        )
        for one in ask(model, examples, PHRASE_CORPUS, setting)
    ]
    measures = {
        "token F1, mean of texts": token_f1_mean(marked),
        "token F1, all together": token_f1(marked),
        "exact F1": exact_f1(marked),
        "overlap F1": overlap_f1(marked),
    }
    notes = (
        "a stand-in: the published figures are for the rationales of CAD, which are not in this copy",
        *model.lineage.notes(PHRASE_CORPUS),
    )
    section = Section(f"{len(marked):,} biased comments", figures("phrases", measures, setting.resampling))
    return Result("phrases", model.name, (section,), notes)
