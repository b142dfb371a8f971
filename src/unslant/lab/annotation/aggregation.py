"""One label from many: majorities, shares and marked words, with BABE's published figures beside them.

The publication of BABE does not state its level of measurement, its rule for a majority and its way of counting
words; the choices here are the ones that reproduce its figures.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from unslant.core.encoding import Encoded, encode_fields
from unslant.core.errors import InputError
from unslant.lab.annotation.agreement import AgreementReport
from unslant.lab.annotation.coefficients import RatingScale
from unslant.lab.annotation.dawid_skene import dawid_skene
from unslant.lab.corpora import load
from unslant.lab.corpora.dataset import Annotation
from unslant.lab.corpora.media_bias import final_rows, item_id
from unslant.lab.corpora.statistics import FigureComparison, published_figures
from unslant.lab.corpora.tables import TableRow

NO_AGREEMENT = "no agreement"
WORDS = "words marked by enough annotators"
WORDS_PER_ITEM = "per item that has one"

Rule = Literal["most", "half", "dawid-skene"]
"""``most``: the label given most often, if no other was given as often; ``half``: the label of more than half;
``dawid-skene``: the likeliest label, with each annotator's reliability taken into account."""


@dataclass(frozen=True, slots=True)
class AggregatedItem:
    """The combined judgement of the annotators of one item."""

    item: str
    text: str
    label: str | None
    """None: no agreement."""
    shares: Mapping[str, float]
    """The soft label: the share of annotators for each label that was given, or by ``dawid-skene`` the probability of
    each, the highest first."""
    ratings: int

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return encode_fields(self, "item", "label", "shares", "ratings", "text")


def majority_labels(
    annotations: Iterable[Annotation], task: str, rule: Rule = "most"
) -> list[AggregatedItem]:
    """Return the majority label and the soft label of every item, in the order in which they first come."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    texts: dict[str, str] = {}
    judged = [each for each in annotations if each.task == task and each.span is None]
    for annotation in judged:
        votes[annotation.item][annotation.label] += 1
        texts.setdefault(annotation.item, annotation.text)
    if not votes:
        raise InputError(f"nobody judged the task {task!r}; choose another with --task")
    if rule != "dawid-skene":
        return [_aggregate_item(item, texts[item], counts, rule) for item, counts in votes.items()]
    found = []
    for item, shares in dawid_skene((each.item, each.annotator, each.label) for each in judged).items():
        label, probability = next(iter(shares.items()))
        likeliest = label if probability > 0.5 else None
        found.append(AggregatedItem(item, texts[item], likeliest, shares, votes[item].total()))
    return found


def disputed_items(aggregated: Iterable[AggregatedItem]) -> list[AggregatedItem]:
    """Return the items that annotators do not agree on, the most disputed first: what somebody should decide."""
    divided = [item for item in aggregated if item.label is None or max(item.shares.values()) < 1]
    return sorted(divided, key=lambda item: (max(item.shares.values()), item.item))


def _aggregate_item(item: str, text: str, counts: Counter[str], rule: Rule) -> AggregatedItem:
    total = counts.total()
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    tied = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
    enough = ranked[0][1] * 2 > total if rule == "half" else not tied
    shares = {label: count / total for label, count in ranked}
    return AggregatedItem(item, text, ranked[0][0] if enough else None, shares, total)


def class_shares(aggregated: Sequence[AggregatedItem]) -> dict[str, float]:
    """Return the share of items with each label, the largest first; items without agreement are counted apart, last."""
    counts = Counter(item.label for item in aggregated)
    missing = counts.pop(None, 0)
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0])))
    shares = {str(label): count / len(aggregated) for label, count in ranked}
    return {**shares, NO_AGREEMENT: missing / len(aggregated)}


@dataclass(frozen=True, slots=True)
class MarkedWords(Encoded):
    """The words of one item that enough annotators marked."""

    item: str
    words: tuple[str, ...]
    """In the order in which they were first marked."""
    votes: Mapping[str, int]
    """How many votes every marked word has, enough or not."""


def word_votes(
    annotations: Iterable[Annotation], threshold: int, *, mentions: bool = False, task: str = "words"
) -> list[MarkedWords]:
    """Return the words that at least ``threshold`` annotators marked, by item.

    A marked phrase votes for each of its words. An annotator has one vote for a word, however often they marked it;
    with ``mentions`` every mark is a vote, which is how the published lists of BABE were made.
    """
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    seen: set[tuple[str, str, str]] = set()
    for annotation in annotations:
        if annotation.task != task:
            continue
        for word in annotation.label.split():
            key = (annotation.item, annotation.annotator, word)
            if mentions or key not in seen:
                votes[annotation.item][word] += 1
                seen.add(key)
    return [
        MarkedWords(item, tuple(word for word, count in counts.items() if count >= threshold), dict(counts))
        for item, counts in votes.items()
    ]


def word_figures(marked: Sequence[MarkedWords]) -> dict[str, float]:
    """Return how many words were marked by enough annotators, and how many in an item that has one."""
    total = sum(len(item.words) for item in marked)
    having = sum(bool(item.words) for item in marked)
    return {WORDS: total, **({WORDS_PER_ITEM: total / having} if having else {})}


@dataclass(frozen=True, slots=True)
class SummarySettings:
    """How many judgements are combined into one."""

    rule: Rule = "most"
    least: int | None = None
    """Items with fewer judgements are left out, and counted; None: 2, since one annotator is not a majority."""
    threshold: int | None = None
    """Votes from which a marked word counts; None: what the publication used, or 2."""
    mentions: bool = False
    """Count every mark of a word rather than every annotator once."""
    sentences: frozenset[str] = frozenset()
    """For a corpus with published figures, the ids of its sentences: their figures are then reported next to ours."""


@dataclass(frozen=True, slots=True)
class AggregationSummary:
    """One task of one source."""

    task: str
    items: int
    left_out: int
    """Items with too few judgements."""
    figures: Mapping[str, float]
    """Shares of the labels; for marked words, counts."""
    compared: Sequence[FigureComparison] = ()
    """The published figures next to ours, computed from exactly the judgements behind them."""
    rows: Sequence[Mapping[str, Any]] = field(default_factory=list)
    """One for each item."""
    disputed: Sequence[Mapping[str, Any]] = field(default_factory=list)
    """The rows of items that annotators do not agree on, the most disputed first."""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, without the rows."""
        return encode_fields(self, "task", "items", "left_out", "figures", "compared")


