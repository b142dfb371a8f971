"""All that can be said about the agreement on one task, as one value."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from unslant.core.errors import UnknownName
from unslant.lab.corpora.agreement.alpha import alpha_statistic
from unslant.lab.corpora.agreement.kappa import (
    against_others_statistic,
    fleiss_statistic,
    mean_cohen_statistic,
    percent_statistic,
)
from unslant.lab.corpora.agreement.ratings import Ratings, Scale
from unslant.lab.corpora.agreement.spans import PRF, Marks, alignment_agreement, marks_of, span_agreement
from unslant.lab.corpora.annotation import Annotation
from unslant.lab.stats.bootstrap import Estimate, Resampling, Statistic, estimates

__all__ = ["AgreementReport", "AgreementSettings", "agreement"]

_PAIRS_UP_TO = 20  # annotators; beyond, most pairs share few items and their mean says little


@dataclass(frozen=True, slots=True)
class AgreementSettings:
    """What is measured, and how finely."""

    scale: Scale = field(default_factory=Scale)
    resampling: Resampling = field(default_factory=Resampling)
    by: frozenset[str] = frozenset()
    """Any of ``label``, ``annotator`` and ``batch``."""
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
    """Items that two or more annotators judged; the others say nothing about agreement."""
    scale: Scale
    measures: Mapping[str, Estimate]
    by_label: Mapping[str, Estimate] = field(default_factory=dict)
    """Alpha of each label against all others; for spans, the overlap F1 of each label."""
    by_annotator: Mapping[str, Estimate] = field(default_factory=dict)
    """The kappa of each annotator against everyone else; for spans, the overlap F1 of their pairs."""
    by_batch: Mapping[str, AgreementReport] = field(default_factory=dict)
    against_reference: Mapping[str, PRF] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "task": self.task,
            "items": self.items,
            "annotators": self.annotators,
            "ratings": self.ratings,
            "paired": self.paired,
            "level": self.scale.level,
            "order": list(self.scale.order),
            "measures": _wire(self.measures),
            "by_label": _wire(self.by_label),
            "by_annotator": _wire(self.by_annotator),
            "by_batch": {name: report.to_dict() for name, report in self.by_batch.items()},
            "against_reference": {
                name: _wire({"precision": prf.precision, "recall": prf.recall, "f1": prf.f1})
                for name, prf in self.against_reference.items()
            },
        }


def _wire(measures: Mapping[str, Estimate]) -> dict[str, Any]:
    return {name: value.to_dict() for name, value in measures.items()}


def agreement(
    annotations: Sequence[Annotation], task: str, settings: AgreementSettings | None = None
) -> AgreementReport:
    """Measure the agreement on one task; whether labels or spans are compared follows from the annotations."""
    settings = settings or AgreementSettings()
    chosen = [one for one in annotations if one.task == task]
    whole = _spans(chosen, task, settings) if _marks_spans(chosen) else _labels(chosen, task, settings)
    if "batch" not in settings.by:
        return whole
    batches: dict[str, list[Annotation]] = defaultdict(list)
    for one in chosen:
        batches[one.batch or ""].append(one)
    inner = AgreementSettings(settings.scale, settings.resampling)
    return replace(
        whole,
        by_batch={name: agreement(batches[name], task, inner) for name in sorted(batches, key=_natural)},
    )


def _natural(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdigit() else (-1, name)


def _marks_spans(annotations: Sequence[Annotation]) -> bool:
    return any(one.span is not None for one in annotations)


def _paired(annotations: Sequence[Annotation]) -> int:
    pairs = {(one.item, one.annotator) for one in annotations}
    return sum(count > 1 for count in Counter(item for item, _ in pairs).values())


def _labels(annotations: Sequence[Annotation], task: str, settings: AgreementSettings) -> AgreementReport:
    ratings = Ratings.of(annotations)
    settings.scale.values(ratings.labels)
    statistics: dict[str, Statistic] = {
        "alpha": alpha_statistic(ratings, settings.scale),
        "fleiss_kappa": fleiss_statistic(ratings),
        "percent": percent_statistic(ratings),
    }
    if len(ratings.annotators) <= _PAIRS_UP_TO:
        statistics["cohen_kappa"] = mean_cohen_statistic(ratings)
    labels = {label: alpha_statistic(ratings.one_against_rest(label), Scale()) for label in ratings.labels}
    annotators = {
        name: against_others_statistic(ratings, place) for place, name in enumerate(ratings.annotators)
    }
    size = len(ratings.items)
    return AgreementReport(
        task=task,
        items=size,
        annotators=len(ratings.annotators),
        ratings=len(ratings),
        paired=_paired(annotations),
        scale=settings.scale,
        measures=estimates(statistics, size, settings.resampling),
        by_label=estimates(labels, size, settings.resampling) if "label" in settings.by else {},
        by_annotator=estimates(annotators, size, settings.resampling) if "annotator" in settings.by else {},
        against_reference=_against_labels(annotations, settings),
    )


def _spans(annotations: Sequence[Annotation], task: str, settings: AgreementSettings) -> AgreementReport:
    marks = marks_of(annotations)
    names = sorted({one.annotator for one in annotations})
    labels = sorted({one.label for one in annotations if one.span is not None})
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
        ratings=sum(one.span is not None for one in annotations),
        paired=_paired(annotations),
        scale=Scale(),
        measures=span_agreement(marks, settings.resampling),
        by_label=by_label,
        by_annotator=by_annotator,
        against_reference=_against_spans(annotations, settings),
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


def _against_labels(annotations: Sequence[Annotation], settings: AgreementSettings) -> dict[str, PRF]:
    return _against(((one, one.label) for one in annotations), settings)


def _against_spans(annotations: Sequence[Annotation], settings: AgreementSettings) -> dict[str, PRF]:
    return _against(((one, (one.span, one.label) if one.span else None) for one in annotations), settings)


def _against(links: Iterable[tuple[Annotation, Hashable]], settings: AgreementSettings) -> dict[str, PRF]:
    if settings.reference is None:
        return {}
    by: dict[str, dict[str, set[Hashable]]] = defaultdict(dict)
    for one, link in links:
        given = by[one.annotator].setdefault(one.item, set())
        if link is not None:
            given.add(link)
    if settings.reference not in by:
        raise UnknownName("annotator", settings.reference, by)
    reference = by.pop(settings.reference)
    return {name: alignment_agreement(reference, given, settings.resampling) for name, given in by.items()}
