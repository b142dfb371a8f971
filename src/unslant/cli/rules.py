"""``unslant rules`` and ``unslant explain``: what the rules are, and what decides a finding."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import click

from unslant.cli.options import (
    color_option,
    config_options,
    current_settings,
    output_format_option,
    output_option,
    use_color,
)
from unslant.core.errors import ConfigError, UnknownName
from unslant.core.files import write_text
from unslant.core.taxonomy import model_findings, technique_of_rule
from unslant.report.listings import explain_rule, explain_technique, list_rules, rule_to_dict
from unslant.report.printable import clean_lines
from unslant.report.wire import readable
from unslant.rules.analyzer import rules_for
from unslant.spec import Spec, selects

__all__ = ["explain", "rules"]


@click.command()
@click.argument("selectors", nargs=-1)
@output_format_option("text", "json", default="text")
@config_options
def rules(selectors: tuple[str, ...], output_format: str, **options: Any) -> None:
    """List all rules, or those that match SELECTORS.

    A selector is the name of a rule, a kind or a dimension, or a pattern such as 'framing/*'.
    """
    known = rules_for(current_settings(options).spec)
    found = [
        rule
        for rule in known
        if not selectors or any(selects(name, rule.id, rule.kind, rule.dimension) for name in selectors)
    ]
    if not found:
        raise UnknownName("rule", selectors[0], [rule.id for rule in known])
    if output_format == "json":
        click.echo(readable([rule_to_dict(rule) for rule in found], 2))
    elif sys.stdout.isatty() and len(found) > shutil.get_terminal_size().lines - 4:
        click.echo_via_pager(clean_lines(list_rules(found)))
    else:
        click.echo(clean_lines(list_rules(found)))


@click.command()
@click.argument("rule", required=False)
@click.option("--text", help="Show how much each word of this text counts for the model.")
@click.option(
    "--model", metavar="DIR", help="Use the model in DIR instead of the one that ships with unslant."
)
@output_option("With --text: also write the result to FILE as an HTML page.")
@color_option
@config_options
def explain(rule: str | None, text: str | None, output: Path | None, color: str, **options: Any) -> None:
    """Explain a rule, or what the model sees in a text.

    For a RULE: what it looks for, why, what to write instead, and sentences that it flags and does not flag.
    """
    if (rule is None) == (text is None):
        raise click.UsageError("name a RULE, or give a text with --text")
    spec = current_settings(options).spec
    if text is not None:
        _explain_text(text, spec, output, color)
        return
    named = technique_of_rule(rule)
    if named is not None:
        click.echo(explain_technique(named))
        return
    known = {rule.id: rule for rule in rules_for(spec)}
    if rule not in known:
        raise UnknownName("rule", str(rule), [*known, *model_findings()])
    click.echo(clean_lines(explain_rule(known[rule])))


def _explain_text(text: str, spec: Spec, output: Path | None, color: str) -> None:
    from unslant.neural.attribution import attributions
    from unslant.report.shading import shade_words, shaded_page

    found = attributions(text, spec)
    if output is not None:
        write_text(output, shaded_page(found), ConfigError)
    click.echo(shade_words(found, use_color(color, sys.stdout)), color=True)
