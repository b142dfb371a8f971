"""Even-handedness: whether a model gives the same verdict if only the names of groups are swapped.

The model predicts real sentences twice, as they are and with the words of a list swapped (Democrat for Republican, he
for she), and neutral sentences once for each group. An even-handed model predicts the same each time.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import Any

from unslant.core.example import Example
from unslant.lab import corpora
from unslant.lab.detector.augment import Swapper, swap_lists, swap_pairs
from unslant.lab.evaluation.babe import corpora_of
from unslant.lab.evaluation.held_out import (
    EVERYTHING,
    Answer,
    Setting,
    load_part,
    predict_all,
    predict_examples,
    predict_folds,
)
from unslant.lab.evaluation.models import SentenceModel, require_answer
from unslant.lab.evaluation.result import Figure, Result, Section, figures
from unslant.lab.stats.bootstrap import Estimate
from unslant.lab.stats.metrics import mean
from unslant.text.words import whole_words

HEADLINES = 3000
"""How many headlines to sample, with a fixed seed."""


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """How a swap changes a model's prediction."""

    difference: float
    """The score after the swap minus the score before; without probabilities, a verdict counts as 0 or 1."""
    before: bool
    after: bool
    group: str
    """The sentence that it comes from; resampling keeps the changes of a sentence together."""

    @property
    def flipped(self) -> bool:
        """Whether the verdict changed."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class SwappedSentence:
    """A real sentence in which the words of one list were swapped."""

    list: str
    change: ScoreChange
    side: int | None
    """0 or 1: it names only that side of the list's pairs; None: both."""
    label: bool | None
    """The annotators' label of the original sentence."""
    listed: bool = True
    """Whether the words are in the swap lists, which a model may mask."""


@dataclass(frozen=True, slots=True)
class GroupScore:
    """A model's prediction for one group in one neutral sentence."""

    list: str
    group: str
    template: str
    score: float
    slanted: bool


def _data() -> dict[str, Any]:
    return tomllib.loads(files("unslant.lab.evaluation").joinpath("even_handed.toml").read_text("utf-8"))


def neutral_sentences() -> list[tuple[str, str, str, str]]:
    """Return the list, group, template and sentence for every group and every template of its form."""
    found = []
    for form in _data()["forms"].values():
        for name, groups in form["lists"].items():
            for group in groups:
                for template in form["templates"]:
                    words = group if not template.startswith("{}") else group[:1].upper() + group[1:]
                    found.append((name, group, template, template.format(words)))
    return found


def score_groups(model: SentenceModel) -> list[GroupScore]:
    """Return a model's score for every group in every neutral sentence."""
    sentences = neutral_sentences()
    answers = model.predict([text for *_, text in sentences])
    return [
        GroupScore(name, group, template, prediction.score, prediction.slanted)
        for (name, group, template, _), prediction in zip(sentences, answers, strict=True)
    ]


def compare_groups(scores: Sequence[GroupScore]) -> list[tuple[str, ScoreChange]]:
    """Compare each pair of groups in a list, in the same sentence."""
    sentences: dict[tuple[str, str], list[GroupScore]] = {}
    for score in scores:
        sentences.setdefault((score.list, score.template), []).append(score)
    return [
        (name, ScoreChange(second.score - first.score, first.slanted, second.slanted, f"{name}/{template}"))
        for (name, template), some in sentences.items()
        for first, second in combinations(some, 2)
    ]


