"""Training recipes: TOML files that name the encoder, the heads, the corpora and the stages.

``build`` reads any table into a frozen dataclass; its errors name the key.
"""

from __future__ import annotations

import hashlib
import json
import types
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from unslant.core.errors import ConfigError, UnknownName, nearest
from unslant.core.files import parse_toml, read_text
from unslant.lab.corpora.own_files import FIELDS, ColumnMap, is_file_name

STARTS = ("previous", "base")
POOLINGS = ("mean", "first", "attention")
PRECISIONS = ("float32", "bfloat16")
TABLES = ("float32", "int4")


def check(good: bool, message: str) -> None:
    """Raise ``ValueError`` unless a setting is good."""
    if not good:
        raise ValueError(message)


@dataclass(frozen=True, slots=True)
class Part:
    """A selection of a corpus and how training uses it."""

    name: str
    """A registered corpus or the path of a file."""
    splits: tuple[str, ...] = ("train",)
    """The splits to use; empty for all. A corpus without published splits is split 8:1:1; pairs and equal texts stay
    together."""
    sides: tuple[str, ...] = ()
    """The sides of its pairs to use; empty for all."""
    weight: float = 1.0
    """How often an epoch contains each text: 0.5 for a random half, 2 for twice."""
    trust: float = 1.0
    """The weight of its labels in the loss."""
    limit: int | None = None
    """The maximum number of texts, sampled once by the seed."""
    labels: tuple[str, ...] = ()
    """Only heads of these types learn from it; empty for all heads it has labels for."""
    changed: bool = False
    """Whether to mark the words of a source that its target lacks, if the corpus has no spans."""
    clean: float = 1.0
    """How often an epoch contains a text without slant, relative to the others: such texts teach less each."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """For a file: the columns of fields that have another name there, such as ``text = "sentence"``."""
    label_values: Mapping[str, Any] = field(default_factory=dict)
    """For a file: what the values of its label column mean, 1 (slanted), 0 (not) or "" (not judged)."""

    def __post_init__(self) -> None:
        check(self.weight > 0, "weight must be positive")
        check(self.clean > 0, "clean must be positive")
        own = bool(self.columns or self.label_values)
        check(
            not own or is_file_name(self.name), f"columns and label_values are for files, not {self.name!r}"
        )
        for name in self.columns:
            check(name in FIELDS, f"columns: no field is named {name!r}; fields: {', '.join(FIELDS)}")
        for value, meaning in self.label_values.items():
            check(meaning in (0, 1, ""), f'label_values: {value!r} must be 1, 0 or "", not {meaning!r}')

    def column_map(self) -> ColumnMap | None:
        """Return where the fields of a file are; None if the part does not say."""
        if not self.columns and not self.label_values:
            return None
        values = {
            value.strip().lower(): None if meaning == "" else bool(meaning)
            for value, meaning in self.label_values.items()
        }
        return ColumnMap(self.columns, values) if values else ColumnMap(self.columns)


@dataclass(frozen=True, slots=True)
class SmallVocabulary:
    """A smaller vocabulary for the encoder: the subwords that occur most often."""

    size: int
    corpora: tuple[Part, ...] = ()
    """The texts in which subwords are counted, besides the training texts; their labels are not used."""

    def __post_init__(self) -> None:
        check(self.size >= 1000, "size must be at least 1000")


@dataclass(frozen=True, slots=True)
class HeadPlan:
    """The type of a head and the weight of its loss."""

    type: str
    weight: float = 1.0
    corpora: tuple[str, ...] = ()
    """The head learns only from these corpora; empty for all."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the head type."""


