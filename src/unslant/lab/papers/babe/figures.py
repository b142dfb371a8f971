"""The counts of BABE, as published and in a copy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from unslant.core.example import Example
from unslant.lab.corpora.statistics import FigureComparison, published_figures

_OPINIONS = {
    "opinionated": "Expresses writer\u2019s opinion",
    "factual": "Entirely factual",
    "mixed": "Somewhat factual but also opinionated",
    "opinion_no_agreement": "No agreement",
}


def compare(examples: Sequence[Example], variant: str | None) -> list[FigureComparison]:
    """Return the figures of Tables 1, 2 and 4 beside ours."""
    variant = variant or "sg2"
    figures = published_figures("babe").get(variant)
    if figures is None:
        return []
    table = {"sg1": "Tables 2 and 4", "sg2": "Table 4", "mbic": "Table 2"}[variant]
    labels = Counter(example.label for example in examples)
    opinions = Counter(example.extra["opinion"] for example in examples)
    missing = (
        "the publication counts 3,700 sentences; the published file has 3,674" if variant == "sg2" else ""
    )
    rows = [FigureComparison("sentences", figures["sentences"], len(examples), missing)]
    for name, label in (("biased", True), ("non_biased", False), ("no_agreement", None)):
        why = (
            "one sentence is without agreement; the publication rounds it away"
            if name == "no_agreement"
            else missing
        )
        share = _percent(labels[label], len(examples))
        rows.append(FigureComparison(f"{table}: {name} %", figures[name], share, why, 2))
    for name, answer in _OPINIONS.items():
        ours = _percent(opinions[answer], len(examples))
        rows.append(FigureComparison(f"{table}: {name} %", figures[name], ours, missing, 2))
    if "biased_words" in figures:
        rows += _compare_words(examples, figures)
    return rows


def _compare_words(examples: Sequence[Example], figures: dict[str, Any]) -> list[FigureComparison]:
    words = sum(float(example.extra["words"] or 0) for example in examples)
    # "Per biased sentence" in the publication means per sentence with a marked word: only so do the averages come out.
    marked = sum(bool(example.extra["words"]) for example in examples)
    return [
        FigureComparison("Table 1: biased words", figures["biased_words"], words),
        FigureComparison(
            "Table 1: per sentence with one", figures["words_per_biased"], _mean(words, marked), "", 2
        ),
    ]


def _mean(total: float, count: int) -> float | None:
    return total / count if count else None


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
