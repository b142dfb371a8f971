"""Words, vocabulary, and pairs as tensors.

A word keeps its preceding space (``" word"``), so joining restores the sentence exactly. An out-of-vocabulary
(OOV) word gets an id of its own within its sentence, after those of the vocabulary, so that it can be copied.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from unslant.text.diff import edited_pairs
from unslant.text.words import WORD_OR_MARK


@dataclass(frozen=True, slots=True)
class SourceBatch:
    """Encoded source sentences."""

    words: list[list[str]]
    known: Tensor
    """(batch, words): vocabulary ids."""
    own: Tensor
    """(batch, words): the same, with OOV words after the vocabulary."""
    mask: Tensor
    """(batch, words): whether the position holds a word."""
    oov_words: list[list[str]]
    """The OOV words of each sentence."""

    @property
    def max_oov(self) -> int:
        """The largest number of OOV words in a sentence."""
        return max((len(words) for words in self.oov_words), default=0)


@dataclass(frozen=True, slots=True)
class PairBatch:
    """Encoded sources with their targets."""

    sources: SourceBatch
    given: Tensor
    """(batch, steps): the decoder inputs."""
    wanted: Tensor
    """(batch, steps): the target ids, with copied OOV words by their own ids."""
    new: Tensor
    """(batch, steps): whether the source lacks the word."""


def _pad(rows: Sequence[Sequence[int]]) -> Tensor:
    longest = max(1, *(len(row) for row in rows))
    return torch.tensor([[*row, *[PADDING] * (longest - len(row))] for row in rows], dtype=torch.long)


def encode_sources(vocabulary: Vocabulary, texts: Sequence[str]) -> SourceBatch:
    """Encode sentences."""
    words = [tokenize(text) or [""] for text in texts]
    oov_words = [vocabulary.oov_words(sentence) for sentence in words]
    known = _pad([vocabulary.ids(sentence) for sentence in words])
    own = _pad([vocabulary.ids(sentence, oov) for sentence, oov in zip(words, oov_words, strict=True)])
    return SourceBatch(words, known, own, known != PADDING, oov_words)


def encode_pairs(vocabulary: Vocabulary, pairs: Sequence[tuple[str, str]], *, copy: bool) -> PairBatch:
    """Encode pairs; with ``copy``, a target can contain OOV words of its source."""
    sources = encode_sources(vocabulary, [source for source, _ in pairs])
    given, wanted, new = [], [], []
    for at, (_, target) in enumerate(pairs):
        words = tokenize(target)
        own = vocabulary.ids(words, sources.oov_words[at] if copy else ())
        given.append([BEGIN, *(word_id if word_id < len(vocabulary) else UNKNOWN for word_id in own)])
        wanted.append([*own, END])
        before = set(sources.words[at])
        new.append([*(int(word not in before) for word in words), 0])
    return PairBatch(sources, _pad(given), _pad(wanted), _pad(new).bool())


def word_offsets(words: Sequence[str]) -> list[tuple[int, int]]:
    """Return the offsets of each word in the joined text, without its space."""
    found, at = [], 0
    for word in words:
        found.append((at + len(word) - len(word.lstrip()), at + len(word)))
        at += len(word)
    return found


def find_removed(source: str, target: str) -> list[bool]:
    """Return, for each word of the source, whether the edit removed or changed it."""
    words = tokenize(source)
    text = "".join(words)
    gone = [edit.source for edit in edited_pairs(text, target) if edit.source is not None]
    return [any(span.start < end and start < span.end for span in gone) for start, end in word_offsets(words)]


PADDING, UNKNOWN, BEGIN, END = range(4)
_SPECIAL = 4
# A word carries the space before it, so that the words joined are the text again.
_SPACED_WORD = re.compile(rf" ?(?:{WORD_OR_MARK.pattern})|\s")


def tokenize(text: str) -> list[str]:
    """Split a text into words and punctuation, with white space collapsed."""
    return _SPACED_WORD.findall(" ".join(text.split()))


def detokenize(words: Iterable[str]) -> str:
    """Return the text of the words."""
    return "".join(words).strip()


@dataclass(frozen=True)
class Vocabulary:
    """The known words, most frequent first."""

    words: tuple[str, ...]
    places: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", {word: at for at, word in enumerate(self.words, _SPECIAL)})

    @classmethod
    def build(cls, texts: Iterable[str], size: int, rare: int = 0) -> Vocabulary:
        """Return the vocabulary of some texts, without words that occur ``rare`` times or less."""
        counts = Counter(word for text in texts for word in tokenize(text))
        common = sorted((word for word, many in counts.items() if many > rare), key=lambda w: (-counts[w], w))
        return cls(tuple(common[:size]))

    def __len__(self) -> int:
        return len(self.words) + _SPECIAL

    def ids(self, words: Sequence[str], oov_words: Sequence[str] = ()) -> list[int]:
        """Return the id of each word; listed OOV words follow the vocabulary, other words are unknown."""
        own = {word: at for at, word in enumerate(oov_words, len(self))}
        return [self.places.get(word, own.get(word, UNKNOWN)) for word in words]

    def oov_words(self, words: Sequence[str]) -> list[str]:
        """Return the words outside the vocabulary, each once, in order."""
        return [word for word in dict.fromkeys(words) if word not in self.places]

    def word(self, word_id: int, oov_words: Sequence[str] = ()) -> str:
        """Return the word of an id; an empty string for a special token."""
        if word_id < _SPECIAL:
            return ""
        if word_id < len(self):
            return self.words[word_id - _SPECIAL]
        return oov_words[word_id - len(self)]
