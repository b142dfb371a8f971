"""MODULAR's detector: how likely each word of a sentence is one that an editor would take away."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from unslant.core.example import Example
from unslant.lab.detector.encoder import load_encoder, load_tokenizer, rebuild_encoder
from unslant.lab.detector.recipe import Part
from unslant.lab.detector.rows import Row, Sample, feature_rows
from unslant.lab.rewriters.batch import Sources, offsets_of

__all__ = ["Detector"]


class Detector(nn.Module):
    """Marks words: by an encoder's states or those of a small LSTM, beside what the rules find."""

    def __init__(
        self, features: Sequence[str], width: int, encoder: nn.Module | None, vocabulary: int
    ) -> None:
        super().__init__()
        self.features = tuple(features)
        self.encoder = encoder
        self.tokenizer: Any = None
        if encoder is None:
            self.embedding = nn.Embedding(vocabulary, width, padding_idx=0)
            self.states = nn.LSTM(width, width // 2, batch_first=True, bidirectional=True)
        size = width if encoder is None else int(encoder.config.hidden_size)  # type: ignore[union-attr,arg-type]
        self.drop = nn.Dropout(0.1)
        self.mark = nn.Linear(size + len(self.features), 1)

    @classmethod
    def fresh(cls, base: str, features: Sequence[str], width: int, vocabulary: int) -> Detector:
        """Return a detector on an encoder of transformers, or without one."""
        found = cls(features, width, load_encoder(base) if base else None, vocabulary)
        if base:
            found.tokenizer = load_tokenizer(base)
        return found

    @classmethod
    def rebuilt(cls, folder: Path | None, features: Sequence[str], width: int, vocabulary: int) -> Detector:
        """Return a detector with random weights in the shape that a folder describes."""
        found = cls(features, width, rebuild_encoder(folder) if folder else None, vocabulary)
        if folder:
            found.tokenizer = load_tokenizer(folder)
        return found

    def forward(self, sources: Sources) -> Tensor:
        """Return a logit for each word, (batch, words)."""
        if self.encoder is None:
            states, _ = self.states(self.drop(self.embedding(sources.known)))
        else:
            states = self._of_pieces(self.encoder, sources)
        if self.features:
            states = torch.cat([states, self._features(sources)], dim=-1)
        return self.mark(self.drop(states)).squeeze(-1)

    def _of_pieces(self, encoder: nn.Module, sources: Sources) -> Tensor:
        """Return the state of each word's first piece; a word that was cut off has that of the first."""
        words = [[word.strip() or "." for word in some] for some in sources.words]
        longest = min(int(self.tokenizer.model_max_length), 512)
        pieces = self.tokenizer(
            words,
            is_split_into_words=True,
            padding=True,
            truncation=True,
            max_length=longest,
            return_tensors="pt",
        )
        first = torch.zeros_like(sources.known)
        for row in range(len(words)):
            for at, word in reversed(list(enumerate(pieces.word_ids(row)))):
                if word is not None:
                    first[row, word] = at
        states = encoder(
            input_ids=pieces["input_ids"], attention_mask=pieces["attention_mask"]
        ).last_hidden_state
        return states.gather(1, first.unsqueeze(-1).expand(-1, -1, states.shape[-1]))

    def _features(self, sources: Sources) -> Tensor:
        rows = [Row(_sample("".join(words)), (), tuple(offsets_of(words))) for words in sources.words]
        return torch.tensor(feature_rows(rows, sources.known.shape[1], self.features))


def _sample(text: str) -> Sample:
    return Sample(Example("", text, "", ""), Part("words"), "")
