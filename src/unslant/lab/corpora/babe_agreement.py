"""What the publication of BABE did with its raw annotations, and its figures beside ours.

The level of measurement, the rule for a majority and the way of counting words are not all stated there; these are the
ones that give its figures.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from unslant.lab.corpora import load
from unslant.lab.corpora.aggregate import (
    NO_AGREEMENT,
    WORDS,
    WORDS_PER_ITEM,
    Aggregated,
    MarkedWords,
    class_shares,
    word_figures,
)
from unslant.lab.corpora.agreement.ratings import Scale
from unslant.lab.corpora.agreement.report import AgreementReport
from unslant.lab.corpora.annotation import Annotation
from unslant.lab.corpora.babe import final_rows, item_id
from unslant.lab.corpora.published import Compared, published
from unslant.lab.corpora.tables import Row

__all__ = [
    "LEAST_RATINGS",
    "SCALES",
    "THRESHOLDS",
    "as_published",
    "compare_agreement",
    "compare_shares",
    "compare_words",
    "is_known",
    "published_sentences",
]

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


def is_known(corpus: str) -> bool:
    """Say whether there are published figures."""
    return corpus.startswith("babe/") and corpus.removeprefix("babe/") in THRESHOLDS


def published_sentences(corpus: str, data: Path | None) -> frozenset[str]:
    """Return the ids of the sentences that have a published label; none for a corpus without published figures."""
    if not is_known(corpus):
        return frozenset()
    source = load(corpus, data).source
    return frozenset(item_id(row.text("text")) for row in final_rows(source) if isinstance(row, Row))


def as_published(annotations: Iterable[Annotation], sentences: Container[str]) -> list[Annotation]:
    """Return the judgements that stand behind the published labels, by the ids of the published sentences.

    The publication put judgements together by their text, to the character: those of annotators in whose file a
    sentence was typed differently are lost to it. In MBIC it left one survey out of the labels, though not out of
    alpha.
    """
    kept = []
    for one in annotations:
        item = item_id(one.text)
        if item in sentences and one.annotator != _SURVEY_LEFT_OUT:
            kept.append(replace(one, item=item))
    return kept


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
    figures, ours = _figures(corpus), word_figures(marked)
    compared = [
        Compared(WORDS, figures.get("biased_words"), ours[WORDS]),
        Compared(WORDS_PER_ITEM, figures.get("words_per_biased"), ours.get(WORDS_PER_ITEM), digits=2),
    ]
    return [_explained(one, _BY_WORDS) for one in compared]


def _explained(one: Compared, why: str) -> Compared:
    return replace(one, why=why) if one.same is False else one
