"""Agreement between annotators on one task: labels, spans and alignments of spans."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from unslant.core.encoding import encode_fields
from unslant.core.errors import UnknownName
from unslant.core.types import Span
from unslant.lab.annotation.coefficients import (
    Ratings,
    RatingScale,
    against_others_statistic,
    alpha,
    alpha_statistic,
    fleiss_statistic,
    mean_cohen_statistic,
    percent_statistic,
)
from unslant.lab.corpora.dataset import Annotation
from unslant.lab.stats.bootstrap import Estimate, Resampling, Statistic, estimate_metrics, estimates
from unslant.lab.stats.metrics import ratios

Mark = tuple[Span, str]
Marks = Mapping[str, Mapping[str, Set[Mark]]]
"""For each item and each annotator who looked at it, the marked spans with their labels."""


@dataclass(frozen=True, slots=True)
class PrecisionRecallF1:
    """Precision, recall and F1 of one annotator against another who is taken as right."""

    precision: Estimate
    recall: Estimate
    f1: Estimate


def collect_marks(annotations: Iterable[Annotation]) -> dict[str, dict[str, set[Mark]]]:
    """Gather marked spans; an annotator who marked nothing in an item still counts as having looked at it."""
    marks: dict[str, dict[str, set[Mark]]] = {}
    for annotation in annotations:
        marked = marks.setdefault(annotation.item, {}).setdefault(annotation.annotator, set())
        if annotation.span is not None:
            marked.add((annotation.span, annotation.label))
    return marks


def span_agreement(marks: Marks, resampling: Resampling | None = None) -> dict[str, Estimate]:
    """Return how far annotators mark the same spans with the same label: ``exact`` and ``overlap`` F1.

    Definition: over all pairs of annotators of an item, pooled, ``F1 = (a + b) / (A + B)``: of the ``A`` and ``B``
    spans that the two marked, ``a`` and ``b`` have a counterpart. ``exact``: same start, end and label; ``overlap``:
    a span of the other with the same label that shares a code point. F1 is the same whoever is taken as right.

    1: all have one. 0: none has. Higher is better; chance is not taken off. Items in which nobody marked anything do
    not count; undefined (None) where nobody marked anything at all, or no item has two annotators.
    """
    rows = [_pair_counts(by) for by in marks.values()]
    return estimate_metrics(ratios(rows, {"exact": (0, 2), "overlap": (1, 2)}), resampling or Resampling(0))


def _pair_counts(by: Mapping[str, Set[Mark]]) -> tuple[int, int, int]:
    def counterparts(marks: Set[Mark], others: Set[Mark]) -> int:
        return sum(
            any(label == other and span.overlaps(place) for place, other in others) for span, label in marks
        )

    exact = overlap = total = 0
    for first, other in combinations(by.values(), 2):
        total += len(first) + len(other)
        exact += 2 * len(first & other)
        overlap += counterparts(first, other) + counterparts(other, first)
    return exact, overlap, total


def alignment_agreement(
    reference: Mapping[str, Set[Hashable]],
    other: Mapping[str, Set[Hashable]],
    resampling: Resampling | None = None,
) -> PrecisionRecallF1:
    """Return precision, recall and F1 of one set of links by item against another that is taken as right.

    A link is anything that can be compared: a pair of spans, or a pair of words. Definition: with ``c`` links in
    both, ``precision = c / links of other``, ``recall = c / links of reference``, ``F1 = 2c / sum of the two``, pooled
    over the items that both annotated. 1: the same links; 0: none in common. Higher is better. Chance is not taken
    off.
    """
    rows = []
    for item in reference:
        if item in other:
            both, given, wanted = len(reference[item] & other[item]), len(other[item]), len(reference[item])
            rows.append((both, given, wanted, 2 * both, given + wanted))
    measures = ratios(rows, {"precision": (0, 1), "recall": (0, 2), "f1": (3, 4)})
    return PrecisionRecallF1(**estimate_metrics(measures, resampling or Resampling(0)))


_PAIRS_UP_TO = 20  # annotators; beyond, most pairs share few items and their mean says little


@dataclass(frozen=True, slots=True)
class AgreementSettings:
    """What to measure, and how to break it down."""

    scale: RatingScale = field(default_factory=RatingScale)
    resampling: Resampling = field(default_factory=Resampling)
    by: frozenset[str] = frozenset()
    """Any of ``label``, ``annotator``, ``batch`` and ``number``."""
    reference: str | None = None
    """An annotator who is taken as right: precision, recall and F1 of the others are measured against them."""


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """The agreement on one task."""

    task: str
    items: int
    annotators: int
    ratings: int
    paired: int
    """Items that two or more annotators judged; agreement is measured on these."""
    scale: RatingScale
    measures: Mapping[str, Estimate]
    by_label: Mapping[str, Estimate] = field(default_factory=dict)
    """Alpha of each label against all others; for spans, the overlap F1 of each label."""
    by_annotator: Mapping[str, Estimate] = field(default_factory=dict)
    """The kappa of each annotator against everyone else; for spans, the overlap F1 of their pairs."""
    by_batch: Mapping[str, AgreementReport] = field(default_factory=dict)
    by_number: Mapping[str, Estimate] = field(default_factory=dict)
    """Alpha that fewer annotators of each item would have reached, by their number."""
    against_reference: Mapping[str, PrecisionRecallF1] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            **encode_fields(self, "task", "items", "annotators", "ratings", "paired"),
            "level": self.scale.level,
            "order": list(self.scale.order),
            **encode_fields(self, "measures", "by_label", "by_annotator", "by_batch", "by_number"),
            **encode_fields(self, "against_reference"),
        }


def measure_agreement(
    annotations: Sequence[Annotation], task: str, settings: AgreementSettings | None = None
) -> AgreementReport:
    """Measure the agreement on one task; whether labels or spans are compared follows from the annotations."""
    settings = settings or AgreementSettings()
    chosen = [annotation for annotation in annotations if annotation.task == task]
    report = _report_spans if any(annotation.span is not None for annotation in chosen) else _label_agreement
    whole = report(chosen, task, settings)
    if "batch" not in settings.by:
        return whole
    batches: dict[str, list[Annotation]] = defaultdict(list)
    for annotation in chosen:
        batches[annotation.batch or ""].append(annotation)
    inner = AgreementSettings(settings.scale, settings.resampling)
    # numbered batches by their number, after those with a name
    order = sorted(batches, key=lambda name: (int(name), "") if name.isdigit() else (-1, name))
    return replace(whole, by_batch={name: measure_agreement(batches[name], task, inner) for name in order})


def _count_paired(annotations: Sequence[Annotation]) -> int:
    pairs = {(annotation.item, annotation.annotator) for annotation in annotations}
    return sum(count > 1 for count in Counter(item for item, _ in pairs).values())


def _label_agreement(
    annotations: Sequence[Annotation], task: str, settings: AgreementSettings
) -> AgreementReport:
    ratings = Ratings.of(annotations)
    settings.scale.values(ratings.labels)
    statistics: dict[str, Statistic] = {
        "alpha": alpha_statistic(ratings, settings.scale),
        "fleiss_kappa": fleiss_statistic(ratings),
        "percent": percent_statistic(ratings),
    }
    if len(ratings.annotators) <= _PAIRS_UP_TO:
        statistics["cohen_kappa"] = mean_cohen_statistic(ratings)
    labels = {
        label: alpha_statistic(ratings.one_against_rest(label), RatingScale()) for label in ratings.labels
    }
    annotators = {
        name: against_others_statistic(ratings, place) for place, name in enumerate(ratings.annotators)
    }
    size = len(ratings.items)
    return AgreementReport(
        task=task,
        items=size,
        annotators=len(ratings.annotators),
        ratings=len(ratings),
        paired=_count_paired(annotations),
        scale=settings.scale,
        measures=estimates(statistics, size, settings.resampling),
        by_label=estimates(labels, size, settings.resampling) if "label" in settings.by else {},
        by_annotator=estimates(annotators, size, settings.resampling) if "annotator" in settings.by else {},
        by_number=_alpha_by_number(annotations, settings) if "number" in settings.by else {},
        against_reference=_against(((each, each.label) for each in annotations), settings),
    )


_DRAWS = 20
_LEAST_ITEMS = 30


def _alpha_by_number(annotations: Sequence[Annotation], settings: AgreementSettings) -> dict[str, Estimate]:
    """Return alpha for 2, 3, … judgements of each item, drawn from those that it has.

    The value is the mean of 20 draws, and the interval the range of 95 % of alphas from one draw each time. Items with
    fewer judgements are left out, so the last numbers may rest on few items; those below 30 items are not reported.
    """
    generator = np.random.default_rng(settings.resampling.seed)
    by_item: dict[str, list[Annotation]] = defaultdict(list)
    for annotation in annotations:
        by_item[annotation.item].append(annotation)
    found: dict[str, Estimate] = {}
    for number in range(2, max(map(len, by_item.values()), default=0) + 1):
        enough = [judged for judged in by_item.values() if len(judged) >= number]
        if len(enough) < _LEAST_ITEMS:
            break
        alphas = []
        for _ in range(_DRAWS):
            drawn = [
                judged[at] for judged in enough for at in generator.choice(len(judged), number, replace=False)
            ]
            alphas.append(alpha(Ratings.of(drawn), settings.scale).value)
        known = [value for value in alphas if value is not None]
        bounds = np.quantile(known, [0.025, 0.975]).tolist() if known else (None, None)
        found[str(number)] = Estimate(float(np.mean(known)) if known else None, *bounds)
    return found


def _report_spans(
    annotations: Sequence[Annotation], task: str, settings: AgreementSettings
) -> AgreementReport:
    marks = collect_marks(annotations)
    links = ((each, (each.span, each.label) if each.span else None) for each in annotations)
    names = sorted({annotation.annotator for annotation in annotations})
    labels = sorted({annotation.label for annotation in annotations if annotation.span is not None})
    by_label, by_annotator = {}, {}
    if "label" in settings.by:
        for label in labels:
            only = {
                item: {who: {mark for mark in marked if mark[1] == label} for who, marked in by.items()}
                for item, by in marks.items()
            }
            by_label[label] = span_agreement(only, settings.resampling)["overlap"]
    if "annotator" in settings.by:
        by_annotator = {name: _span_annotator(marks, name, settings.resampling) for name in names}
    return AgreementReport(
        task=task,
        items=len(marks),
        annotators=len(names),
        ratings=sum(annotation.span is not None for annotation in annotations),
        paired=_count_paired(annotations),
        scale=RatingScale(),
        measures=span_agreement(marks, settings.resampling),
        by_label=by_label,
        by_annotator=by_annotator,
        against_reference=_against(links, settings),
    )


def _span_annotator(marks: Marks, name: str, resampling: Resampling) -> Estimate:
    pairs = {
        f"{item}\0{who}": {name: by[name], who: other}
        for item, by in marks.items()
        if name in by
        for who, other in by.items()
        if who != name
    }
    return span_agreement(pairs, resampling)["overlap"]


def _against(
    links: Iterable[tuple[Annotation, Hashable]], settings: AgreementSettings
) -> dict[str, PrecisionRecallF1]:
    if settings.reference is None:
        return {}
    by: dict[str, dict[str, set[Hashable]]] = defaultdict(dict)
    for annotation, link in links:
        given = by[annotation.annotator].setdefault(annotation.item, set())
        if link is not None:
            given.add(link)
    if settings.reference not in by:
        raise UnknownName("annotator", settings.reference, by)
    reference = by.pop(settings.reference)
    return {name: alignment_agreement(reference, given, settings.resampling) for name, given in by.items()}
