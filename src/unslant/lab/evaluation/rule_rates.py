"""How often each rule fires on neutral and on biased sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from unslant.core.errors import UnknownName
from unslant.core.example import Example
from unslant.core.types import Document, Severity
from unslant.pipeline import Pipeline
from unslant.rules.analyzer import rules_for
from unslant.rules.rule import Rule
from unslant.spec import Spec, selects
from unslant.text.quotations import find_quotations

__all__ = [
    "RateSample",
    "RuleRate",
    "TotalRate",
    "load_samples",
    "measure_rates",
    "rates_text",
    "select_rules",
]


@dataclass(frozen=True, slots=True)
class RateSample:
    """Sentences that a corpus calls neutral, and sentences that it calls biased."""

    corpus: str
    neutral: Sequence[str]
    biased: Sequence[str]
    held_out: bool = False
    """Whether the rules were written without looking at it; if so, it counts only towards the totals."""


@dataclass(frozen=True, slots=True)
class RuleRate:
    """Findings of one rule per 100 sentences, over all samples and in each."""

    rule: str
    neutral: float
    biased: float
    findings: int
    by_corpus: Mapping[str, tuple[float, float]]
    """Neutral and biased rate in each sample."""

    @property
    def telling(self) -> bool:
        """Whether it fires more often on biased than on neutral sentences."""
        return self.biased > self.neutral


@dataclass(frozen=True, slots=True)
class TotalRate:
    """Findings of all rules together."""

    corpus: str
    neutral_sentences: int
    biased_sentences: int
    neutral: float
    """Findings per 100 neutral sentences."""
    biased: float
    """Findings per 100 biased sentences."""
    neutral_warnings: float
    """Findings of at least warning severity per 100 neutral sentences."""
    biased_warnings: float


def select_rules(selectors: Sequence[str]) -> list[Rule]:
    """Return the rules of the catalogue that any selector names; all rules if there are no selectors."""
    known = rules_for(Spec())
    found: list[Rule] = [
        rule
        for rule in known
        if not selectors or any(selects(name, rule.id, rule.kind, rule.dimension) for name in selectors)
    ]
    if not found:
        raise UnknownName("rule", selectors[0], [rule.id for rule in known])
    return found


def load_samples(data: Path | None) -> list[RateSample]:
    """Return WIKIBIAS before and after the edit, and BABE by the majority of its annotators."""
    from unslant.lab import corpora

    wikibias = list(corpora.load("wikibias", data))
    babe = list(corpora.load("babe/sg2", data))
    return [
        _pairs("WIKIBIAS dev", [example for example in wikibias if example.split == "dev"]),
        RateSample(
            "BABE",
            [example.text for example in babe if example.share == 0],
            [example.text for example in babe if example.label],
        ),
        _pairs("WIKIBIAS test", [example for example in wikibias if example.split == "test"], held_out=True),
    ]


def _pairs(name: str, examples: Sequence[Example], held_out: bool = False) -> RateSample:
    neutral = [example.text for example in examples if example.side == "target"]
    biased = [example.text for example in examples if example.side == "source" and example.label]
    return RateSample(name, neutral, biased, held_out)


def measure_rates(
    rules: Sequence[Rule], samples: Sequence[RateSample]
) -> tuple[list[TotalRate], list[RuleRate]]:
    """Check every sentence on its own, as a text; return the totals per sample and the rate of each rule."""
    wanted = {rule.id for rule in rules}
    mild = {rule.id for rule in rules if rule.severity is Severity.SUGGESTION}
    pipeline = Pipeline(Spec(analyzers=("rules",)))
    counts = {
        (sample.corpus, side): _count(pipeline, sentences, wanted)
        for sample in samples
        for side, sentences in (("neutral", sample.neutral), ("biased", sample.biased))
    }
    totals = []
    for sample in samples:
        neutral, biased = counts[sample.corpus, "neutral"], counts[sample.corpus, "biased"]
        totals.append(
            TotalRate(
                sample.corpus,
                len(sample.neutral),
                len(sample.biased),
                _rate(neutral.total(), sample.neutral),
                _rate(biased.total(), sample.biased),
                _rate(sum(count for rule, count in neutral.items() if rule not in mild), sample.neutral),
                _rate(sum(count for rule, count in biased.items() if rule not in mild), sample.biased),
            )
        )
    seen = [sample for sample in samples if not sample.held_out]
    return totals, [_rule_rate(rule, seen, counts) for rule in sorted(wanted)]


def _count(pipeline: Pipeline, sentences: Sequence[str], wanted: set[str]) -> Counter[str]:
    documents = (Document(text, text, quotations=find_quotations(text, None)) for text in sentences)
    return Counter(
        finding.rule
        for report in pipeline.check(documents)
        for finding in report.findings
        if finding.rule in wanted and finding.rule is not None
    )


def _rule_rate(
    rule: str, samples: Sequence[RateSample], counts: Mapping[tuple[str, str], Counter[str]]
) -> RuleRate:
    neutral = sum(counts[sample.corpus, "neutral"][rule] for sample in samples)
    biased = sum(counts[sample.corpus, "biased"][rule] for sample in samples)
    return RuleRate(
        rule,
        _rate(neutral, [text for sample in samples for text in sample.neutral]),
        _rate(biased, [text for sample in samples for text in sample.biased]),
        neutral + biased,
        {
            sample.corpus: (
                _rate(counts[sample.corpus, "neutral"][rule], sample.neutral),
                _rate(counts[sample.corpus, "biased"][rule], sample.biased),
            )
            for sample in samples
        },
    )


def _rate(count: int, sentences: Sequence[str]) -> float:
    return 100 * count / len(sentences) if sentences else 0.0


def rates_text(rules: Sequence[Rule], totals: Sequence[TotalRate], rates: Sequence[RuleRate]) -> str:
    """Return the totals as sentences and the rates as a Markdown table, the most telling rules first."""
    severities = {rule.id: rule.severity.value for rule in rules}
    rows = [
        f"{total.corpus}: {total.neutral:.1f} findings per 100 of {total.neutral_sentences} neutral sentences, "
        f"{total.biased:.1f} per 100 of {total.biased_sentences} biased ones "
        f"(warnings: {total.neutral_warnings:.1f} and {total.biased_warnings:.1f})  "
        for total in totals
    ]
    corpora = list(rates[0].by_corpus) if rates else []
    head = "".join(f" | {corpus} neutral | {corpus} biased" for corpus in corpora)
    rows += [
        "",
        f"| rule | severity | neutral | biased{head} |",
        "|---|---|" + "--:|" * (2 + 2 * len(corpora)),
    ]
    for rate in sorted(rates, key=lambda rate: (rate.neutral - rate.biased, rate.rule)):
        cells = "".join(
            f" | {low:.2f} | {high:.2f}" for low, high in (rate.by_corpus[name] for name in corpora)
        )
        rows.append(
            f"| `{rate.rule}` | {severities[rate.rule]} | {rate.neutral:.2f} | {rate.biased:.2f}{cells} |"
        )
    quiet = sum(not rate.findings for rate in rates)
    rows += [
        "",
        f"Findings per 100 sentences, most informative rules first. {quiet} of {len(rates)} rules did not fire here.",
    ]
    return "\n".join(rows)
