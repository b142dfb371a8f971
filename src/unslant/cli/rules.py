"""``unslant rules``: what the rules are and how they do."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import click

from unslant.cli.settings import config_options, load
from unslant.core.errors import UnknownName
from unslant.rules.analyzer import rules_for
from unslant.rules.rule import WrittenRule
from unslant.spec import selects

__all__ = ["rules"]


def _wire(rule: WrittenRule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "title": rule.title,
        "kind": rule.kind,
        "dimension": rule.dimension,
        "severity": rule.severity.value,
        "why": rule.why,
        "source": rule.source,
        "terms": list(rule.all_terms()),
        "unless": list(rule.unless),
        "swap": {term: list(wordings) for term, wordings in rule.swap.items()},
        "delete": list(rule.delete),
        "pairs": [list(pair) for pair in rule.pairs],
        "applicability": rule.applicability.value,
        "flags": list(rule.flags),
        "passes": list(rule.passes),
    }


@click.command()
@click.argument("selectors", nargs=-1)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print them."
)
@click.option(
    "--measure",
    metavar="DATA",
    type=click.Path(path_type=Path),
    help="Count findings on neutral and on biased sentences of WIKIBIAS and BABE in this folder, per rule.",
)
@config_options
def rules(
    selectors: tuple[str, ...], form: str, measure: Path | None, config: Path | None, no_config: bool
) -> None:
    """List the rules: all of them, or those that SELECTORS name (a rule, a kind, a dimension, a glob)."""
    found = rules_for(load(config, no_config).spec)
    if selectors:
        found = tuple(
            rule
            for rule in found
            if any(selects(selector, rule.id, rule.kind, rule.dimension) for selector in selectors)
        )
        if not found:
            raise UnknownName(
                "rule", selectors[0], [rule.id for rule in rules_for(load(config, no_config).spec)]
            )
    if measure is not None:
        # by name: the linter imports nothing of the lab
        importlib.import_module("unslant.lab.cli.measure").measure_rules(found, measure, form)
    elif form == "json":
        click.echo(json.dumps([_wire(rule) for rule in found], indent=2, ensure_ascii=False))
    else:
        click.echo_via_pager(_listing(found)) if _long(found) else click.echo(_listing(found))


def _long(found: tuple[WrittenRule, ...]) -> bool:
    import shutil
    import sys

    return sys.stdout.isatty() and len(found) > shutil.get_terminal_size().lines - 4


def _listing(found: tuple[WrittenRule, ...]) -> str:
    width = max(len(rule.id) for rule in found)
    rows = [f"{rule.id:<{width}}  {rule.severity.value:<10}  {rule.title}" for rule in found]
    terms = sum(len(rule.all_terms()) for rule in found)
    return "\n".join(
        [*rows, "", f"{len(found)} rules, {terms} terms. 'unslant explain RULE' says more of one."]
    )
