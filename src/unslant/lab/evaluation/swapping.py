"""Sentences in which names of groups are exchanged, and what a model says of both."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import Any

from unslant.core.example import Example
from unslant.lab import corpora
from unslant.lab.corpora.splits import find_splits
from unslant.lab.detector.augment import Swapper, swap_lists, swap_pairs
from unslant.lab.evaluation.babe import corpora_of
from unslant.lab.evaluation.held_out import Answer, Setting, ask, folded
from unslant.lab.evaluation.lineage import EVERYTHING
from unslant.lab.evaluation.models import SentenceModel

__all__ = ["Change", "Swapped", "Told", "changes_of", "neutral_sentences", "real_swaps", "told_of"]

HEADLINES = 3000
"""How many headlines are drawn, by a seed."""


@dataclass(frozen=True, slots=True)
class Change:
    """What an exchange does to what a model says."""

    difference: float
    """Of the probability, after the exchange less before; of yes and no where there is none."""
    before: bool
    after: bool
    group: str
    """What belongs together: the sentence that it comes from."""

    @property
    def flipped(self) -> bool:
        """Whether the verdict is another."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Swapped:
    """A real sentence of which one list was exchanged."""

    list: str
    change: Change
    side: int | None
    """0 or 1: it names only that side of the list's pairs; None: both."""
    label: bool | None
    """What annotators say of the sentence as it was."""
    listed: bool = True
    """Whether the words stand in the lists of exchanges, which a model may have been told to treat alike."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a model says of one group in one neutral sentence."""

    list: str
    group: str
    template: str
    score: float
    slanted: bool


def _data() -> dict[str, Any]:
    return tomllib.loads(files("unslant.lab.evaluation").joinpath("even_handed.toml").read_text("utf-8"))


def neutral_sentences() -> list[tuple[str, str, str, str]]:
    """Return list, group, template and sentence, for every group and template of its form."""
    found = []
    for form in _data()["forms"].values():
        for name, groups in form["lists"].items():
            for group in groups:
                for template in form["templates"]:
                    words = group if not template.startswith("{}") else group[:1].upper() + group[1:]
                    found.append((name, group, template, template.format(words)))
    return found


def told_of(model: SentenceModel) -> list[Told]:
    """Ask a model for every group in every neutral sentence."""
    sentences = neutral_sentences()
    said = model.predict([text for *_, text in sentences])
    return [
        Told(name, group, template, one.score, one.slanted)
        for (name, group, template, _), one in zip(sentences, said, strict=True)
    ]


def changes_of(told: Sequence[Told]) -> list[tuple[str, Change]]:
    """Compare every two groups of a list in the same sentence."""
    sentences: dict[tuple[str, str], list[Told]] = {}
    for one in told:
        sentences.setdefault((one.list, one.template), []).append(one)
    return [
        (name, Change(other.score - one.score, one.slanted, other.slanted, f"{name}/{template}"))
        for (name, template), some in sentences.items()
        for one, other in combinations(some, 2)
    ]


def real_swaps(models: Sequence[SentenceModel], setting: Setting) -> tuple[list[Swapped], list[str]]:
    """Ask models for sentences of BABE, WIKIBIAS and for headlines, as they are and exchanged.

    A corpus that the model has learned from is left out, and said so.
    """
    found: list[Swapped] = []
    notes: list[str] = []
    corpus = corpora_of(models)[-1]
    if all(one.lineage.may(corpus, one.lineage.fold_of(corpus) or EVERYTHING) for one in models):
        answers = folded(models, corpus, setting)
        by_fold = {held.fold: one for one in models if (held := one.lineage.fold_of(corpus))}
        for fold in sorted({one.fold for one in answers}):
            own = [one for one in answers if one.fold == fold]
            found += _swapped(by_fold.get(fold, models[0]), own, corpus, setting)
    else:
        notes.append(f"{corpus} is left out, as the model learned from it")
    model = models[0]
    for other, examples in (("wikibias", _test), ("headlines", _headlines)):
        part = "test" if other == "wikibias" else EVERYTHING
        if model.lineage.may(other, part):
            found += _swapped(model, ask(model, examples(other, setting), other, setting), other, setting)
        else:
            notes.append(f"{other} is left out, as the model learned from it")
    if len(models) > 1:
        notes.append(f"what is not BABE was asked of {model.name}")
    return found, notes


def _test(corpus: str, setting: Setting) -> list[Example]:
    examples = list(corpora.load(corpus, setting.data))
    splits = find_splits(examples)
    return [one for one in examples if splits[one.id] == "test" and _named(one.text)]


def _headlines(corpus: str, setting: Setting) -> list[Example]:
    examples = [one for one in corpora.load(corpus, setting.data) if _named(one.text)]
    return random.Random(0).sample(examples, min(HEADLINES, len(examples)))  # noqa: S311


def _swapped(model: SentenceModel, answers: Sequence[Answer], corpus: str, setting: Setting) -> list[Swapped]:
    copies: list[tuple[str, Answer, Example]] = []
    for name in swap_lists():
        swapper = Swapper((name,))
        for one in answers:
            copy = swapper.swap(one.example)
            if copy is not None:
                copies.append((name, one, copy))
    said = ask(model, [copy for *_, copy in copies], corpus, setting)
    listed = [
        Swapped(name, _change(corpus, one, after), _side(name, one.example.text), one.example.label)
        for (name, one, _), after in zip(copies, said, strict=True)
    ]
    return listed + _unlisted(model, [one.example for one in answers], corpus, setting)


def _unlisted(
    model: SentenceModel, examples: Sequence[Example], corpus: str, setting: Setting
) -> list[Swapped]:
    """Put names in place that no list has, first of one side, then of the other."""
    made = [
        (name, one, both)
        for name, entry in _data()["unlisted"].items()
        for one in examples
        if (both := _filled(entry, one.text)) is not None
    ]
    asked = [replace(one, text=text, spans=None) for _, one, both in made for text in both]
    said = ask(model, asked, corpus, setting)
    return [
        Swapped(name, _change(corpus, first, second), 0, one.label, listed=False)
        for (name, one, _), first, second in zip(made, said[::2], said[1::2], strict=True)
    ]


def _filled(entry: Mapping[str, Any], text: str) -> tuple[str, str] | None:
    """Return the text with each name of a pair in the place of every listed word; the text decides which pair."""
    words = "|".join(map(re.escape, sorted(entry["of"], key=len, reverse=True)))
    pattern = re.compile(rf"(?<![\w-])(?:{words})(?![\w-])")
    if not pattern.search(text):
        return None
    first, second = entry["pairs"][len(text) % len(entry["pairs"])]
    return pattern.sub(first, text), pattern.sub(second, text)


def _change(corpus: str, before: Answer, after: Answer) -> Change:
    return Change(
        after.prediction.score - before.prediction.score,
        before.prediction.slanted,
        after.prediction.slanted,
        f"{corpus}/{before.example.id}",
    )


@cache
def _patterns(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    sides = zip(*swap_pairs(name), strict=True)
    first, second = (
        re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, side))})(?![\w-])", re.IGNORECASE)
        for side in sides
    )
    return first, second


def _side(name: str, text: str) -> int | None:
    first, second = (pattern.search(text) is not None for pattern in _patterns(name))
    return None if first == second else 0 if first else 1


def _named(text: str) -> bool:
    return any(pattern.search(text) for name in swap_lists() for pattern in _patterns(name))
