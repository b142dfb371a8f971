"""What to train on what, as plain data: a recipe is a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from unslant.core.errors import ConfigError, UnknownName
from unslant.lab.detector.tables import build

__all__ = [
    "Augment",
    "Distill",
    "Folds",
    "HeadPlan",
    "Part",
    "Recipe",
    "Stage",
    "read_recipe",
    "recipe_names",
]

STARTS = ("previous", "base")
POOLINGS = ("mean", "first", "attention")
PRECISIONS = ("float32", "bfloat16")
TABLES = ("float32", "int4")


def _check(good: bool, message: str) -> None:
    if not good:
        raise ValueError(message)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a corpus, and how it is used."""

    name: str
    """The registered corpus, or the path of a JSON Lines file."""
    splits: tuple[str, ...] = ("train",)
    """Which splits, empty: all; a corpus without published ones is split 8:1:1, pairs and equal texts together."""
    sides: tuple[str, ...] = ()
    """Which sides of its pairs; empty: all."""
    weight: float = 1.0
    """How often each text is seen in an epoch: 0.5, a random half; 2, twice."""
    trust: float = 1.0
    """How much its labels count in the loss."""
    limit: int | None = None
    """At most so many texts, chosen once by the seed."""
    labels: tuple[str, ...] = ()
    """Only heads of these types learn from it; empty: all that it has labels for."""
    kind: str | None = None
    """The kind of everything slanted in it, where the corpus itself does not say."""
    changed: bool = False
    """Whether the words that a source has and its target has not count as marked, where nothing else is."""
    no_dimension: bool = False
    """Texts without a dimension are examples of having none."""

    def __post_init__(self) -> None:
        _check(self.weight > 0, "weight should be positive")


@dataclass(frozen=True, slots=True)
class HeadPlan:
    """One head: what type it is and how much its loss counts."""

    type: str
    weight: float = 1.0
    corpora: tuple[str, ...] = ()
    """Only these corpora teach it; empty: all."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What the type of head lets one choose."""


@dataclass(frozen=True, slots=True)
class Distill:
    """Learning from the outputs of a trained model."""

    teachers: tuple[str, ...]
    """Folders of trained models; their outputs are averaged. ``{fold}`` stands for the fold. ``recipe:NAME`` is trained
    first, within the run's own folder."""
    corpora: tuple[Part, ...] = ()
    """Texts that only the teacher labels."""
    asked: tuple[str, ...] = ()
    """Which of the stage's own corpora the teachers are asked about; empty: all."""
    heads: tuple[str, ...] = ()
    """Which heads listen to the teachers; empty: all that teachers have."""
    temperature: float = 2.0
    weight: float = 1.0
    """How much the teacher counts beside the labels."""


@dataclass(frozen=True, slots=True)
class Augment:
    """Counterfactual copies: the same text with names of groups, parties and genders exchanged."""

    share: float = 0.0
    """How many of the texts that name a group are exchanged in an epoch."""
    consistency: float = 0.0
    """With a weight above 0, an exchanged copy stands beside its original and the difference of the two is a loss."""
    lists: tuple[str, ...] = ()
    """Which lists of exchanges; empty: all."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One pass of training, from some data to the best weights on the development data."""

    name: str
    corpora: tuple[Part, ...]
    dev: tuple[Part, ...] = ()
    start: str = "previous"
    """``previous``: goes on from the stage before; ``base``: from the encoder as it was given."""
    heads: tuple[str, ...] = ()
    """Which heads learn; empty: all."""
    fresh_heads: bool = False
    """Whether the heads begin anew while the encoder goes on."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """Weights of heads that differ from the recipe's in this stage."""
    epochs: int = 3
    batch: int = 32
    accumulate: int = 1
    """Batches per step of the optimizer."""
    lr: float = 5e-5
    head_lr: float | None = None
    """For the heads; None: the same."""
    layer_decay: float = 1.0
    """Each layer below the top learns so much slower than the one above."""
    weight_decay: float = 0.01
    warmup: float = 0.1
    """The share of steps in which the learning rate rises; then it falls to 0."""
    clip: float = 1.0
    freeze: int = 0
    """So many of the lowest layers, and the embeddings, stay as they are."""
    bucket: bool = True
    """Whether a batch holds texts of like length."""
    pairs: float = 0.0
    """With a weight above 0, the two sides of a pair share a batch and the source should score above the target."""
    patience: int | None = None
    """Stop after so many epochs without improvement; None: never."""
    metric: tuple[str, ...] = ("loss",)
    """What decides which epoch is best: the mean of these, such as ``sentence.macro_f1``."""
    drop_least_likely: float = 0.0
    """Leave out this share of the positives, those that the model before finds least likely."""
    relabel: tuple[str, ...] = ()
    """Corpora whose labels the model before replaces."""
    distill: Distill | None = None
    augment: Augment = Augment()
    average: float = 0.0
    """Decay of a running average of the weights, which is then what is kept; 0: none."""

    def __post_init__(self) -> None:
        _check(self.start in STARTS, f"start should be one of {', '.join(STARTS)}")
        _check(0 <= self.drop_least_likely < 1, "drop_least_likely should be a share below 1")
        _check(min(self.epochs, self.batch, self.accumulate) >= 1, "epochs, batch and accumulate start at 1")
        _check(0 <= self.average < 1, "average should be below 1")


