"""Trains a BiLSTM-CNN-CRF on the spans of a recipe's corpora, and writes and reads its folder."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from unslant.core.errors import ConfigError, InputError
from unslant.core.example import Example
from unslant.core.files import read_json
from unslant.core.types import Span
from unslant.lab.detector.bilstm import BilstmTagger, TaggerPlan, WordEncoder, tag_words
from unslant.lab.detector.card import write_card
from unslant.lab.detector.checkpoint import RunState
from unslant.lab.detector.data import Data
from unslant.lab.detector.network import load_encoder, load_tokenizer, weights
from unslant.lab.detector.recipe import Recipe, build
from unslant.lab.detector.run import TrainSettings
from unslant.lab.stats.spans import SpanPrediction, exact_f1, overlap_f1
from unslant.neural.subwords import BEGIN, INSIDE

__all__ = ["TaggerTraining", "TrainedTagger", "load_tagger", "train_tagger"]

NAME = "tagger.json"
_RATE = 1e-3
_CLIP = 5.0
_BATCH = 64
_POOL = 50
"""Batches among which rows are sorted by length."""


@dataclass(frozen=True, slots=True)
class TaggerTraining:
    """How to train; the rate and the size of the batches are those of Zhong et al. 2021."""

    epochs: int = 20
    patience: int = 4
    """Stop after this many epochs without a better exact F1 on the development part."""
    batch: int = 16


@dataclass(frozen=True)
class TrainedTagger:
    """A tagger with what it needs to read texts."""

    network: BilstmTagger
    words: WordEncoder

    @torch.no_grad()
    def spans(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        """Return the marked spans of each text."""
        self.network.eval()
        read = [(text, self.words.words(text)) for text in texts]
        found: list[tuple[Span, ...]] = [() for _ in texts]
        # texts of similar length go together, as the longest decides how long it takes
        order = sorted((at for at, (_, words) in enumerate(read) if words), key=lambda at: len(read[at][1]))
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            batch = self.words.batch([read[at] for at in places])
            best = self.network.field.best(self.network(batch), batch.mask)
            for at, tags in zip(places, best, strict=True):
                found[at] = _spans(read[at][1], tags)
        return found


def _spans(words: Sequence[Span], tags: Sequence[int]) -> tuple[Span, ...]:
    found: list[Span] = []
    for word, tag in zip(words, tags, strict=True):
        if tag == BEGIN:
            found.append(word)
        elif tag == INSIDE:
            found[-1] = Span(found[-1].start, word.end)
    return tuple(found)


def train_tagger(
    recipe: Recipe, out: str | Path, settings: TrainSettings, training: TaggerTraining | None = None
) -> Path:
    """Train on the texts of a recipe's last stage that have spans; return the folder. A finished run is kept."""
    out, training = Path(out), training or TaggerTraining()
    recipe = replace(recipe, about=f"BiLSTM-CNN-CRF on the data of: {recipe.about}")
    if (out / NAME).is_file():
        if not settings.resume:
            raise ConfigError(
                f"{out} already contains a tagger; add --resume to keep it, or use another folder"
            )
        return out
    torch.set_num_threads(settings.threads)
    data, stage = Data(recipe, settings.data), recipe.stages[-1]
    samples = [sample.example for sample in data.samples(stage.corpora, training=True)]
    dev = [sample.example for sample in data.samples(stage.dev, training=False)]
    tagger = _untrained(recipe, [example.text for example in samples])
    state = RunState(digest="", stage=1)
    _fit(tagger, _Epochs(_labelled(samples), _labelled(dev), training, recipe.seed), state, settings)
    _save(tagger, out)
    write_card(recipe, data, state, {}, out)
    return out


def _labelled(examples: Sequence[Example]) -> list[Example]:
    return [example for example in examples if example.spans is not None]


def _untrained(recipe: Recipe, texts: Sequence[str]) -> TrainedTagger:
    letters = "".join(sorted({letter for text in texts for letter in text if not letter.isspace()}))
    table = load_encoder(recipe.encoder).get_input_embeddings().weight
    torch.manual_seed(recipe.seed)
    network = BilstmTagger(TaggerPlan(letters), table)
    return TrainedTagger(network, WordEncoder(load_tokenizer(recipe.encoder), letters))


@dataclass(frozen=True, slots=True)
class _Epochs:
    samples: Sequence[Example]
    dev: Sequence[Example]
    training: TaggerTraining
    seed: int


