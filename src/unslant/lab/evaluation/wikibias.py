"""WIKIBIAS: whether a sentence is biased, and more so than its neutral revision, of which kind, and in which words."""

from __future__ import annotations

from collections.abc import Sequence

from unslant.core.errors import ConfigError
from unslant.core.taxonomy import kinds
from unslant.lab import corpora
from unslant.lab.corpora.editor import EDITOR
from unslant.lab.corpora.wikipedia import read_gold
from unslant.lab.evaluation.held_out import Answer, Setting, load_part, predict_examples
from unslant.lab.evaluation.models import SentenceModel, measured_model
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.stats.metrics import ClassMetrics, accuracy, mean, roc_auc
from unslant.lab.stats.spans import (
    SpanPrediction,
    exact_f1,
    overlap_f1,
    overlap_precision,
    overlap_recall,
    right_end_f1,
    token_f1,
    trim_as_published,
)

CORPUS = "wikibias"
_LABELLED = "test sentences with a label"
_COMPARABLE = (
    "labels as published; this copy has 2,098 of the publication's 2,104 test sentences, and 850 of its 852 biased "
    "ones"
)
_UNKNOWN = (
    "sources without marked words are left out, as the file of published labels is missing: the publication calls some "
    "of them biased, so figures over all sentences are not comparable with it"
)


def _answers(
    models: Sequence[SentenceModel], setting: Setting, task: str, answer: str
) -> tuple[SentenceModel, list[Answer]]:
    model = measured_model(models, task, answer, CORPUS)
    examples = [example for example in load_part(CORPUS, setting) if example.label is not None]
    return model, predict_examples(model, examples, CORPUS, setting)


def _pair_names(answers: Sequence[Answer]) -> list[str]:
    """Return the pair of each answer: its two sides are resampled together, as they share most of their words."""
    return [answer.example.pair or answer.example.id for answer in answers]


