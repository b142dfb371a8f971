"""Which texts a model has learned from, as digests: enough to find them in a corpus, not enough to read them."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable
from pathlib import Path

from unslant.core.errors import ConfigError
from unslant.core.files import write_atomic
from unslant.text.words import CHARACTERS

SEEN_FILE = "seen.txt.gz"
"""The file in the folder of a run: one digest per line, sorted."""


def text_digest(text: str) -> str:
    """Return the digest of a text's words in order, whatever their case, their spacing and the punctuation."""
    words = " ".join(CHARACTERS.findall(text.casefold()))
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def write_seen(folder: Path, texts: Iterable[str], before: Iterable[str] = ()) -> None:
    """Write the digests of the texts of a run, and those of the runs that it builds on."""
    found = sorted({*map(text_digest, texts), *before})
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
