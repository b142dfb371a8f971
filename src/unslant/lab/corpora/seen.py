"""Which texts a model has learned from, as digests: enough to find them in a corpus, not enough to read them."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from unslant.core.errors import ConfigError
from unslant.core.files import write_atomic
from unslant.core.types import Document
from unslant.spec import Spec
from unslant.text.sentences import NupunktSegmenter
from unslant.text.words import CHARACTERS

SEEN_FILE = "seen.txt.gz"
"""The file in the folder of a run: one digest per line, sorted."""


def text_digest(text: str) -> str:
    """Return the digest of a text's words in order, whatever their case, their spacing and the punctuation."""
    words = " ".join(CHARACTERS.findall(text.casefold()))
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def is_seen(text: str, seen: frozenset[str]) -> bool:
    """Return whether a text, or at least half of its sentences, is among the texts with these digests."""
    if not seen:
        return False
    if text_digest(text) in seen:
        return True
    sentences = list(_sentence_digests(text))
    return bool(sentences) and 2 * sum(digest in seen for digest in sentences) >= len(sentences)


_TELLING = 6
"""A sentence with fewer words may well be in two texts that have nothing to do with each other."""


@cache
def _segmenter() -> NupunktSegmenter:
    return NupunktSegmenter(Spec())


def _sentence_digests(text: str) -> Iterator[str]:
    """Yield the digest of each sentence that is long enough to tell where it is from."""
    for sentence in _segmenter().split(Document(text, text)):
        if len(CHARACTERS.findall(sentence.text)) >= _TELLING:
            yield text_digest(sentence.text)


def write_seen(folder: Path, texts: Iterable[str], before: Iterable[str] = ()) -> None:
    """Write the digests of the texts of a run and of their sentences, and those of the runs that it builds on."""
    found = sorted(
        {*before, *(digest for text in texts for digest in (text_digest(text), *_sentence_digests(text)))}
    )
    write_atomic(
        folder / SEEN_FILE, gzip.compress("".join(f"{digest}\n" for digest in found).encode(), mtime=0)
    )


def read_seen(folder: str | Path) -> frozenset[str]:
    """Return the digests of the run that a folder belongs to: the run's own, of a model in it or of its package."""
    place = Path(folder)
    for near in (place, place.parent, place.parent.parent):
        path = near / SEEN_FILE
        if path.is_file():
            try:
                return frozenset(gzip.decompress(path.read_bytes()).decode("ascii").split())
            except (OSError, EOFError, ValueError):
                raise ConfigError(
                    f"{path}: cannot be read, so what the model learned from is not known; train it again"
                ) from None
    return frozenset()
