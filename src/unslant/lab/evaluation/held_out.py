"""What a model learned from, and its predictions for text that it has not seen.

A model's card names its corpora, splits and folds; it also holds the cards of the model it continued from and of
its teachers, which are read the same way. A figure on text that any of them has seen is meaningless.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import ConfigError, InputError
from unslant.core.example import Example
from unslant.core.files import read_json
from unslant.lab import corpora
from unslant.lab.corpora.own_files import is_file_name
from unslant.lab.corpora.seen import SEEN_FILE, is_seen, read_seen
from unslant.lab.corpora.splits import find_splits
from unslant.lab.detector.data import fold_splits
from unslant.lab.detector.recipe import Folds
from unslant.lab.stats.bootstrap import Resampling
from unslant.lab.stats.spans import SpanPrediction

if TYPE_CHECKING:
    from unslant.lab.evaluation.models import SentenceModel
    from unslant.neural.decoder import Prediction

EVERYTHING = "everything"
"""A whole corpus, rather than its ``test`` split or one of its folds."""


class Leak(ConfigError):
    """The model has already seen the text that it should be measured on."""


@dataclass(frozen=True, slots=True)
class Fold:
    """One part of a cross-validation."""

    corpus: str
    count: int
    fold: int


@dataclass(frozen=True, slots=True)
class _Learned:
    """One corpus in one stage of one model."""

    corpus: str
    splits: tuple[str, ...]
    """Empty: all."""
    fold: Fold | None
    """The fold that was held out of it, if any."""
    guard: frozenset[str]
    """Corpora whose held-out text, including near copies, was removed from it."""

    def saw(self, corpus: str, part: str | Fold) -> bool:
        if _family(self.corpus) != _family(corpus):
            return False
        if self.corpus != corpus:
            # variants of a corpus share most of their sentences
            return corpus not in self.guard
        if not self.splits or "test" in self.splits:
            return True
        return part != (self.fold or "test")


def _family(corpus: str) -> str:
    return corpus.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Lineage:
    """Everything that a model, its encoder and its teachers learned from."""

    learned: tuple[_Learned, ...] = ()
    folds: tuple[Fold, ...] = ()
    """The fold that the model itself holds out, if any."""
    unknown: tuple[str, ...] = ()
    """Models in the chain whose card is missing."""
    seen: frozenset[str] = frozenset()
    """The digests of all texts that they learned from; empty where the run has not kept them."""

    def has_seen(self, text: str) -> bool:
        """Return whether any of these models learned from a text with these words, or from half of its sentences."""
        return is_seen(text, self.seen)

    def check_known(self, model: str) -> None:
        """Raise :class:`Leak` if any of these models learned from a user's file, and nothing says which texts."""
        files = sorted({Path(source.corpus).name for source in self.learned if is_file_name(source.corpus)})
        if files and not self.seen:
            raise Leak(
                f"{model}: it learned from {', '.join(files)}, and {SEEN_FILE}, the list of its texts, is missing; "
                "name the folder of the run, which has it, or copy it beside the card"
            )

    def learned_from(self, corpus: str, unless_guarding: str) -> bool:
        """Return whether any of these models learned from a corpus from which the guarded corpus was not removed."""
        return any(
            _family(source.corpus) == corpus and unless_guarding not in source.guard
            for source in self.learned
        )

    def check(self, model: str, corpus: str, part: str | Fold = "test") -> None:
        """Raise :class:`Leak` if any of these models saw this part of the corpus."""
        if any(source.saw(corpus, part) for source in self.learned):
            what = (
                f"fold {part.fold} of {corpus}"
                if isinstance(part, Fold)
                else _PARTS.get(part, part).format(corpus)
            )
            raise Leak(
                f"{model}: its card says that it, its encoder or a teacher learned from {what}, so a figure there "
                "would mean nothing; measure a model that was trained without it"
            )

    def allows(self, corpus: str, part: str | Fold = "test") -> bool:
        """Return whether the model may be measured on this part of the corpus."""
        return not any(source.saw(corpus, part) for source in self.learned)

    def fold_of(self, corpus: str) -> Fold | None:
        """Return the fold of a corpus that was held out, if the model belongs to a cross-validation."""
        return next((fold for fold in self.folds if fold.corpus == corpus), None)

    def notes(self, corpus: str) -> list[str]:
        """Return notes on how well training and test text are separated."""
        found = [f"the card of {name} is missing, so its training data is unknown" for name in self.unknown]
        others = {
            source.corpus for source in self.learned if corpus not in source.guard and source.corpus != corpus
        }
        if others:
            found.append(
                f"not searched for copies of {corpus} when it was trained on: {', '.join(sorted(others))}"
            )
        return found


