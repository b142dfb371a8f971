"""``unslant explain``: what a rule is about, or what the model sees in a text."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from pathlib import Path

import click

from unslant.cli.settings import config_options, load
from unslant.core.errors import ConfigError, UnknownName
from unslant.rules.analyzer import rules_for
from unslant.rules.rule import WrittenRule
from unslant.spec import Spec

__all__ = ["explain"]

_WIDTH = 88
_TAG = re.compile(r"@(?:v|n|adj|adv)\b")
"""Tells the part of speech in a term; of use to those who write rules, not to those who read about them."""


@click.command()
@click.argument("rule", required=False)
@click.option("--text", help="Show which words of this text the model goes by.")
@click.option("--model", metavar="DIR", help="Ask this model instead of the one that ships.")
@click.option(
    "--html", metavar="FILE", type=click.Path(path_type=Path), help="Write the picture of the text there."
)
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Use colour.  [auto]"
)
@config_options
def explain(
    rule: str | None,
    text: str | None,
    model: str | None,
    html: Path | None,
    color: str,
    config: Path | None,
    no_config: bool,
) -> None:
    """Say what RULE is about, why, and what to write instead; with --text, which words the model goes by."""
    if (rule is None) == (text is None):
        raise click.UsageError("name a rule, or give a text with --text")
    spec = load(config, no_config, {"model": model}).spec
    if text is not None:
        _picture(text, spec, html, color)
        return
    known = {one.id: one for one in rules_for(spec)}
    if rule not in known:
        raise UnknownName("rule", str(rule), known)
    click.echo(_explanation(known[rule]))


def _picture(text: str, spec: Spec, html: Path | None, color: str) -> None:
    from unslant.neural.attribution import attributions
    from unslant.report.shading import shade_words, shaded_page

    found = attributions(text, spec)
    if html is not None:
        try:
            html.write_text(shaded_page(found), "utf-8")
        except OSError as error:
            raise ConfigError(f"--html {str(html)!r} cannot be written: {error.strerror}") from None
    on_terminal = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    click.echo(shade_words(found, color == "always" or (color == "auto" and on_terminal)), color=True)


def _explanation(rule: WrittenRule) -> str:
    kind = f"{rule.kind}, {rule.dimension}" if rule.dimension else rule.kind
    parts = [
        f"{rule.title} ({rule.id})",
        f"{kind}; {rule.severity.value}",
        "",
        rule.why,
        f"Guidance: {rule.source}.",
    ]
    plain = [term for term in rule.all_terms() if term not in rule.swap and term not in rule.delete]
    if plain:
        parts += ["", "Words it looks for:", _wrapped(", ".join(plain))]
    if rule.delete:
        parts += ["", "Words that can often be left out:", _wrapped(", ".join(rule.delete))]
    if rule.swap:
        parts += ["", "Wordings to prefer:"]
        parts += [_wrapped(f"{term}: {', '.join(wordings)}") for term, wordings in rule.swap.items()]
    if rule.unless:
        parts += ["", "Left alone in:", _wrapped(", ".join(rule.unless))]
    parts += ["", "It flags:", *(_wrapped(text) for text in rule.flags)]
    parts += ["", "It leaves alone:", *(_wrapped(text) for text in rule.passes)]
    parts += ["", f"To ignore it in one place, write a comment: unslant: ignore {rule.id} -- your reason"]
    return "\n".join(parts)


def _wrapped(text: str) -> str:
    return textwrap.fill(_TAG.sub("", text), _WIDTH, initial_indent="  ", subsequent_indent="    ")