def real_swaps(models: Sequence[SentenceModel], setting: Setting) -> tuple[list[SwappedSentence], list[str]]:
    """Predict sentences of BABE, WIKIBIAS and headlines, as they are and swapped; return the swaps and notes.

    Leaves out a corpus that a model has learned from, and adds a note that says so.
    """
    found: list[SwappedSentence] = []
    notes: list[str] = []
    corpus = corpora_of(models)[-1]
    if all(model.lineage.allows(corpus, model.lineage.fold_of(corpus) or EVERYTHING) for model in models):
        answers = predict_folds(models, corpus, setting)
        by_fold = {held.fold: model for model in models if (held := model.lineage.fold_of(corpus))}
        for fold in sorted({answer.fold for answer in answers}):
            own = [answer for answer in answers if answer.fold == fold]
            found += _swap_sentences(by_fold.get(fold, models[0]), own, corpus, setting)
    else:
        notes.append(f"{corpus} is left out, because the model was trained on it")
    model = models[0]
    for other, part in (("wikibias", "test"), ("headlines", EVERYTHING)):
        if not model.lineage.allows(other, part):
            notes.append(f"{other} is left out, because the model was trained on it")
            continue
        every = load_part(other, setting) if part == "test" else corpora.load(other, setting.data)
        examples = [example for example in every if _names_a_group(example.text)]
        if other == "headlines":
            examples = random.Random(0).sample(examples, min(HEADLINES, len(examples)))  # noqa: S311
        answers = predict_examples(model, examples, other, setting)
        found += _swap_sentences(model, answers, other, setting)
    if len(models) > 1:
        notes.append(f"all text except BABE was read by {model.name} alone")
    return found, notes


def _swap_sentences(
    model: SentenceModel, answers: Sequence[Answer], corpus: str, setting: Setting
) -> list[SwappedSentence]:
    copies = [
        (name, answer, copy)
        for name in swap_lists()
        for swapper in (Swapper((name,)),)
        for answer in answers
        if (copy := swapper.swap(answer.example)) is not None
    ]
    answers = predict_all(model, [copy for *_, copy in copies], corpus, setting)
    listed = [
        SwappedSentence(name, _change(corpus, answer, after), side, answer.example.label)
        for (name, answer, _), after in zip(copies, answers, strict=True)
        for first, second in ([p.search(answer.example.text) is not None for p in _patterns(name)],)
        for side in (None if first == second else int(second),)
    ]
    return listed + _insert_unlisted(model, [answer.example for answer in answers], corpus, setting)


def _insert_unlisted(
    model: SentenceModel, examples: Sequence[Example], corpus: str, setting: Setting
) -> list[SwappedSentence]:
    """Replace listed words with names that are in no list, first of one side, then of the other."""
    made = [
        (name, example, both)
        for name, entry in _data()["unlisted"].items()
        for example in examples
        if (both := _insert_names(entry, example.text)) is not None
    ]
    examples = [replace(example, text=text, spans=None) for _, example, both in made for text in both]
    answers = predict_all(model, examples, corpus, setting)
    return [
        SwappedSentence(name, _change(corpus, first, second), 0, example.label, listed=False)
        for (name, example, _), first, second in zip(made, answers[::2], answers[1::2], strict=True)
    ]


def _insert_names(entry: Mapping[str, Any], text: str) -> tuple[str, str] | None:
    """Return the text with each name of a pair in place of every listed word; the length of the text picks the pair."""
    pattern = whole_words(entry["of"])
    if not pattern.search(text):
        return None
    first, second = entry["pairs"][len(text) % len(entry["pairs"])]
    return pattern.sub(first, text), pattern.sub(second, text)


def _change(corpus: str, before: Answer, after: Answer) -> ScoreChange:
    return ScoreChange(
        after.prediction.score - before.prediction.score,
        before.prediction.slanted,
        after.prediction.slanted,
        f"{corpus}/{before.example.id}",
    )


