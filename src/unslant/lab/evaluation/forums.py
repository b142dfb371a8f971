"""Forum texts: whether they are biased, against whom they slant, and which phrase carries the bias."""

from __future__ import annotations

from collections.abc import Sequence

from unslant.lab import corpora
from unslant.lab.corpora.abuse import build_cad_sets
from unslant.lab.evaluation.held_out import Answer, Setting, load_part, predict_examples
from unslant.lab.evaluation.models import SentenceModel, measured_model
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.stats.metrics import ClassMetrics, accuracy
from unslant.lab.stats.spans import exact_f1, overlap_f1, token_f1, token_f1_mean

DIAGNOSIS_CORPUS = "cad"


def diagnosis(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure on identity- and affiliation-directed abuse in the test part, and an equal number of neutral texts."""
    model = measured_model(models, "diagnosis", "sentence", DIAGNOSIS_CORPUS)
    examples = list(corpora.load(DIAGNOSIS_CORPUS, setting.data))
    chosen = build_cad_sets([example for example in examples if example.split == "test"])["diagnosis"]
    answers = predict_examples(model, chosen, DIAGNOSIS_CORPUS, setting)
    labels = [ex.label for ex in examples if ex.split == "train" and ex.label is not None]
    odds = sum(labels) / len(labels)
    gold = [bool(answer.example.label) for answer in answers]
    even = at_even_odds(answers, odds)
    as_is = [answer.prediction.slanted for answer in answers]
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
    """Return verdicts for a half-biased set, from probabilities for text of which a share of ``odds`` is biased.

    By Bayes' theorem, a probability exceeds one half under even odds exactly where it exceeds the original odds.
    """
    return [
        answer.prediction.slanted
        if answer.prediction.probability is None
        else answer.prediction.probability >= odds
        for answer in answers
    ]


DIMENSION_CORPORA = ("reddit_bias", "crows_pairs", "stereoset", "hatexplain")


def dimensions(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure on the held-out parts of the corpora that stand in for CAD's dimensions, together and one by one."""
    model = measured_model(models, "dimensions", "dimension", *DIMENSION_CORPORA)
    answers: list[Answer] = []
    for corpus in DIMENSION_CORPORA:
        examples = [example for example in load_part(corpus, setting) if example.dimension is not None]
        answers += predict_examples(model, examples, corpus, setting)
    sections = [_dimension_section("together", answers, setting, classes=True)]
    for corpus in DIMENSION_CORPORA:
        own = [answer for answer in answers if answer.example.source == corpus]
        sections.append(_dimension_section(corpus, own, setting))
    notes = (
        "stand-ins: CAD's fine dimensions are not in this copy; held out is a tenth of each corpus, pairs together",
        "macro-F1 over the dimensions that occur; saying that a text slants against nobody is wrong here",
    )
    return Result("dimensions", model.name, tuple(sections), notes)


def _dimension_section(
    title: str, answers: Sequence[Answer], setting: Setting, *, classes: bool = False
) -> Section:
    gold = [str(answer.example.dimension) for answer in answers]
    found = ClassMetrics.exclusive(gold, [answer.prediction.dimension or "none" for answer in answers])
    groups = [f"{answer.example.source}/{answer.example.pair or answer.example.id}" for answer in answers]
    measures = {"macro-F1": found.macro(), "weighted F1": found.weighted()}
    if classes:
        measures |= {f"F1 of {name}": found.f1(name) for name in found.names}
    shown = figures("dimensions", measures, setting.resampling, groups=groups)
    return Section(f"{title} ({len(answers):,})", shown)


PHRASE_CORPUS = "reddit_bias"


def phrases(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure on the biased comments of the held-out part, each of which has one phrase."""
    model = measured_model(models, "phrases", "spans", PHRASE_CORPUS)
    examples = [example for example in load_part(PHRASE_CORPUS, setting) if example.spans]
    marked = [answer.spans for answer in predict_examples(model, examples, PHRASE_CORPUS, setting)]
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
