"""Sampling of few-shot examples: at random, by a weak oracle, or by similarity to the text."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from unslant.core.errors import ConfigError, ModelError
from unslant.core.taxonomy import dimensions
from unslant.lab.probing.items import ProbeItem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "COARSE",
    "SAMPLINGS",
    "Embedder",
    "ExampleSampler",
    "MeanEmbedder",
    "coarse_category",
    "sample_random",
    "sample_weak_oracle",
]

SAMPLINGS = ("random", "oracle", "nearest")
COARSE: Mapping[str, tuple[str, ...]] = {
    "identity": ("sexuality", "gender", "race", "religion", "age", "nationality", "ethnicity", "disability"),
    "affiliation": ("profession", "political affiliation", "perceived negative group"),
}
"""The coarse categories of CAD's taxonomy with their dimensions, in the order of the publication."""


class Embedder(Protocol):
    """Maps texts to vectors; similar texts have similar vectors."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text."""
        ...


def coarse_category(dimension: str) -> str:
    """Return the coarse category of a dimension."""
    return next(name for name, members in COARSE.items() if dimension in members)


def sample_random(pool: Sequence[ProbeItem], count: int, rng: random.Random) -> tuple[ProbeItem, ...]:
    """Sample distinct examples uniformly."""
    if count > len(pool):
        raise ConfigError(f"--shots {count}: only {len(pool):,} texts can serve as examples")
    return tuple(rng.sample(list(pool), count))


def sample_weak_oracle(
    pool: Sequence[ProbeItem], dimension: str, count: int, rng: random.Random
) -> tuple[ProbeItem, ...]:
    """Sample from the coarse category of the correct answer, one dimension after the other (appendix A.2).

    Cycle through the dimensions of the category; for each, sample a text with that label and keep it unless it was
    sampled before, until there are enough distinct texts. Every dimension in the pool is thus equally frequent,
    whatever its share of the corpus.
    """
    members = {
        name: [item for item in pool if item.dimension == name] for name in COARSE[coarse_category(dimension)]
    }
    if sum(map(len, members.values())) < count:
        raise ConfigError(
            f"--sampling oracle: only {sum(map(len, members.values())):,} texts of the category "
            f"{coarse_category(dimension)!r} can serve as examples; use fewer than {count} --shots"
        )
    drawn: dict[str, ProbeItem] = {}
    while len(drawn) < count:
        for items in members.values():
            if items and len(drawn) < count:
                item = rng.choice(items)
                drawn.setdefault(item.id, item)
    return tuple(drawn.values())


@dataclass
class ExampleSampler:
    """Selects the examples for each text.

    ``per`` is ``item``, which samples anew for each text, as published, or ``set``, which samples once per seed (and,
    with the oracle, per coarse category), so that prompts share a prefix and run several times faster.
    """

    pool: Sequence[ProbeItem]
    sampling: str = "random"
    per: str = "set"
    embedder: Embedder | None = None

    def __post_init__(self) -> None:
        if self.sampling == "oracle" and not all(item.dimension in dimensions() for item in self.pool):
            raise ConfigError(
                "--sampling oracle: needs the dimension of each text; use it with --task identification"
            )
        if self.sampling == "nearest" and self.embedder is None:
            raise ConfigError("--sampling nearest: needs an encoder; name one with --embedder")
        self._vectors: NDArray[np.float32] | None = None

    def examples(self, items: Sequence[ProbeItem], count: int, seed: int) -> list[tuple[ProbeItem, ...]]:
        """Return the examples for each text, in prompt order."""
        if count == 0:
            return [()] * len(items)
        if self.sampling == "nearest":
            return self._nearest(items, count)
        return [self._sample(item, count, seed) for item in items]

    def _sample(self, item: ProbeItem, count: int, seed: int) -> tuple[ProbeItem, ...]:
        category = coarse_category(str(item.dimension)) if self.sampling == "oracle" else ""
        key = item.id if self.per == "item" else category
        rng = random.Random(f"{seed}/{self.sampling}/{count}/{key}")  # noqa: S311 - which texts, not a secret
        if self.sampling == "oracle":
            return sample_weak_oracle(self.pool, str(item.dimension), count, rng)
        return sample_random(self.pool, count, rng)

    def _nearest(self, items: Sequence[ProbeItem], count: int) -> list[tuple[ProbeItem, ...]]:
        import numpy as np

        assert self.embedder is not None  # noqa: S101 - checked in __post_init__
        if count > len(self.pool):
            raise ConfigError(f"--shots {count}: only {len(self.pool):,} texts can serve as examples")
        if self._vectors is None:
            self._vectors = self.embedder.embed([item.text for item in self.pool])
        similarity = self.embedder.embed([item.text for item in items]) @ self._vectors.T
        # the most similar example comes last, next to the text
        order = np.argsort(-similarity, axis=1, kind="stable")[:, :count][:, ::-1]
        return [tuple(self.pool[int(at)] for at in row) for row in order]


_BATCH = 16
_MAX_TOKENS = 256


class MeanEmbedder:
    """Embeds a text as the normalized mean of a model's last hidden states."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model, self._tokenizer = model.eval(), tokenizer

    @classmethod
    def load(cls, name: str) -> MeanEmbedder:
        """Load an encoder from the hub or a folder."""
        from transformers import AutoModel, AutoTokenizer

        try:
            return cls(
                AutoModel.from_pretrained(name, use_safetensors=True, trust_remote_code=False),
                AutoTokenizer.from_pretrained(name, trust_remote_code=False),
            )
        except (OSError, ValueError, KeyError) as error:
            first = (str(error).splitlines() or [type(error).__name__])[0]
            raise ModelError(f"--embedder {name}: cannot be loaded ({first[:200]})") from None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text; texts of similar length share a batch."""
        import torch

        encoded = [self._tokenizer(text)["input_ids"][:_MAX_TOKENS] or [0] for text in texts]
        order = sorted(range(len(texts)), key=lambda at: len(encoded[at]))
        rows: list[torch.Tensor] = [torch.empty(0)] * len(texts)
        device = next(self._model.parameters()).device
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            longest = max(len(encoded[at]) for at in batch)
            ids = torch.zeros(len(batch), longest, dtype=torch.long, device=device)
            mask = torch.zeros_like(ids)
            for row, at in enumerate(batch):
                ids[row, : len(encoded[at])] = torch.tensor(encoded[at])
                mask[row, : len(encoded[at])] = 1
            with torch.no_grad():
                out = self._model(input_ids=ids, attention_mask=mask, output_hidden_states=True)
            hidden = out.hidden_states[-1]  # (batch, tokens, width)
            mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)  # (batch, width)
            for at, vector in zip(batch, torch.nn.functional.normalize(mean, dim=1), strict=True):
                rows[at] = vector
        vectors: NDArray[np.float32] = torch.stack(rows).float().cpu().numpy()
        return vectors
