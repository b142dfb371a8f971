"""``unslant trust``: lets the configuration of a folder name models."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--remove", is_flag=True, help="Stop trusting FOLDER.")
@click.option("--list", "show", is_flag=True, help="List the trusted folders and exit.")
def trust(folder: Path | None, remove: bool, show: bool) -> None:
    """Let the configuration files in FOLDER, and below it, name models.

    A model runs on your machine and sees your text, so a project that you only want to check must not choose one. A
    configuration file can never name a server; use --analyzer or --rewriter for that.
    """
    from unslant.config import files as store

    if show:
        for trusted in store.trusted_folders():
            click.echo(str(trusted))
        return
    if folder is None:
        raise click.UsageError("name a folder, or use --list")
    if remove:
        store.distrust(folder)
    else:
        store.trust(folder)
