"""Counts of a corpus, with the published figures beside ours."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from unslant.core.encoding import encode_fields
from unslant.core.example import Example
from unslant.lab.corpora.dataset import Dataset


@dataclass(frozen=True, slots=True)
class FigureComparison:
    """One figure as published and as measured."""

    name: str
    published: float | None
    """None if the publication gives none."""
    ours: float | None
    """None if it cannot be determined from this copy."""
    why: str = ""
    """What explains the difference, if there is one."""
    digits: int = 0
    """The digits after the point that the publication gives."""

    @property
    def same(self) -> bool | None:
        """Whether the two agree to the digits that were published; None where one is missing."""
        if self.published is None or self.ours is None:
            return None
        # Tables round or cut: a whole unit of the last digit covers both.
        return abs(self.ours - self.published) < 10.0**-self.digits

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return encode_fields(self, "name", "published", "ours", "same", "why")


@cache
def published_figures(corpus: str) -> dict[str, Any]:
    """Return the published figures of a corpus."""
    data = tomllib.loads(files("unslant.lab.corpora").joinpath("published.toml").read_text("utf-8"))
    figures: dict[str, Any] = data[corpus]
    return figures


_ANSWERS = {True: "slanted", False: "not slanted", None: "not judged"}


@dataclass
class CorpusStatistics:
    """What is in a corpus, counted."""

    examples: int = 0
    words: int = 0
    spans: int = 0
    pairs: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    splits: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    dimensions: Counter[str] = field(default_factory=Counter)
    leanings: Counter[str] = field(default_factory=Counter)
    outlets: dict[str, Counter[str]] = field(default_factory=dict)
    """Labels by outlet."""
    topics: dict[str, Counter[str]] = field(default_factory=dict)
    """Labels by topic."""
    opinions: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)
    """Where sentences are judged factual or opinionated: these judgements by label, outlet and topic."""
    skipped: dict[str, int] = field(default_factory=dict)

    def add(self, example: Example) -> None:
        """Count one example."""
        answer = _ANSWERS[example.label]
        self.examples += 1
        self.words += len(example.text.split())
        self.spans += len(example.spans or ())
        self.labels[answer] += 1
        self.splits[example.split or "none"] += 1
        self.kinds.update(example.kinds or ())
        for counts, value in ((self.dimensions, example.dimension), (self.leanings, example.leaning)):
            if value:
                counts[value] += 1
        for table, value in ((self.outlets, example.outlet), (self.topics, example.topic)):
            if value:
                table.setdefault(value, Counter())[answer] += 1
        if opinion := example.extra.get("opinion"):
            groups = {"labels": answer, "outlets": example.outlet, "topics": example.topic}
            for name, group in groups.items():
                if group:
                    rows = self.opinions.setdefault(name, {})
                    rows.setdefault(group, Counter())[str(opinion)] += 1

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        plain = ("examples", "words", "spans", "pairs", "skipped")
        counted = ("labels", "splits", "kinds", "dimensions", "leanings")
        return (
            {name: getattr(self, name) for name in plain}
            | {name: dict(getattr(self, name)) for name in counted}
            | {
                name: {key: dict(row) for key, row in getattr(self, name).items()}
                for name in ("outlets", "topics")
            }
            | {
                "opinions": {
                    name: {key: _with_shares(row) for key, row in rows.items()}
                    for name, rows in self.opinions.items()
                }
            }
        )


def _with_shares(counts: Counter[str]) -> dict[str, dict[str, float]]:
    """Return each count with its share of the row in percent."""
    total = counts.total()
    return {name: {"count": count, "percent": 100 * count / total} for name, count in counts.most_common()}


def count_corpus(dataset: Dataset) -> CorpusStatistics:
    """Count a corpus in one reading."""
    counts = CorpusStatistics()
    pairs: set[str] = set()
    for example in dataset:
        counts.add(example)
        if example.pair:
            pairs.add(example.pair)
    counts.pairs = len(pairs)
    counts.skipped = dict(dataset.skipped)
    return counts


def compare_published(dataset: Dataset) -> list[FigureComparison]:
    """Return the published figures beside ours; empty where none are known."""
    match dataset.card.corpus:
        case "wikibias":
            return _compare_wikibias(list(dataset))
        case "babe":
            return _compare_babe(list(dataset), dataset.card.variant or "sg2")
        case "cad":
            from unslant.lab.corpora.abuse import build_cad_sets, compare_sizes

            examples = list(dataset)
            return [
                row
                for part in ("evaluation", "train")
                for row in compare_sizes(build_cad_sets(examples, part=part), part)
            ]
        case _:
            return []


_UNJUDGED = (
    "four pairs of the publication are not in this copy; without the file of published labels, a source in which no "
    "word is marked has no label"
)
_PAIRS = "four pairs of the publication are not in this copy"
_RUNS = "adjacent spans became one in most of this copy, and four pairs are missing; both lower the count"
_INPUTS = "adjacent spans became one in most of this copy, which lowers the count"
_JOINED = "adjacent spans became one in most of this copy, which makes spans longer"
_EDITS = "edited spans that were judged unbiased are not in this copy"


def _compare_wikibias(examples: Sequence[Example]) -> list[FigureComparison]:
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
        rows += _compare_wikibias_split([example for example in examples if example.split == split], split)
    return rows


def _compare_wikibias_split(examples: Sequence[Example], split: str) -> list[FigureComparison]:
    figures = published_figures("wikibias")[split]
    labels = Counter(example.label for example in examples)
    length = _mean(sum(float(example.extra["tokens"] or 0) for example in examples), len(examples))
    return [
        FigureComparison(f"Table 4: {split}, sentences", figures["total"], len(examples), _PAIRS),
        FigureComparison(f"Table 4: {split}, biased", figures["biased"], labels[True], _UNJUDGED),
        FigureComparison(f"Table 4: {split}, neutral", figures["neutral"], labels[False], _UNJUDGED),
        FigureComparison(f"Table 4: {split}, tokens per sentence", figures["length"], length, _PAIRS, 1),
    ]


_OPINIONS = {
    "opinionated": "Expresses writer\u2019s opinion",
    "factual": "Entirely factual",
    "mixed": "Somewhat factual but also opinionated",
    "opinion_no_agreement": "No agreement",
}


def _compare_babe(examples: Sequence[Example], variant: str) -> list[FigureComparison]:
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
        rows += _compare_babe_words(examples, figures)
    return rows


def _compare_babe_words(examples: Sequence[Example], figures: dict[str, Any]) -> list[FigureComparison]:
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


def largest_groups(table: dict[str, Counter[str]], count: int) -> Iterable[tuple[str, Counter[str]]]:
    """Return the rows with the most examples, the largest first."""
    return sorted(table.items(), key=lambda item: (-item[1].total(), item[0]))[:count]
