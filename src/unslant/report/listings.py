"""Rules and models for people and programs: as a list, one in full, and as JSON."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from unslant.core.taxonomy import Technique
from unslant.report.printable import clean
from unslant.rules.rule import WrittenRule

_WIDTH = 88
_TAG = re.compile(r"@(?:v|n|adj|adv)\b")
"""Marks the part of speech in a term; useful for writing rules, not for reading about them."""


def list_rules(rules: Sequence[WrittenRule]) -> str:
    """Return one line per rule, and the totals."""
    width = max(len(rule.id) for rule in rules)
    rows = [f"{rule.id:<{width}}  {rule.severity.value:<10}  {rule.title}" for rule in rules]
    terms = sum(len(rule.all_terms()) for rule in rules)
    return "\n".join(
        [*rows, "", f"{len(rules)} rules, {terms} terms. Run 'unslant explain RULE' to read about one."]
    )


def explain_rule(rule: WrittenRule) -> str:
    """Return everything about a rule."""
    kind = f"{rule.kind}, {rule.dimension}" if rule.dimension else rule.kind
    parts = [
        f"{rule.title} ({rule.id})",
        f"{kind}; {rule.severity.value}; meant for the profile {rule.meant_for}",
        "",
        rule.why,
        f"Source: {rule.source}.",
    ]
    plain = [term for term in rule.all_terms() if term not in rule.swap and term not in rule.delete]
    if plain:
        parts += ["", "Words it looks for:", _wrap(", ".join(plain))]
    if rule.set:
        parts += ["", f"Reported only on request: --include {rule.set}"]
    if rule.counts:
        parts += [
            "",
            f"It counts these findings, and reports {rule.least} or more in one paragraph, "
            f"with no more than {rule.each:g} sentences to each:",
            _wrap(", ".join(rule.counts)),
        ]
    if rule.senses:
        parts += [
            "",
            "Words with another sense in a document that also has one of the words on the right:",
            *(_wrap(f"{word}: {', '.join(others)}") for word, others in rule.senses.items()),
        ]
    if rule.delete:
        parts += ["", "Words that can often be deleted:", _wrap(", ".join(rule.delete))]
    if rule.swap:
        parts += ["", "Preferred wordings:"]
        parts += [_wrap(f"{term}: {', '.join(wordings)}") for term, wordings in rule.swap.items()]
    if rule.unless:
        parts += ["", "Exceptions:", _wrap(", ".join(rule.unless))]
    parts += ["", "It flags:", *(_wrap(text) for text in rule.flags)]
    parts += ["", "It does not flag:", *(_wrap(text) for text in rule.passes)]
    parts += ["", f"To ignore it in one place, write a comment: unslant: ignore {rule.id} -- your reason"]
    return "\n".join(parts)


_PAGE = """\
# The reasons, with what they are given for

Every rule with the reason that a finding shows, and the sentences that it must flag (✗) and must leave alone (✓).
*Meant for* is the [profile](profiles/README.md) in which the first are reported; rules *for the model* are reported
only where the model agrees.
`unslant rules --output-format markdown` writes this page, and a test compares it.
"""


def reasons_page(rules: Sequence[WrittenRule]) -> str:
    """Return a Markdown page that shows each reason with the rule's examples."""
    parts = [_PAGE]
    for rule in rules:
        meant = f"meant for {rule.meant_for}" + (f", on request (`{rule.set}`)" if rule.set else "")
        parts.append(
            f"## `{rule.id}`\n\n**{rule.title}** ({meant}{', for the model' * rule.gated}). {rule.why}\n"
        )
        parts.append(
            "\n".join([*(f"- ✗ {text}" for text in rule.flags), *(f"- ✓ {text}" for text in rule.passes)])
            + "\n"
        )
    return "\n".join(parts)


def explain_technique(technique: Technique) -> str:
    """Return everything about a technique that the model names."""
    parts = [
        f"{technique.title} ({technique.id})",
        f"{technique.kind}; found by the model, in context",
        "",
        technique.why,
        f"Source: {technique.source}.",
    ]
    if technique.flags:
        parts += ["", "Examples (*marked*):", *(_wrap(text) for text in technique.flags)]
    if technique.passes:
        parts += ["", "Not slanted:", *(_wrap(text) for text in technique.passes)]
    parts += [
        "",
        f"To ignore it in one place, write a comment: unslant: ignore {technique.id} -- your reason",
    ]
    return "\n".join(parts)


def _wrap(text: str) -> str:
    return textwrap.fill(_TAG.sub("", text), _WIDTH, initial_indent="  ", subsequent_indent="    ")


def rule_to_dict(rule: WrittenRule) -> dict[str, Any]:
    """Return everything about a rule, ready for JSON."""
    return {
        "id": rule.id,
        "title": rule.title,
        "kind": rule.kind,
        "dimension": rule.dimension,
        "severity": rule.severity.value,
        "profile": rule.meant_for,
        "set": rule.set or None,
        "counts": list(rule.counts),
        "least": rule.least or None,
        "each": rule.each or None,
        "senses": {word: list(others) for word, others in rule.senses.items()},
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


def model_text(model: Mapping[str, Any]) -> str:
    """Return the description of a model, as ``neural.checkpoint.describe_model`` gives it."""
    if model["problem"]:
        return f"{clean(model['name'])}\n  {clean(model['problem'])}"
    lines = [model["name"], *([f"  {model['about']}"] if model["about"] else [])]
    lines += [
        f"  folder   {model['folder']}",
        f"  size     {model['bytes'] / 1e6:.1f} MB",
        f"  digest   {model['digest'][:16]}, all files verified",
        f"  heads    {', '.join(model['heads'])}",
    ]
    if model["encoder"]:
        lines.append(f"  encoder  {model['encoder']}")
    corpora = model["trained_on"]
    lines.append("  trained on:" if corpora else "  training data unknown: the model has no card")
    lines += [
        f"    {corpus['title'] or corpus['name']}: {corpus['licence'] or 'licence unknown'}"
        for corpus in corpora
    ]
    if model["figures"]:
        lines.append("  quality, with 95 % intervals (the model card has all figures):")
        lines += [f"    {_format_figure(figure)}" for figure in model["figures"]]
    return "\n".join(map(clean, lines))


def _format_figure(figure: Mapping[str, Any]) -> str:
    value, low, high = (figure.get(key) for key in ("value", "low", "high"))
    numbers = [number for number in (value, low, high) if isinstance(number, int | float)]
    shown = f"{numbers[0]:.3f}" if numbers else "-"
    between = f" ({numbers[1]:.3f} to {numbers[2]:.3f})" if len(numbers) == 3 else ""
    return f"{figure['task']}, {figure['text']}, {figure['name']}: {shown}{between}"