def summarize(
    corpus: str, annotations: Sequence[Annotation], task: str, settings: SummarySettings
) -> AggregationSummary:
    """Aggregate one task: a majority and shares of labels, or the words that enough annotators marked."""
    chosen = [annotation for annotation in annotations if annotation.task == task]
    if any(annotation.span is not None for annotation in chosen):
        raise InputError(
            f"the task {task!r} marks spans, which have no majority; 'unslant agree' compares them"
        )
    if task == "words":
        return _summarize_words(corpus, chosen, settings)
    least = settings.least or (LEAST_RATINGS if has_published_figures(corpus) else 2)
    every = majority_labels(chosen, task, settings.rule)
    kept = [item for item in every if item.ratings >= least]
    if not kept:
        raise InputError(
            f"no item of {task!r} has {least} judgements or more; choose fewer with --min-ratings"
        )
    compared: Sequence[FigureComparison] = ()
    if settings.sentences:
        judged = select_published(chosen, settings.sentences)
        compared = compare_shares(corpus, task, majority_labels(judged, task, settings.rule))
    rows = [{"task": task, **item.to_dict()} for item in kept]
    disputed = [{"task": task, **item.to_dict()} for item in disputed_items(kept)]
    return AggregationSummary(
        task, len(kept), len(every) - len(kept), class_shares(kept), compared, rows, disputed
    )


def _summarize_words(
    corpus: str, annotations: Sequence[Annotation], settings: SummarySettings
) -> AggregationSummary:
    known = has_published_figures(corpus)
    threshold = settings.threshold or (THRESHOLDS[corpus.removeprefix("babe/")] if known else 2)
    marked = word_votes(annotations, threshold, mentions=settings.mentions)
    compared = compare_words(corpus, word_votes(annotations, threshold, mentions=True)) if known else ()
    rows = [{"task": "words", **item.to_dict()} for item in marked]
    return AggregationSummary("words", len(marked), 0, word_figures(marked), compared, rows)


