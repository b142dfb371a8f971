"""``unslant release``: makes everything again that ships, and says what does not come out the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from unslant.cli.exits import Exit
from unslant.cli.options import missing_extra
from unslant.cli.progress import ProgressBar
from unslant.core.errors import ConfigError
from unslant.lab.cli.options import DataOptions, settings_options
from unslant.lab.options import option


def _package(what: str) -> Any:
    about = f"Take this package of a {what}.  [default: the one in DIR from before, else the one that ships]"
    return option(about, metavar="DIR", exists=True)


class _Release(DataOptions):
    quiet = True

    model: Path | None = _package("detector")
    rewriter: Path | None = _package("rewriter")
    train: bool = option("Train detector and rewriter by their recipes, which takes many hours.")
    no_card: bool = option("Leave out the figures of the model card.")
    quick: bool = option(
        "Try every step on a tenth of the corpora. The result is of no use, and is not compared."
    )


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@settings_options(_Release)
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
def release(folder: Path, mode: str, options: _Release) -> Exit:
    """Make everything again that ships with unslant, in order, and write it to DIR.

    The steps are the detector, the records of the rules, the model of genres, the acceptance of findings, the rewriter,
    the model of edits with its policy, and the figures of the model card. A step is run only if what it is made from
    has changed, so an interrupted command goes on where it was. The exit code is 1 if something does not come out as
    it ships.
    """
    if options.train and (options.model or options.rewriter):
        raise ConfigError("--train makes a detector and a rewriter; leave out --model and --rewriter.")
    if options.quick and mode == "write":
        raise ConfigError("--quick makes nothing that may ship; leave out --write.")
    with missing_extra("a release", "sklearn"):
        import sklearn  # noqa: F401

    from unslant.lab.release import Release

    made = Release(
        folder,
        options.data,
        options.model,
        options.rewriter,
        options.train,
        options.quick,
        ProgressBar(),
    )
    made.run(card=not options.no_card, say=click.echo)
    if not options.no_card:
        click.echo(f"\n{made.card()}")
    if options.quick:
        return Exit.CLEAN
    if mode == "write":
        for name in made.write():
            click.echo(f"written: {name}")
        return Exit.CLEAN
    different = made.differences()
    for sentence in different or ["everything comes out as it ships"]:
        click.echo(sentence)
    return Exit.FINDINGS if different else Exit.CLEAN
