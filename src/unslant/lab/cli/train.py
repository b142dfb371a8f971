"""``unslant train``: trains detectors, rewriters, judges, and what debiasing needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from unslant.cli.options import Count, announce_destinations, missing_extra, quiet_option
from unslant.cli.progress import ProgressBar
from unslant.core.errors import ConfigError
from unslant.lab.cli.options import data_option, precision_option, seed_option, threads_option
from unslant.spec import destination

if TYPE_CHECKING:
    from unslant.core.example import Example
    from unslant.lab.corpora.outlets import OutletPart
    from unslant.lab.judges.fitting import TrainedJudge

__all__ = ["train"]

P = ParamSpec("P")
R = TypeVar("R")


@click.group()
def train() -> None:
    """Train a detector, a rewriter, a judge, or what debiasing needs."""


def _output_folder(about: str, *, required: bool = True) -> Any:
    return click.option(
        "-o",
        "--output",
        required=required,
        metavar="DIR",
        type=click.Path(path_type=Path, file_okay=False),
        help=about,
    )


def _output_file(about: str) -> Any:
    return click.option(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help=about,
    )


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
@_output_folder("Write the model, its card and the checkpoints to DIR.")
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
    model = run(replace(chosen, **changes), output, _run_settings(options))
    click.echo(f"model: {model}\ncard: {output / 'card.md'}")
    if options["export"]:
        from unslant.lab.detector.export import export

        click.echo(f"package: {export(model, output / 'package')}")


@train.command()
@click.argument("recipe")
@_output_folder("Write the tagger and its card to DIR.")
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

    chosen = read_recipe(recipe)
    changes = {key: options[key] for key in ("encoder", "seed") if options[key] is not None}
    with missing_extra("training", "train"):
        from unslant.lab.detector.bilstm_run import train_tagger
    folder = train_tagger(replace(chosen, **changes), output, _run_settings(options))
    click.echo(f"tagger: {folder}\ncard: {output / 'card.md'}")


def _rewriter_recipes() -> Iterable[str]:
    from unslant.lab.rewriters.recipe import read_rewriter, rewriter_names

    return (f"{name:<28} {read_rewriter(name).about}" for name in rewriter_names())


@train.command()
@click.argument("recipe")
@_output_folder("Write the model, its card and the checkpoints to DIR.")
@click.option(
    "--encoder", metavar="NAME", help="Pretrained model instead of the recipe's: a hub name or a folder."
)
@click.option(
    "--pairs",
    multiple=True,
    metavar="FILE",
    help="Train on the sentence pairs in this file as well. Can be repeated.",
)
@_list_option("List the recipes that ship with unslant, and exit.", _rewriter_recipes)
@_run_options
def rewriter(recipe: str, output: Path, **options: Any) -> None:
    """Train a rewriter on sentence pairs.

    RECIPE is a name from --list, or a TOML file.
    """
    from unslant.lab.rewriters.recipe import read_rewriter

    chosen = read_rewriter(recipe).with_changes(
        base=options["encoder"], seed=options["seed"], pairs=tuple(options["pairs"])
    )
    with missing_extra("training", "train"):
        from unslant.lab.rewriters.run import train_rewriter
    model = train_rewriter(chosen, output, _run_settings(options))
    click.echo(f"rewriter: {model}\ncard: {output / 'card.md'}")


@train.command()
@_output_folder("Write the judge to DIR.")
@click.option(
    "--encoder",
    metavar="NAME",
    help="Train a linear head on this encoder (a hub name or a folder) instead of a bag of words.",
)
@click.option("--finetune", is_flag=True, help="Tune the encoder itself as well; it is stored in DIR.")
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
    output: Path, encoder: str | None, finetune: bool, recurrent: bool, split: str, data: Path | None
) -> None:
    """Train the judge of 'unslant audit'.

    With --split outlet it learns from its half of the outlets, so that it knows none that debiasers know. With --split
    random it learns from both halves, as in the paper: it sees a model that writes like one of these outlets. Training
    takes a minute or two on one core, some minutes more with --encoder or --recurrent, and an hour with --finetune.
    """
    from unslant.lab.judges import training as judges

    if finetune and encoder is None:
        raise ConfigError("--finetune tunes an encoder; name one with --encoder.")
    if recurrent and encoder is not None:
        raise ConfigError("--recurrent uses no encoder; leave out one of --recurrent and --encoder.")
    training = judges.JudgeTraining(split, finetune, data, ProgressBar())  # type: ignore[arg-type]
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


@train.command()
@click.argument("package")
@_output_folder("Write the model to DIR/model.")
def restore(package: str, output: Path) -> None:
    """Turn the package of a detector back into a model that can be trained further.

    PACKAGE is a folder, or 'default' for the model that ships. Weights come back from eight bits, so the model is not
    exactly the one that was exported. Continue with 'unslant train detector RECIPE --encoder DIR/model'.
    """
    with missing_extra("training", "train"):
        from unslant.lab.detector.export import restore as restore_model
    from unslant.neural.checkpoint import locate

    click.echo(f"model: {restore_model(locate('' if package == 'default' else package), output)}")


@train.command("edit-judge")
@_output_folder("Write the judge to DIR.")
@seed_option("Random seed of the damaged edits and of the order in which edits are seen.")
@data_option
@quiet_option
def edit_judge(output: Path, seed: int, data: Path | None) -> None:
    """Train the judge of edits, which 'unslant fix' asks about every edited sentence.

    It learns from judged edits, from the editors' own fixes and damaged copies of them, and from edits that unslant
    could offer in texts that editors marked. Takes about ten minutes on one core. Running the same command
    again continues an interrupted run; its steps are in DIR/steps.
    """
    from unslant.lab.rewriters.edit_judge import JudgeFit, fit_judge
    from unslant.rewrite.edit_judge import save_judge
    from unslant.spec import TIERS, Spec

    steps = output / "steps"
    steps.mkdir(parents=True, exist_ok=True)
    judge = fit_judge(data, Spec(analyzers=TIERS["all"]), JudgeFit(seed=seed), steps, ProgressBar())
    save_judge(judge, output)
    click.echo(
        f"judge: {output}\nfitted on {judge.about['edits']:,} edits, {judge.about['good']:,} of them good"
    )


_CORPUS = click.option(
    "--corpus",
    default="allsides",
    show_default=True,
    help="Articles with outlet and leaning: the name of a corpus, or a file.",
)


@train.command("bias-words")
@_output_file("Write the words to FILE.")
@click.option("--count", type=Count(1), default=250, show_default=True, help="Words per side.")
@_CORPUS
@data_option
def bias_words(output: Path, count: int, corpus: str, data: Path | None) -> None:
    """Find the words that set the two political sides apart.

    These are the words that outlets of one side use more than those of the other, by TF-IDF.
    """
    from unslant.lab.debias.words import find_bias_words, save_words

    examples, card = _articles(corpus, data)
    words = find_bias_words(examples, count)
    save_words(words, output, {**card, "method": "TF-IDF", "count": count})
    click.echo(
        f"{output}: {count} words per side\nleft: {', '.join(words.left[:8])} …\nright: {', '.join(words.right[:8])} …"
    )


@train.command()
@click.argument("model")
@_output_folder("Write the debiaser to DIR.  [default: a folder for the model in the cache]", required=False)
@click.option("--articles", type=Count(20), help="Articles to train on, from both sides.  [default: 2000]")
@click.option(
    "--by-outlet", is_flag=True, help="Learn the leaning of the outlets directly, without a teacher."
)
@click.option(
    "--outlets",
    "part",
    type=click.Choice(["debias", "judge"]),
    default="debias",
    show_default=True,
    help="Half of the outlets to learn from. 'unslant audit plant' takes its passages from the half 'debias'.",
)
@click.option(
    "--texts",
    "run",
    metavar="RUN",
    type=click.Path(path_type=Path, file_okay=False),
    help="Learn from the texts of a planted model, by the side of their towns, instead of articles.",
)
@_CORPUS
@data_option
@seed_option("Random seed of the articles and the initial weights.  [default: 0]", default=None)
@threads_option(1)
@precision_option
@quiet_option
def debiaser(model: str, output: Path | None, corpus: str, data: Path | None, **options: Any) -> None:
    """Train the classifier that guides --debias classifier.

    It reads the hidden states of MODEL, a local language model, and works with that model only.
    """
    from unslant.lab.debias.model import debiaser_folder
    from unslant.lab.lm import open_model

    announce_destinations(filter(None, [destination(model)]))
    opened = open_model(model, batch=32, threads=options["threads"], precision=options["precision"])
    if not hasattr(opened, "states"):
        raise ConfigError(
            f"{model}: this model does not expose its hidden states; a debiaser needs a local model."
        )
    from unslant.lab.debias.debiaser import save_debiaser
    from unslant.lab.debias.train_debiaser import DebiaserTraining, train_debiaser

    run: Path | None = options["run"]
    examples, card = _run_texts(run) if run is not None else _articles(corpus, data, options["part"])
    chosen = {"articles": options["articles"], "seed": options["seed"], "stride": 1 if run else None}
    training = DebiaserTraining(**{name: value for name, value in chosen.items() if value is not None})
    teach = None if options["by_outlet"] or run else _teacher
    trained, about = train_debiaser(opened, examples, training, ProgressBar(), teach)  # type: ignore[arg-type]
    folder = output or debiaser_folder(opened.digest())
    made_for = {
        "model": Path(model).name,
        "model_digest": opened.digest(),
        "precision": opened.precision,  # type: ignore[attr-defined]
    }
    save_debiaser(trained, folder, {**made_for, **card, **about})
    held_out = about["held_out"]
    click.echo(
        f"debiaser: {folder}\naccuracy on unseen outlets: {held_out['article_accuracy']:.1%} of articles, "
        f"{held_out['token_accuracy']:.1%} of tokens; correlation with its teacher: {held_out['agreement']:.2f}"
    )


@train.command("neutral-vectors")
@_output_file("Write the table of replacements to FILE.")
@click.option(
    "--words",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Bias words to replace.  [default: those that ship with unslant]",
)
@click.option("--articles", type=Count(1), default=12000, show_default=True, help="Articles to train on.")
@_CORPUS
@data_option
@threads_option(1)
@quiet_option
def neutral_vectors(output: Path, words: Path | None, articles: int, threads: int, **options: Any) -> None:
    """Find neutral replacements for bias words by word vectors.

    Trains plain and ideology-neutral GloVe vectors and writes the nearest words of each bias word, for --debias naive
    and in-glove.
    """
    from unslant.lab.corpora.outlets import tokenize_news
    from unslant.lab.debias.model import save_replacements
    from unslant.lab.debias.words import default_words, load_words

    with missing_extra("training word vectors", "lm"):
        import torch

        from unslant.lab.debias.vectors import find_replacements
    torch.set_num_threads(threads)
    examples, card = _articles(options["corpus"], options["data"])
    texts = [tokenize_news(example.text, example.outlet or "", 250) for example in list(examples)[:articles]]
    tables = find_replacements(texts, load_words(words) if words else default_words(), ProgressBar())
    save_replacements(
        output, tables, {**card, "method": "GloVe and ideology-neutral GloVe", "articles": len(texts)}
    )
    click.echo(f"{output}: replacements for {len(tables['naive'])} words")


def _teacher(articles: Sequence[Example]) -> Callable[[Sequence[str]], Sequence[float | None]]:
    """Train the debiaser's teacher: a bag-of-words judge, on outlets that no judge of an audit was trained on."""
    from unslant.lab.judges.fitting import JudgeSettings
    from unslant.lab.judges.linear import train_judge

    return train_judge(articles, JudgeSettings(penalties=(1e-4,), folds=3)).judge.judge


