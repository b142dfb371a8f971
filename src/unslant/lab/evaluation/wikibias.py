"""WIKIBIAS: is a sentence biased, is it more biased than its neutral revision, of which kind, and which words."""

from __future__ import annotations

from collections.abc import Sequence

from unslant.core.taxonomy import kinds
from unslant.lab import corpora
from unslant.lab.corpora.wikibias import read_gold
from unslant.lab.evaluation.held_out import Answer, Setting, ask, part_of, single
from unslant.lab.evaluation.models import SentenceModel, need
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.stats.metrics import ClassMetrics, accuracy, mean, roc_auc
from unslant.lab.stats.spans import (
    SpanPrediction,
    exact_f1,
    overlap_f1,
    overlap_precision,
    overlap_recall,
    token_f1,
)

__all__ = ["binary", "fine_grained", "pairs_of", "pairwise", "tagging"]

CORPUS = "wikibias"
_TARGETS = (
    "in this copy every revised sentence is labelled neutral, and the publication calls about 238 of them biased, so "
    "figures over all sentences are not comparable with it; those of sources and pairs are"
)


def _answers(
    models: Sequence[SentenceModel], setting: Setting, task: str, answer: str
) -> tuple[SentenceModel, list[Answer]]:
    model = single(models, task)
    need(model, answer, task)
    model.lineage.check(model.name, CORPUS)
    return model, ask(model, part_of(CORPUS, setting), CORPUS, setting)


def binary(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Biased or not, over all test sentences and over the sources alone."""
    model, answers = _answers(models, setting, "wikibias", "sentence")
    sources = [one for one in answers if one.example.side == "source"]
    sections = (
        _binary("all test sentences", "wikibias", answers, setting),
        _binary("sources alone", "wikibias/sources", sources, setting),
        _pairs(answers, setting),
    )
    scores, labels = [one.prediction.score for one in answers], [bool(one.example.label) for one in answers]
    return Result(
        "wikibias",
        model.name,
        sections,
        (_TARGETS, *model.lineage.notes(CORPUS)),
        details={"area_under_roc": roc_auc(scores, labels)},
    )


def _binary(title: str, task: str, answers: Sequence[Answer], setting: Setting) -> Section:
    gold = [bool(one.example.label) for one in answers]
    guess = [one.prediction.slanted for one in answers]
    classes = ClassMetrics.exclusive(gold, guess)
    # the two sides of a pair are drawn together: they share most of their words
    pairs = [one.example.pair or one.example.id for one in answers]
    measures = {
        "F1 of biased": classes.f1(True),
        "precision of biased": classes.precision(True),
        "recall of biased": classes.recall(True),
        "accuracy": accuracy(gold, guess),
        "macro-F1": classes.macro(),
        "weighted F1": classes.weighted(),
    }
    grouped = {name: one.group_items(pairs) for name, one in measures.items()}
    return Section(f"{title} ({len(answers):,})", figures(task, grouped, setting.resampling))


def pairs_of(answers: Sequence[Answer]) -> list[tuple[Answer, Answer]]:
    """Return the pairs whose source was judged biased, each as source and target."""
    sides: dict[str, dict[str, Answer]] = {}
    for one in answers:
        if one.example.pair is not None and one.example.side is not None:
            sides.setdefault(one.example.pair, {})[one.example.side] = one
    return [
        (found["source"], found["target"])
        for found in sides.values()
        if len(found) == 2 and found["source"].example.label
    ]


def _pairs(answers: Sequence[Answer], setting: Setting) -> Section:
    pairs = pairs_of(answers)
    above = mean([float(one.prediction.score > other.prediction.score) for one, other in pairs])
    ties = mean([float(one.prediction.score == other.prediction.score) for one, other in pairs])
    measures = {"source above its target": above, "the same score": ties}
    return Section(
        "biased test pairs", figures("pairwise", measures, setting.resampling, ("the same score",))
    )


def pairwise(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Is a biased sentence scored above its neutral revision? A tie is no."""
    model, answers = _answers(models, setting, "pairwise", "sentence")
    notes = ("the publication gives no pairwise figure", *model.lineage.notes(CORPUS))
    return Result("pairwise", model.name, (_pairs(answers, setting),), notes)


def fine_grained(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """The three kinds, each of which a sentence may have or not, over all test sentences and over the sources alone."""
    model, answers = _answers(models, setting, "fine-grained", "kinds")
    sources = [one for one in answers if one.example.side == "source"]
    sections = (
        _kinds("all test sentences", "fine-grained", answers, setting),
        _kinds("sources alone", "fine-grained/sources", sources, setting),
    )
    notes = (_TARGETS, "kinds are given for a sentence as a whole", *model.lineage.notes(CORPUS))
    return Result("fine-grained", model.name, sections, notes)


def _kinds(title: str, task: str, answers: Sequence[Answer], setting: Setting) -> Section:
    gold = [one.example.kinds or frozenset() for one in answers]
    classes = ClassMetrics(gold, [one.prediction.kinds for one in answers], kinds())
    pairs = [one.example.pair or one.example.id for one in answers]
    measures = {"macro-F1": classes.macro()}
    for name in kinds():
        measures |= {
            f"F1 of {name}": classes.f1(name),
            f"precision of {name}": classes.precision(name),
            f"recall of {name}": classes.recall(name),
        }
    grouped = {name: one.group_items(pairs) for name, one in measures.items()}
    return Section(f"{title} ({len(answers):,})", figures(task, grouped, setting.resampling))


def tagging(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """The biased words of the source sentences, against the authors' own marks."""
    model = single(models, "tagging")
    need(model, "spans", "tagging")
    model.lineage.check(model.name, CORPUS)
    examples = list(read_gold(corpora.load(CORPUS, setting.data).source))
    answers = ask(model, examples, CORPUS, setting)
    marked = [
        SpanPrediction(
            one.example.text,
            tuple(span.span for span in one.example.spans or ()),
            tuple(span.span for span in one.prediction.spans),
        )
        for one in answers
    ]
    measures = {
        "exact F1": exact_f1(marked),
        "overlap F1": overlap_f1(marked),
        "overlap precision": overlap_precision(marked),
        "overlap recall": overlap_recall(marked),
        "token F1": token_f1(marked),
    }
    spans, found = sum(len(one.gold) for one in marked), sum(len(one.predicted) for one in marked)
    # how many were predicted is no part of the title: two models are compared where titles are the same
    section = Section(
        f"{len(marked):,} source sentences, {spans:,} gold spans",
        figures("tagging", measures, setting.resampling),
    )
    notes = (
        f"{model.name} marked {found:,} spans",
        "the publication trained on 420,000 weakly labelled sentences that are not public",
        *model.lineage.notes(CORPUS),
    )
    return Result("tagging", model.name, (section,), notes)
