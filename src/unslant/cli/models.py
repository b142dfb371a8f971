"""``unslant models``: which models there are, whether they are whole, and what they learned from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from unslant.cli.exits import Exit
from unslant.cli.settings import config_options, load
from unslant.core.errors import ModelError
from unslant.neural.checkpoint import identity, load_package, shipped

__all__ = ["models"]


@click.command()
@click.argument("folders", nargs=-1)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print them."
)
@config_options
def models(folders: tuple[str, ...], form: str, config: Path | None, no_config: bool) -> int:
    """List and verify models: the one that ships, the one of the configuration, and those in FOLDERS."""
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
    }


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
    return "\n".join(map(clean, lines))
