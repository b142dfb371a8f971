"""Compares the weak labeller with the annotators of WIKIBIAS, and fits its weights.

**Accuracy**: the share of the sentences with a label, sources and targets, whose label (slanted or not) is that of the
annotators; without the file of published labels, a source without marked words has none.
**A span matches** if it shares at least one word with a span of the other side. **Precision**: of the spans that the
labeller marks in all sources, the share that matches a span of the annotators. **Recall**: of the annotators' spans,
the share that matches a span of the labeller. 1 is best.

The released corpus holds the annotators' *slanted* spans only; the publication counted against all *edited* spans. So
precision is stricter here: an edit that annotators saw and did not call slanted is a mistake.
``precision_among_slanted`` leaves out the sources without a slanted span, where the corpus has no information on
edits: it is closest to the published figure. Every target is neutral, so a labeller that calls all targets
neutral has half of the sentences right before it reads a source; ``accuracy_source`` leaves the targets out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unslant.core.example import Example
from unslant.core.types import Span
from unslant.lab import corpora
from unslant.lab.report.table import text_table
from unslant.lab.stats.regression import newton_logistic
from unslant.lab.wiki.edits import SentenceWords, find_edits, reason_to_ignore
from unslant.lab.wiki.weak_labels import LabelledPair, edit_features, label_pair, slant_probability

PUBLISHED = {"accuracy": 0.87, "precision": 0.847, "recall": 0.766}
"""Zhong et al. 2021, section 2.1, over all 4,099 manual pairs."""


@dataclass(slots=True)
class LabelCounts:
    """The counts behind the figures."""

    pairs: int = 0
    right_sources: int = 0
    right_targets: int = 0
    judged_sources: int = 0
    marked: int = 0
    marked_right: int = 0
    marked_exactly: int = 0
    gold: int = 0
    gold_found: int = 0
    marked_among_slanted: int = 0

    def to_dict(self) -> dict[str, float | int]:
        """Return the figures."""
        return {
            "accuracy": _share(self.right_sources + self.right_targets, self.judged_sources + self.pairs),
            "precision": _share(self.marked_right, self.marked),
            "recall": _share(self.gold_found, self.gold),
            "accuracy_source": _share(self.right_sources, self.judged_sources),
            "precision_among_slanted": _share(self.marked_right, self.marked_among_slanted),
            "precision_exact": _share(self.marked_exactly, self.marked),
            "recall_exact": _share(self.marked_exactly, self.gold),
            "pairs": self.pairs,
            "marked": self.marked,
            "gold": self.gold,
        }


def weak_labels(data: str | Path | None = None) -> dict[str, Any]:
    """Measure the shipped labeller: ``accuracy``, ``precision``, ``recall`` over all pairs, and for each split."""
    totals: dict[str, LabelCounts] = {"all": LabelCounts()}
    for source, target in gold_pairs(data):
        labelled = label_pair(source.text, target.text)
        for name in ("all", source.split or "all"):
            measure(totals.setdefault(name, LabelCounts()), labelled, source, target)
    figures = {name: counts.to_dict() for name, counts in totals.items()}
    overall = figures.pop("all")
    return {
        **overall,
        "splits": figures,
        "published": PUBLISHED,
        "match": "spans match where they share at least one word; the annotators' spans are the slanted ones",
        "tuned_on": "dev",
    }


def report_text(figures: Mapping[str, Any]) -> str:
    """Return the figures of ``weak_labels`` as a table, with one line per split."""
    shown = ("accuracy", "precision", "recall", "accuracy_source", "precision_among_slanted")
    rows = [["", *(name.replace("_", " ") for name in shown)]]
    for name, row in {"published": figures["published"], "all": figures, **figures["splits"]}.items():
        rows.append([name, *(f"{row[key]:.1%}" if key in row else "" for key in shown)])
    said = f"{figures['match']}; tuned on {figures['tuned_on']}"
    return f"{text_table(rows, indent='')}\n{said}"


def gold_pairs(data: str | Path | None = None) -> Iterator[tuple[Example, Example]]:
    """Yield source and target of each manual pair."""
    waiting: dict[str, Example] = {}
    for example in corpora.load("wikibias", data):
        other = waiting.pop(f"{example.split}/{example.pair}", None)
        if other is None:
            waiting[f"{example.split}/{example.pair}"] = example
        elif {example.side, other.side} == {"source", "target"}:
            yield (other, example) if other.side == "source" else (example, other)


def measure(counts: LabelCounts, labelled: LabelledPair, source: Example, target: Example) -> None:
    """Add one pair to the counts."""
    gold = [marked.span for marked in source.spans or ()]
    right = sum(_overlaps(span, gold) for span in labelled.spans)
    counts.pairs += 1
    counts.judged_sources += source.label is not None
    counts.right_sources += source.label is not None and labelled.label == source.label
    counts.right_targets += target.label is False
    counts.marked += len(labelled.spans)
    counts.marked_right += right
    counts.marked_exactly += sum(span in gold for span in labelled.spans)
    counts.gold += len(gold)
    counts.gold_found += sum(_overlaps(span, labelled.spans) for span in gold)
    counts.marked_among_slanted += len(labelled.spans) if gold else 0


def _overlaps(span: Span, others: Iterable[Span]) -> bool:
    return any(map(span.overlaps, others))


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


Observation = tuple[dict[str, float], bool]


def observations(pairs: Iterable[tuple[Example, Example]], alike: float | None = None) -> list[Observation]:
    """Return the features of each edit, and whether it touches a span that annotators call slanted."""
    found: list[Observation] = []
    for source, target in pairs:
        before, after = SentenceWords.of(source.text), SentenceWords.of(target.text)
        taking = [edit for edit in find_edits(before, after, alike) if edit.kind != "addition"]
        gold = [marked.span for marked in source.spans or ()]
        for edit in taking:
            span = before.cover(*edit.before)
            if span is None or reason_to_ignore(edit, before, after):
                continue
            found.append((edit_features(edit, taking, before, after), _overlaps(span, gold)))
    return found


def fit(data: Sequence[Observation], penalty: float = 2.0, rounds: int = 30) -> dict[str, float]:
    """Return the weights of a logistic regression with an L2 penalty on all but the bias."""
    names = sorted(data[0][0])
    values = np.array([[1.0, *(row[name] for name in names)] for row, _ in data])
    right = np.array([float(label) for _, label in data])
    weights = newton_logistic(values, right, np.array([0.0, *([penalty] * len(names))]), rounds)
    return {name: round(float(weight), 3) for name, weight in zip(["bias", *names], weights, strict=True)}


def tune(data: Sequence[Observation], weights: Mapping[str, float], kept: float = 0.8) -> float:
    """Return the highest threshold, in steps of 0.01, that keeps this share of the slanted edits."""
    slanted = [slant_probability(row, weights) for row, right in data if right]
    for step in range(95, 5, -1):
        if sum(score >= step / 100 for score in slanted) >= kept * len(slanted):
            return step / 100
    return 0.05


def f1(data: Sequence[Observation], weights: Mapping[str, float], threshold: float) -> float:
    """Return the F1 of edits: the harmonic mean of precision and recall in finding slanted edits."""
    kept = [right for row, right in data if slant_probability(row, weights) >= threshold]
    total = sum(right for _, right in data)
    return 2 * sum(kept) / (len(kept) + total) if kept or total else 0.0
