"""How often each rule fires on neutral and on biased sentences, and how many of its findings editors accept.

A finding is accepted if it shares a character with words that an editor marked. Every finding counts, also those that
are not reported because of the record so far. The records that ship are counted on the training part
(``unslant train records``), which no rule has learned from.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from unslant.core.errors import UnknownName
from unslant.core.example import Example
from unslant.core.types import Document, Finding, Severity
from unslant.lab.corpora.editor import MarkedPassage
from unslant.lab.report.table import format_interval, markdown_table
from unslant.lab.stats.metrics import wilson_interval
from unslant.pipeline import Pipeline
from unslant.records import Counts, Records, RuleRecord, plain_wording
from unslant.rules.analyzer import rules_for
from unslant.rules.rule import Rule
from unslant.selection import Selection, merge
from unslant.spec import TIERS, Spec, selects
from unslant.text.boundaries import whole_words
from unslant.text.quotations import find_quotations
from unslant.text.reading import read


@dataclass(frozen=True, slots=True)
class RateSample:
    """Sentences that a corpus calls neutral, and sentences that it calls biased."""

    corpus: str
    neutral: Sequence[str]
    biased: Sequence[str]
    held_out: bool = False
    """Whether the rules were written without looking at it; if so, it only counts in the totals."""


@dataclass(frozen=True, slots=True)
class RuleRate:
    """Findings of one rule per 100 sentences, over all samples and in each."""

    rule: str
    neutral: float
    biased: float
    findings: int
    by_corpus: Mapping[str, tuple[float, float]]
    """Neutral and biased rate in each sample."""


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
        sides = [
            (counts[sample.corpus, side], sentences)
            for side, sentences in (("neutral", sample.neutral), ("biased", sample.biased))
        ]
        found = [_rate(count.total(), sentences) for count, sentences in sides]
        warnings = [
            _rate(sum(number for rule, number in count.items() if rule not in mild), sentences)
            for count, sentences in sides
        ]
        totals.append(TotalRate(sample.corpus, len(sample.neutral), len(sample.biased), *found, *warnings))
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
    found = [
        (counts[sample.corpus, "neutral"][rule], counts[sample.corpus, "biased"][rule], sample)
        for sample in samples
    ]
    neutral, biased = sum(count for count, _, _ in found), sum(count for _, count, _ in found)
    return RuleRate(
        rule,
        _rate(neutral, [text for sample in samples for text in sample.neutral]),
        _rate(biased, [text for sample in samples for text in sample.biased]),
        neutral + biased,
        {each.corpus: (_rate(low, each.neutral), _rate(high, each.biased)) for low, high, each in found},
    )


def _rate(count: int, sentences: Sequence[str]) -> float:
    return 100 * count / len(sentences) if sentences else 0.0


def rates_text(rules: Sequence[Rule], totals: Sequence[TotalRate], rates: Sequence[RuleRate]) -> str:
    """Return the totals as sentences and the rates as a Markdown table, the most telling rules first."""
    severities = {rule.id: rule.severity.value for rule in rules}
    lines = [
        f"{total.corpus}: {total.neutral:.1f} findings per 100 of {total.neutral_sentences} neutral sentences, "
        f"{total.biased:.1f} per 100 of {total.biased_sentences} biased ones "
        f"(warnings: {total.neutral_warnings:.1f} and {total.biased_warnings:.1f})  "
        for total in totals
    ]
    corpora = list(rates[0].by_corpus) if rates else []
    heads = [f"{corpus} {side}" for corpus in corpora for side in ("neutral", "biased")]
    rows = [["rule", "severity", "neutral", "biased", *heads]]
    for rate in sorted(rates, key=lambda rate: (rate.neutral - rate.biased, rate.rule)):
        values = (rate.neutral, rate.biased, *(value for name in corpora for value in rate.by_corpus[name]))
        rows.append([f"`{rate.rule}`", severities[rate.rule], *(f"{value:.2f}" for value in values)])
    quiet = sum(not rate.findings for rate in rates)
    said = f"Findings per 100 sentences, most informative rules first. {quiet} of {len(rates)} rules did not fire here."
    return "\n".join([*lines, "", markdown_table(rows, (0, 1)), "", said])


_OFTEN = 3
"""Wording with fewer findings than this has no record of its own."""


@dataclass(frozen=True, slots=True)
class JudgedFinding:
    """A rule's finding, the kind of text it is in, and whether an editor marked some of the same words."""

    finding: Finding
    document: str
    profile: str
    accepted: bool


