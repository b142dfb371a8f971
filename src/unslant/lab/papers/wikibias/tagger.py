"""BiLSTM-CNN-CRF, the sequence tagger of Ma and Hovy 2016: a baseline for tagging without a transformer.

The vector of a word is joined with the features that a convolution finds in its letters. An LSTM reads the words in
both directions, and a conditional random field chooses the best sequence of tags, in which a span cannot begin with an
inside tag. The paper uses GloVe vectors; here, a word vector is the mean of the subword embeddings of an encoder, which
a learned matrix projects to the size of the paper's vectors. So no word is unknown.

The tagger is trained on the spans of a recipe's corpora. Its folder holds ``tagger.json``, weights and tokenizer.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from unslant.core.errors import ConfigError, InputError
from unslant.core.files import read_json
from unslant.core.types import Span
from unslant.lab.corpora.seen import write_seen
from unslant.lab.detector.batches import pooled_batches
from unslant.lab.detector.card import make_card, write_card
from unslant.lab.detector.checkpoint import RunState
from unslant.lab.detector.data import Data
from unslant.lab.detector.network import load_encoder, load_tokenizer, weights
from unslant.lab.detector.recipe import Recipe, build
from unslant.lab.stats.spans import SpanPrediction, exact_f1, overlap_f1
from unslant.neural.subwords import BEGIN, INSIDE, OUTSIDE, TAGS
from unslant.text.words import TOKEN

if TYPE_CHECKING:
    from unslant.core.example import Example
    from unslant.lab.detector.run import TrainSettings

NAME = "tagger.json"
_RATE = 1e-3
_CLIP = 5.0
_BATCH = 64
_POOL = 50
"""Rows are sorted by length within pools of this many batches."""
_UNKNOWN_LETTER = 1
_IMPOSSIBLE = -1e4
_LONGEST_WORD = 30


@dataclass(frozen=True, slots=True)
class TaggerPlan:
    """The sizes of a tagger; the defaults are those of Ma and Hovy."""

    letters: str = ""
    """The letters of the training words; any other letter counts as unknown."""
    vector: int = 100
    letter_vector: int = 30
    filters: int = 30
    window: int = 3
    state: int = 200
    """The size of the LSTM's state in each direction."""
    dropout: float = 0.5


@dataclass(frozen=True, slots=True)
class WordBatch:
    """Texts as padded tensors."""

    places: Tensor
    """(texts, words): the index of each word among the distinct words; arbitrary beyond the end of a text."""
    subwords: Tensor
    """(distinct words, subwords): ids shifted by one, because 0 is padding."""
    letters: Tensor
    """(distinct words, letters)"""
    lengths: Tensor
    """(texts,)"""

    @property
    def mask(self) -> Tensor:
        """Which positions hold a word, (texts, words)."""
        longest = int(self.lengths.max())
        return torch.arange(longest)[None, :] < self.lengths[:, None]


@dataclass
class WordEncoder:
    """Splits texts into words, and encodes words as ids."""

    tokenizer: Any
    letters: str
    _known: dict[str, list[int]] = field(default_factory=dict)

    def words(self, text: str) -> list[Span]:
        """Return the words and punctuation marks of a text."""
        return [Span(*match.span()) for match in TOKEN.finditer(text)]

    def batch(self, texts: Sequence[tuple[str, Sequence[Span]]]) -> WordBatch:
        """Return texts, each with at least one word, as tensors."""
        rows = [[text[span.start : span.end] for span in words] for text, words in texts]
        distinct = {word: number for number, word in enumerate(dict.fromkeys(chain.from_iterable(rows)))}
        places = _pad([[distinct[word] for word in row] for row in rows])
        subwords = _pad([self._subwords(word) for word in distinct])
        letters = _pad([self._letters(word) for word in distinct])
        return WordBatch(places, subwords, letters, torch.tensor([len(row) for row in rows]))

    def _subwords(self, word: str) -> list[int]:
        if word not in self._known:
            ids = self.tokenizer(word, add_special_tokens=False)["input_ids"]
            self._known[word] = [number + 1 for number in ids]
        return self._known[word]

    def _letters(self, word: str) -> list[int]:
        found = (self.letters.find(letter) for letter in word[:_LONGEST_WORD])
        return [_UNKNOWN_LETTER if place < 0 else place + 2 for place in found]