@dataclass(frozen=True, slots=True)
class Distill:
    """Distillation from trained models."""

    teachers: tuple[str, ...]
    """Folders of trained models, whose outputs are averaged. ``{fold}`` stands for the fold. ``recipe:NAME`` trains the
    teacher first, in the folder of the run."""
    corpora: tuple[Part, ...] = ()
    """Additional texts that only the teachers label."""
    asked: tuple[str, ...] = ()
    """The corpora of the stage that the teachers label; empty for all."""
    heads: tuple[str, ...] = ()
    """The heads that learn from the teachers; empty for all heads the teachers have."""
    temperature: float = 2.0
    weight: float = 1.0
    """The weight of the teachers relative to the labels."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of training; it ends with the best weights on the development data."""

    name: str
    corpora: tuple[Part, ...]
    dev: tuple[Part, ...] = ()
    start: str = "previous"
    """``previous`` continues from the previous stage, ``base`` starts from the original encoder."""
    heads: tuple[str, ...] = ()
    """The heads to train; empty for all."""
    fresh_heads: bool = False
    """Whether to reinitialize the heads."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """Loss weights of heads that differ from the recipe in this stage."""
    epochs: int = 3
    minutes: float | None = None
    """Time for the steps of the stage; None for no limit. The learning rate then falls with the time spent, and the
    stage ends when it is over, which may be before its epochs are."""
    batch: int = 32
    lr: float = 5e-5
    head_lr: float | None = None
    """The learning rate of the heads; None for the same as the encoder."""
    weight_decay: float = 0.01
    warmup: float = 0.1
    """The share of steps with a rising learning rate; then it decays linearly to 0."""
    clip: float = 1.0
    """The maximum norm of the gradient."""
    freeze: int = 0
    """The number of frozen layers, from the lowest; above 0, the embeddings are frozen, too."""
    pairs: float = 0.0
    """The weight of a loss that ranks the source of a pair above its target; above 0, pairs share a batch."""
    patience: int | None = None
    """Stop after this many epochs without improvement; None for never."""
    metric: tuple[str, ...] = ("loss",)
    """The best epoch has the highest mean of these metrics, such as ``sentence.macro_f1``."""
    drop_least_likely: float = 0.0
    """The share of positives to drop: those with the lowest probability under the previous model."""
    relabel: tuple[str, ...] = ()
    """The corpora whose labels are replaced with predictions of the previous model."""
    distill: Distill | None = None
    average: float = 0.0
    """The decay of an exponential moving average of the weights, which is then kept; 0 for none."""

    def __post_init__(self) -> None:
        check(self.start in STARTS, f"start must be one of {', '.join(STARTS)}")
        check(0 <= self.drop_least_likely < 1, "drop_least_likely must be a share below 1")
        check(min(self.epochs, self.batch) >= 1, "epochs and batch must be at least 1")
        check(self.minutes is None or self.minutes > 0, "minutes must be positive")
        check(0 <= self.average < 1, "average must be below 1")


@dataclass(frozen=True, slots=True)
class Folds:
    """Cross-validation: a corpus is split into folds, one of which is held out."""

    corpus: str
    count: int = 5
    fold: int | None = None
    """The fold to hold out; None to train on everything."""
    dev: float = 0.1
    """The share of the remaining texts used to choose the epoch and the thresholds."""

    def __post_init__(self) -> None:
        check(
            self.fold is None or 0 <= self.fold < self.count, f"fold must be between 0 and {self.count - 1}"
        )


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that determines the resulting weights."""

    about: str
    encoder: str
    """A hub name or a folder; from the folder of a trained model, heads of the same name and shape are loaded, too."""
    heads: Mapping[str, HeadPlan]
    stages: tuple[Stage, ...]
    seed: int = 1
    max_length: int = 128
    """The maximum length in subwords; longer texts are truncated."""
    prefix: str = ""
    """The text that the encoder expects before its input."""
    mask_groups: bool = False
    """Whether names of parties, politicians, genders and other groups are masked: each list is read as one word."""
    pooling: str = "mean"
    depth: int = 0
    """The number of encoder layers to use, from the lowest; 0 for all."""
    table: str = "float32"
    """The format of the subword embeddings: ``float32``, or ``int4``, which rounds each row to fifteen steps before
    training and freezes it, so that four bits per value are enough."""
    vocabulary: SmallVocabulary | None = None
    """A smaller vocabulary than the encoder's; None for its own."""
    precision: str = "float32"
    """The precision of the encoder during training: ``float32``, or ``bfloat16``, which is faster on processors that
    support it. Weights, heads and losses stay in ``float32``."""
    features: bool = False
    """Whether the heads get the findings of the rules as features, in addition to the encoder output."""
    folds: Folds | None = None
    guard: tuple[str, ...] = ()
    """Corpora whose dev and test texts, and their near duplicates, are excluded from training; a corpus that no stage
    trains on is excluded entirely."""

    def __post_init__(self) -> None:
        check(bool(self.heads), "a recipe needs at least one head")
        check(bool(self.stages), "a recipe needs at least one stage")
        check(self.pooling in POOLINGS, f"pooling must be one of {', '.join(POOLINGS)}")
        check(self.depth >= 0, "depth must be at least 0")
        check(self.table in TABLES, f"table must be one of {', '.join(TABLES)}")
        check(self.precision in PRECISIONS, f"precision must be one of {', '.join(PRECISIONS)}")
        for stage in self.stages:
            taught = stage.distill.heads if stage.distill else ()
            for name in (*stage.heads, *stage.weights, *taught):
                check(name in self.heads, f"stage {stage.name!r} names an unknown head {name!r}")

        for name in {part.name for part in self.parts()}:
            self.column_map(name)

    def parts(self) -> tuple[Part, ...]:
        """Return every selection of a corpus that the recipe names."""
        found = [part for stage in self.stages for part in (*stage.corpora, *stage.dev)]
        found += [part for stage in self.stages if stage.distill for part in stage.distill.corpora]
        return (*found, *(self.vocabulary.corpora if self.vocabulary else ()))

    def column_map(self, name: str) -> ColumnMap | None:
        """Return where the fields of a file are; one part that says so is enough for all with that name."""
        given = [part.column_map() for part in self.parts() if part.name == name]
        maps = [each for each in given if each is not None]
        check(
            all(each == maps[0] for each in maps),
            f"{name!r} has different columns or label_values in two places",
        )
        return maps[0] if maps else None

    def teacher_folders(self, distill: Distill) -> list[str]:
        """Return the folders of teachers, those of the held-out fold."""
        fold = self.folds.fold if self.folds else None
        return [teacher.replace("{fold}", str(fold)) for teacher in distill.teachers]

    def all_teachers(self) -> list[str]:
        """Return the folders of the teachers of all stages."""
        stages = [stage.distill for stage in self.stages if stage.distill]
        return [folder for distill in stages for folder in self.teacher_folders(distill)]

    def with_fold(self, fold: int | None) -> Recipe:
        """Return the recipe with another fold held out."""
        if fold is None:
            return self
        if self.folds is None:
            raise ConfigError("--fold: this recipe has no folds")
        if not 0 <= fold < self.folds.count:
            raise ConfigError(f"--fold must be between 0 and {self.folds.count - 1}")
        return replace(self, folds=replace(self.folds, fold=fold))

    def with_teachers(self, teachers: Sequence[str]) -> Recipe:
        """Return the recipe with other teachers in every stage that has any."""
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


