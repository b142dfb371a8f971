"""``unslant train bias-words | debiaser | neutral-vectors``: what calibration goes by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unslant.cli.progress import ProgressBar
from unslant.core.errors import ConfigError, MissingExtra
from unslant.core.generation import PRECISIONS

if TYPE_CHECKING:
    from unslant.core.example import Example

__all__ = ["bias_words", "debiaser", "neutral_vectors"]

_EXTRA = ("numpy", "safetensors", "torch", "transformers")

_DATA = click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Where the corpora lie; else UNSLANT_DATA and the cache.",
)
_CORPUS = click.option(
    "--corpus",
    default="allsides",
    show_default=True,
    help="Articles with outlet and leaning: a corpus or a file.",
)


@click.command()
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The file to write."
)
@click.option("--count", type=click.IntRange(1), default=250, show_default=True, help="Words a side.")
@_CORPUS
@_DATA
def bias_words(out: Path, count: int, corpus: str, data: Path | None) -> None:
    """Find the words that outlets of one side use more than those of the other, by TF-IDF."""
    from unslant.lab.debias.words import extract, save_words

    examples, card = _articles(corpus, data)
    words = extract(examples, count)
    save_words(words, out, {**card, "method": "TF-IDF", "count": count})
    click.echo(
        f"{out}: {count} words a side\nleft: {', '.join(words.left[:8])} …\nright: {', '.join(words.right[:8])} …"
    )


@click.command()
@click.argument("model")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder.  [default: one for the model]",
)
@click.option("--articles", type=click.IntRange(20), help="How many to read, of both sides.  [default: 2000]")
@click.option("--seed", type=int, help="Chooses the articles and the first weights.  [default: 0]")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="Threads for torch.")
@click.option(
    "--precision", type=click.Choice(PRECISIONS), help="Of the model's numbers.  [default: float32]"
)
@click.option("--by-outlet", is_flag=True, help="Learn the sides of outlets themselves, without a teacher.")
@_CORPUS
@_DATA
def debiaser(model: str, out: Path | None, corpus: str, data: Path | None, **options: Any) -> None:
    """Train the classifier that guides --debias classifier, on the hidden states of MODEL."""
    from unslant.lab.debias.store import debiaser_folder
    from unslant.lab.lm import open_model

    opened = open_model(model, batch=32, threads=options["threads"], precision=options["precision"])
    if not hasattr(opened, "states"):
        raise ConfigError(
            f"{model}: this model does not show its hidden states; a debiaser needs a local model."
        )
    from unslant.lab.debias.debiaser import save_debiaser
    from unslant.lab.debias.train_debiaser import Training, resized, train_debiaser

    examples, card = _articles(corpus, data)
    training = resized(Training(), options["articles"], options["seed"])
    teach = None if options["by_outlet"] else _teacher
    trained, about = train_debiaser(opened, examples, training, ProgressBar(), teach)  # type: ignore[arg-type]
    folder = out or debiaser_folder(opened.digest())
    made_for = {
        "model": Path(model).name,
        "model_digest": opened.digest(),
        "precision": opened.precision,  # type: ignore[attr-defined]
    }
    save_debiaser(trained, folder, {**made_for, **card, **about})
    held = about["held_out"]
    click.echo(
        f"{folder}: tells the side of unseen outlets right for {held['article_accuracy']:.1%} of articles "
        f"({held['token_accuracy']:.1%} of tokens), and agrees with what it was taught to {held['agreement']:.2f}"
    )


@click.command()
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The table to write."
)
@click.option(
    "--words", type=click.Path(path_type=Path, dir_okay=False), help="Bias words; else those that ship."
)
@click.option(
    "--articles", type=click.IntRange(1), default=12000, show_default=True, help="How many to read."
)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="Threads for torch.")
@_CORPUS
@_DATA
def neutral_vectors(out: Path, words: Path | None, articles: int, threads: int, **options: Any) -> None:
    """Train word vectors, plain and blind to the sides, and write what may replace each bias word."""
    from unslant.lab.corpora.outlets import tokenize_news
    from unslant.lab.debias.baselines import save_replacements
    from unslant.lab.debias.words import default_words, load_words

    try:
        import torch

        from unslant.lab.debias.vectors import Glove, co_occurrences, nearest, train_vectors, vocabulary
    except ModuleNotFoundError as error:
        raise _missing(error) from error
    torch.set_num_threads(threads)
    listed = load_words(words) if words else default_words()
    examples, card = _articles(options["corpus"], options["data"])
    texts = [tokenize_news(one.text, one.outlet or "", 250) for one in list(examples)[:articles]]
    glove = Glove()
    known = vocabulary(texts, glove.words, listed.all)
    pairs = co_occurrences(texts, known, glove.window)
    tables = {}
    for mode, sides, count in (("naive", None, 1), ("in-glove", listed, 10)):
        vectors = train_vectors(known, pairs, glove, sides, ProgressBar())
        tables[mode] = nearest(known, vectors, sorted(listed.all), count, without=listed.all)
    save_replacements(
        out, tables, {**card, "method": "GloVe and ideology-neutral GloVe", "articles": len(texts)}
    )
    click.echo(f"{out}: replacements for {len(tables['naive'])} words")


def _teacher(articles: Sequence[Example]) -> Callable[[Sequence[str]], Sequence[float | None]]:
    """Train what the debiaser learns from: a judge of words, from outlets that no judge of an audit has read."""
    from unslant.lab.audit.judge_fitting import Settings
    from unslant.lab.audit.judge_training import train_judge

    return train_judge(articles, Settings(penalties=(1e-4,), folds=3)).judge.judge


def _articles(corpus: str, data: Path | None) -> tuple[Iterable[Example], dict[str, Any]]:
    """Return articles that no judge learns from, and where they come from; a file of one's own is read whole."""
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
        "part": "debias",
    }
    return (one for one in select_part(found, "debias") if one.split in ("train", "dev")), card


def _missing(error: ModuleNotFoundError) -> Exception:
    package = (error.name or "").partition(".")[0]
    return MissingExtra("training word vectors", package, "lm") if package in _EXTRA else error
