"""How a rewriter is trained, as plain data: a TOML file per system."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from unslant.core.errors import ConfigError, UnknownName
from unslant.lab.detector.recipe import HeadPlan, Part, Recipe, Stage, build

__all__ = ["PHASES", "SYSTEMS", "Phase", "RewriterRecipe", "read_rewriter", "rewriter_names"]

SYSTEMS = ("copy", "lstm", "transformer", "pretrained", "modular")
"""What a rewriter can be made of; CopyNet is an LSTM that copies."""
PHASES = ("pairs", "detect", "denoise")
"""What can be learned: the edits themselves, which words they take away, and to restore neutral sentences."""


def _check(good: bool, message: str) -> None:
    if not good:
        raise ValueError(message)


@dataclass(frozen=True, slots=True)
class Phase:
    """One pass of learning over the pairs."""

    name: str = "pairs"
    """One of ``pairs``, ``detect`` and ``denoise``."""
    epochs: int = 10
    batch: int = 32
    lr: float = 1e-3
    optimizer: str = "adam"
    """``adam`` (AdamW) or ``sgd``."""
    warmup: int = 0
    """Steps in which the learning rate rises; then it falls to 0 in a straight line."""
    weight_decay: float = 0.0
    clip: float = 5.0
    smoothing: float = 0.0
    """Of the labels."""
    new_words: float = 1.0
    """How much a word of the target counts that its source does not have."""
    coverage: float = 0.0
    """How much it costs to look again at a word of the source."""
    patience: int | None = None
    """Stop after so many epochs without a better loss on the development pairs; None: never."""

    def __post_init__(self) -> None:
        _check(self.name in PHASES, f"a phase is one of {', '.join(PHASES)}")
        _check(self.optimizer in ("adam", "sgd"), "optimizer should be adam or sgd")
        _check(min(self.epochs, self.batch) >= 1, "epochs and batch start at 1")
        _check(0 <= self.smoothing < 1, "smoothing should be a share below 1")


@dataclass(frozen=True, slots=True)
class RewriterRecipe:
    """Everything that decides which rewriter comes out."""

    about: str
    system: str
    corpora: tuple[Part, ...] = ()
    """Corpora of pairs, or files with the columns source and target, or text, pair and side."""
    dev: tuple[Part, ...] = ()
    guard: tuple[str, ...] = ()
    """Corpora whose dev and test texts, and near duplicates of them, are kept out of all training."""
    phases: tuple[Phase, ...] = (Phase(),)
    seed: int = 1
    base: str = ""
    """A hub name or a folder: the model that is fine-tuned, or the encoder of MODULAR's detector (empty: a small one
    that is learned from the pairs alone)."""
    prefix: str = ""
    """What the base wants to stand before a text."""
    copy: bool = False
    """Whether words of the source can be copied, known or not."""
    follow: bool = False
    """Whether it begins as a copy of its source: the attention prefers the word after the one looked at last, and the
    choice between copying and writing leans to copying. From a few thousand pairs that is hardly learned. For an LSTM
    and for MODULAR."""
    join: bool = False
    """Whether the detector's probabilities reach the editor, through the join embedding."""
    width: int = 256
    layers: int = 2
    heads: int = 4
    dropout: float = 0.3
    vocabulary: int = 30_000
    """So many of the commonest words."""
    rare: int = 4
    """Words seen no more often than that, both sides counted, have no number of their own."""
    max_length: int = 96
    """In words (pieces, for a base); longer pairs are not learned from, longer sentences left as they are."""
    beam: int = 5
    length_penalty: float = 1.0
    """By which power of its length a wording's log probability is divided."""

    def __post_init__(self) -> None:
        _check(self.system in SYSTEMS, f"system should be one of {', '.join(SYSTEMS)}")
        _check(self.system != "pretrained" or bool(self.base), "a pretrained system needs a base")
        _check(not self.follow or self.system in ("lstm", "modular"), "only the LSTM and MODULAR follow")
        _check(not self.join or self.system == "modular", "only the modular system joins")
        _check(
            self.width % self.heads == 0 and self.width % 2 == 0, "width should be a multiple of heads and 2"
        )
        detects = any(phase.name == "detect" for phase in self.phases)
        _check(not detects or self.system == "modular", "only the modular system detects")

    def changed(
        self, *, base: str | None = None, seed: int | None = None, pairs: tuple[str, ...] = ()
    ) -> RewriterRecipe:
        """Return the same recipe with another base or seed, and with more files of pairs."""
        if base is not None and self.system not in ("pretrained", "modular"):
            raise ConfigError(f"--encoder: {self.system!r} learns from the pairs alone and takes none")
        more = tuple(Part(name) for name in pairs)
        return replace(
            self,
            base=self.base if base is None else base,
            seed=self.seed if seed is None else seed,
            corpora=(*self.corpora, *more),
        )

    def as_stages(self) -> Recipe:
        """Return what the reading of corpora and the search for leaks need to know, in the form they know it in."""
        stage = Stage("pairs", self.corpora, self.dev)
        return Recipe(
            self.about, self.base, {"rewrite": HeadPlan("rewrite")}, (stage,), self.seed, guard=self.guard
        )


def rewriter_names() -> tuple[str, ...]:
    """Return the rewriters that can be trained by name."""
    folder = files("unslant.lab.rewriters").joinpath("recipes")
    return tuple(
        sorted(one.name.removesuffix(".toml") for one in folder.iterdir() if one.name.endswith(".toml"))
    )


def read_rewriter(name: str) -> RewriterRecipe:
    """Return a recipe by its name in the package, or by the path of a TOML file."""
    if name.endswith(".toml"):
        path = Path(name)
        if not path.is_file():
            raise ConfigError(
                f"{name}: there is no such file; 'unslant train detector --list' names the recipes we bring"
            )
        text = path.read_text("utf-8")
    elif name in rewriter_names():
        text = files("unslant.lab.rewriters").joinpath("recipes", f"{name}.toml").read_text("utf-8")
    else:
        raise UnknownName("rewriter", name, rewriter_names())
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{name}: not valid TOML: {error}") from None
    return build(RewriterRecipe, table, name)