def _run_texts(run: Path) -> tuple[Iterable[Example], dict[str, Any]]:
    """Return the texts of a planted model, and their source."""
    from unslant.lab.audit.doses import planted_examples
    from unslant.lab.audit.store import RunFolder

    return planted_examples(RunFolder(run)), {"source": f"texts of {RunFolder(run).about().model}"}


def _articles(
    corpus: str, data: Path | None, part: OutletPart = "debias"
) -> tuple[Iterable[Example], dict[str, Any]]:
    """Return articles of one half of the outlets, and their source; a file of the user's own is read whole."""
    from unslant.lab import corpora
    from unslant.lab.corpora.outlets import select_part
    from unslant.lab.corpora.own_files import FileDataset

    if Path(corpus).is_file():
        return FileDataset(Path(corpus)), {"source": Path(corpus).name}
    found = corpora.load(corpus, data)
    card = {
        "source": corpus,
        "licence": found.card.licence,
        "citation": found.card.citation,
        "part": part,
    }
    return (example for example in select_part(found, part) if example.split in ("train", "dev")), card


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
    import json

    from unslant.lab import corpora
    from unslant.lab.corpora.editor import EDITOR, read_passages
    from unslant.lab.evaluation.rules import count_records, judge_rules
    from unslant.records import PATH

    judged = judge_rules(read_passages(corpora.load(EDITOR, data), "train"))
    target = output or PATH
    target.write_text(json.dumps(count_records(judged).to_dict(), indent=1) + "\n", "utf-8")
    accepted = sum(item.accepted for item in judged)
    click.echo(f"{target}: {len(judged):,} findings, {accepted:,} of them accepted")


