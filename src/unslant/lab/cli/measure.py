"""``unslant rules --measure``: the rates of the rules, as a table or as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from unslant.core.example import Example
from unslant.lab.evaluation.rule_rates import RuleRate, Sample, TotalRate, measure_rates
from unslant.rules.rule import Rule

__all__ = ["measure_rules"]


def measure_rules(rules: Sequence[Rule], data: Path, form: str) -> None:
    """Print how often the rules fire on neutral and on biased sentences of the corpora in a folder."""
    totals, rates = measure_rates(rules, samples(data))
    if form == "json":
        click.echo(
            json.dumps({"totals": [asdict(one) for one in totals], "rules": [asdict(one) for one in rates]})
        )
        return
    severities = {rule.id: rule.severity.value for rule in rules}
    click.echo(_table(totals, rates, severities))


def samples(data: Path) -> list[Sample]:
    """Return the sentences: WIKIBIAS before and after the edit; BABE by what its raters agreed on."""
    from unslant.lab import corpora

    wikibias = list(corpora.load("wikibias", data))
    babe = list(corpora.load("babe/sg2", data))
    return [
        _pairs("WIKIBIAS dev", [one for one in wikibias if one.split == "dev"]),
        Sample(
            "BABE",
            [one.text for one in babe if one.share == 0],
            [one.text for one in babe if one.label],
        ),
        _pairs("WIKIBIAS test", [one for one in wikibias if one.split == "test"], held_out=True),
    ]


def _pairs(name: str, examples: Sequence[Example], held_out: bool = False) -> Sample:
    neutral = [one.text for one in examples if one.side == "target"]
    return Sample(
        name, neutral, [one.text for one in examples if one.side == "source" and one.label], held_out
    )


def _table(totals: Sequence[TotalRate], rates: Sequence[RuleRate], severities: dict[str, str]) -> str:
    rows = [
        f"{one.corpus}: {one.neutral:.1f} findings per 100 of {one.neutral_sentences} neutral sentences, "
        f"{one.biased:.1f} per 100 of {one.biased_sentences} biased ones "
        f"(warnings: {one.neutral_warnings:.1f} and {one.biased_warnings:.1f})  "
        for one in totals
    ]
    corpora = list(rates[0].by_corpus) if rates else []
    head = "".join(f" | {corpus} neutral | {corpus} biased" for corpus in corpora)
    rows += [
        "",
        f"| rule | severity | neutral | biased{head} |",
        "|---|---|" + "--:|" * (2 + 2 * len(corpora)),
    ]
    for rate in sorted(rates, key=lambda one: (one.neutral - one.biased, one.rule)):
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
