"""A recurrent judge: a bidirectional GRU over the first words of a text, with a linear classifier on its mean state.

The paper behind the audit compares judges of several kinds before it chooses one; this is the kind that needs no
pretrained encoder and still reads words in their order. Words are hashed into a table, so none is unknown.
"""

from __future__ import annotations

import hashlib
import random
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import MissingExtra
from unslant.core.example import Example
from unslant.lab.corpora.outlets import tokenize_news
from unslant.lab.judges.fitting import Articles, JudgeSettings, TrainedJudge
from unslant.lab.judges.judge import mask_words, open_folder, save_folder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TABLE = 1 << 14
_BATCH = 64


@dataclass(frozen=True, slots=True)
class RecurrentTraining:
    """How a recurrent judge is trained."""

    epochs: int = 3
    rate: float = 2e-3
    size: int = 48
    """The size of word vectors and of the state in each direction."""
    dropout: float = 0.3
    seed: int = 0


def _network(size: int, dropout: float = 0.0) -> Any:
    try:
        import torch
    except ModuleNotFoundError as error:
        raise MissingExtra("a recurrent judge", "torch", "lm") from error
    return torch.nn.ModuleDict(
        {
            "words": torch.nn.Embedding(_TABLE, size, padding_idx=0),
            "gru": torch.nn.GRU(size, size, batch_first=True, bidirectional=True),
            "drop": torch.nn.Dropout(dropout),
            "line": torch.nn.Linear(2 * size, 1),
        }
    )


def _states(network: Any, rows: Sequence[Sequence[int]]) -> Any:
    """Return the mean state of each text, (texts, 2 · size)."""
    import torch

    longest = max(len(row) for row in rows)
    ids = torch.tensor([[*row, *([0] * (longest - len(row)))] for row in rows])
    states, _ = network["gru"](network["drop"](network["words"](ids)))
    mask = (ids > 0)[:, :, None]
    return (states * mask).sum(1) / mask.sum(1).clamp(min=1)


def _ids(text: str, outlet: str = "") -> list[int]:
    words = mask_words(tokenize_news(text, outlet))
    return [1 + zlib.crc32(word.encode()) % (_TABLE - 1) for word in words]


class RecurrentJudge:
    """A trained recurrent judge."""

    kind = "a gated recurrent network over words in both directions, a line on its mean state"

    def __init__(
        self, network: Any, size: int, name: str = "judge", card: Mapping[str, Any] | None = None
    ) -> None:
        self._network, self._size = network.eval(), size
        self.name = name
        self.card: Mapping[str, Any] = card or {}

    def digest(self) -> str:
        """Return the digest of all weights."""
        found = hashlib.sha256()
        for key, value in sorted(self._arrays().items()):
            found.update(key.encode() + value.tobytes())
        return found.hexdigest()

    def judge(self, texts: Sequence[str]) -> list[float | None]:
        """Return the probability of each text; None for a text without a word."""
        import torch

        found: list[float | None] = [None] * len(texts)
        for places, states in self._batches(texts):
            with torch.no_grad():
                logits = self._network["line"](states)[:, 0]
            for at, chance in zip(places, torch.sigmoid(logits.double()).tolist(), strict=True):
                found[at] = chance
        return found

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the mean state of each text, (texts, 2 · size); zeros for a text without a word."""
        import numpy as np

        found = np.zeros((len(texts), 2 * self._size))
        for places, states in self._batches(texts):
            found[places] = states.double().numpy()
        return found

    def _batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Any]]:
        """Yield places of texts of similar length, with their mean states."""
        import torch

        rows = [_ids(text) for text in texts]
        order = sorted((at for at, row in enumerate(rows) if row), key=lambda at: len(rows[at]))
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            with torch.no_grad():
                states = _states(self._network, [rows[at] for at in places])
            yield places, states

    def _arrays(self) -> dict[str, NDArray[np.float32]]:
        return {name: value.detach().numpy() for name, value in self._network.state_dict().items()}

    def save(self, folder: Path, card: Mapping[str, Any]) -> None:
        """Write the judge's folder."""
        save_folder(folder, self._arrays(), {"recurrent": self._size}, card)

    @classmethod
    def load(cls, folder: Path, name: str = "judge") -> RecurrentJudge:
        """Read a judge's folder; the digest of the weights is checked."""
        import torch

        with open_folder(folder) as (about, arrays, _):
            size, card = int(about["recurrent"]), dict(about.get("card", {}))
            network = _network(size)
            state = {key: torch.from_numpy(value.copy()) for key, value in arrays.items()}
            try:
                network.load_state_dict(state)
            except RuntimeError as error:
                raise ValueError(str(error)) from None
        return cls(network, size, name, card)


def train_recurrent(
    examples: Sequence[Example],
    training: RecurrentTraining | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> TrainedJudge[RecurrentJudge]:
    """Train on articles of the left and the right; one article in ten is kept out to measure the loss."""
    training = training or RecurrentTraining()
    network = _network(training.size, training.dropout)
    import torch

    articles = Articles.of(examples, JudgeSettings(by_outlet=False))
    weights = articles.weights() * len(articles.examples)
    rows = [
        (_ids(example.text, example.outlet or ""), float(label), float(weight))
        for example, label, weight in zip(articles.examples, articles.labels, weights, strict=True)
    ]
    kept = [row for at, row in enumerate(rows) if row[0] and at % 10 == 9]
    learn = [row for at, row in enumerate(rows) if row[0] and at % 10 != 9]
    rng = random.Random(training.seed)  # noqa: S311
    with torch.random.fork_rng():
        torch.manual_seed(training.seed)
        for module in network.values():
            if hasattr(module, "reset_parameters"):
                module.reset_parameters()
        adam = torch.optim.Adam(network.parameters(), lr=training.rate)
        for epoch in range(training.epochs):
            network.train()
            rng.shuffle(learn)
            for start in range(0, len(learn), _BATCH):
                loss = _loss(network, learn[start : start + _BATCH])
                adam.zero_grad()
                loss.backward()
                adam.step()
            if progress is not None:
                progress("training a recurrent judge", epoch + 1, training.epochs)
    judge = RecurrentJudge(network, training.size)
    with torch.no_grad():
        losses = [float(_loss(network, kept[at : at + _BATCH])) for at in range(0, len(kept), _BATCH)]
    mean = sum(losses) / len(losses) if losses else 0.0
    return TrainedJudge(judge, 0.0, {0.0: mean}, len(rows), len(set(articles.outlets)))


def _loss(network: Any, rows: Sequence[tuple[Sequence[int], float, float]]) -> Any:
    import torch

    logits = network["line"](network["drop"](_states(network, [row for row, _, _ in rows])))[:, 0]
    labels, weights = torch.tensor([row[1] for row in rows]), torch.tensor([row[2] for row in rows])
    return torch.nn.functional.binary_cross_entropy_with_logits(logits, labels, weights)