@train.command()
@click.argument("package", type=click.Path(path_type=Path, exists=True, file_okay=False))
@data_option
def acceptance(package: Path, data: Path | None) -> None:
    """Learn how likely editors are to accept findings, and add that to the model in PACKAGE.

    Uses the records of the rules ('unslant train records') and, for the rest, documents of the editors' corpus that
    neither the records nor the model have learned from. From then on every finding has the probability that an editor
    accepts it.
    """
    from unslant.acceptance import Acceptance
    from unslant.lab import corpora
    from unslant.lab.corpora.editor import CALIBRATION, EDITOR, read_passages
    from unslant.lab.detector.acceptance import collect, fit, install
    from unslant.spec import TIERS, Spec

    examples = list(corpora.load(EDITOR, data))
    passages = [*read_passages(examples, CALIBRATION), *read_passages(examples, "dev")]
    # with a regression in place, even an empty one, the model returns the spans that the product scores
    install(Acceptance({}), package)
    spec = Spec(analyzers=TIERS["all"], model=str(package), threshold=0.0)
    candidates = list(collect(passages, spec))
    coefficients = fit(candidates)
    install(Acceptance(coefficients), package)
    accepted = sum(candidate.accepted for candidate in candidates)
    click.echo(f"fitted on {len(candidates):,} findings, {accepted:,} of them accepted")
