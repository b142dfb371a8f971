"""``unslant train rewriter``: trains a system that words sentences anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from unslant.core.errors import ConfigError, MissingExtra

__all__ = ["list_rewriters", "run_rewriter"]

_NOT_FOR_REWRITERS = {
    "teachers": "--teacher",
    "fold": "--fold",
    "export": "--export",
    "precision": "--precision",
}


def list_rewriters() -> None:
    """Name the systems, one a line."""
    from unslant.lab.rewriters.recipe import read_rewriter, rewriter_names

    for name in rewriter_names():
        click.echo(f"rewriter {name:<19} {read_rewriter(name).about}")


def run_rewriter(
    name: str, out: Path, options: Mapping[str, Any], tell: Callable[[str, int, int], None]
) -> None:
    """Train a system by its recipe, and say where it lies."""
    from unslant.lab.rewriters.recipe import read_rewriter

    for key, option in _NOT_FOR_REWRITERS.items():
        if options[key] not in (None, False, ()):
            raise ConfigError(f"{option}: is not for rewriters; leave it out")
    recipe = read_rewriter(name).changed(
        base=options["encoder"], seed=options["seed"], pairs=tuple(options["pairs"])
    )
    try:
        from unslant.lab.detector.run import Settings
        from unslant.lab.rewriters.run import train_rewriter
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("numpy", "safetensors", "torch", "transformers"):
            raise MissingExtra("training", package, "train") from error
        raise
    settings = Settings(
        data=options["data"], resume=bool(options["resume"]), threads=int(options["threads"]), tell=tell
    )
    model = train_rewriter(recipe, out, settings)
    click.echo(f"rewriter: {model}\ncard: {out / 'card.md'}")