_PARTS = {EVERYTHING: "{0}", "test": "the test part of {0}", "dev": "the development part of {0}"}


def read_lineage(folder: str | Path) -> Lineage:
    """Read the card of a trained model and of all models that went into it."""
    folder = Path(folder)
    # the card of a run, of the model in it, of one of its stages or of its package
    places = (folder, folder.parent, folder.parent.parent)
    path = next((place / "card.json" for place in places if (place / "card.json").is_file()), None)
    if path is None:
        return Lineage(unknown=(str(folder),), seen=read_seen(folder))
    try:
        first = _check_card(read_json(path), path)
    except InputError:
        first = _check_card(None, path)
    own = _fold(first)
    learned: list[_Learned] = []
    todo, unknown = [first], []
    while todo:
        card = todo.pop()
        learned += _stages(card, _fold(card))
        todo += [_check_card(earlier, path) for earlier in card.get("before", ())]
        unknown += card.get("unknown", ())
    return Lineage(tuple(learned), (own,) if own else (), tuple(unknown), read_seen(folder))


def _check_card(card: Any, path: Path) -> Mapping[str, Any]:
    try:
        if isinstance(card["recipe"]["stages"], list):
            return dict(card)
    except (KeyError, TypeError):
        pass
    raise ConfigError(
        f"{path}: cannot be read as the card of a run, so what the model learned from is not known"
    )


def _fold(card: Mapping[str, Any]) -> Fold | None:
    folds = card["recipe"].get("folds")
    if not folds or folds.get("fold") is None:
        return None
    return Fold(folds["corpus"], folds["count"], folds["fold"])


def _stages(card: Mapping[str, Any], fold: Fold | None) -> Iterator[_Learned]:
    recipe = card["recipe"]
    guard = frozenset(recipe.get("guard") or ())
    for stage in recipe["stages"]:
        distill = stage.get("distill") or {}
        # text that chooses the epoch and the thresholds counts as training text
        parts = (*stage["corpora"], *(stage.get("dev") or ()), *(distill.get("corpora") or ()))
        for part in parts:
            held = fold if fold and fold.corpus == part["name"] else None
            yield _Learned(part["name"], tuple(part.get("splits", ("train",))), held, guard)


FOLDS = 5
"""The number of folds in the publication's cross-validation."""
_STEP = 512
_MOST_SEEN = 0.5
"""If the model has learned from a larger share of the texts, what is left is no fair sample of the corpus."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How to measure."""

    data: str | Path | None = None
    """The folder of the corpora; None: the usual places."""
    resampling: Resampling = field(default_factory=Resampling)
    progress: Callable[[str, int, int], None] = lambda *_: None
    """Called with what is running, how much is done, and the total."""
    left_out: Counter[str] = field(default_factory=Counter)
    """How many texts of each corpus were not measured, because the model has learned from them."""
    compared: tuple[Lineage, ...] = ()
    """What other models learned from that are compared on the same texts: it is left out, too."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A text with its labels in the corpus, and the model's prediction."""

    example: Example
    prediction: Prediction
    fold: int = 0

    @property
    def spans(self) -> SpanPrediction:
        """The text with the spans of the corpus and those that the model marks."""
        gold = tuple(labelled.span for labelled in self.example.spans or ())
        return SpanPrediction(self.example.text, gold, tuple(found.span for found in self.prediction.spans))


