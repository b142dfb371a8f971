"""Training recipes of rewriters: a TOML file per system."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.resources.abc import Traversable

from unslant.core.errors import ConfigError
from unslant.core.files import parse_toml
from unslant.lab.detector.recipe import (
    HeadPlan,
    Part,
    Recipe,
    Stage,
    build,
    check,
    packaged_recipes,
    recipe_text,
)
from unslant.lab.rewriters.wording_recipe import WordingRecipe

SYSTEMS = ("copy", "lstm", "transformer", "pretrained", "modular")
"""The systems; CopyNet is an LSTM with copying."""
PHASES = ("pairs", "detect", "denoise")
"""The objectives: edits, the words they remove, and denoising of neutral sentences."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A training phase."""

    name: str = "pairs"
    """One of ``pairs``, ``detect`` and ``denoise``."""
    epochs: int = 10
    batch: int = 32
    lr: float = 1e-3
    optimizer: str = "adam"
    """``adam`` (AdamW) or ``sgd``."""
    warmup: int = 0
    """Warm-up steps; then the learning rate decays linearly to 0."""
    weight_decay: float = 0.0
    clip: float = 5.0
    smoothing: float = 0.0
    """The label smoothing."""
    new_words: float = 1.0
    """The loss weight of target words that the source lacks."""
    coverage: float = 0.0
    """The weight of the coverage loss, which penalizes attending to a source word again."""
    patience: int | None = None
    """Stop after this many epochs without a better development loss; None for never."""

    def __post_init__(self) -> None:
        check(self.name in PHASES, f"the name of a phase must be one of {', '.join(PHASES)}")
        check(self.optimizer in ("adam", "sgd"), "optimizer must be adam or sgd")
        check(min(self.epochs, self.batch) >= 1, "epochs and batch must be at least 1")
        check(0 <= self.smoothing < 1, "smoothing must be a share below 1")


@dataclass(frozen=True, slots=True)
class RewriterRecipe:
    """Everything that determines the resulting rewriter."""

    about: str
    system: str
    corpora: tuple[Part, ...] = ()
    """Corpora of pairs, or files with the columns source and target, or text, pair and side."""
    dev: tuple[Part, ...] = ()
    guard: tuple[str, ...] = ()
    """Corpora whose dev and test texts, and their near duplicates, are excluded from training."""
    phases: tuple[Phase, ...] = (Phase(),)
    seed: int = 1
    base: str = ""
    """A hub name or a folder: the model to fine-tune, or the encoder of MODULAR's detector; if empty, the detector is
    a small LSTM trained on the pairs alone."""
    prefix: str = ""
    """The text that the base model expects before its input."""
    copy: bool = False
    """Whether words of the source can be copied, including OOV words."""
    follow: bool = False
    """Whether the system starts as a copy of its source: attention prefers the next word, and the copy gate is biased
    towards copying. A few thousand pairs hardly suffice to learn that. For the systems lstm and modular."""
    join: bool = False
    """Whether the editor gets the detector's probabilities through the join embedding."""
    width: int = 256
    layers: int = 2
    heads: int = 4
    dropout: float = 0.3
    vocabulary: int = 30_000
    """The maximum size of the vocabulary."""
    rare: int = 4
    """Words that occur this often or less, on both sides together, are out of vocabulary."""
    max_length: int = 96
    """The maximum length in words, or in subwords with a base model; longer pairs and sentences are skipped."""
    beam: int = 5
    length_penalty: float = 1.0
    """The exponent of the length that divides the log probability of a rewrite."""

    def __post_init__(self) -> None:
        check(self.system in SYSTEMS, f"system must be one of {', '.join(SYSTEMS)}")
        check(self.system != "pretrained" or bool(self.base), "a pretrained system needs a base")
        check(
            not self.follow or self.system in ("lstm", "modular"), "follow needs the system lstm or modular"
        )
        check(not self.join or self.system == "modular", "join needs the system modular")
        check(
            self.width % self.heads == 0 and self.width % 2 == 0, "width must be a multiple of heads and of 2"
        )
        detects = any(phase.name == "detect" for phase in self.phases)
        check(not detects or self.system == "modular", "the phase detect needs the system modular")

    def with_changes(
        self, *, base: str | None = None, seed: int | None = None, pairs: tuple[str, ...] = ()
    ) -> RewriterRecipe:
        """Return the recipe with another base or seed and additional pair files."""
        if base is not None and self.system not in ("pretrained", "modular"):
            raise ConfigError(f"--encoder: the system {self.system!r} does not use an encoder")
        more = tuple(Part(name) for name in pairs)
        return replace(
            self,
            base=self.base if base is None else base,
            seed=self.seed if seed is None else seed,
            corpora=(*self.corpora, *more),
        )

    def as_stages(self) -> Recipe:
        """Return the recipe in the form that the loading of corpora and the leak check expect."""
        stage = Stage("pairs", self.corpora, self.dev)
        return Recipe(
            self.about, self.base, {"rewrite": HeadPlan("rewrite")}, (stage,), self.seed, guard=self.guard
        )


def rewriter_names() -> tuple[str, ...]:
    """Return the names of the built-in rewriter recipes."""
    return tuple(sorted(_packaged()))


def _packaged() -> dict[str, Traversable]:
    return packaged_recipes("rewriters", "rewriters")


def read_rewriter(name: str) -> RewriterRecipe:
    """Return a built-in recipe of a rewriter of sentences by name, or read a TOML file."""
    found = read_any_rewriter(name)
    if not isinstance(found, RewriterRecipe):
        raise ConfigError(f"{name}: is the recipe of a rewriter of marked words, not of sentences")
    return found


def read_any_rewriter(name: str) -> RewriterRecipe | WordingRecipe:
    """Return a built-in recipe by name, or read a TOML file; one with stages is that of a rewriter of marked words."""
    table = parse_toml(recipe_text(name, _packaged(), "rewriter"), name, ConfigError)
    if "stages" in table:
        return build(WordingRecipe, table, name)
    return build(RewriterRecipe, table, name)
