"""The texts of each probing task with their reference answers, and the few-shot examples that are sampled for them.

A task has an evaluation set and a pool. Examples are sampled from the pool at random, by a weak oracle, or by their
similarity to the text.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import ConfigError, ModelError
from unslant.core.example import Example
from unslant.core.taxonomy import dimensions
from unslant.core.types import Span
from unslant.lab import corpora
from unslant.lab.corpora.abuse import EVALUATION_SPLITS, build_cad_sets
from unslant.lab.corpora.splits import find_splits
from unslant.lab.corpora.statistics import published_figures
from unslant.lab.corpora.tables import CorpusMissing
from unslant.text.words import CHARACTERS

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


def _check_pool(pool: Sequence[ProbeItem], count: int) -> None:
    if count > len(pool):
        raise ConfigError(f"--shots {count}: only {len(pool):,} texts can serve as examples")


def sample_random(pool: Sequence[ProbeItem], count: int, rng: random.Random) -> tuple[ProbeItem, ...]:
    """Sample distinct examples uniformly."""
    _check_pool(pool, count)
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
        assert self.embedder is not None  # noqa: S101 - checked in __post_init__
        _check_pool(self.pool, count)
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


_MAX_WORDS = 150
"""Maximum number of words in a few-shot example, as in the publication."""


@dataclass(frozen=True, slots=True)
class ProbeItem:
    """A text with its reference answers."""

    id: str
    text: str
    answers: tuple[str, ...]
    """``yes`` or ``no``, a dimension, the slanted words, or one or more neutral wordings."""
    dimension: str | None = None
    span: Span | None = None
    """The position of the slanted words."""


@dataclass(frozen=True, slots=True)
class ProbeItems:
    """The texts of one task."""

    task: str
    evaluated: tuple[ProbeItem, ...]
    pool: tuple[ProbeItem, ...]
    """Few-shot examples are sampled from these texts; none of them is evaluated."""
    corpora: tuple[str, ...]
    published: int | None
    """How many texts the publication evaluated."""
    stand_in: bool
    """Whether these corpora stand in for the publication's."""
    digest: str = ""
    """A digest of the files."""

    @property
    def title(self) -> str:
        """The source of the texts, shown beside every result."""
        where = " and ".join(self.corpora)
        size = f"{len(self.evaluated):,} texts of {where}"
        beside = f"; published on {self.published:,} of CAD" if self.published else ""
        return f"{size}{' (stand-in for CAD)' if self.stand_in else ''}{beside}"


def load_items(
    task: str,
    data: str | Path | None = None,
    *,
    part: str = "evaluation",
    count: int | None = None,
    seed: int = 0,
) -> ProbeItems:
    """Return the texts of a task, or a sample of ``count`` texts with the same number of each answer.

    If the publisher's full CAD file is available, it is used with the publication's filters; otherwise other corpora
    stand in. ``part`` is ``evaluation`` (development and test split together, as published) or ``test``.
    """
    where = _CorpusParts(data, EVALUATION_SPLITS if part == "evaluation" else ("test",))
    found = _from_full_cad(task, where) or _BUILDERS[task](where)
    taken = {_normalize(item.text) for item in found.evaluated}
    pool = tuple(
        item
        for item in found.pool
        if _normalize(item.text) not in taken and len(item.text.split()) <= _MAX_WORDS
    )
    if not found.evaluated or not pool:
        raise ConfigError(f"{task}: the corpora {', '.join(found.corpora)} have no texts for this task")
    evaluated = found.evaluated if count is None else stratify(found.evaluated, count, seed)
    return replace(found, evaluated=evaluated, pool=pool)


def stratify(items: Sequence[ProbeItem], count: int, seed: int) -> tuple[ProbeItem, ...]:
    """Return a sample with as many texts of each answer as there are, up to an equal share, in the original order."""
    if count >= len(items):
        return tuple(items)
    order = list(range(len(items)))
    random.Random(seed).shuffle(order)  # noqa: S311 - which texts, not a secret
    strata: dict[str, list[tuple[int, int]]] = {}
    for place, at in enumerate(order):
        strata.setdefault(_closed_answer(items[at]), []).append((place, at))
    ranked = sorted(
        (rank, place, at) for members in strata.values() for rank, (place, at) in enumerate(members)
    )
    return tuple(items[at] for at in sorted(at for *_, at in ranked[:count]))


def count_answers(items: Sequence[ProbeItem]) -> dict[str, int]:
    """Count texts by dimension, or by yes and no, in alphabetical order, and all of them."""
    return {**dict(sorted(Counter(filter(None, map(_closed_answer, items))).items())), "all": len(items)}


def _closed_answer(item: ProbeItem) -> str:
    """Return the dimension, or yes or no; empty where the answer is free text without a dimension."""
    return item.dimension or (item.answers[0] if item.answers[0] in ("yes", "no") else "")


def _normalize(text: str) -> str:
    return " ".join(CHARACTERS.findall(text.lower()))


