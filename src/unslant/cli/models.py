"""``unslant models``: which models there are, whether they are intact, and what they were trained on."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from unslant.cli.exits import Exit
from unslant.cli.options import ConfigOptions, config_options, current_settings, output_format_option
from unslant.neural.checkpoint import describe_model, shipped_model
from unslant.report.listings import model_text
from unslant.report.wire import readable


@click.command()
@click.argument("folders", nargs=-1, metavar="[DIR]...")
@output_format_option("text", "json", default="text")
@config_options
def models(folders: tuple[str, ...], output_format: str, **options: Unpack[ConfigOptions]) -> int:
    """List and verify models: the one that ships with unslant, the configured one, and those in each DIR.

    Each is listed with its size, the corpora that it was trained on and their licences, and its measured quality.
    The exit code is 2 if a model is missing or damaged.
    """
    known = _known(folders, current_settings(options).spec.model)
    found = [describe_model(name, folder) for name, folder in known.items()]
    if output_format == "json":
        click.echo(readable(found, 2))
    elif found:
        click.echo("\n\n".join(map(model_text, found)))
    else:
        click.echo("No model ships with this build of unslant. Run 'unslant models DIR' to list your own.")
    return Exit.USAGE if any(model["problem"] for model in found) else Exit.CLEAN


def _known(folders: tuple[str, ...], configured: str) -> dict[str, Path]:
    known: dict[str, Path] = {}
    if (own := shipped_model()) is not None:
        known["the model that ships with unslant"] = own
    if configured:
        known["the configured model"] = Path(configured)
    return known | {Path(folder).name or folder: Path(folder) for folder in folders}
