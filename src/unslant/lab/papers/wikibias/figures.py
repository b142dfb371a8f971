"""The counts of WIKIBIAS, as published and in a copy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from unslant.core.example import Example
from unslant.lab.corpora.statistics import FigureComparison, published_figures

_UNJUDGED = (
    "four pairs of the publication are not in this copy; without the file of published labels, a source in which no "
    "word is marked has no label"
)
_PAIRS = "four pairs of the publication are not in this copy"
_RUNS = "adjacent spans became one in most of this copy, and four pairs are missing; both lower the count"
_INPUTS = "adjacent spans became one in most of this copy, which lowers the count"
_JOINED = "adjacent spans became one in most of this copy, which makes spans longer"
_EDITS = "edited spans that were judged unbiased are not in this copy"


def compare(examples: Sequence[Example], variant: str | None) -> list[FigureComparison]:  # noqa: ARG001
    """Return the figures of Tables 3 and 4 beside ours."""
    figures = published_figures("wikibias")
    sources = [example for example in examples if example.side == "source"]
    biased = [example for example in examples if example.label]
    neutral = sum(example.label is False for example in examples)
    spans = [marked for example in sources for marked in example.spans or ()]
    several = sum(len(example.spans or ()) for example in sources if len(example.kinds or ()) > 1)
    length = _mean(sum(float(example.extra["marked"] or 0) for example in sources), len(spans))
    rows = [
        FigureComparison("Table 3: sentence pairs", figures["pairs"], len(sources), _PAIRS),
        FigureComparison("Table 3: biased sentences", figures["biased_sentences"], len(biased), _UNJUDGED),
        FigureComparison("Table 3: neutral sentences", figures["neutral_sentences"], neutral, _UNJUDGED),
        FigureComparison("Table 3: edited source spans", figures["source_spans"], None, _EDITS),
        FigureComparison("Table 3: unique source spans", figures["unique_source_spans"], None, _EDITS),
        FigureComparison("Table 3: source spans per pair", figures["average_source_spans"], None, _EDITS),
        FigureComparison("Table 3: biased spans", figures["spans"], len(spans), _RUNS),
        FigureComparison(
            "Table 3: spans per input", figures["average_spans"], _mean(len(spans), len(biased)), _INPUTS, 2
        ),
        FigureComparison("Table 3: tokens per span", figures["average_span_tokens"], length, _JOINED, 2),
    ]
    why = f"types are given per sentence; {several} spans are in sentences with several types"
    for kind in ("framing", "epistemological", "demographic"):
        ours = sum(marked.kind == kind for marked in spans)
        rows.append(FigureComparison(f"Table 3: {kind} spans", figures[kind], ours, why))
    for split in ("train", "dev", "test"):
        rows += _compare_split([example for example in examples if example.split == split], split)
    return rows


def _compare_split(examples: Sequence[Example], split: str) -> list[FigureComparison]:
    figures = published_figures("wikibias")[split]
    labels = Counter(example.label for example in examples)
    length = _mean(sum(float(example.extra["tokens"] or 0) for example in examples), len(examples))
    return [
        FigureComparison(f"Table 4: {split}, sentences", figures["total"], len(examples), _PAIRS),
        FigureComparison(f"Table 4: {split}, biased", figures["biased"], labels[True], _UNJUDGED),
        FigureComparison(f"Table 4: {split}, neutral", figures["neutral"], labels[False], _UNJUDGED),
        FigureComparison(f"Table 4: {split}, tokens per sentence", figures["length"], length, _PAIRS, 1),
    ]


def _mean(total: float, count: int) -> float | None:
    return total / count if count else None
