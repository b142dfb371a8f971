"""The record of each rule on the editors' corpus: how many of its findings editors accept.

A finding is accepted if it shares a character with words that an editor marked. Every finding counts, also those that
are not reported because of the record so far. The records that ship are counted on the training part
(``unslant train records``), which no rule has learned from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from unslant.core.types import Finding
from unslant.lab.corpora.editor import MarkedPassage
from unslant.lab.stats.metrics import wilson_interval
from unslant.records import Counts, Records, RuleRecord, plain_wording
from unslant.rules.rule import Rule
from unslant.spec import TIERS, Spec

__all__ = ["JudgedFinding", "count_records", "judge_rules", "records_text", "records_wire"]

_OFTEN = 3
"""Wording that is found less often than this has no record of its own."""


@dataclass(frozen=True, slots=True)
class JudgedFinding:
    """A rule's finding, the kind of text it is in, and whether an editor marked some of the same words."""

    finding: Finding
    document: str
    profile: str
    accepted: bool


def judge_rules(passages: Iterable[MarkedPassage]) -> list[JudgedFinding]:
    """Return every finding of the rules of the catalogue, with the severity that its rule states."""
    from unslant.pipeline import Pipeline
    from unslant.rules.analyzer import rules_for
    from unslant.selection import Selection, merge
    from unslant.text.boundaries import whole_words
    from unslant.text.reading import read

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
    from unslant.rules.analyzer import rules_for

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
    rows = [
        f"Findings on the {part} part of the editors' corpus that editors accept, with 95 % intervals (Wilson):",
        "",
        "| rule | accepted | findings | share | 95 % |",
        "|---|--:|--:|--:|--:|",
    ]
    for rule, total in sorted(
        seen, key=lambda pair: (pair[1].accepted / pair[1].findings, -pair[1].findings)
    ):
        low, high = wilson_interval(total.accepted, total.findings)
        share = total.accepted / total.findings
        rows.append(
            f"| `{rule.id}` | {total.accepted} | {total.findings} | {share:.2f} | {low:.2f} to {high:.2f} |"
        )
    together = sum((total for _, total in seen), Counts())
    share = together.accepted / together.findings if together.findings else 0.0
    rows += [
        "",
        f"All rules together: {together.accepted:,} of {together.findings:,} findings accepted ({share:.2f}). "
        f"{len(rules) - len(seen)} of {len(rules)} rules did not fire here.",
    ]
    return "\n".join(rows)