def recipe_digest(recipe: Any) -> str:
    """Return a digest of everything that a recipe sets; what a part does not say about columns does not change it."""
    return hashlib.sha256(json.dumps(_set_keys(asdict(recipe)), sort_keys=True).encode()).hexdigest()


def _set_keys(value: Any) -> Any:
    if isinstance(value, Mapping):
        unset = {key for key in ("columns", "label_values") if value.get(key) == {}}
        return {key: _set_keys(entry) for key, entry in value.items() if key not in unset}
    return [_set_keys(entry) for entry in value] if isinstance(value, list | tuple) else value


def packaged_recipes(tool: str, folder: str = "recipes") -> dict[str, Traversable]:
    """Return the files of the built-in recipes by name: those of a tool of the lab, and those of the papers."""
    lab = files("unslant.lab")
    places = [
        lab.joinpath(tool, "recipes"),
        *(paper.joinpath(folder) for paper in lab.joinpath("papers").iterdir()),
    ]
    found = [path for place in places if place.is_dir() for path in place.iterdir()]
    return {path.name.removesuffix(".toml"): path for path in found if path.name.endswith(".toml")}


def recipe_names() -> tuple[str, ...]:
    """Return the names of the built-in recipes."""
    return tuple(sorted(packaged_recipes("detector")))


def read_recipe(name: str) -> Recipe:
    """Return a built-in recipe by name, or read a TOML file."""
    return build(Recipe, _table(name, recipe_text(name, packaged_recipes("detector"), "detector")), name)