@cache
def _patterns(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    sides = zip(*swap_pairs(name), strict=True)
    first, second = (whole_words(side, re.IGNORECASE) for side in sides)
    return first, second


def _names_a_group(text: str) -> bool:
    return any(pattern.search(text) for name in swap_lists() for pattern in _patterns(name))


SIDED = ("parties", "ideologies", "politicians", "outlets", "genders")
"""Lists whose pairs all point the same way, so that one side can be compared with the other."""


def even_handed(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure how swaps change probabilities and verdicts, and false alarms for each group."""
    for model in models:
        require_answer(model, "sentence", "even-handed")
    asked, notes = real_swaps(models, setting)
    swaps = [swap for swap in asked if swap.listed]
    scores = score_groups(models[0])
    changes = {
        "exchanges in real sentences": [(swap.list, swap.change) for swap in swaps],
        "names that no list has, in real sentences": [
            (swap.list, swap.change) for swap in asked if not swap.listed
        ],
        "groups in neutral sentences": compare_groups(scores),
    }
    sections = [
        *(section for title, some in changes.items() for section in _changes(title, some, setting)),
        Section("from the first side to the second", _measure_leans(swaps, setting)),
        Section("false alarms in real neutral sentences", _real_alarms(swaps, setting)),
        *_alarms(scores, setting),
    ]
    notes += [
        "a model may mask the listed words; names that are in no list show what it does with others",
        "means are over absolute changes; flips are exchanges that change the verdict",
        "no publication gives these figures",
    ]
    kept = tuple(section for section in sections if section.figures)
    return Result("even-handed", models[0].name, kept, tuple(notes), details={"exchanges": len(swaps)})


def _changes(title: str, changes: Sequence[tuple[str, ScoreChange]], setting: Setting) -> list[Section]:
    """Return how much changes, altogether and by list."""
    lists = sorted({name for name, _ in changes})
    own = {name: [change for other, change in changes if other == name] for name in lists}
    whole = _summary({"": [change for _, change in changes]}, setting) if changes else {}
    together = tuple(replace(found[0], name=what) for what, found in whole.items())
    by_list = _summary(own, setting) if lists else {}
    return [
        Section(title, together),
        *(Section(what, found, f"{title}, by list") for what, found in by_list.items()),
    ]


def _summary(changes: Mapping[str, Sequence[ScoreChange]], setting: Setting) -> dict[str, tuple[Figure, ...]]:
    """Return the mean change, the share of flipped verdicts and the worst change of each group."""
    groups = {name: [change.group for change in some] for name, some in changes.items()}

    def shown(values: Callable[[ScoreChange], float]) -> tuple[Figure, ...]:
        measures = {
            name: mean([values(change) for change in some]).group_items(groups[name])
            for name, some in changes.items()
        }
        return figures("even-handed", measures, setting.resampling, measures)

    worst = tuple(
        Figure(
            name,
            Estimate(max(abs(change.difference) for change in some)),
            len(set(groups[name])),
            lower_is_better=True,
        )
        for name, some in changes.items()
    )
    return {
        "mean change": shown(lambda change: abs(change.difference)),
        "verdicts flipped": shown(lambda change: float(change.flipped)),
        "worst change": worst,
    }


def _measure_leans(swaps: Sequence[SwappedSentence], setting: Setting) -> tuple[Figure, ...]:
    measures = {}
    for name in SIDED:
        # signed so that every change goes from the first side of the list to the second
        signed = [
            swap.change.difference * (1 if swap.side == 0 else -1)
            for swap in swaps
            if swap.list == name and swap.side is not None
        ]
        if signed:
            measures[name] = mean(signed)
    return figures("even-handed", measures, setting.resampling)


def _real_alarms(swaps: Sequence[SwappedSentence], setting: Setting) -> tuple[Figure, ...]:
    measures = {}
    for name in SIDED:
        for side, which in enumerate(("first", "second")):
            own = [swap for swap in swaps if swap.list == name and swap.side == side and swap.label is False]
            if own:
                measures[f"{name}, {which} side"] = mean([float(swap.change.before) for swap in own])
    return figures("even-handed", measures, setting.resampling, measures)


def _alarms(group_scores: Sequence[GroupScore], setting: Setting) -> list[Section]:
    """Measure how often, and with what mean probability, neutral sentences about each group are called slanted."""
    flagged: dict[str, list[float]] = {}
    scores: dict[str, list[float]] = {}
    for score in group_scores:
        flagged.setdefault(f"{score.list}: {score.group}", []).append(float(score.slanted))
        scores.setdefault(f"{score.list}: {score.group}", []).append(score.score)
    sections = []
    for title, values in (("false alarms", flagged), ("mean probability", scores)):
        measures = {name: mean(some) for name, some in values.items()}
        found = figures("even-handed", measures, setting.resampling, measures)
        sections.append(Section(title, found, "groups in neutral sentences, by group"))
    return sections
