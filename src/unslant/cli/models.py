"""``unslant models``: which models there are, whether they are intact, and what they were trained on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from unslant.cli.exits import Exit
from unslant.cli.options import config_options, current_settings, output_format_option
from unslant.core.errors import ModelError
from unslant.neural.checkpoint import identity, load_package, shipped

__all__ = ["models"]


@click.command()
@click.argument("folders", nargs=-1, metavar="[DIR]...")
@output_format_option("text", "json", default="text")
@config_options
def models(folders: tuple[str, ...], output_format: str, **options: Any) -> int:
    """List and verify models: the one that ships with unslant, the configured one, and those in each DIR.

    Each is listed with its size, the corpora that it was trained on and their licences, and its measured quality.
    The exit code is 2 if a model is missing or damaged.
    """
    known = _known(folders, current_settings(options).spec.model)
    found = [_describe(name, folder) for name, folder in known.items()]
    if output_format == "json":
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
    elif found:
        click.echo("\n\n".join(map(_format_model, found)))
    else:
        click.echo("No model ships with this build of unslant. Run 'unslant models DIR' to list your own.")
    return Exit.USAGE if any(model["problem"] for model in found) else Exit.CLEAN


def _known(folders: tuple[str, ...], configured: str) -> dict[str, Path]:
    known: dict[str, Path] = {}
    if (own := shipped()) is not None:
        known["the model that ships with unslant"] = own
    if configured:
        known["the configured model"] = Path(configured)
    return known | {Path(folder).name or folder: Path(folder) for folder in folders}


def _describe(name: str, folder: Path) -> dict[str, Any]:
    """Return what is known about a model, and what is wrong with it, if anything."""
    about: dict[str, Any] = {"name": name, "folder": str(folder), "problem": None}
    try:
        package = load_package(folder)
        package.verify()
        about |= {"bytes": package.size(), "digest": identity(str(folder)), "heads": list(package.heads)}
        card = package.card()
    except ModelError as error:
        return about | {"problem": str(error)}
    data = card.get("data")
    corpora = data if isinstance(data, list) else []
    return about | {
        "about": str(card.get("about", "")),
        "encoder": str(card.get("encoder", "")),
        "trained_on": [
            {key: str(corpus.get(key, "")) for key in ("name", "title", "licence", "url")}
            for corpus in corpora
            if isinstance(corpus, dict)
        ],
        "figures": _read_headlines(card.get("figures")),
    }


def _read_headlines(figures: Any) -> list[dict[str, Any]]:
    """Return the headline figures of a card; a malformed card has none."""
    from unslant.neural.checkpoint import headlines

    try:
        return [
            {"task": task, "text": title, **figure}
            for task, result in (figures or {}).items()
            for title, figure in headlines(task, result["sections"])
        ]
    except (AttributeError, KeyError, TypeError):
        return []


def _format_model(model: dict[str, Any]) -> str:
    from unslant.report.printable import clean

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


def _format_figure(figure: dict[str, Any]) -> str:
    value, low, high = (figure.get(key) for key in ("value", "low", "high"))
    numbers = [number for number in (value, low, high) if isinstance(number, int | float)]
    shown = f"{numbers[0]:.3f}" if numbers else "-"
    between = f" ({numbers[1]:.3f} to {numbers[2]:.3f})" if len(numbers) == 3 else ""
    return f"{figure['task']}, {figure['text']}, {figure['name']}: {shown}{between}"