def _pad(rows: Sequence[Sequence[int]]) -> Tensor:
    """Return rows as a tensor, padded with 0 to the length of the longest."""
    longest = max(1, *(len(row) for row in rows))
    return torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows], dtype=torch.long)


def tag_words(words: Sequence[Span], marked: Sequence[Span]) -> list[int]:
    """Return the tag of each word: begin or inside if it overlaps a marked span."""
    tags, before = [], -1
    for word in words:
        at = next((number for number, span in enumerate(marked) if span.overlaps(word)), -1)
        tags.append(OUTSIDE if at < 0 else INSIDE if at == before else BEGIN)
        before = at
    return tags


class ConditionalRandomField(nn.Module):
    """Scores sequences of tags by the emissions of the words and the transitions between tags."""

    def __init__(self) -> None:
        super().__init__()
        self.follows = nn.Parameter(torch.zeros(len(TAGS), len(TAGS)))
        """The score of a tag (column) after another (row)."""
        self.first = nn.Parameter(torch.zeros(len(TAGS)))
        allowed = torch.zeros(len(TAGS), len(TAGS))
        allowed[OUTSIDE, INSIDE] = _IMPOSSIBLE
        start = torch.zeros(len(TAGS))
        start[INSIDE] = _IMPOSSIBLE
        self.register_buffer("_allowed", allowed, persistent=False)
        self.register_buffer("_start", start, persistent=False)

    def _scores(self) -> tuple[Tensor, Tensor]:
        return self.follows + self._allowed, self.first + self._start  # type: ignore[operator]

    def loss(self, emissions: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """Return the negative log-likelihood of the tags, per text. ``emissions`` is (texts, words, tags)."""
        follows, first = self._scores()
        chosen = emissions.gather(2, tags[:, :, None]).squeeze(2)  # (texts, words)
        gold = (chosen * mask).sum(1) + first[tags[:, 0]]
        gold = gold + (follows[tags[:, :-1], tags[:, 1:]] * mask[:, 1:]).sum(1)
        alpha = first + emissions[:, 0]  # (texts, tags)
        for at in range(1, emissions.shape[1]):
            further = torch.logsumexp(alpha[:, :, None] + follows, dim=1) + emissions[:, at]
            alpha = torch.where(mask[:, at, None], further, alpha)
        return (torch.logsumexp(alpha, dim=1) - gold).mean()

    def best(self, emissions: Tensor, mask: Tensor) -> list[list[int]]:
        """Return the best sequence of tags of each text (Viterbi)."""
        follows, first = self._scores()
        score = first + emissions[:, 0]
        steps = []
        for at in range(1, emissions.shape[1]):
            through = score[:, :, None] + follows  # (texts, before, after)
            best, origin = through.max(dim=1)
            keep = mask[:, at, None]
            score = torch.where(keep, best + emissions[:, at], score)
            steps.append(torch.where(keep, origin, torch.arange(len(TAGS))))
        found = []
        for row, last in enumerate(score.argmax(dim=1).tolist()):
            path = [last]
            for step in reversed(steps):
                path.append(int(step[row, path[-1]]))
            found.append(path[::-1][: int(mask[row].sum())])
        return found


class BilstmTagger(nn.Module):
    """The network: word vectors and letter convolution, BiLSTM, conditional random field."""

    def __init__(self, plan: TaggerPlan, table: Tensor) -> None:
        """``table`` has one vector per subword, (subwords, width), and is not trained."""
        super().__init__()
        self.plan = plan
        blank = torch.zeros(1, table.shape[1])
        # vectors of the same magnitude, whatever the encoder
        self.register_buffer("table", torch.cat([blank, table.detach() / table.detach().std()]))
        self.project = nn.Linear(table.shape[1], plan.vector, bias=False)
        self.letters = nn.Embedding(len(plan.letters) + 2, plan.letter_vector, padding_idx=0)
        self.convolution = nn.Conv1d(plan.letter_vector, plan.filters, plan.window, padding=plan.window // 2)
        self.drop = nn.Dropout(plan.dropout)
        self.lstm = nn.LSTM(plan.vector + plan.filters, plan.state, batch_first=True, bidirectional=True)
        self.emit = nn.Linear(2 * plan.state, len(TAGS))
        self.field = ConditionalRandomField()

    def forward(self, batch: WordBatch) -> Tensor:
        """Return the emissions of each word, (texts, words, tags)."""
        distinct = torch.cat([self._vectors(batch.subwords), self._shapes(batch.letters)], dim=-1)
        words = self.drop(functional.embedding(batch.places, distinct))
        packed = pack_padded_sequence(words, batch.lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        emissions: Tensor = self.emit(self.drop(states))
        return emissions

    def _vectors(self, subwords: Tensor) -> Tensor:
        count = (subwords > 0).sum(-1, keepdim=True).clamp(min=1)
        mean = self.table[subwords].sum(1) / count  # type: ignore[index]
        vectors: Tensor = self.project(mean)
        return vectors

    def _shapes(self, letters: Tensor) -> Tensor:
        inside = self.drop(self.letters(letters)).transpose(1, 2)
        shapes: Tensor = self.convolution(inside).max(dim=2).values
        return shapes

    def copy_weights(self) -> Mapping[str, Tensor]:
        """Return copies of the trained weights, to keep those of the best epoch."""
        return {name: value.detach().clone() for name, value in self.named_parameters()}


@dataclass(frozen=True, slots=True)
class TaggerTraining:
    """How to train; learning rate and batch size are those of Zhong et al. 2021."""

    epochs: int = 20
    patience: int = 4
    """Stop after this many epochs without a better exact F1 on the development part."""
    batch: int = 16


@dataclass(frozen=True)
class TrainedTagger:
    """A tagger with the encoder of its words."""

    network: BilstmTagger
    words: WordEncoder

    @torch.no_grad()
    def spans(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        """Return the marked spans of each text."""
        self.network.eval()
        read = [(text, self.words.words(text)) for text in texts]
        found: list[tuple[Span, ...]] = [() for _ in texts]
        # batch texts of similar length: the longest determines the cost
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
    tagger = _create_tagger(recipe, [example.text for example in samples])
    state = RunState(digest="", stage=1)
    _fit(
        tagger,
        _Epochs(_select_labelled(samples), _select_labelled(dev), training, recipe.seed),
        state,
        settings,
    )
    _save(tagger, out)
    write_seen(out, [example.text for example in (*samples, *dev)])
    write_card(make_card(recipe, data, state, {}), out)
    return out


def _select_labelled(examples: Sequence[Example]) -> list[Example]:
    return [example for example in examples if example.spans is not None]


def _create_tagger(recipe: Recipe, texts: Sequence[str]) -> TrainedTagger:
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
    """Train until the score on the development part stops improving, then restore the weights of the best epoch."""
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
    best, waited, kept = -1.0, 0, network.copy_weights()
    for epoch in range(1, epochs.training.epochs + 1):
        mixed = rng.sample(rows, len(rows))
        batches = pooled_batches(mixed, epochs.training.batch, _POOL, rng, lambda row: len(row[1]))
        loss = _run_epoch(tagger, batches, optimizer)
        scores = _scores(tagger, epochs.dev)
        state.history.append({"stage": "spans", "epoch": epoch, "train_loss": round(loss, 3), "dev": scores})
        settings.progress("epochs", epoch, epochs.training.epochs)
        if scores["exact_f1"] > best:
            best, waited, kept = scores["exact_f1"], 0, network.copy_weights()
        elif best > 0:  # in the first epochs, the tagger may mark nothing at all
            waited += 1
            if waited >= epochs.training.patience:
                break
    network.load_state_dict(kept, strict=False)
    state.seconds = time.monotonic() - started


_Row = tuple[str, list[Span], list[int]]
"""A text, its words, and their tags."""


def _run_epoch(
    tagger: TrainedTagger, batches: Sequence[list[_Row]], optimizer: torch.optim.Optimizer
) -> float:
    """Train on every batch once; return the mean loss."""
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
