"""``unslant train``: runs a recipe, or one of the trainings that have no recipe."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from unslant.cli.progress import ProgressBar

__all__ = ["train"]

_EXTRA = ("numpy", "safetensors", "torch", "transformers")
"""What the extra brings; anything else that is missing is a bug."""

OTHERS = {
    "bias-words": "unslant.lab.cli.train_guides:bias_words",
    "debiaser": "unslant.lab.cli.train_guides:debiaser",
    "judge": "unslant.lab.cli.train_judge:judge",
    "neutral-vectors": "unslant.lab.cli.train_guides:neutral_vectors",
}
"""Trainings without a recipe, each a command of its own."""


class _Train(click.Command):
    """A command that hands over to another if the first word names one."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if args and args[0] in OTHERS:
            module, _, attribute = OTHERS[args[0]].partition(":")
            command: click.Command = getattr(importlib.import_module(module), attribute)
            return command.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(cls=_Train)
@click.argument("recipe", required=False)
@click.argument("system", required=False)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder for model, card and checkpoints.",
)
@click.option("--encoder", help="Another encoder than the recipe's: a hub name or a folder.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Where the corpora lie; else UNSLANT_DATA and the cache.",
)
@click.option(
    "--teacher", "teachers", multiple=True, help="Another teacher than the recipe's; can be repeated."
)
@click.option("--fold", type=int, help="The part to hold out, for a recipe with folds.")
@click.option("--seed", type=int, help="Another seed than the recipe's.")
@click.option(
    "--precision",
    type=click.Choice(["float32", "bfloat16"]),
    help="What the encoder computes in while it learns; bfloat16 is faster where the processor knows it.",
)
@click.option("--resume", is_flag=True, help="Go on with the run in the folder.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="Threads for torch.")
@click.option("--export", is_flag=True, help="Write the small package for everyday use too, to OUT/package.")
@click.option(
    "--pairs", multiple=True, help="For a rewriter: a file of more sentence pairs; can be repeated."
)
@click.option("--list", "list_", is_flag=True, help="List the recipes that come with unslant.")
@click.pass_context
def train(
    ctx: click.Context, /, recipe: str | None, system: str | None, out: Path | None, **options: object
) -> None:
    """Train a model by RECIPE: the name of one that comes with unslant, or a TOML file.

    'unslant train rewriter SYSTEM' trains a system that words sentences anew, from sentence pairs.

    A run that was stopped goes on with --resume, and ends with the same weights.

    Without a recipe: 'unslant train bias-words', 'debiaser' and 'neutral-vectors', each with its own --help, make what
    'unslant generate --debias' goes by, and 'unslant train judge' what 'unslant audit' goes by.
    """
    if options["list_"]:
        _list(rewriters_only=recipe == "rewriter")
        return
    if recipe == "rewriter" and system is None:
        ctx.fail(
            "Missing argument 'SYSTEM'. 'unslant train rewriter --list' names those that come with unslant."
        )
    if recipe != "rewriter" and (system is not None or options["pairs"]):
        ctx.fail("a second argument and --pairs are for 'unslant train rewriter SYSTEM'.")
    if recipe is None:
        ctx.fail("Missing argument 'RECIPE'. 'unslant train --list' names those that come with unslant.")
    if out is None:
        ctx.fail("Missing option '--out': the folder for model, card and checkpoints.")
    if system is not None:
        from unslant.lab.cli.train_rewriter import run_rewriter

        run_rewriter(system, out, options, ProgressBar())
        return
    _run(recipe, out, options)


def _list(*, rewriters_only: bool) -> None:
    from unslant.lab.cli.train_rewriter import list_rewriters
    from unslant.lab.detector.recipe import read_recipe, recipe_names

    for name in () if rewriters_only else recipe_names():
        click.echo(f"{name:<28} {read_recipe(name).about}")
    list_rewriters()


def _run(name: str, out: Path, options: dict[str, object]) -> None:
    from unslant.core.errors import MissingExtra
    from unslant.lab.detector.recipe import read_recipe

    recipe = read_recipe(name).with_fold(options["fold"])  # type: ignore[arg-type]
    recipe = recipe.with_teachers(options["teachers"])  # type: ignore[arg-type]
    changes = {key: options[key] for key in ("encoder", "seed", "precision") if options[key] is not None}
    try:
        from unslant.lab.detector.run import Settings
        from unslant.lab.detector.run import train as run
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in _EXTRA:
            raise MissingExtra("training", package, "train") from error
        raise
    settings = Settings(
        data=options["data"],  # type: ignore[arg-type]
        resume=bool(options["resume"]),
        threads=int(options["threads"]),  # type: ignore[call-overload]
        tell=ProgressBar(),
    )
    model = run(replace(recipe, **changes), out, settings)  # type: ignore[arg-type]
    click.echo(f"model: {model}\ncard: {out / 'card.md'}")
    if options["export"]:
        from unslant.lab.detector.export import export

        click.echo(f"package: {export(model, out / 'package')}")
