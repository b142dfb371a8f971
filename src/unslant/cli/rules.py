"""``unslant rules`` and ``unslant explain``: what the rules are, whether a pack works, and what decides a finding."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Unpack

import click

from unslant.cli.exits import Exit
from unslant.cli.options import (
    ConfigOptions,
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
from unslant.report.listings import explain_rule, explain_technique, list_rules, reasons_page, rule_to_dict
from unslant.report.printable import clean_lines
from unslant.report.wire import readable
from unslant.rules.analyzer import rules_for
from unslant.spec import Spec, selects


class ListByDefault(click.Group):
    """A group that lists the rules unless another of its commands is named."""

    def with_command(self, args: list[str], help_options: Collection[str] = ()) -> list[str]:
        """Return the arguments with the name of the command that they are for."""
        return args if args and args[0] in (*self.commands, *help_options) else ["list", *args]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments of the command that they are for."""
        return super().parse_args(ctx, self.with_command(args, ctx.help_option_names))


@click.group(cls=ListByDefault)
def rules() -> None:
    """List the rules, or test a rule pack.

    'unslant rules' lists all rules, 'unslant rules framing' those of one kind: the command 'list' need not be written.
    """


@rules.command("list")
@click.argument("selectors", nargs=-1)
@output_format_option("text", "json", "markdown", default="text")
@config_options
def list_(selectors: tuple[str, ...], output_format: str, **options: Unpack[ConfigOptions]) -> None:
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
    elif output_format == "markdown":
        click.echo(reasons_page(found), nl=False)
    elif sys.stdout.isatty() and len(found) > shutil.get_terminal_size().lines - 4:
        click.echo_via_pager(clean_lines(list_rules(found)))
    else:
        click.echo(clean_lines(list_rules(found)))


@rules.command()
@click.argument("pack")
def test(pack: str) -> Exit:
    """Test a rule pack with its own sentences.

    PACK is a file, the name of a pack that comes with unslant, or the name of an installed package, as under
    'extends' in the configuration. Every rule must flag its sentences under 'flags' and none of those under 'passes'.
    The exit code is 1 if a sentence fails, and 2 if the pack cannot be used.
    """
    from unslant.rules.examples import run_examples
    from unslant.rules.pack import read_pack

    result = run_examples(read_pack(pack, Path.cwd()), pack)
    title = f"{result.pack.name} {result.pack.version} ({result.pack.licence})"
    lines = [
        f"{failure.rule}: flags {', '.join(map(repr, failure.found))}, but must not: {failure.sentence}"
        if failure.found
        else f"{failure.rule}: does not flag, but must: {failure.sentence}"
        for failure in result.failures
    ]
    failed = (
        f"{len(lines)} of {result.sentences} sentences failed"
        if lines
        else f"all {result.sentences} sentences passed"
    )
    lines.append(f"{title}: {failed}.")
    click.echo(clean_lines("\n".join(lines)))
    return Exit.FINDINGS if result.failures else Exit.CLEAN


class _ExplainOptions(ConfigOptions):
    model: str | None


@click.command()
@click.argument("rule", required=False)
@click.option("--text", help="Show how much each word of this text counts for the model.")
@click.option(
    "--model", metavar="DIR", help="Use the model in DIR instead of the one that ships with unslant."
)
@output_option("With --text: also write the result to FILE as an HTML page.")
@color_option
@config_options
def explain(
    rule: str | None, text: str | None, output: Path | None, color: str, **options: Unpack[_ExplainOptions]
) -> None:
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
