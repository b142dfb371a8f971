"""``unslant release``: makes everything again that ships, and says what does not come out the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from unslant.cli.exits import Exit
from unslant.cli.options import missing_extra, quiet_option
from unslant.cli.progress import ProgressBar
from unslant.core.errors import ConfigError
from unslant.lab.cli.options import data_option


def _package(option: str, what: str) -> Any:
    return click.option(
        option,
        metavar="FOLDER",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        help=f"Take this package of a {what}.  [default: the one in DIR from before, else the one that ships]",
    )


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@_package("--model", "detector")
@_package("--rewriter", "rewriter")
@click.option(
    "--train", is_flag=True, help="Train detector and rewriter by their recipes, which takes many hours."
)
@click.option(
    "--check",
    "mode",
    flag_value="check",
    default="check",
    help="Say what does not come out as it ships.  [default]",
)
@click.option(
    "--write",
    "mode",
    flag_value="write",
    help="Put the result into the checkout that this unslant is installed from.",
)
@click.option("--no-card", is_flag=True, help="Leave out the figures of the model card.")
@click.option(
    "--quick",
    is_flag=True,
    help="Try every step on a tenth of the corpora. The result is of no use, and is not compared.",
)
@data_option
@quiet_option
def release(
    folder: Path,
    model: Path | None,
    rewriter: Path | None,
    train: bool,
    mode: str,
    no_card: bool,
    quick: bool,
    data: Path | None,
) -> Exit:
    """Make everything again that ships with unslant, in order, and write it to DIR.

    The steps are the detector, the records of the rules, the model of genres, the acceptance of findings, the rewriter,
    the model of edits with its policy, and the figures of the model card. A step is run only if what it is made from
    has changed, so an interrupted command goes on where it was. The exit code is 1 if something does not come out as
    it ships.
    """
    if train and (model or rewriter):
        raise ConfigError("--train makes a detector and a rewriter; leave out --model and --rewriter.")
    if quick and mode == "write":
        raise ConfigError("--quick makes nothing that may ship; leave out --write.")
    with missing_extra("a release", "sklearn"):
        import sklearn  # noqa: F401

    from unslant.lab.release import Release

    made = Release(folder, data, model, rewriter, train, quick, ProgressBar())
    made.run(card=not no_card, say=click.echo)
    if not no_card:
        click.echo(f"\n{made.card()}")
    if quick:
        return Exit.CLEAN
    if mode == "write":
        for name in made.write():
            click.echo(f"written: {name}")
        return Exit.CLEAN
    different = made.differences()
    for sentence in different or ["everything comes out as it ships"]:
        click.echo(sentence)
    return Exit.FINDINGS if different else Exit.CLEAN
