"""``unslant train``: trains detectors, rewriters, judges, and what debiasing needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from unslant.cli.options import missing_extra
from unslant.cli.progress import ProgressBar
from unslant.core.errors import ConfigError
from unslant.core.files import write_text
from unslant.lab.cli.options import DataOptions, output_folder, settings_options
from unslant.lab.cli.train_debias import bias_words, debiaser, neutral_vectors
from unslant.lab.options import Options, option

if TYPE_CHECKING:
    from unslant.lab.detector.run import TrainSettings
    from unslant.lab.judges.fitting import TrainedJudge


@click.group()
def train() -> None:
    """Train a detector, a rewriter, a judge, or what debiasing needs."""


for _command in (bias_words, debiaser, neutral_vectors):
    train.add_command(_command)


def _list_option(lines: Callable[[], Iterable[str]]) -> Any:
    def show(context: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            for line in lines():
                click.echo(line)
            context.exit()

    about = "List the recipes that ship with unslant, and exit."
    return click.option(
        "--list", "list_", is_flag=True, is_eager=True, expose_value=False, callback=show, help=about
    )


class _TrainRun(DataOptions):
    quiet = True

    seed: int | None = option("Random seed instead of the recipe's.")
    resume: bool = option("Continue the interrupted run in the output folder.")
    threads: int = option("Threads for PyTorch.", 1, least=1)

    def settings(self, trackers: tuple[str, ...] = ()) -> TrainSettings:
        from unslant.lab.detector.run import TrainSettings

        return TrainSettings(
            data=self.data,
            resume=self.resume,
            threads=self.threads,
            progress=ProgressBar(),
            trackers=trackers,
        )


def _given(**values: Any) -> dict[str, Any]:
    """Return the values that replace those of a recipe."""
    return {name: value for name, value in values.items() if value is not None}


class _Detector(_TrainRun):
    output: Path = output_folder("Write the model, its card and the checkpoints to DIR.")
    encoder: str | None = option("Encoder instead of the recipe's: a hub name or a folder.", metavar="NAME")
    teachers: tuple[str, ...] = option(
        "Teacher instead of the recipe's. Can be repeated.", name="--teacher", metavar="DIR"
    )
    fold: int | None = option("Fold to hold out, for a recipe with folds.", least=0)
    precision: str | None = option(
        "Precision of the encoder while it trains; bfloat16 is faster if the processor supports it.",
        choices=("float32", "bfloat16"),
    )
    minutes: float | None = option(
        "Time for the training steps of each stage; the learning rate reaches 0 when it is over.",
        metavar="N",
        least=0,
        beyond="least",
    )
    trackers: tuple[Literal["jsonl", "tensorboard", "mlflow", "wandb"], ...] = option(
        "Record the figures while training; jsonl writes DIR/figures.jsonl. Can be repeated.",
        name="--tracker",
    )
    export: bool = option("Also write the small package for everyday use to DIR/package.")


def _detector_recipes() -> Iterable[str]:
    from unslant.lab.detector.recipe import read_recipe, recipe_names

    return (f"{name:<28} {read_recipe(name).about}" for name in recipe_names())


@train.command()
@click.argument("recipe")
@settings_options(_Detector)
@_list_option(_detector_recipes)
def detector(recipe: str, options: _Detector) -> None:
    """Train a detector of slanted wording.

    RECIPE is a name from --list, or a TOML file. An interrupted run continues with --resume and ends
    with the same weights.
    """
    from unslant.lab.detector.recipe import read_recipe

    chosen = read_recipe(recipe).with_fold(options.fold).with_teachers(options.teachers)
    changes = _given(encoder=options.encoder, seed=options.seed, precision=options.precision)
    with missing_extra("training", "train"):
        from unslant.lab.detector.run import train as run
    if options.minutes is not None:
        changes["stages"] = tuple(replace(stage, minutes=options.minutes) for stage in chosen.stages)
    model = run(replace(chosen, **changes), options.output, options.settings(options.trackers))
    click.echo(f"model: {model}\ncard: {options.output / 'card.md'}")
    if options.export:
        from unslant.lab.detector.export import export

        click.echo(f"package: {export(model, options.output / 'package')}")


class _Tagger(_TrainRun):
    output: Path = output_folder("Write the tagger and its card to DIR.")
    encoder: str | None = option(
        "Take word vectors from this encoder instead of the recipe's: a hub name or a folder.", metavar="NAME"
    )


@train.command()
@click.argument("recipe")
@settings_options(_Tagger)
def tagger(recipe: str, options: _Tagger) -> None:
    """Train a BiLSTM-CNN-CRF tagger, a baseline without a transformer.

    It learns the spans of the corpora of the last stage of RECIPE, a recipe of 'unslant train detector'. Its word
    vectors are those of an encoder, without its layers. Takes some minutes on one core.
    """
    from unslant.lab.detector.recipe import read_recipe
    from unslant.lab.published import published

    chosen = replace(read_recipe(recipe), **_given(encoder=options.encoder, seed=options.seed))
    with missing_extra("training", "train"):
        train_tagger = published("tagger").train_tagger
    folder = train_tagger(chosen, options.output, options.settings())
    click.echo(f"tagger: {folder}\ncard: {options.output / 'card.md'}")


class _Rewriter(_TrainRun):
    output: Path = output_folder("Write the model, its card and the checkpoints to DIR.")
    encoder: str | None = option(
        "Pretrained model instead of the recipe's: a hub name or a folder.", metavar="NAME"
    )
    pairs: tuple[str, ...] = option(
        "Train on the sentence pairs in this file as well. Can be repeated.", metavar="FILE"
    )
    export: bool = option("Also write the package for 'unslant fix' to DIR/package; for 'wordings'.")


def _rewriter_recipes() -> Iterable[str]:
    from unslant.lab.rewriters.recipe import read_any_rewriter, rewriter_names

    return (f"{name:<28} {read_any_rewriter(name).about}" for name in rewriter_names())


@train.command()
@click.argument("recipe")
@settings_options(_Rewriter)
@_list_option(_rewriter_recipes)
def rewriter(recipe: str, options: _Rewriter) -> None:
    """Train a rewriter on sentence pairs, or the one of 'unslant fix' on marked words.

    RECIPE is a name from --list, or a TOML file. An interrupted run continues with --resume and ends with the same
    weights. 'wordings' is the recipe of that rewriter; it takes about an hour on one core.
    """
    from unslant.lab.rewriters.recipe import RewriterRecipe, read_any_rewriter

    named, output = read_any_rewriter(recipe), options.output
    if isinstance(named, RewriterRecipe):
        if options.export:
            raise ConfigError(f"--export: the recipe {recipe!r} is not one of a rewriter of marked words")
        chosen = named.with_changes(base=options.encoder, seed=options.seed, pairs=options.pairs)
        with missing_extra("training", "train"):
            from unslant.lab.rewriters.run import train_rewriter
        model = train_rewriter(chosen, output, options.settings())
        click.echo(f"rewriter: {model}\ncard: {output / 'card.md'}")
        return
    if options.pairs:
        raise ConfigError(f"--pairs: the recipe {recipe!r} names its own corpora")
    tuned = named.with_changes(base=options.encoder, seed=options.seed)
    with missing_extra("training", "train"):
        from unslant.lab.rewriters.wording_run import train_wordings
    model = train_wordings(tuned, output, options.settings())
    click.echo(f"model: {model}\ncard: {output / 'card.json'}")
    if options.export:
        from unslant.lab.rewriters.wording_export import export_wordings

        click.echo(f"package: {export_wordings(model, output / 'package')}")


class _Trained(DataOptions):
    quiet = True

    output: Path = output_folder("Write the judge to DIR.")


class _TrainJudge(_Trained):
    encoder: str | None = option(
        "Train a linear head on this encoder (a hub name or a folder) instead of a bag of words.",
        metavar="NAME",
    )
    finetune: bool = option("Tune the encoder itself as well; it is stored in DIR.")
    articles: int | None = option(
        "With --finetune, tune on at most this many articles.  [default: all]", least=16
    )
    recurrent: bool = option("Train a recurrent network instead of a bag of words.")
    split: Literal["outlet", "random"] = option(
        "Learn from the judge's half of the outlets, or from articles of both halves.", "outlet"
    )


@train.command()
@settings_options(_TrainJudge)
def judge(options: _TrainJudge) -> None:
    """Train the judge of 'unslant audit'.

    With --split outlet it learns from its half of the outlets, which debiasers do not learn from. With --split random
    it learns from both halves, as in the paper, and so detects a model that writes like one of these outlets. Training
    takes a minute or two on one core, some minutes more with --encoder or --recurrent, and an hour with --finetune.
    """
    from unslant.lab.judges import training as judges

    if options.finetune and options.encoder is None:
        raise ConfigError("--finetune tunes an encoder; name one with --encoder.")
    if options.recurrent and options.encoder is not None:
        raise ConfigError("--recurrent uses no encoder; leave out one of --recurrent and --encoder.")
    if options.articles is not None and not options.finetune:
        raise ConfigError("--articles is the number of articles for --finetune; add --finetune.")
    output, split = options.output, options.split
    training = judges.JudgeTraining(split, options.finetune, options.articles, options.data, ProgressBar())
    trained: TrainedJudge[Any]
    if options.recurrent:
        trained, card = judges.build_recurrent_judge(output, training)
    elif options.encoder:
        trained, card = judges.build_encoder_judge(output, options.encoder, training)
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


class _TrainStance(_Trained):
    encoder: str = option(
        "Train on the vectors of this encoder: a hub name or a folder.", metavar="NAME", required=True
    )


@train.command("stance-judge")
@settings_options(_TrainStance)
def stance_judge(options: _TrainStance) -> None:
    """Train a judge for 'unslant audit stance' on texts that people have labelled.

    A text is judged without having learned from others on the same issue, so that the agreement with people that is
    printed holds for new issues. Takes a minute or two on one core.
    """
    from unslant.lab import corpora
    from unslant.lab.audit.stance import validate
    from unslant.lab.judges.encoder import SentenceEncoder
    from unslant.lab.judges.stance import train_stance_judge
    from unslant.lab.stats.bootstrap import Resampling

    examples = list(corpora.load("political_prompts/responses", options.data))
    trained = train_stance_judge(examples, SentenceEncoder(options.encoder), ProgressBar())
    trained.save(options.output)
    found = validate(trained, examples, Resampling(), ProgressBar())
    low, high = found.macro_f1.low or 0.0, found.macro_f1.high or 0.0
    click.echo(
        f"judge: {options.output}\ntrained on {found.texts:,} texts on {len(trained.parts)} issues; on issues that it "
        f"has not learned from: macro-F1 {found.macro_f1.value:.3f} ({low:.3f} to {high:.3f}), accuracy "
        f"{found.accuracy:.3f}"
    )


class _TrainCoverage(_TrainStance):
    statements: int = option("Matched pairs of TwinViews to compare replies with.", 7000, least=1)


@train.command("coverage-judge")
@settings_options(_TrainCoverage)
def coverage_judge(options: _TrainCoverage) -> None:
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

    data = options.data
    questions = {
        example.id: ContestedQuestion.of(example) for example in corpora.load("coverage/questions", data)
    }
    replies = list(corpora.load("coverage/replies", data))
    texts = {(example.pair, example.extra["stance"]): example for example in corpora.load("twinviews", data)}
    lefts = choose_labelled(
        [text for (_, side), text in texts.items() if side == "left"], options.statements, 0
    )
    pairs = [(left.text, texts[left.pair, "right"].text) for left in lefts]
    trained = train_coverage_judge(questions, replies, pairs, SentenceEncoder(options.encoder), ProgressBar())
    trained.save(options.output)
    found = validate_coverage(trained, questions, replies, Resampling(), ProgressBar())
    click.echo(
        f"judge: {options.output}\ntrained on {found.replies:,} replies to {len(trained.parts)} questions"
    )
    click.echo("Cohen's kappa with the reporters, on questions that it has not learned from:")
    for name, value in {"all labels": found.kappa, **found.labels}.items():
        if value.value is not None:
            click.echo(f"  {name}: {value.value:.3f} ({value.low or 0:.3f} to {value.high or 0:.3f})")
    if not found.is_sufficient:
        click.echo(f"'unslant audit coverage' refuses this judge: the least is {LEAST_KAPPA}.")


class _Restore(Options):
    output: Path = output_folder("Write the model to DIR/model.")


@train.command()
@click.argument("package")
@settings_options(_Restore)
def restore(package: str, options: _Restore) -> None:
    """Turn the package of a detector back into a model that can be trained further.

    PACKAGE is a folder, or 'default' for the model that ships. Weights come back from eight bits, so the model is not
    exactly the one that was exported. Continue with 'unslant train detector RECIPE --encoder DIR/model'.
    """
    with missing_extra("training", "train"):
        from unslant.lab.detector.export import restore as restore_model
    from unslant.neural.checkpoint import locate

    click.echo(f"model: {restore_model(locate('' if package == 'default' else package), options.output)}")


class _TrainEdits(_Trained):
    output: Path = output_folder("Write the model of edits and its policy to DIR.")
    seed: int = option("Random seed of the folds.", 0)


@train.command()
@click.argument(
    "verdicts", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False, exists=True)
)
@settings_options(_TrainEdits)
def edits(verdicts: tuple[Path, ...], options: _TrainEdits) -> None:
    """Train the model of edits, which decides what 'unslant' offers and 'unslant fix' makes.

    VERDICTS are files of edits that were read, as 'unslant evaluate fixes --show' draws them. Also learned from are
    edits that were judged one by one, and editors' own fixes with damaged copies. Edits of the test part of the
    editors' corpus, and of the documents of the frozen test set, are left out. The thresholds of the policy are
    chosen on documents that the weights have not seen. Takes about five minutes on one core.
    """
    from unslant.lab.release import fit_edits
    from unslant.spec import Spec

    model = fit_edits(
        verdicts, options.data, options.output, spec=Spec(), seed=options.seed, progress=ProgressBar()
    )
    click.echo(f"{options.output}: " + ", ".join(f"{name} {value:,}" for name, value in model.about.items()))


class _Genre(DataOptions):
    output: Path | None = option("Write to FILE instead of the weights that ship.")


@train.command()
@settings_options(_Genre)
def genre(options: _Genre) -> None:
    """Fit the model that recognises the kind of a text, by which 'auto' chooses the profile.

    Uses job advertisements, company reports, news, encyclopedia articles, documentation and passages of twelve genres.
    Every fifth document is held out: 'unslant evaluate genre' measures on these.
    """
    from unslant.genre import PATH
    from unslant.lab.corpora.catalogue import data_folders
    from unslant.lab.detector.genre import fit_genre, read_genre_passages

    passages = read_genre_passages(data_folders(options.data)[0])
    target = options.output or PATH
    with missing_extra("training a genre model", "sklearn"):
        weights = fit_genre(passages)
    target.write_text(weights, "utf-8")
    held_out = sum(passage.held_out for passage in passages)
    click.echo(f"{target}: {len(passages) - held_out:,} passages, {held_out:,} held out")


class _Records(DataOptions):
    output: Path | None = option("Write to FILE instead of the records that ship with the rules.")


@train.command()
@settings_options(_Records)
def records(options: _Records) -> None:
    """Count how often editors accept the findings of each rule, and write the records that ship with the rules.

    Uses the training part of the editors' corpus. Run it after changing a rule, and 'unslant train acceptance' for the
    model after that. 'unslant evaluate rules' shows the same counts with intervals.
    """
    from unslant.lab.release import count_rule_records
    from unslant.records import PATH

    content, said = count_rule_records(options.data)
    target = options.output or PATH
    write_text(target, content)
    click.echo(f"{target}: {said}")


@train.command()
@click.argument("package", type=click.Path(path_type=Path, exists=True, file_okay=False))
@settings_options(DataOptions)
def acceptance(package: Path, options: DataOptions) -> None:
    """Learn how likely editors are to accept findings, and add that to the model in PACKAGE.

    Uses the records of the rules ('unslant train records') and, for the rest, documents of the editors' corpus that
    neither the records nor the model have learned from. From then on every finding has the probability that an editor
    accepts it. Then measures on the development part what each value of --threshold gives, and stores that, too.
    """
    from unslant.lab.release import fit_acceptance

    candidates, fitted = fit_acceptance(package, options.data)
    accepted = sum(candidate.accepted for candidate in candidates)
    click.echo(f"fitted on {len(candidates):,} findings, {accepted:,} of them accepted")
    for bound in fitted.bounds:
        click.echo(
            f"from {bound.threshold}: accepted {bound.accepted:.3f}, recall of must {bound.recall:.3f}"
        )
