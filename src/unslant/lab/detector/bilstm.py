"""BiLSTM-CNN-CRF, the sequence tagger of Ma and Hovy 2016: a baseline for tagging without a transformer.

A word is its vector beside what a convolution finds in its letters; an LSTM reads the words in both directions; a
conditional random field chooses the best sequence of tags, in which a span cannot begin with an inside tag. The word
vectors, GloVe in the paper, come from the table of subwords of an encoder: a word is the mean of its subwords, and a
learned matrix brings it down to the size of the paper's vectors. So no word is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from unslant.core.types import Span
from unslant.neural.subwords import BEGIN, INSIDE, OUTSIDE, TAGS
from unslant.text.words import TOKEN

__all__ = ["BilstmTagger", "ConditionalRandomField", "TaggerPlan", "WordBatch", "WordEncoder", "tag_words"]

_UNKNOWN_LETTER = 1
_IMPOSSIBLE = -1e4
_LONGEST_WORD = 30


@dataclass(frozen=True, slots=True)
class TaggerPlan:
    """The sizes of a tagger; the defaults are those of Ma and Hovy."""

    letters: str = ""
    """The letters that training words have; others are all the same."""
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
    """(texts, words): the number of each word among the distinct ones; what is beyond the end of a text has any."""
    subwords: Tensor
    """(distinct words, subwords), 0 where there is none: the ids are shifted by one."""
    letters: Tensor
    """(distinct words, letters)"""
    lengths: Tensor
    """(texts,)"""

    @property
    def mask(self) -> Tensor:
        """Which places hold a word, (texts, words)."""
        longest = int(self.lengths.max())
        return torch.arange(longest)[None, :] < self.lengths[:, None]


@dataclass
class WordEncoder:
    """Turns texts into words, and words into numbers."""

    tokenizer: Any
    letters: str
    _known: dict[str, list[int]] = field(default_factory=dict)

    def words(self, text: str) -> list[Span]:
        """Return the words and marks of a text; a text without any has none."""
        return [Span(*match.span()) for match in TOKEN.finditer(text)]

    def batch(self, texts: Sequence[tuple[str, Sequence[Span]]]) -> WordBatch:
        """Return texts, each with at least one word, as tensors."""
        rows = [[text[span.start : span.end] for span in words] for text, words in texts]
        distinct = {word: number for number, word in enumerate(dict.fromkeys(chain.from_iterable(rows)))}
        places = _padded([[distinct[word] for word in row] for row in rows])
        subwords = _padded([self._subwords(word) for word in distinct])
        letters = _padded([self._letters(word) for word in distinct])
        return WordBatch(places, subwords, letters, torch.tensor([len(row) for row in rows]))

    def _subwords(self, word: str) -> list[int]:
        if word not in self._known:
            ids = self.tokenizer(word, add_special_tokens=False)["input_ids"]
            self._known[word] = [number + 1 for number in ids]
        return self._known[word]

    def _letters(self, word: str) -> list[int]:
        found = (self.letters.find(letter) for letter in word[:_LONGEST_WORD])
        return [_UNKNOWN_LETTER if place < 0 else place + 2 for place in found]


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Return rows as a tensor, filled with 0 to the length of the longest."""
    longest = max(1, *(len(row) for row in rows))
    return torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows], dtype=torch.long)


def tag_words(words: Sequence[Span], marked: Sequence[Span]) -> list[int]:
    """Return the tag of each word: begin or inside where a marked span touches it."""
    tags, before = [], -1
    for word in words:
        at = next((number for number, span in enumerate(marked) if span.overlaps(word)), -1)
        tags.append(OUTSIDE if at < 0 else INSIDE if at == before else BEGIN)
        before = at
    return tags


class ConditionalRandomField(nn.Module):
    """Scores sequences of tags by what each word says and by which tag follows which."""

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
    """The network."""

    def __init__(self, plan: TaggerPlan, table: Tensor) -> None:
        """``table`` has one vector per subword, (subwords, width), and is not trained."""
        super().__init__()
        self.plan = plan
        blank = torch.zeros(1, table.shape[1])
        # vectors of one size, whatever the encoder's are
        self.register_buffer("table", torch.cat([blank, table.detach() / table.detach().std()]))
        self.project = nn.Linear(table.shape[1], plan.vector, bias=False)
        self.letters = nn.Embedding(len(plan.letters) + 2, plan.letter_vector, padding_idx=0)
        self.convolution = nn.Conv1d(plan.letter_vector, plan.filters, plan.window, padding=plan.window // 2)
        self.drop = nn.Dropout(plan.dropout)
        self.lstm = nn.LSTM(plan.vector + plan.filters, plan.state, batch_first=True, bidirectional=True)
        self.emit = nn.Linear(2 * plan.state, len(TAGS))
        self.field = ConditionalRandomField()

    def forward(self, batch: WordBatch) -> Tensor:
        """Return what each word says of its tag, (texts, words, tags)."""
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

    def trained(self) -> Mapping[str, Tensor]:
        """Return copies of the weights, for keeping the best epoch."""
        return {name: value.detach().clone() for name, value in self.named_parameters()}
