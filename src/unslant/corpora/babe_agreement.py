"""What the publication of BABE did with its raw annotations, and its figures beside ours.

The level of measurement, the rule for a majority and the way of counting words are not all stated there; these are the
ones that give its figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from unslant.corpora.aggregate import NO_AGREEMENT, Aggregated, MarkedWords, class_shares
from unslant.corpora.agreement.ratings import Scale
from unslant.corpora.agreement.report import AgreementReport
from unslant.corpora.published import Compared, published

__all__ = ["SCALES", "THRESHOLDS", "compare_agreement", "compare_shares", "compare_words", "is_known"]

_OPINIONS = (
    "Entirely factual",
    "Somewhat factual but also opinionated",
    "Expresses writer\u2019s opinion",
)
SCALES: Mapping[str, Scale] = {"bias": Scale(), "opinion": Scale("interval", _OPINIONS)}
THRESHOLDS: Mapping[str, int] = {"sg1": 3, "sg2": 2, "mbic": 4}
"""Marks from which a word counts. SG1 and SG2 as published; for MBIC none was, and 4 comes closest."""
LEAST_RATINGS = 3
"""Sentences that were cut short in one annotator's file stand apart with one or two ratings; they are no items."""

_CLASSES = {
    "bias": {"Biased": "biased", "Non-biased": "non_biased", NO_AGREEMENT: "no_agreement"},
    "opinion": {
        _OPINIONS[2]: "opinionated",
        "Entirely factual": "factual",
        "Somewhat factual but also opinionated": "mixed",
        NO_AGREEMENT: "opinion_no_agreement",
    },
}
_BY_WORDS = "the rule behind the published list is not known: see docs/agreement.md"


def is_known(corpus: str) -> bool:
    """Say whether there are published figures."""
    return corpus.startswith("babe/") and corpus.removeprefix("babe/") in THRESHOLDS


def _figures(corpus: str) -> Mapping[str, float]:
    figures: Mapping[str, float] = published("babe")[corpus.removeprefix("babe/")]
    return figures


def compare_agreement(corpus: str, report: AgreementReport) -> Compared:
    """Return alpha beside the published one."""
    return Compared(
        f"alpha, {report.task}",
        _figures(corpus).get(f"alpha_{report.task}"),
        report.measures["alpha"].value,
        digits=2,
    )


def compare_shares(corpus: str, task: str, aggregated: Sequence[Aggregated]) -> list[Compared]:
    """Return the class shares in percent beside those of Tables 2 and 4."""
    shares = class_shares(aggregated)
    compared = [
        Compared(label, _figures(corpus).get(key), 100 * shares.get(label, 0.0), digits=2)
        for label, key in _CLASSES.get(task, {}).items()
    ]
    return [_explained(one, _sentences(one, len(aggregated))) for one in compared]


def _sentences(one: Compared, items: int) -> str:
    number = round(abs((one.ours or 0) - (one.published or 0)) * items / 100)
    return f"{number} sentence{'s' * (number != 1)}: see docs/agreement.md"


def compare_words(corpus: str, marked: Sequence[MarkedWords]) -> list[Compared]:
    """Return the word counts beside those of Table 1; the average is over sentences that have such a word."""
    total = sum(len(one.words) for one in marked)
    having = sum(bool(one.words) for one in marked)
    figures = _figures(corpus)
    compared = [
        Compared("words marked by enough annotators", figures.get("biased_words"), total),
        Compared(
            "per sentence that has one",
            figures.get("words_per_biased"),
            total / having if having else None,
            digits=2,
        ),
    ]
    return [_explained(one, _BY_WORDS) for one in compared]


def _explained(one: Compared, why: str) -> Compared:
    return replace(one, why=why) if one.same is False else one
