"""Pairs as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from unslant.lab.annotation.word_diff import edited_pairs
from unslant.lab.rewriters.words import BEGIN, END, PADDING, UNKNOWN, Vocabulary, cut

__all__ = ["Batch", "Sources", "encode_pairs", "encode_sources", "offsets_of", "taken_away"]


@dataclass(frozen=True, slots=True)
class Sources:
    """Sentences as an editor reads them."""

    words: list[list[str]]
    known: Tensor
    """(batch, words): numbers of the vocabulary."""
    own: Tensor
    """(batch, words): the same, words that it does not know behind it."""
    mask: Tensor
    """(batch, words): whether there is a word."""
    strangers: list[list[str]]
    """The words behind the vocabulary, by sentence."""

    @property
    def most(self) -> int:
        """The largest number of strangers in a sentence."""
        return max((len(some) for some in self.strangers), default=0)


@dataclass(frozen=True, slots=True)
class Batch:
    """Sources and what they should become."""

    sources: Sources
    given: Tensor
    """(batch, steps): what the decoder has written before each step."""
    wanted: Tensor
    """(batch, steps): what it should write, copied words by their own numbers."""
    new: Tensor
    """(batch, steps): whether the source lacks the word."""


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    longest = max(1, *(len(row) for row in rows))
    return torch.tensor([[*row, *[PADDING] * (longest - len(row))] for row in rows], dtype=torch.long)


def encode_sources(vocabulary: Vocabulary, texts: Sequence[str]) -> Sources:
    """Number the words of sentences."""
    words = [cut(text) or [""] for text in texts]
    strangers = [vocabulary.strangers(some) for some in words]
    known = _padded([vocabulary.numbers(some) for some in words])
    own = _padded([vocabulary.numbers(some, behind) for some, behind in zip(words, strangers, strict=True)])
    return Sources(words, known, own, known != PADDING, strangers)


def encode_pairs(vocabulary: Vocabulary, pairs: Sequence[tuple[str, str]], *, copy: bool) -> Batch:
    """Number the words of pairs; with ``copy``, a target word that only its source knows can be asked for."""
    sources = encode_sources(vocabulary, [source for source, _ in pairs])
    given, wanted, new = [], [], []
    for at, (_, target) in enumerate(pairs):
        words = cut(target)
        own = vocabulary.numbers(words, sources.strangers[at] if copy else ())
        given.append([BEGIN, *(number if number < len(vocabulary) else UNKNOWN for number in own)])
        wanted.append([*own, END])
        before = set(sources.words[at])
        new.append([*(int(word not in before) for word in words), 0])
    return Batch(sources, _padded(given), _padded(wanted), _padded(new).bool())


def offsets_of(words: Sequence[str]) -> list[tuple[int, int]]:
    """Return where each word stands in the joined text, its space left out."""
    found, at = [], 0
    for word in words:
        found.append((at + len(word) - len(word.lstrip()), at + len(word)))
        at += len(word)
    return found


def taken_away(source: str, target: str) -> list[bool]:
    """Say of each word of the source whether the edit took it away or changed it."""
    words = cut(source)
    text = "".join(words)
    gone = [one.source for one in edited_pairs(text, target) if one.source is not None]
    return [any(span.start < end and start < span.end for span in gone) for start, end in offsets_of(words)]