def _fit(tagger: TrainedTagger, epochs: _Epochs, state: RunState, settings: TrainSettings) -> None:
    """Train until the development part gets no better, and leave the tagger with the weights of the best epoch."""
    network, started = tagger.network, time.monotonic()
    rows = [
        (example.text, words, tag_words(words, [marked.span for marked in example.spans or ()]))
        for example in epochs.samples
        if (words := tagger.words.words(example.text))
    ]
    if not rows:
        raise ConfigError("there are no texts with spans to learn from; check the corpora of the recipe")
    optimizer = torch.optim.Adam(network.parameters(), lr=_RATE)
    rng = random.Random(epochs.seed)  # noqa: S311
    best, waited, kept = -1.0, 0, network.trained()
    for epoch in range(1, epochs.training.epochs + 1):
        loss = _epoch(tagger, _batches(rows, epochs.training.batch, rng), optimizer)
        scores = _scores(tagger, epochs.dev)
        state.history.append({"stage": "spans", "epoch": epoch, "train_loss": round(loss, 3), "dev": scores})
        settings.progress("epochs", epoch, epochs.training.epochs)
        if scores["exact_f1"] > best:
            best, waited, kept = scores["exact_f1"], 0, network.trained()
        elif best > 0:  # in the first epochs it may mark nothing at all
            waited += 1
            if waited >= epochs.training.patience:
                break
    network.load_state_dict(kept, strict=False)
    state.seconds = time.monotonic() - started


_Row = tuple[str, list[Span], list[int]]
"""A text, its words, and their tags."""


def _batches(rows: Sequence[_Row], size: int, rng: random.Random) -> list[list[_Row]]:
    """Return the rows in random batches of similar length, as the longest decides how long a step takes."""
    mixed = rng.sample(rows, len(rows))
    found = []
    for start in range(0, len(mixed), size * _POOL):
        pool = sorted(mixed[start : start + size * _POOL], key=lambda row: len(row[1]))
        found += [pool[at : at + size] for at in range(0, len(pool), size)]
    rng.shuffle(found)
    return found


def _epoch(tagger: TrainedTagger, batches: Sequence[list[_Row]], optimizer: torch.optim.Optimizer) -> float:
    """Go once through the rows; return the mean loss."""
    network, total = tagger.network, 0.0
    network.train()
    for some in batches:
        batch = tagger.words.batch([(text, words) for text, words, _ in some])
        tags = torch.zeros(batch.mask.shape, dtype=torch.long)
        for at, (_, _, own) in enumerate(some):
            tags[at, : len(own)] = torch.tensor(own)
        loss = network.field.loss(network(batch), tags, batch.mask)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), _CLIP)
        optimizer.step()
        total += float(loss.detach()) * len(some)
    return total / sum(map(len, batches))


def _scores(tagger: TrainedTagger, dev: Sequence[Example]) -> dict[str, float]:
    found = [
        SpanPrediction(example.text, tuple(marked.span for marked in example.spans or ()), spans)
        for example, spans in zip(dev, tagger.spans([example.text for example in dev]), strict=True)
    ]
    measures = {"exact_f1": exact_f1(found).value, "overlap_f1": overlap_f1(found).value}
    return {name: round(value or 0.0, 4) for name, value in measures.items()}


def _save(tagger: TrainedTagger, out: Path) -> None:
    from safetensors.torch import save_file

    out.mkdir(parents=True, exist_ok=True)
    tagger.words.tokenizer.save_pretrained(out)
    save_file(weights(tagger.network), out / "model.safetensors")
    # last, so that a folder with this file is complete
    (out / NAME).write_text(json.dumps({"plan": asdict(tagger.network.plan)}, indent=1) + "\n", "utf-8")


def load_tagger(folder: str | Path) -> TrainedTagger:
    """Load what :func:`train_tagger` wrote."""
    from safetensors.torch import load_file

    folder = Path(folder)
    try:
        about: Any = read_json(folder / NAME)
        plan = build(TaggerPlan, about["plan"], f"{folder / NAME}: plan")
    except (InputError, KeyError, TypeError):
        raise ConfigError(
            f"{folder}: is not the folder of a tagger; 'unslant train tagger' creates one"
        ) from None
    state = load_file(folder / "model.safetensors")
    network = BilstmTagger(plan, state["table"][1:])
    network.load_state_dict(state)
    return TrainedTagger(network, WordEncoder(load_tokenizer(folder), plan.letters))
