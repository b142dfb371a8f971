"""``unslant train bias-words``, ``debiaser`` and ``neutral-vectors``: what debiasing needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from unslant.cli.options import announce_destinations, missing_extra
from unslant.cli.progress import ProgressBar
from unslant.core.errors import ConfigError
from unslant.core.generation import PRECISIONS
from unslant.lab.cli.options import DataOptions, settings_options
from unslant.lab.options import option
from unslant.spec import destination

if TYPE_CHECKING:
    from unslant.core.example import Example
    from unslant.lab.corpora.outlets import OutletPart


class _Corpus(DataOptions):
    corpus: str = option("Articles with outlet and leaning: the name of a corpus, or a file.", "allsides")


class _TrainTexts(_Corpus):
    run: Path | None = option(
        "Learn from the texts of a planted model, by the side of their towns, instead of articles.",
        name="--texts",
        metavar="RUN",
    )


class _BiasWords(_TrainTexts):
    output: Path = option("Write the words to FILE.", required=True)
    count: int = option("Words per side.", 250, least=1)


@click.command("bias-words")
@settings_options(_BiasWords)
def bias_words(options: _BiasWords) -> None:
    """Find the words that set the two political sides apart.

    These are the words that outlets of one side use more than those of the other, by TF-IDF. With --texts they are the
    words, as written, that a planted model uses more after towns of one side.
    """
    from unslant.lab.debias.words import find_bias_words, find_written_words, save_words

    count, output = options.count, options.output
    if options.run is None:
        examples, card = _articles(options.corpus, options.data)
        words, method = find_bias_words(examples, count), "TF-IDF"
    else:
        examples, card = _run_texts(options.run)
        written = (replace(each, text=each.text.removeprefix(str(each.extra["prompt"]))) for each in examples)
        words, method = find_written_words(written, count), "number of texts"
    save_words(words, output, {**card, **words.card, "method": method, "count": count})
    click.echo(
        f"{output}: {count} words per side\nleft: {', '.join(words.left[:8])} …\nright: {', '.join(words.right[:8])} …"
    )


class _Debiaser(_TrainTexts):
    quiet = True

    output: Path | None = option(
        "Write the debiaser to DIR.  [default: a folder for the model in the cache]", metavar="DIR"
    )
    articles: int | None = option("Articles to train on, from both sides.  [default: 2000]", least=20)
    by_outlet: bool = option("Learn the leaning of the outlets directly, without a teacher.")
    part: Literal["debias", "judge"] = option(
        "Half of the outlets to learn from; 'unslant audit plant' takes its passages from the half 'debias'.",
        "debias",
        name="--outlets",
    )
    directions: int | None = option(
        "Number of principal components of the hidden states to use.  [default: 64]", least=1
    )
    seed: int | None = option("Random seed of the articles and the initial weights.  [default: 0]")
    threads: int = option("Threads for PyTorch.", 1, least=1)
    precision: str | None = option(
        "Floating-point precision of the language model's weights.  [default: float32]", choices=PRECISIONS
    )


@click.command()
@click.argument("model")
@settings_options(_Debiaser)
def debiaser(model: str, options: _Debiaser) -> None:
    """Train the classifier that guides --debias classifier.

    It reads the hidden states of MODEL, a local language model, and works with that model only.
    """
    from unslant.lab.debias.model import debiaser_folder
    from unslant.lab.lm import local_model, open_model

    announce_destinations(filter(None, [destination(model)]))
    opened = local_model(open_model(model, batch=32, threads=options.threads, precision=options.precision))
    if opened is None:
        raise ConfigError(
            f"{model}: this model does not expose its hidden states; a debiaser needs a local model."
        )
    from unslant.lab.debias.debiaser import save_debiaser
    from unslant.lab.debias.train_debiaser import DebiaserTraining, train_debiaser

    run = options.run
    examples, card = (
        _run_texts(run) if run is not None else _articles(options.corpus, options.data, options.part)
    )
    chosen = {name: getattr(options, name) for name in ("articles", "seed", "directions")}
    chosen["stride"] = 1 if run else None
    training = DebiaserTraining(**{name: value for name, value in chosen.items() if value is not None})
    teach = None if options.by_outlet or run else _teacher
    trained, about = train_debiaser(opened, examples, training, ProgressBar(), teach)
    folder = options.output or debiaser_folder(opened.digest())
    made_for = {
        "model": Path(model).name,
        "model_digest": opened.digest(),
        "precision": opened.precision,
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


class _Vectors(_Corpus):
    quiet = True

    output: Path = option("Write the table of replacements to FILE.", required=True)
    words: Path | None = option("Bias words to replace.  [default: those that ship with unslant]")
    articles: int = option("Articles to train on.", 12000, least=1)
    threads: int = option("Threads for PyTorch.", 1, least=1)


@click.command("neutral-vectors")
@settings_options(_Vectors)
def neutral_vectors(options: _Vectors) -> None:
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
    torch.set_num_threads(options.threads)
    examples, card = _articles(options.corpus, options.data)
    articles = list(examples)[: options.articles]
    texts = [tokenize_news(example.text, example.outlet or "", 250) for example in articles]
    words = load_words(options.words) if options.words else default_words()
    tables = find_replacements(texts, words, ProgressBar())
    made = {**card, "method": "GloVe and ideology-neutral GloVe", "articles": len(texts)}
    save_replacements(options.output, tables, made)
    click.echo(f"{options.output}: replacements for {len(tables['naive'])} words")


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