@dataclass(frozen=True, slots=True)
class _CorpusParts:
    data: str | Path | None
    splits: tuple[str, ...]

    def load(self, name: str) -> list[Example]:
        return list(corpora.load(name, self.data))

    def select(self, examples: Iterable[Example]) -> list[Example]:
        return [example for example in examples if example.split in self.splits]

    def digest(self, *names: str) -> str:
        found = [f"{name}:{corpora.load(name, self.data).fingerprint()[:16]}" for name in names]
        return "+".join([*found, *self.splits])


def _from_full_cad(task: str, where: _CorpusParts) -> ProbeItems | None:
    """Return the publication's own set, or None without the full file; rephrasing is not part of it."""
    if task == "rephrasing":
        return None
    try:
        return _from_cad("cad/full", task, where)
    except CorpusMissing:
        return None


def _from_cad(name: str, task: str, where: _CorpusParts) -> ProbeItems:
    make, examples = _MAKE[task], where.load(name)
    evaluated = map(make, build_cad_sets(where.select(examples))[task])
    pool = map(make, build_cad_sets(examples, part="train")[task])
    return _items(task, evaluated, pool, (name,), where)


def _items(
    task: str,
    evaluated: Iterable[ProbeItem],
    pool: Iterable[ProbeItem],
    names: tuple[str, ...],
    where: _CorpusParts,
) -> ProbeItems:
    size = published_figures("cad")["evaluation"][task]
    stand_in = not names[0].startswith("cad")
    return ProbeItems(task, tuple(evaluated), tuple(pool), names, size, stand_in, where.digest(*names))


def _stand_in(
    task: str, found: Iterable[tuple[str, ProbeItem]], names: tuple[str, ...], where: _CorpusParts
) -> ProbeItems:
    """Return texts that come with their split; the pool is always the training split."""
    pairs = list(found)
    evaluated = (item for split, item in pairs if split in where.splits)
    return _items(task, evaluated, (item for split, item in pairs if split == "train"), names, where)


def _diagnosis_item(example: Example) -> ProbeItem:
    return ProbeItem(f"{example.source}:{example.id}", example.text, ("yes" if example.label else "no",))


def _identification_item(example: Example) -> ProbeItem:
    dimension = str(example.dimension)
    return ProbeItem(f"{example.source}:{example.id}", example.text, (dimension,), dimension)


def _extraction_item(example: Example) -> ProbeItem:
    span = (example.spans or ())[0].span
    words = example.text[span.start : span.end]
    return ProbeItem(f"{example.source}:{example.id}", example.text, (words,), example.dimension, span)


_MAKE = {
    "diagnosis": _diagnosis_item,
    "identification": _identification_item,
    "extraction": _extraction_item,
}


def _from_corpora(
    task: str, names: tuple[str, ...], where: _CorpusParts, wanted: Callable[[Example], bool]
) -> ProbeItems:
    found = []
    for name in names:
        examples = where.load(name)
        splits = find_splits(examples)
        found += [(splits[each.id], _MAKE[task](each)) for each in examples if wanted(each)]
    return _stand_in(task, found, names, where)


def _identification(where: _CorpusParts) -> ProbeItems:
    def wanted(example: Example) -> bool:
        return bool(example.label and example.dimension)

    found = _from_corpora("identification", ("reddit_bias", "crows_pairs"), where, wanted)
    known = {item.dimension for item in found.evaluated}

    def missing(example: Example) -> bool:
        return wanted(example) and example.dimension not in known

    try:
        beside = _from_corpora("identification", ("contrast/people",), where, missing)
    except CorpusMissing:
        return found
    return replace(
        found,
        evaluated=found.evaluated + beside.evaluated,
        pool=found.pool + beside.pool,
        corpora=found.corpora + beside.corpora,
        digest=f"{found.digest}+{beside.digest}",
    )


def _extraction(where: _CorpusParts) -> ProbeItems:
    """Return texts of HateXplain, or of RedditBias without it, where most of a text is marked, so that copying wins."""

    def wanted(example: Example) -> bool:
        return bool(example.label and example.dimension and len(example.spans or ()) == 1)

    try:
        return _from_corpora("extraction", ("hatexplain",), where, wanted)
    except CorpusMissing:
        return _from_corpora("extraction", ("reddit_bias",), where, wanted)


def _rephrasing(where: _CorpusParts) -> ProbeItems:
    examples = where.load("paradetox")
    splits = find_splits(examples)
    found = (
        (splits[source.id], ProbeItem(f"paradetox:{source.id}", source.text, targets))
        for source, targets in _pairs(examples)
    )
    return _stand_in("rephrasing", found, ("paradetox",), where)


def _pairs(examples: Iterable[Example]) -> Iterable[tuple[Example, tuple[str, ...]]]:
    pairs: dict[str, list[Example]] = {}
    for example in examples:
        pairs.setdefault(str(example.pair), []).append(example)
    for members in pairs.values():
        targets = tuple(member.text for member in members if member.side == "target")
        for source in members:
            if source.side == "source" and targets:
                yield source, targets


_BUILDERS: dict[str, Callable[[_CorpusParts], ProbeItems]] = {
    "diagnosis": lambda where: _from_cad("cad", "diagnosis", where),
    "identification": _identification,
    "extraction": _extraction,
    "rephrasing": _rephrasing,
}
