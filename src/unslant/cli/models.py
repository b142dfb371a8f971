"""``unslant models``: which models there are, whether they are whole, and what they learned from."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import click

from unslant.cli.exits import Exit
from unslant.cli.settings import config_options, load
from unslant.core.errors import ConfigError, ModelError
from unslant.neural.checkpoint import identity, load_package, shipped

__all__ = ["models"]


@click.command()
@click.argument("folders", nargs=-1)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print them."
)
@click.option(
    "--figures",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Put what 'unslant evaluate TASK --json' printed onto the card of the one folder; can be repeated.",
)
@config_options
def models(
    folders: tuple[str, ...], form: str, figures: tuple[Path, ...], config: Path | None, no_config: bool
) -> int:
    """List and verify models: the one that ships, the one of the configuration, and those in FOLDERS."""
    if figures:
        _attach(folders, figures)
    found = [
        _described(name, folder)
        for name, folder in _known(folders, load(config, no_config).spec.model).items()
    ]
    if form == "json":
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
    elif found:
        click.echo("\n\n".join(map(_shown, found)))
    else:
        click.echo(
            "No model ships with this build of unslant. 'unslant models DIR' looks at one of your own."
        )
    return Exit.USAGE if any(one["problem"] for one in found) else Exit.CLEAN


def _attach(folders: tuple[str, ...], figures: tuple[Path, ...]) -> None:
    # by name: the linter imports nothing of the lab
    attach = importlib.import_module("unslant.lab.evaluation.on_card").attach
    if len(folders) != 1:
        raise ConfigError("--figures: name the one folder whose card they go onto")
    tasks = attach(Path(folders[0]), figures)
    click.echo(f"on the card of {folders[0]}: {', '.join(tasks)}", err=True)


def _known(folders: tuple[str, ...], configured: str) -> dict[str, Path]:
    known: dict[str, Path] = {}
    if (own := shipped()) is not None:
        known["the model that ships"] = own
    if configured:
        known["the model of the configuration"] = Path(configured)
    return known | {Path(folder).name or folder: Path(folder) for folder in folders}


def _described(name: str, folder: Path) -> dict[str, Any]:
    """Return what there is to say of one model; what is wrong with it, if anything."""
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
        "learned_from": [
            {key: str(one.get(key, "")) for key in ("name", "title", "licence", "url")}
            for one in corpora
            if isinstance(one, dict)
        ],
        "figures": _headlines(card.get("figures")),
    }


def _headlines(figures: Any) -> list[dict[str, Any]]:
    """Return the promised figures of a card; one that is not in order has none."""
    from unslant.neural.headlines import headlines

    try:
        return [
            {"task": task, "text": title, **figure}
            for task, result in (figures or {}).items()
            for title, figure in headlines(task, result["sections"])
        ]
    except (AttributeError, KeyError, TypeError):
        return []


def _shown(one: dict[str, Any]) -> str:
    from unslant.report.printable import clean

    if one["problem"]:
        return f"{clean(one['name'])}\n  {clean(one['problem'])}"
    lines = [one["name"], *([f"  {one['about']}"] if one["about"] else [])]
    lines += [
        f"  folder   {one['folder']}",
        f"  size     {one['bytes'] / 1e6:.1f} MB",
        f"  digest   {one['digest'][:16]}, every file as it was made",
        f"  heads    {', '.join(one['heads'])}",
    ]
    if one["encoder"]:
        lines.append(f"  encoder  {one['encoder']}")
    corpora = one["learned_from"]
    lines.append(
        "  learned from, on these terms:"
        if corpora
        else "  what it learned from is not known: it has no card"
    )
    lines += [
        f"    {corpus['title'] or corpus['name']}: {corpus['licence'] or 'terms unknown'}"
        for corpus in corpora
    ]
    if one["figures"]:
        lines.append("  measured, with 95 % intervals; the card has all figures:")
        lines += [f"    {_figure(figure)}" for figure in one["figures"]]
    return "\n".join(map(clean, lines))


def _figure(one: dict[str, Any]) -> str:
    value, low, high = (one.get(key) for key in ("value", "low", "high"))
    numbers = [number for number in (value, low, high) if isinstance(number, int | float)]
    shown = f"{numbers[0]:.3f}" if numbers else "-"
    between = f" ({numbers[1]:.3f} to {numbers[2]:.3f})" if len(numbers) == 3 else ""
    return f"{one['task']}, {one['text']}, {one['name']}: {shown}{between}"
