"""``unslant evaluate``: measures a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unslant.cli.progress import Bars
from unslant.lab.evaluation.tasks import TASKS

if TYPE_CHECKING:
    from unslant.lab.evaluation.result import Result

__all__ = ["evaluate"]

_OF_MODELS = {name: about for name, (_, about) in TASKS.items()}
_WITHOUT_MODEL = {
    "judge": "the judge of 'unslant audit' (--model: a judge), on outlets it never saw",
    "weak-labels": "labels made from edits, against those of annotators",
    "rewrite": "rewrites, against those of editors; see --system",
}
"""What is measured without a model."""


@click.command(
    epilog="\b\nTasks:\n"
    + "\n".join(f"  {name:<14} {about}" for name, about in {**_OF_MODELS, **_WITHOUT_MODEL}.items())
)
@click.argument("task", type=click.Choice([*TASKS, *_WITHOUT_MODEL]), metavar="TASK")
@click.option(
    "--model",
    default="default",
    show_default=True,
    help="'rules', 'default', or a folder: of a run, of its package, or of the folds of a cross-validation.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Where the corpora lie; else UNSLANT_DATA and the cache.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--bootstrap",
    type=click.IntRange(0),
    default=1000,
    show_default=True,
    help="Resamples for the intervals.",
)
@click.option("--seed", default=0, show_default=True, help="For the resamples.")
@click.option(
    "--pictures",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write pictures (SVG) into this folder.",
)
@click.option("--against", help="Another model, like --model: compare the two by a paired bootstrap.")
@click.option(
    "--train", "recipe", help="For babe: first train the folds by this recipe, into the folder of --model."
)
@click.option("--on", "corpus", help="With --train: the corpus that is cut into folds, such as babe/sg1.")
@click.option(
    "--system",
    "systems",
    multiple=True,
    help="For rewrite: copy, rules, edit, edit-unsafe, edit-first, fix:REWRITER, hf:NAME, or the folder of a trained "
    "rewriter; can be repeated.  [default: edit]",
)
@click.option(
    "--judge", help="For rewrite: the model that judges, like --model; one that did not help to rewrite."
)
@click.option("--limit", type=click.IntRange(1), help="For rewrite: so many pairs only, chosen by the seed.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="For rewrite: write the rewrites, as 'unslant annotate export rewrites' reads them.",
)
@click.option("--sample", type=click.IntRange(1), help="With --out: so many pairs only, chosen by the seed.")
def evaluate(task: str, model: str, recipe: str | None, **options: Any) -> None:
    """Measure a model on TASK, with 95 % intervals and the published figures beside ours.

    Nothing is measured on text that the model, its encoder or its teachers have learned from.
    """
    from unslant.lab.evaluation.held_out import Setting
    from unslant.lab.evaluation.model import open_models
    from unslant.lab.evaluation.tasks import run
    from unslant.lab.stats.bootstrap import Resampling

    if task == "rewrite":
        _rewrite(options)
        return
    if task == "weak-labels":
        _weak_labels(options["data"], options["as_json"])
        return
    bar = Bars()
    if task == "judge":
        from unslant.lab.evaluation.judge import judge

        measured = judge(
            model, Setting(options["data"], Resampling(options["bootstrap"], options["seed"]), bar)
        )
        _show(measured, options)
        return
    if recipe is not None:
        _train(recipe, model, options, bar)
    resampling = Resampling(options["bootstrap"], options["seed"])
    setting = Setting(options["data"], resampling, bar)
    result = run(task, open_models(model), setting)
    if options["against"] is not None:
        from unslant.lab.evaluation.comparison import compare

        result = compare(result, run(task, open_models(options["against"]), setting), resampling)
    _show(result, options)


def _show(result: Result, options: dict[str, Any]) -> None:
    from unslant.lab.evaluation.tables import result_text

    if options["pictures"] is not None:
        _draw(result, options["pictures"])
    if options["as_json"]:
        click.echo(json.dumps(result.to_dict(), indent=2, ensure_ascii=False))
    else:
        click.echo(result_text(result))


def _train(recipe: str, model: str, options: dict[str, Any], bar: Bars) -> None:
    from unslant.core.errors import ConfigError, MissingExtra
    from unslant.lab.detector.recipe import read_recipe
    from unslant.lab.evaluation.folds import on_corpus, train_folds

    if model in ("rules", "default"):
        raise ConfigError("--train: name the folder for the folds with --model")
    try:
        from unslant.lab.detector.run import Settings
    except ModuleNotFoundError as error:
        raise MissingExtra("training", error.name or "torch", "train") from error
    chosen = read_recipe(recipe)
    if options["corpus"]:
        chosen = on_corpus(chosen, options["corpus"])
    train_folds(chosen, Path(model), Settings(data=options["data"], tell=bar))


def _draw(result: Result, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in result.pictures.items():
        path = folder / f"{result.task}-{name.replace('/', '-')}.svg"
        path.write_text(picture, "utf-8")
        click.echo(f"picture: {path}", err=True)


def _weak_labels(data: Path | None, as_json: bool) -> None:
    from unslant.lab.evaluation.weak_labels import report_text, weak_labels

    figures = weak_labels(data)
    click.echo(json.dumps(figures, indent=2) if as_json else report_text(figures))


def _rewrite(options: dict[str, Any]) -> None:
    from unslant.lab.evaluation.held_out import Setting
    from unslant.lab.evaluation.rewrite_report import compare_systems, report_text, write_rewrites
    from unslant.lab.evaluation.rewrite_systems import open_system
    from unslant.lab.stats.bootstrap import Resampling

    setting = Setting(options["data"], Resampling(options["bootstrap"], options["seed"]), Bars())
    other = options["against"]
    report, items = compare_systems(
        [open_system(name) for name in options["systems"] or ("edit",)],
        setting,
        against=open_system(other) if other is not None else None,
        judge=options["judge"],
        limit=options["limit"],
    )
    if options["out"] is not None:
        count = write_rewrites(report, items, options["out"], options["sample"], options["seed"])
        click.echo(f"{count} rewrites in {options['out']}", err=True)
    wire = json.dumps(report.to_dict(), indent=2, ensure_ascii=False)
    click.echo(wire if options["as_json"] else report_text(report))