_OPINIONS = (
    "Entirely factual",
    "Somewhat factual but also opinionated",
    "Expresses writer\u2019s opinion",
)
SCALES: Mapping[str, RatingScale] = {"bias": RatingScale(), "opinion": RatingScale("interval", _OPINIONS)}
THRESHOLDS: Mapping[str, int] = {"sg1": 3, "sg2": 2, "mbic": 4}
"""Marks from which a word counts. SG1 and SG2 as published; for MBIC none was, and 4 comes closest."""
LEAST_RATINGS = 3
"""Sentences truncated in one annotator's file have only one or two ratings; they are not items."""

_SURVEY_LEFT_OUT = "0045473f40ec42a2bd2ca0ee35df0b75"

_CLASSES = {
    "bias": {"Biased": "biased", "Non-biased": "non_biased", NO_AGREEMENT: "no_agreement"},
    "opinion": {
        _OPINIONS[2]: "opinionated",
        "Entirely factual": "factual",
        "Somewhat factual but also opinionated": "mixed",
        NO_AGREEMENT: "opinion_no_agreement",
    },
}
_BY_WORDS = "the published list was cleaned further: see docs/agreement.md"


def has_published_figures(corpus: str) -> bool:
    """Return whether there are published figures."""
    return corpus.startswith("babe/") and corpus.removeprefix("babe/") in THRESHOLDS


def published_sentences(corpus: str, data: Path | None) -> frozenset[str]:
    """Return the ids of the sentences that have a published label; none for a corpus without published figures."""
    if not has_published_figures(corpus):
        return frozenset()
    source = load(corpus, data).source
    return frozenset(item_id(row.text("text")) for row in final_rows(source) if isinstance(row, TableRow))


def select_published(annotations: Iterable[Annotation], sentences: Container[str]) -> list[Annotation]:
    """Return the judgements behind the published labels, by the ids of the published sentences.

    The publication put judgements together by their text, to the character: those of annotators in whose file a
    sentence was typed differently are lost to it. In MBIC it left one survey out of the labels, though not out of
    alpha.
    """
    kept = []
    for annotation in annotations:
        item = item_id(annotation.text)
        if item in sentences and annotation.annotator != _SURVEY_LEFT_OUT:
            kept.append(replace(annotation, item=item))
    return kept


def _figures(corpus: str) -> Mapping[str, float]:
    figures: Mapping[str, float] = published_figures("babe")[corpus.removeprefix("babe/")]
    return figures


def compare_agreement(corpus: str, report: AgreementReport) -> FigureComparison:
    """Return alpha beside the published one."""
    return FigureComparison(
        f"alpha, {report.task}",
        _figures(corpus).get(f"alpha_{report.task}"),
        report.measures["alpha"].value,
        digits=2,
    )


def compare_shares(corpus: str, task: str, aggregated: Sequence[AggregatedItem]) -> list[FigureComparison]:
    """Return the class shares in percent beside those of Tables 2 and 4."""
    shares, found = class_shares(aggregated), []
    for label, key in _CLASSES.get(task, {}).items():
        figure = FigureComparison(label, _figures(corpus).get(key), 100 * shares.get(label, 0.0), digits=2)
        number = round(abs((figure.ours or 0) - (figure.published or 0)) * len(aggregated) / 100)
        found.append(_explain(figure, f"{number} sentence{'s' * (number != 1)}: see docs/agreement.md"))
    return found


def compare_words(corpus: str, marked: Sequence[MarkedWords]) -> list[FigureComparison]:
    """Return the word counts next to those of Table 1; the average is over sentences with such a word."""
    figures, ours = _figures(corpus), word_figures(marked)
    compared = [
        FigureComparison(WORDS, figures.get("biased_words"), ours[WORDS]),
        FigureComparison(WORDS_PER_ITEM, figures.get("words_per_biased"), ours.get(WORDS_PER_ITEM), digits=2),
    ]
    return [_explain(comparison, _BY_WORDS) for comparison in compared]


def _explain(comparison: FigureComparison, why: str) -> FigureComparison:
    return replace(comparison, why=why) if comparison.same is False else comparison