@dataclass(frozen=True, slots=True)
class Folds:
    """Cross-validation: this corpus is cut into parts, one of which is held out."""

    corpus: str
    count: int = 5
    fold: int | None = None
    """The part that is held out; None: none, everything may be learned from."""
    dev: float = 0.1
    """The share of the rest that is kept for choosing the epoch and the thresholds."""

    def __post_init__(self) -> None:
        _check(self.fold is None or 0 <= self.fold < self.count, f"fold should be from 0 to {self.count - 1}")


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides which weights come out."""

    about: str
    encoder: str
    """A hub name or a folder; from the folder of a trained model, heads of the same name and shape go on too."""
    heads: Mapping[str, HeadPlan]
    stages: tuple[Stage, ...]
    seed: int = 1
    max_length: int = 128
    """In pieces; what is longer is cut."""
    prefix: str = ""
    """What the encoder wants to stand before a text."""
    mask_groups: bool = False
    """Whether names of parties, politicians, genders and other groups are masked: each list is read as one word."""
    pooling: str = "mean"
    depth: int = 0
    """How many of the encoder's lowest layers are used; 0: all."""
    table: str = "float32"
    """The encoder's table of word pieces: as it is, or ``int4``: rounded to fifteen steps a row before training and
    left alone after, so that four bits a number hold all of it."""
    dropout: float = 0.1
    precision: str = "float32"
    """What the encoder computes in while it learns: ``float32``, or ``bfloat16``, which is faster on processors with
    instructions for it; weights, heads and losses stay as they are."""
    features: bool = False
    """Whether what the rules find goes into the heads beside the encoder's output."""
    folds: Folds | None = None
    guard: tuple[str, ...] = ()
    """Corpora whose dev and test texts, and near duplicates of them, are kept out of all training; a corpus that no
    stage learns from is kept out as a whole."""

    def __post_init__(self) -> None:
        _check(bool(self.heads), "a recipe needs at least one head")
        _check(bool(self.stages), "a recipe needs at least one stage")
        _check(self.pooling in POOLINGS, f"pooling should be one of {', '.join(POOLINGS)}")
        _check(self.depth >= 0, "depth should be at least 0")
        _check(self.table in TABLES, f"table should be one of {', '.join(TABLES)}")
        _check(self.precision in PRECISIONS, f"precision should be one of {', '.join(PRECISIONS)}")
        for stage in self.stages:
            taught = stage.distill.heads if stage.distill else ()
            for name in (*stage.heads, *stage.weights, *taught):
                _check(name in self.heads, f"stage {stage.name!r} names a head {name!r} that is not there")

    def with_fold(self, fold: int | None) -> Recipe:
        """Return the same recipe with another part held out."""
        if fold is None:
            return self
        if self.folds is None:
            raise ConfigError("--fold: this recipe has no folds")
        if not 0 <= fold < self.folds.count:
            raise ConfigError(f"--fold should be from 0 to {self.folds.count - 1}")
        return replace(self, folds=replace(self.folds, fold=fold))

    def with_teachers(self, teachers: Sequence[str]) -> Recipe:
        """Return the same recipe with other teachers in every stage that has one."""
        if not teachers:
            return self
        stages = tuple(
            replace(stage, distill=replace(stage.distill, teachers=tuple(teachers)))
            if stage.distill
            else stage
            for stage in self.stages
        )
        if stages == self.stages:
            raise ConfigError("--teacher: this recipe has no teacher")
        return replace(self, stages=stages)


def recipe_names() -> tuple[str, ...]:
    """Return the recipes that come with the package."""
    folder = files("unslant.lab.detector").joinpath("recipes")
    return tuple(
        sorted(one.name.removesuffix(".toml") for one in folder.iterdir() if one.name.endswith(".toml"))
    )


def read_recipe(name: str) -> Recipe:
    """Return a recipe by its name in the package, or by the path of a TOML file."""
    if name.endswith(".toml"):
        path = Path(name)
        if not path.is_file():
            raise ConfigError(
                f"{name}: there is no such file; 'unslant train --list' names the recipes we bring"
            )
        text = path.read_text("utf-8")
    elif name in recipe_names():
        text = _packaged(name)
    else:
        raise UnknownName("recipe", name, recipe_names())
    return build(Recipe, _table(name, text), name)


def _table(name: str, text: str) -> dict[str, Any]:
    """Read a recipe's table; what it does not say itself, the recipe that it extends does."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{name}: not valid TOML: {error}") from None
    chain = table.pop("chain", None)
    if chain is not None:
        before = [stage for one in chain for stage in _base(name, one)["stages"]]
        table["stages"] = [*before, *table.get("stages", ())]
    base = table.pop("extends", None)
    return table if base is None else {**_base(name, base), **table}


def _base(name: str, base: str) -> dict[str, Any]:
    if base == name or base not in recipe_names():
        raise ConfigError(
            f"{name}: extends and chain should name other recipes that come with unslant, not {base!r}"
        )
    return _table(base, _packaged(base))


def _packaged(name: str) -> str:
    return files("unslant.lab.detector").joinpath("recipes", f"{name}.toml").read_text("utf-8")
