"""``unslant train``: trains detectors, rewriters, judges, and what debiasing needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from unslant.cli.options import Count, missing_extra, quiet_option
from unslant.cli.progress import ProgressBar
from unslant.core.errors import ConfigError
from unslant.core.files import write_text
from unslant.lab.cli.options import (
    data_option,
    output_folder,
    seed_option,
    threads_option,
)
from unslant.lab.cli.train_debias import bias_words, debiaser, neutral_vectors

if TYPE_CHECKING:
    from unslant.lab.judges.fitting import TrainedJudge

P = ParamSpec("P")
R = TypeVar("R")


@click.group()
def train() -> None:
    """Train a detector, a rewriter, a judge, or what debiasing needs."""


for _command in (bias_words, debiaser, neutral_vectors):
    train.add_command(_command)


def _list_option(about: str, lines: Callable[[], Iterable[str]]) -> Any:
    def show(context: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            for line in lines():
                click.echo(line)
            context.exit()

    return click.option(
        "--list", "list_", is_flag=True, is_eager=True, expose_value=False, callback=show, help=about
    )


def _run_options(command: Callable[P, R]) -> Callable[P, R]:
    for option in (
        quiet_option,
        threads_option(1),
        click.option("--resume", is_flag=True, help="Continue the interrupted run in the output folder."),
        seed_option("Random seed instead of the recipe's.", default=None),
        data_option,
    ):
        command = option(command)
    return command


def _run_settings(options: dict[str, Any]) -> Any:
    from unslant.lab.detector.run import TrainSettings

    return TrainSettings(
        data=options["data"], resume=options["resume"], threads=options["threads"], progress=ProgressBar()
    )


def _detector_recipes() -> Iterable[str]:
    from unslant.lab.detector.recipe import read_recipe, recipe_names

    return (f"{name:<28} {read_recipe(name).about}" for name in recipe_names())


@train.command()
@click.argument("recipe")
@output_folder("Write the model, its card and the checkpoints to DIR.")
@click.option("--encoder", metavar="NAME", help="Encoder instead of the recipe's: a hub name or a folder.")
@click.option(
    "--teacher",
    "teachers",
    multiple=True,
    metavar="DIR",
    help="Teacher instead of the recipe's. Can be repeated.",
)
@click.option("--fold", type=Count(0), help="Fold to hold out, for a recipe with folds.")
@click.option(
    "--precision",
    type=click.Choice(["float32", "bfloat16"]),
    help="Precision of the encoder while it trains; bfloat16 is faster if the processor supports it.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="Time for the training steps of each stage; the learning rate reaches 0 when it is over.",
)
@click.option(
    "--tracker",
    "trackers",
    multiple=True,
    type=click.Choice(["jsonl", "tensorboard", "mlflow", "wandb"]),
    help="Record the figures while training; jsonl writes DIR/figures.jsonl. Can be repeated.",
)
@click.option("--export", is_flag=True, help="Also write the small package for everyday use to DIR/package.")
@_list_option("List the recipes that ship with unslant, and exit.", _detector_recipes)
@_run_options
def detector(recipe: str, output: Path, **options: Any) -> None:
    """Train a detector of slanted wording.

    RECIPE is a name from --list, or a TOML file. An interrupted run continues with --resume and ends
    with the same weights.
    """
    from unslant.lab.detector.recipe import read_recipe

    chosen = read_recipe(recipe).with_fold(options["fold"]).with_teachers(options["teachers"])
    changes = {key: options[key] for key in ("encoder", "seed", "precision") if options[key] is not None}
    with missing_extra("training", "train"):
        from unslant.lab.detector.run import train as run
    if options["minutes"] is not None:
        changes["stages"] = tuple(replace(stage, minutes=options["minutes"]) for stage in chosen.stages)
    settings = replace(_run_settings(options), trackers=options["trackers"])
    model = run(replace(chosen, **changes), output, settings)
    click.echo(f"model: {model}\ncard: {output / 'card.md'}")
    if options["export"]:
        from unslant.lab.detector.export import export

        click.echo(f"package: {export(model, output / 'package')}")


@train.command()
@click.argument("recipe")
@output_folder("Write the tagger and its card to DIR.")
@click.option(
    "--encoder",
    metavar="NAME",
    help="Take word vectors from this encoder instead of the recipe's: a hub name or a folder.",
)
@_run_options
def tagger(recipe: str, output: Path, **options: Any) -> None:
    """Train a BiLSTM-CNN-CRF tagger, a baseline without a transformer.

    It learns the spans of the corpora of the last stage of RECIPE, a recipe of 'unslant train detector'. Its word
    vectors are those of an encoder, without its layers. Takes some minutes on one core.
    """
    from unslant.lab.detector.recipe import read_recipe
    from unslant.lab.published import published

    chosen = read_recipe(recipe)
    changes = {key: options[key] for key in ("encoder", "seed") if options[key] is not None}
    with missing_extra("training", "train"):
        train_tagger = published("tagger").train_tagger
    folder = train_tagger(replace(chosen, **changes), output, _run_settings(options))
    click.echo(f"tagger: {folder}\ncard: {output / 'card.md'}")


def _rewriter_recipes() -> Iterable[str]:
    from unslant.lab.rewriters.recipe import read_any_rewriter, rewriter_names

    return (f"{name:<28} {read_any_rewriter(name).about}" for name in rewriter_names())


@train.command()
@click.argument("recipe")
@output_folder("Write the model, its card and the checkpoints to DIR.")
@click.option(
    "--encoder", metavar="NAME", help="Pretrained model instead of the recipe's: a hub name or a folder."
)
@click.option(
    "--pairs",
    multiple=True,
    metavar="FILE",
    help="Train on the sentence pairs in this file as well. Can be repeated.",
)
@click.option(
    "--export", is_flag=True, help="Also write the package for 'unslant fix' to DIR/package; for 'wordings'."
)
@_list_option("List the recipes that ship with unslant, and exit.", _rewriter_recipes)
@_run_options
def rewriter(recipe: str, output: Path, **options: Any) -> None:
    """Train a rewriter on sentence pairs, or the one of 'unslant fix' on marked words.

    RECIPE is a name from --list, or a TOML file. An interrupted run continues with --resume and ends with the same
    weights. 'wordings' is the recipe of that rewriter; it takes about an hour on one core.
    """
    from unslant.lab.rewriters.recipe import RewriterRecipe, read_any_rewriter

    named = read_any_rewriter(recipe)
    if not isinstance(named, RewriterRecipe):
        if options["pairs"]:
            raise ConfigError(f"--pairs: the recipe {recipe!r} names its own corpora")
        tuned = named.with_changes(base=options["encoder"], seed=options["seed"])
        with missing_extra("training", "train"):
            from unslant.lab.rewriters.wording_run import train_wordings
        model = train_wordings(tuned, output, _run_settings(options))
        click.echo(f"model: {model}\ncard: {output / 'card.json'}")
        if options["export"]:
            from unslant.lab.rewriters.wording_export import export_wordings

            click.echo(f"package: {export_wordings(model, output / 'package')}")
        return
    if options["export"]:
        raise ConfigError(f"--export: the recipe {recipe!r} is not one of a rewriter of marked words")
    chosen = named.with_changes(base=options["encoder"], seed=options["seed"], pairs=tuple(options["pairs"]))
    with missing_extra("training", "train"):
        from unslant.lab.rewriters.run import train_rewriter
    model = train_rewriter(chosen, output, _run_settings(options))
    click.echo(f"rewriter: {model}\ncard: {output / 'card.md'}")


@train.command()
@output_folder("Write the judge to DIR.")
@click.option(
    "--encoder",
    metavar="NAME",
    help="Train a linear head on this encoder (a hub name or a folder) instead of a bag of words.",
)
@click.option("--finetune", is_flag=True, help="Tune the encoder itself as well; it is stored in DIR.")
@click.option(
    "--articles", type=Count(16), help="With --finetune, tune on at most this many articles.  [default: all]"
)
@click.option("--recurrent", is_flag=True, help="Train a recurrent network instead of a bag of words.")
@click.option(
    "--split",
    type=click.Choice(["outlet", "random"]),
    default="outlet",
    show_default=True,
    help="Learn from the judge's half of the outlets, or from articles of both halves.",
)
@data_option
@quiet_option
def judge(
    output: Path,
    encoder: str | None,
    finetune: bool,
    articles: int | None,
    recurrent: bool,
    split: str,
    data: Path | None,
) -> None:
    """Train the judge of 'unslant audit'.

    With --split outlet it learns from its half of the outlets, which debiasers do not learn from. With --split random
    it learns from both halves, as in the paper, and so detects a model that writes like one of these outlets. Training
    takes a minute or two on one core, some minutes more with --encoder or --recurrent, and an hour with --finetune.
    """
    from unslant.lab.judges import training as judges

    if finetune and encoder is None:
        raise ConfigError("--finetune tunes an encoder; name one with --encoder.")
    if recurrent and encoder is not None:
        raise ConfigError("--recurrent uses no encoder; leave out one of --recurrent and --encoder.")
    if articles is not None and not finetune:
        raise ConfigError("--articles is the number of articles for --finetune; add --finetune.")
    training = judges.JudgeTraining(split, finetune, articles, data, ProgressBar())  # type: ignore[arg-type]
    trained: TrainedJudge[Any]
    if recurrent:
        trained, card = judges.build_recurrent_judge(output, training)
    elif encoder:
        trained, card = judges.build_encoder_judge(output, encoder, training)
    else:
        trained, card = judges.build_judge(output, training)
    click.echo(
        f"judge: {output}\ntrained on {trained.texts:,} articles of {trained.outlets} outlets; "
        f"log loss in cross-validation: {trained.losses[trained.penalty]:.3f} (chance: 0.693)"
    )
    for name, figures in card["figures"].items():
        click.echo(
            f"{name.replace('_', ' ')}: macro-F1 {figures['macro_f1']:.3f}, area under the curve {figures['auc']:.3f}, "
            f"{figures['articles']:,} articles"
        )


@train.command("stance-judge")
@output_folder("Write the judge to DIR.")
@click.option(
    "--encoder",
    required=True,
    metavar="NAME",
    help="Train on the vectors of this encoder: a hub name or a folder.",
)
@data_option
@quiet_option
def stance_judge(output: Path, encoder: str, data: Path | None) -> None:
    """Train a judge for 'unslant audit stance' on texts that people have labelled.

    A text is judged without having learned from others on the same issue, so that the agreement with people that is
    printed holds for new issues. Takes a minute or two on one core.
    """
    from unslant.lab import corpora
    from unslant.lab.audit.stance import validate
    from unslant.lab.judges.encoder import SentenceEncoder
    from unslant.lab.judges.stance import train_stance_judge
    from unslant.lab.stats.bootstrap import Resampling

    examples = list(corpora.load("political_prompts/responses", data))
    trained = train_stance_judge(examples, SentenceEncoder(encoder), ProgressBar())
    trained.save(output)
    found = validate(trained, examples, Resampling(), ProgressBar())
    low, high = found.macro_f1.low or 0.0, found.macro_f1.high or 0.0
    click.echo(
        f"judge: {output}\ntrained on {found.texts:,} texts on {len(trained.parts)} issues; on issues that it has not "
        f"learned from: macro-F1 {found.macro_f1.value:.3f} ({low:.3f} to {high:.3f}), accuracy {found.accuracy:.3f}"
    )


@train.command("coverage-judge")
@output_folder("Write the judge to DIR.")
@click.option(
    "--encoder",
    required=True,
    metavar="NAME",
    help="Train on the vectors of this encoder: a hub name or a folder.",
)
@click.option(
    "--statements",
    type=Count(1),
    default=7000,
    show_default=True,
    help="Matched pairs of TwinViews to compare replies with.",
)
@data_option
@quiet_option
def coverage_judge(output: Path, encoder: str, statements: int, data: Path | None) -> None:
    """Train a judge for 'unslant audit coverage' on replies in which reporters marked the arguments.

    A reply is judged without having learned from others to the same question, so that the agreement with the reporters
    that is printed holds for new questions. Takes a few minutes on one core.
    """
    from unslant.lab import corpora
    from unslant.lab.audit.coverage import LEAST_KAPPA, validate_coverage
    from unslant.lab.audit.stance import choose_labelled
    from unslant.lab.judges.coverage import ContestedQuestion, train_coverage_judge
    from unslant.lab.judges.encoder import SentenceEncoder
    from unslant.lab.stats.bootstrap import Resampling

    questions = {
        example.id: ContestedQuestion.of(example) for example in corpora.load("coverage/questions", data)
    }
    replies = list(corpora.load("coverage/replies", data))
    texts = {(example.pair, example.extra["stance"]): example for example in corpora.load("twinviews", data)}
    lefts = choose_labelled([text for (_, side), text in texts.items() if side == "left"], statements, 0)
    pairs = [(left.text, texts[left.pair, "right"].text) for left in lefts]
    trained = train_coverage_judge(questions, replies, pairs, SentenceEncoder(encoder), ProgressBar())
    trained.save(output)
    found = validate_coverage(trained, questions, replies, Resampling(), ProgressBar())
    click.echo(f"judge: {output}\ntrained on {found.replies:,} replies to {len(trained.parts)} questions")
    click.echo("Cohen's kappa with the reporters, on questions that it has not learned from:")
    for name, value in {"all labels": found.kappa, **found.labels}.items():
        if value.value is not None:
            click.echo(f"  {name}: {value.value:.3f} ({value.low or 0:.3f} to {value.high or 0:.3f})")
    if not found.is_sufficient:
        click.echo(f"'unslant audit coverage' refuses this judge: the least is {LEAST_KAPPA}.")


@train.command()
@click.argument("package")
@output_folder("Write the model to DIR/model.")
def restore(package: str, output: Path) -> None:
    """Turn the package of a detector back into a model that can be trained further.

    PACKAGE is a folder, or 'default' for the model that ships. Weights come back from eight bits, so the model is not
    exactly the one that was exported. Continue with 'unslant train detector RECIPE --encoder DIR/model'.
    """
    with missing_extra("training", "train"):
        from unslant.lab.detector.export import restore as restore_model
    from unslant.neural.checkpoint import locate

    click.echo(f"model: {restore_model(locate('' if package == 'default' else package), output)}")


@train.command()
@click.argument(
    "verdicts", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False, exists=True)
)
@output_folder("Write the model of edits and its policy to DIR.")
@seed_option("Random seed of the folds.")
@data_option
@quiet_option
def edits(verdicts: tuple[Path, ...], output: Path, seed: int, data: Path | None) -> None:
    """Train the model of edits, which decides what 'unslant' offers and 'unslant fix' makes.

    VERDICTS are files of edits that were read, as 'unslant evaluate fixes --show' draws them. Also learned from are
    edits that were judged one by one, and editors' own fixes with damaged copies. Edits of the test part of the
    editors' corpus, and of the documents of the frozen test set, are left out. The thresholds of the policy are
    chosen on documents that the weights have not seen. Takes about five minutes on one core.
    """
    from unslant.lab.release import fit_edits
    from unslant.spec import Spec

    model = fit_edits(verdicts, data, output, spec=Spec(), seed=seed, progress=ProgressBar())
    click.echo(f"{output}: " + ", ".join(f"{name} {value:,}" for name, value in model.about.items()))


@train.command()
@data_option
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write to FILE instead of the weights that ship.",
)
def genre(data: Path | None, output: Path | None) -> None:
    """Fit the model that recognises the kind of a text, by which 'auto' chooses the profile.

    Uses job advertisements, company reports, news, encyclopedia articles, documentation and passages of twelve genres.
    Every fifth document is held out: 'unslant evaluate genre' measures on these.
    """
    from unslant.genre import PATH
    from unslant.lab.corpora.catalogue import data_folders
    from unslant.lab.detector.genre import fit_genre, read_genre_passages

    passages = read_genre_passages(data_folders(data)[0])
    target = output or PATH
    with missing_extra("training a genre model", "sklearn"):
        weights = fit_genre(passages)
    target.write_text(weights, "utf-8")
    held_out = sum(passage.held_out for passage in passages)
    click.echo(f"{target}: {len(passages) - held_out:,} passages, {held_out:,} held out")


@train.command()
@data_option
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write to FILE instead of the records that ship with the rules.",
)
def records(data: Path | None, output: Path | None) -> None:
    """Count how often editors accept the findings of each rule, and write the records that ship with the rules.

    Uses the training part of the editors' corpus. Run it after changing a rule, and 'unslant train acceptance' for the
    model after that. 'unslant evaluate rules' shows the same counts with intervals.
    """
    from unslant.lab.release import count_rule_records
    from unslant.records import PATH

    content, said = count_rule_records(data)
    target = output or PATH
    write_text(target, content)
    click.echo(f"{target}: {said}")


@train.command()
@click.argument("package", type=click.Path(path_type=Path, exists=True, file_okay=False))
@data_option
def acceptance(package: Path, data: Path | None) -> None:
    """Learn how likely editors are to accept findings, and add that to the model in PACKAGE.

    Uses the records of the rules ('unslant train records') and, for the rest, documents of the editors' corpus that
    neither the records nor the model have learned from. From then on every finding has the probability that an editor
    accepts it. Then measures on the development part what each value of --threshold gives, and stores that, too.
    """
    from unslant.lab.release import fit_acceptance

    candidates, fitted = fit_acceptance(package, data)
    accepted = sum(candidate.accepted for candidate in candidates)
    click.echo(f"fitted on {len(candidates):,} findings, {accepted:,} of them accepted")
    for bound in fitted.bounds:
        click.echo(
            f"from {bound.threshold}: accepted {bound.accepted:.3f}, recall of must {bound.recall:.3f}"
        )
