"""Training and measuring the model that recognises the kind of a text.

Its text comes from corpora whose kind is known: job advertisements, company reports, press and product pages,
documentation, encyclopedia and news articles. Every fifth document is held out, by its name.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from unslant.genre import BUCKETS, features
from unslant.lab import corpora
from unslant.lab.corpora.editor import EVERYTHING, read_passages
from unslant.lab.corpora.tables import CorpusMissing

if TYPE_CHECKING:
    from unslant.lab.stats.metrics import Numbers

KINDS = ("news", "encyclopedia", "people", "promotion", "docs")
"""The kinds that words can tell; opinion is told by its form."""
_HELD_OUT = 5
_WORDS = 130
"""A passage has about this many words."""
_MOST = 1600
"""Passages of one kind and corpus."""
_JOINED = 6
"""Sentences without a document are joined to passages of this many."""


class GenrePassage(NamedTuple):
    """A text whose kind is known."""

    document: str
    text: str
    kind: str
    corpus: str

    @property
    def held_out(self) -> bool:
        """Whether the model does not learn from it."""
        return int(hashlib.sha256(self.document.encode()).hexdigest(), 16) % _HELD_OUT == 0


def read_genre_passages(data: Path) -> list[GenrePassage]:
    """Return the passages of all corpora that are in a folder."""
    found: list[GenrePassage] = []
    for corpus, part in (("editor", "train"), ("genres", EVERYTHING)):
        for passage in read_passages(corpora.load(corpus, data), part):
            found += _pieces(f"{corpus}-{passage.id}", passage.text, passage.profile, corpus)
    for name, text in _texts(data / "job_ads" / "ads.jsonl.gz", "id", "text"):
        found += _pieces(f"job_ads-{name}", text, "people", "job_ads")[:2]
    for name, text in _joined(data / "corporate" / "sentences.jsonl.gz", "text"):
        found.append(GenrePassage(f"corporate-{name}", text, "promotion", "corporate"))
    for name, text in _joined(data / "npov" / "pairs.jsonl.gz", "tgt", limit=_MOST):
        found.append(GenrePassage(f"npov-{name}", text, "encyclopedia", "npov"))
    articles = (
        (example.id, example.text)
        for example in corpora.load("allsides", data)
        if "pinion" not in (example.outlet or "")
    )
    for _, (name, text) in zip(range(_MOST), articles, strict=False):
        found += _pieces(f"allsides-{name}", text, "news", "allsides")[:1]
    return found


def _texts(path: Path, name: str, text: str) -> Iterator[tuple[str, str]]:
    if not path.is_file():
        raise CorpusMissing(f"{path} is missing; put it there, or name another folder with --data")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            yield str(row.get(name, number)), str(row[text])


def _joined(path: Path, text: str, limit: int = _MOST) -> Iterator[tuple[str, str]]:
    """Yield sentences of one file, several to a passage."""
    sentences = [found for _, found in _texts(path, "id", text)][: limit * _JOINED]
    for start in range(0, len(sentences), _JOINED):
        yield str(start), " ".join(sentences[start : start + _JOINED])


def _pieces(name: str, text: str, kind: str, corpus: str) -> list[GenrePassage]:
    words = text.split()
    starts = range(0, max(1, len(words) - _WORDS // 2), _WORDS)
    return [GenrePassage(name, " ".join(words[at : at + _WORDS]), kind, corpus) for at in starts]


def fit_genre(passages: Sequence[GenrePassage]) -> str:
    """Return the weights as ``unslant.genre`` reads them, fitted on the passages that are not held out."""
    import numpy as np
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    learned = [passage for passage in passages if not passage.held_out]
    rows, columns, values = [], [], []
    for row, passage in enumerate(learned):
        for at, value in features(passage.text).items():
            rows.append(row)
            columns.append(at)
            values.append(value)
    matrix = csr_matrix((values, (rows, columns)), shape=(len(learned), BUCKETS))
    counts = Counter(passage.kind for passage in learned)
    shares = [1 / counts[passage.kind] for passage in learned]
    weights = np.array(shares) * len(learned) / len(counts)
    model = LogisticRegression(C=30.0, max_iter=400)
    model.fit(matrix, [KINDS.index(passage.kind) for passage in learned], sample_weight=weights)
    return _to_text(model.coef_.T, model.intercept_)


def _to_text(coefficients: Numbers, bias: Numbers) -> str:
    import numpy as np

    scale = float(np.abs(coefficients).max()) / 127
    small = np.round(coefficients / scale).astype(np.int8)
    return (
        json.dumps(
            {
                "format": "unslant/genre/1",
                "genres": list(KINDS),
                "bias": [round(float(value), 4) for value in bias],
                "scale": scale,
                "weights": b64encode(small.tobytes()).decode("ascii"),
            }
        )
        + "\n"
    )