def judge_rules(passages: Iterable[MarkedPassage]) -> list[JudgedFinding]:
    """Return every finding of the catalogue's rules, with the severity of its rule."""
    spec = Spec(analyzers=TIERS["rules"], threshold=0.0, profile="news")
    known = {rule.id for rule in rules_for(spec)}
    chosen = list(passages)
    documents = (read(passage.text, "text", passage.id) for passage in chosen)
    judged = []
    for passage, analyzed in zip(chosen, Pipeline(spec).analyze(documents), strict=True):
        document = analyzed.report.document
        selection = Selection(document, spec)
        for sentence, analyses in analyzed.sentences:
            found = (
                whole_words(document, finding, sentence.span)
                for analysis in analyses
                for finding in analysis.findings
            )
            kept = selection.keep((finding for finding in found if finding is not None), sentence)
            judged += [
                JudgedFinding(
                    finding,
                    passage.id,
                    passage.profile,
                    any(marked.span.overlaps(finding.span) for marked in passage.marked),
                )
                for finding in merge(kept)
                if finding.rule in known
            ]
    return judged


def count_records(judged: Sequence[JudgedFinding]) -> Records:
    """Return the records that ship: of every rule by kind of text and, for frequent wording, by wording.

    Rules about groups or political sides have no record by wording: a few chance findings must not decide that the
    wording of one side is reported and that of the other is not. Nor do scare quotes, whose wording is the writer's.
    """
    rules = {rule.id: rule for rule in rules_for(Spec())}
    by_profile: dict[str, dict[str, Counts]] = {rule: {} for rule in rules}
    by_profile_weak: dict[str, dict[str, Counts]] = {rule: {} for rule in rules}
    by_wording: dict[str, dict[str, list[JudgedFinding]]] = {rule: defaultdict(list) for rule in rules}
    by_severity: dict[str, Counts] = {}
    for item in judged:
        rule = rules[item.finding.rule or ""]
        count = Counts(int(item.accepted), 1)
        weak = item.finding.probability is not None
        profiles = (by_profile_weak if weak else by_profile)[rule.id]
        profiles[item.profile] = profiles.get(item.profile, Counts()) + count
        severity = "weak" if weak else rule.severity.value
        by_severity[severity] = by_severity.get(severity, Counts()) + count
        if rule.dimension is None and rule.matcher is None and not rule.pairs:
            by_wording[rule.id][plain_wording(item.finding.text)].append(item)
    return Records(
        {
            rule: RuleRecord(by_profile[rule], _frequent(by_wording[rule]), by_profile_weak[rule])
            for rule in rules
        },
        {name: count.share(0.5) for name, count in by_severity.items()},
    )


def _frequent(found: Mapping[str, Sequence[JudgedFinding]]) -> dict[str, Counts]:
    return {
        wording: Counts(sum(item.accepted for item in items), len(items))
        for wording, items in found.items()
        if len(items) >= _OFTEN and len({item.document for item in items}) > 1
    }


def records_wire(rules: Sequence[Rule], records: Records) -> dict[str, object]:
    """Return the record of each rule, with its interval, for programs."""
    return {
        rule.id: {
            "accepted": (total := records.rules[rule.id].total).accepted,
            "findings": total.findings,
            "interval": list(wilson_interval(total.accepted, total.findings)) if total.findings else None,
            "profiles": {
                name: [count.accepted, count.findings]
                for name, count in sorted(records.rules[rule.id].by_profile.items())
            },
        }
        for rule in rules
    }


def records_text(rules: Sequence[Rule], records: Records, part: str) -> str:
    """Return the records as a Markdown table, the rules that editors accept least often first."""
    seen = [(rule, records.rules[rule.id].total) for rule in rules if records.rules[rule.id].total.findings]
    rows: list[tuple[str, ...]] = [("rule", "accepted", "findings", "share", "95 %")]
    for rule, total in sorted(
        seen, key=lambda pair: (pair[1].accepted / pair[1].findings, -pair[1].findings)
    ):
        interval = format_interval(*wilson_interval(total.accepted, total.findings), 2)
        share = f"{total.accepted / total.findings:.2f}"
        rows.append((f"`{rule.id}`", str(total.accepted), str(total.findings), share, interval))
    together = sum((total for _, total in seen), Counts())
    overall = together.accepted / together.findings if together.findings else 0.0
    return (
        f"Findings on the {part} part of the editors' corpus that editors accept, with 95 % intervals (Wilson):\n\n"
        f"{markdown_table(rows)}\n\n"
        f"All rules together: {together.accepted:,} of {together.findings:,} findings accepted ({overall:.2f}). "
        f"{len(rules) - len(seen)} of {len(rules)} rules did not fire here."
    )