def single_model(models: Sequence[SentenceModel], task: str) -> SentenceModel:
    """Return the only model; several are accepted only for cross-validation."""
    if len(models) != 1:
        raise ConfigError(
            f"{task!r} measures one model, and the folder holds {len(models)}; name the folder of one of them"
        )
    return models[0]


def predict_examples(
    model: SentenceModel, examples: Sequence[Example], corpus: str, setting: Setting, fold: int = 0
) -> list[Answer]:
    """Return a model's predictions for the examples that it has not learned from, in order."""
    model.lineage.check_known(model.name)
    lineages = (model.lineage, *setting.compared)
    unseen = [
        example for example in examples if not any(lineage.has_seen(example.text) for lineage in lineages)
    ]
    check_left(model.name, corpus, len(examples), len(unseen), compared=bool(setting.compared))
    setting.left_out[corpus] += len(examples) - len(unseen)
    return predict_all(model, unseen, corpus, setting, fold)


def check_left(model: str, corpus: str, total: int, unseen: int, *, compared: bool = False) -> None:
    """Raise :class:`Leak` if a model has learned from so many texts that the others are no fair sample."""
    if total - unseen > _MOST_SEEN * total:
        who = "it or the model that it is compared with has" if compared else "it has"
        raise Leak(
            f"{model}: {who} learned from {total - unseen:,} of these {total:,} texts of {corpus}, so a figure there "
            "would mean nothing; measure a model that was trained without them"
        )


def left_out_notes(setting: Setting) -> tuple[str, ...]:
    """Return what to say about the texts that were not measured."""
    return tuple(
        f"left out: {count:,} texts of {corpus} that "
        + ("one of the models" if setting.compared else "the model")
        + " has learned from"
        for corpus, count in setting.left_out.items()
        if count
    )


def predict_all(
    model: SentenceModel, examples: Sequence[Example], corpus: str, setting: Setting, fold: int = 0
) -> list[Answer]:
    """Return a model's predictions for all examples, in order: for texts that are made to see how it reacts."""
    found: list[Answer] = []
    for start in range(0, len(examples), _STEP):
        some = examples[start : start + _STEP]
        predictions = model.predict([example.text for example in some], corpus)
        found += [
            Answer(example, prediction, fold) for example, prediction in zip(some, predictions, strict=True)
        ]
        setting.progress(f"{model.name}, {corpus}", len(found), len(examples))
    return found


def load_part(corpus: str, setting: Setting, split: str = "test") -> list[Example]:
    """Return a split of a corpus: as published, or the same 8:1:1 split that training uses."""
    examples = list(corpora.load(corpus, setting.data))
    splits = find_splits(examples)
    return [example for example in examples if splits[example.id] == split]


def predict_folds(models: Sequence[SentenceModel], corpus: str, setting: Setting) -> list[Answer]:
    """Return each model's predictions for the fold that it was trained without.

    A single model that has seen nothing of the corpus predicts all folds.
    """
    examples = list(corpora.load(corpus, setting.data))
    found: list[Answer] = []
    if len(models) == 1 and models[0].lineage.fold_of(corpus) is None:
        model = models[0]
        model.lineage.check(model.name, corpus, EVERYTHING)
        for fold in range(FOLDS):
            held_out = _part(examples, Fold(corpus, FOLDS, fold))
            found += predict_examples(model, held_out, corpus, setting, fold)
        return found
    taken: dict[Fold, str] = {}
    for model in models:
        held = model.lineage.fold_of(corpus)
        if held is None:
            raise ConfigError(f"{model.name}: its card names no fold of {corpus} that it was trained without")
        if held in taken:
            raise ConfigError(f"{model.name}: holds out the same fold as {taken[held]}; keep one of them")
        taken[held] = model.name
        model.lineage.check(model.name, corpus, held)
        found += predict_examples(model, _part(examples, held), corpus, setting, held.fold)
    return found


def _part(examples: Sequence[Example], held: Fold) -> list[Example]:
    splits = fold_splits(examples, Folds(held.corpus, held.count, held.fold))
    return [example for example in examples if splits[example.id] == "test" and example.label is not None]