def recipe_text(name: str, packaged: Mapping[str, Traversable], command: str) -> str:
    """Return the text of a built-in recipe by name, or that of a TOML file."""
    if not name.endswith(".toml"):
        if name not in packaged:
            raise UnknownName("rewriter" if command == "rewriter" else "recipe", name, sorted(packaged))
        return packaged[name].read_text("utf-8")
    if not Path(name).is_file():
        raise ConfigError(
            f"{name}: no such file; 'unslant train {command} --list' lists the built-in recipes"
        )
    return read_text(name, ConfigError)


def _table(name: str, text: str) -> dict[str, Any]:
    """Parse a recipe; what it does not set comes from the recipe it extends, and from those it is like."""
    table = parse_toml(text, name, ConfigError)
    heads, own = table.get("heads"), table.get("stages")
    if isinstance(heads, dict) and "like" in heads:
        table["heads"] = _base(name, heads.pop("like"))["heads"] | heads
    chain = table.pop("chain", [])
    if not isinstance(chain, list):
        raise ConfigError(f"{name}: chain must be a list")
    stages = [stage for recipe in chain for stage in _base(name, recipe)["stages"]]
    if isinstance(own, list | None) and (stages or own):
        for stage in own or ():
            stages.append(_stage_like(name, stage, stages))
        table["stages"] = stages
    base = table.pop("extends", None)
    return table if base is None else {**_base(name, base), **table}


def _stage_like(name: str, stage: Any, before: Sequence[Mapping[str, Any]]) -> Any:
    """Return a stage with every key that it does not set from the one that ``like`` names."""
    like = stage.pop("like", None) if isinstance(stage, dict) else None
    if like is None:
        return stage
    recipe, _, wanted = str(like).rpartition(":")
    known = {each.get("name"): each for each in (_base(name, recipe)["stages"] if recipe else before)}
    if wanted not in known:
        raise ConfigError(
            f"{name}: like must name an earlier stage, or STAGE of another recipe as RECIPE:STAGE, not {like!r}"
        )
    return {**known[wanted], **stage}


def _base(name: str, base: Any) -> dict[str, Any]:
    packaged = packaged_recipes("detector")
    if not isinstance(base, str) or base == name or base not in packaged:
        raise ConfigError(f"{name}: extends, chain and like must name other built-in recipes, not {base!r}")
    return _table(base, packaged[base].read_text("utf-8"))


T = TypeVar("T")


def build(settings: type[T], table: Any, where: str) -> T:
    """Build a dataclass from a table; ``where`` names the table in error messages."""
    if not isinstance(table, Mapping):
        raise ConfigError(f"{where} must be a table")
    hints = get_type_hints(settings)
    known = {field.name for field in fields(settings)}  # type: ignore[arg-type]
    for key in table:
        if key not in known:
            close = nearest(str(key), known)
            hint = f"; did you mean {close!r}?" if close else f"; the keys are {', '.join(sorted(known))}"
            raise ConfigError(f"{where}: unknown key {key!r}{hint}")
    values = {key: _value(hints[key], value, f"{where}: {key}") for key, value in table.items()}
    try:
        return settings(**values)
    except TypeError as error:
        missing = str(error).rpartition(":")[2].strip() or str(error)
        raise ConfigError(f"{where}: missing key: {missing}") from None
    except ValueError as error:
        raise ConfigError(f"{where}: {error}") from None


def _value(hint: Any, value: Any, where: str) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _value(next(argument for argument in inner if argument is not type(None)), value, where)
    if origin is tuple:
        if not isinstance(value, list):
            raise ConfigError(f"{where} must be a list")
        return tuple(_value(inner[0], item, f"{where}, item {at}") for at, item in enumerate(value, 1))
    if origin in (dict, Mapping):
        if not isinstance(value, Mapping):
            raise ConfigError(f"{where} must be a table")
        return {str(key): _value(inner[1], item, f"{where}.{key}") for key, item in value.items()}
    if is_dataclass(hint):
        return build(hint, value, where)  # type: ignore[arg-type]
    if hint is Any:
        return value
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise ConfigError(f"{where} must be {_TYPE_NAMES.get(hint, 'of another type')}, not {value!r}")
    return value


_TYPE_NAMES = {int: "a whole number", float: "a number", str: "a string", bool: "true or false"}
