"""The training recipe of the rewriter that fills marked words."""

from __future__ import annotations

from dataclasses import dataclass, replace

from unslant.lab.detector.recipe import check


@dataclass(frozen=True, slots=True)
class WordingStage:
    """What is learned together, and how."""

    name: str
    pairs: tuple[str, ...] = ()
    """Corpora of sentence pairs; each small edit is a lesson."""
    editors: tuple[str, ...] = ()
    """Corpora in which editors marked words and wrote what should stand there; never their dev, test and calibration
    parts."""
    limit: int | None = None
    """At most this many lessons from the pairs."""
    reversed: int = 0
    """How many neutral sentences get words put back that editors took out."""
    deletions: float = 1.0
    """At most this share of the lessons from pairs leaves the words out."""
    passes: float = 1.0
    """How often each lesson is learned; of the last pass possibly only a part."""
    steps: int | None = None
    """Stop after this many steps; the learning rate falls as if all steps were made."""
    batch: int = 32
    lr: float = 5e-4
    final_lr: float = 0.0
    """The learning rate after the last step; it falls linearly."""
    warmup: int = 0
    dropout: float = 0.1

    def __post_init__(self) -> None:
        check(self.passes > 0 and self.batch >= 1, "passes must be above 0 and batch at least 1")
        check(0 <= self.deletions <= 1, "deletions must be a share")
        check(bool(self.pairs or self.editors or self.reversed), "a stage needs pairs or editors")


@dataclass(frozen=True, slots=True)
class WordingRecipe:
    """Everything that determines the rewriter."""

    about: str
    stages: tuple[WordingStage, ...]
    base: str = ""
    """A hub name or a folder: the T5 model to tune."""
    decoder_layers: tuple[int, ...] = ()
    """The layers of the base model's decoder that are kept; empty for all."""
    vocabulary: int = 16_000
    """How many subwords are kept."""
    precision: str = "bfloat16"
    """``bfloat16`` or ``float32``: of the products; weights and sums are always float32."""
    seed: int = 1

    def __post_init__(self) -> None:
        check(self.precision in ("float32", "bfloat16"), "precision must be float32 or bfloat16")
        check(bool(self.stages), "a recipe needs stages")

    def with_changes(self, *, base: str | None = None, seed: int | None = None) -> WordingRecipe:
        """Return the recipe with another base model or seed."""
        return replace(
            self,
            base=self.base if base is None else base,
            seed=self.seed if seed is None else seed,
        )
