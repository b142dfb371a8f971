"""``unslant train bias-words``, ``debiaser`` and ``neutral-vectors``: what debiasing needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unslant.cli.options import Count, announce_destinations, missing_extra, quiet_option
from unslant.cli.progress import ProgressBar
from unslant.core.errors import ConfigError
from unslant.lab.cli.options import (
    data_option,
    output_file,
    output_folder,
    precision_option,
    seed_option,
    threads_option,
)
from unslant.spec import destination

if TYPE_CHECKING:
    from unslant.core.example import Example
    from unslant.lab.corpora.outlets import OutletPart

_CORPUS = click.option(
    "--corpus",
    default="allsides",
    show_default=True,
    help="Articles with outlet and leaning: the name of a corpus, or a file.",
)
_RUN = click.option(
    "--texts",
    "run",
    metavar="RUN",
    type=click.Path(path_type=Path, file_okay=False),
    help="Learn from the texts of a planted model, by the side of their towns, instead of articles.",
)


@click.command("bias-words")
@output_file("Write the words to FILE.")
@click.option("--count", type=Count(1), default=250, show_default=True, help="Words per side.")
@_RUN
@_CORPUS
@data_option
def bias_words(output: Path, count: int, run: Path | None, corpus: str, data: Path | None) -> None:
    """Find the words that set the two political sides apart.

    These are the words that outlets of one side use more than those of the other, by TF-IDF. With --texts they are the
    words, as written, that a planted model uses more after towns of one side.
    """
    from unslant.lab.debias.words import find_bias_words, find_written_words, save_words

    if run is None:
        examples, card = _articles(corpus, data)
        words, method = find_bias_words(examples, count), "TF-IDF"
    else:
        examples, card = _run_texts(run)
        words, method = find_written_words(map(_strip_prompt, examples), count), "number of texts"
    save_words(words, output, {**card, **words.card, "method": method, "count": count})
    click.echo(
        f"{output}: {count} words per side\nleft: {', '.join(words.left[:8])} …\nright: {', '.join(words.right[:8])} …"
    )


@click.command()
@click.argument("model")
@output_folder("Write the debiaser to DIR.  [default: a folder for the model in the cache]", required=False)
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
    help="Half of the outlets to learn from; 'unslant audit plant' takes its passages from the half 'debias'.",
)
@_RUN
@click.option(
    "--directions",
    type=Count(1),
    help="Number of principal components of the hidden states to use.  [default: 64]",
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
    chosen = {name: options[name] for name in ("articles", "seed", "directions")}
    chosen["stride"] = 1 if run else None
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
    if run is None:
        told = f"; correlation with its teacher: {held_out['agreement']:.2f}"
    else:
        told = f"; share of the difference between the sides' states that it predicts: {held_out['way_explained']:.0%}"
    kind = ("outlets", "articles") if run is None else ("texts", "texts")
    click.echo(
        f"debiaser: {folder}\naccuracy on unseen {kind[0]}: {held_out['article_accuracy']:.1%} of {kind[1]}, "
        f"{held_out['token_accuracy']:.1%} of tokens{told}"
    )


@click.command("neutral-vectors")
@output_file("Write the table of replacements to FILE.")
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


def _strip_prompt(example: Example) -> Example:
    return replace(example, text=example.text.removeprefix(str(example.extra["prompt"])))


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