def binary(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure the verdict, biased or not, over the test sentences with a label."""
    model, answers = _answers(models, setting, "wikibias", "sentence")
    sections = (_binary(answers, setting), _pairs(answers, setting))
    scores = [answer.prediction.score for answer in answers]
    labels = [bool(answer.example.label) for answer in answers]
    return Result(
        "wikibias",
        model.name,
        sections,
        (_labels_note(answers), *model.lineage.notes(CORPUS)),
        details={"area_under_roc": roc_auc(scores, labels)},
    )


def _labels_note(answers: Sequence[Answer]) -> str:
    neutral_source = any(answer.example.side == "source" and not answer.example.label for answer in answers)
    return _COMPARABLE if neutral_source else _UNKNOWN


def _binary(answers: Sequence[Answer], setting: Setting) -> Section:
    gold = [bool(answer.example.label) for answer in answers]
    guess = [answer.prediction.slanted for answer in answers]
    classes = ClassMetrics.exclusive(gold, guess)
    measures = {
        "F1 of biased": classes.f1(True),
        "precision of biased": classes.precision(True),
        "recall of biased": classes.recall(True),
        "accuracy": accuracy(gold, guess),
        "macro-F1": classes.macro(),
        "weighted F1": classes.weighted(),
    }
    found = figures("wikibias", measures, setting.resampling, groups=_pair_names(answers))
    return Section(f"{_LABELLED} ({len(answers):,})", found)


def pairs_of(answers: Sequence[Answer]) -> list[tuple[Answer, Answer]]:
    """Return the pairs whose source was judged biased, each as source and target."""
    sides: dict[str, dict[str, Answer]] = {}
    for answer in answers:
        if answer.example.pair is not None and answer.example.side is not None:
            sides.setdefault(answer.example.pair, {})[answer.example.side] = answer
    return [
        (found["source"], found["target"])
        for found in sides.values()
        if len(found) == 2 and found["source"].example.label
    ]


def _pairs(answers: Sequence[Answer], setting: Setting) -> Section:
    pairs = pairs_of(answers)
    scores = [(source.prediction.score, target.prediction.score) for source, target in pairs]
    measures = {
        "source above its target": mean([float(source > target) for source, target in scores]),
        "the same score": mean([float(source == target) for source, target in scores]),
    }
    found = figures("pairwise", measures, setting.resampling, ("the same score",))
    return Section("biased test pairs", found)


def pairwise(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure how often a biased sentence scores above its neutral revision; a tie does not count."""
    model, answers = _answers(models, setting, "pairwise", "sentence")
    notes = ("the publication gives no pairwise figure", *model.lineage.notes(CORPUS))
    return Result("pairwise", model.name, (_pairs(answers, setting),), notes)


def fine_grained(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure the three kinds, which a sentence may share, over sentences with a label and over biased ones."""
    model, judged = _answers(models, setting, "fine-grained", "kinds")
    # a biased sentence in which no word is marked has no kinds to compare with
    answers = [answer for answer in judged if answer.example.kinds is not None]
    sources = [answer for answer in answers if answer.example.side == "source" and answer.example.label]
    sections = (
        _kinds(_LABELLED, "fine-grained", answers, setting),
        _kinds("biased sources alone", "fine-grained/sources", sources, setting),
    )
    notes = (
        _labels_note(judged),
        f"{len(judged) - len(answers)} biased sentences have no marked words and no kinds, and are left out",
        "kinds are given for a sentence as a whole",
        *model.lineage.notes(CORPUS),
    )
    return Result("fine-grained", model.name, sections, notes)


def _kinds(title: str, task: str, answers: Sequence[Answer], setting: Setting) -> Section:
    gold = [answer.example.kinds or frozenset() for answer in answers]
    classes = ClassMetrics(gold, [answer.prediction.kinds for answer in answers], kinds())
    measures = {"macro-F1": classes.macro()}
    for name in kinds():
        measures |= {
            f"F1 of {name}": classes.f1(name),
            f"precision of {name}": classes.precision(name),
            f"recall of {name}": classes.recall(name),
        }
    found = figures(task, measures, setting.resampling, groups=_pair_names(answers))
    return Section(f"{title} ({len(answers):,})", found)


def tagging(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure the biased words found in source sentences against the authors' own annotations."""
    model = measured_model(models, "tagging", "spans", CORPUS)
    examples = list(read_gold(corpora.load(CORPUS, setting.data).source))
    marked = [answer.spans for answer in predict_examples(model, examples, CORPUS, setting)]
    measures = {
        "exact F1": exact_f1(marked),
        "overlap F1": overlap_f1(marked),
        "overlap precision": overlap_precision(marked),
        "overlap recall": overlap_recall(marked),
        "token F1": token_f1(marked),
    }
    spans = sum(len(sentence.gold) for sentence in marked)
    found = sum(len(sentence.predicted) for sentence in marked)
    # the titles omit how many spans were predicted: two models are compared where titles are equal
    section = Section(
        f"{len(marked):,} source sentences, {spans:,} gold spans",
        figures("tagging", measures, setting.resampling),
    )
    trimmed = trim_as_published(marked)
    measures = {
        "exact F1, as published": exact_f1(trimmed),
        "partial F1, as published": right_end_f1(trimmed),
    }
    published = Section(
        f"scored as in the publication: {len(trimmed):,} biased sources, articles, 'and' and commas trimmed, partial "
        "where the right end is the same",
        figures("tagging", measures, setting.resampling),
    )
    notes = (
        f"{model.name} marked {found:,} spans",
        "the publication trained on 420,000 weakly labelled sentences that are not public",
        *model.lineage.notes(CORPUS),
    )
    return Result("tagging", model.name, (section, published), notes)


def readers(setting: Setting) -> Result:
    """Measure one independent reader of the editors' corpus against the other: what tagging could reach at best."""
    examples = [example for example in corpora.load(EDITOR, setting.data) if example.second is not None]
    if not examples:
        raise ConfigError(f"no text of {EDITOR!r} was read twice")
    marked = [
        SpanPrediction(
            example.text,
            tuple(span.span for span in example.spans or ()),
            tuple(span.span for span in example.second or ()),
        )
        for example in examples
    ]
    trimmed = trim_as_published(marked)
    measures = {
        "exact F1": exact_f1(marked),
        "overlap F1": overlap_f1(marked),
        "exact F1, as published": exact_f1(trimmed),
        "partial F1, as published": right_end_f1(trimmed),
    }
    gold = [bool(sentence.gold) for sentence in marked]
    guess = [bool(sentence.predicted) for sentence in marked]
    measures |= {
        "F1 of biased": ClassMetrics.exclusive(gold, guess).f1(True),
        "accuracy": accuracy(gold, guess),
    }
    section = Section(f"{len(marked):,} sentences", figures("readers", measures, setting.resampling))
    notes = (
        "the second of two independent readers against the first, sentence by sentence",
        "both readers are language models in the role of an editor, so this bounds what the labels allow, not what "
        "people would agree on",
    )
    return Result("readers", "the second reader", (section,), notes)
