"""Whether a model judges what is said and not of whom: names of groups are exchanged, and nothing else.

Real sentences are asked twice, as they are and with the words of a list exchanged (Democrat for Republican, he for
she); neutral sentences are asked once for each group. A model that is even-handed says the same both times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unslant.lab.evaluation.held_out import Setting
from unslant.lab.evaluation.models import SentenceModel, need
from unslant.lab.evaluation.result import Figure, Result, Section, figures
from unslant.lab.evaluation.swapping import Change, Swapped, Told, changes_of, real_swaps, told_of
from unslant.lab.stats.bootstrap import Estimate
from unslant.lab.stats.metrics import Metric, mean

__all__ = ["even_handed"]

SIDED = ("parties", "ideologies", "politicians", "outlets", "genders")
"""Lists whose pairs all point the same way, so that the two sides can be told apart."""


def even_handed(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure the change of probability and of verdict under exchanges, and false alarms for each group."""
    for model in models:
        need(model, "sentence", "even-handed")
    asked, notes = real_swaps(models, setting)
    swaps = [one for one in asked if one.listed]
    others = [one for one in asked if not one.listed]
    told = told_of(models[0])
    pairs = changes_of(told)
    sections = [
        Section("exchanges in real sentences", _summary([one.change for one in swaps], setting)),
        *_by_list("exchanges in real sentences, by list", [(one.list, one.change) for one in swaps], setting),
        Section(
            "names that no list has, in real sentences", _summary([one.change for one in others], setting)
        ),
        *_by_list(
            "names that no list has, in real sentences, by list",
            [(one.list, one.change) for one in others],
            setting,
        ),
        Section("groups in neutral sentences", _summary([one for _, one in pairs], setting)),
        *_by_list("groups in neutral sentences, by list", pairs, setting),
        Section("from the first side to the second", _leans(swaps, setting)),
        Section("false alarms in real neutral sentences", _real_alarms(swaps, setting)),
        *_alarms(told, setting),
    ]
    notes += [
        "a model may be told to read the words of the lists alike; the names that no list has show what it does beyond",
        "the mean is over absolute changes; flips are verdicts that an exchange turns",
        "no publication gives these figures",
    ]
    kept = tuple(one for one in sections if one.figures)
    return Result("even-handed", models[0].name, kept, tuple(notes), details={"exchanges": len(swaps)})


def _summary(changes: Sequence[Change], setting: Setting) -> tuple[Figure, ...]:
    if not changes:
        return ()
    groups = [one.group for one in changes]
    measures = {
        "mean change": mean([abs(one.difference) for one in changes]).group_items(groups),
        "verdicts flipped": mean([float(one.flipped) for one in changes]).group_items(groups),
    }
    found = figures("even-handed", measures, setting.resampling, tuple(measures))
    worst = max(abs(one.difference) for one in changes)
    return (*found, Figure("worst change", Estimate(worst), len(set(groups)), lower_is_better=True))


def _by_list(title: str, changes: Sequence[tuple[str, Change]], setting: Setting) -> list[Section]:
    lists = sorted({name for name, _ in changes})
    own = {name: [one for other, one in changes if other == name] for name in lists}
    tables: Mapping[str, dict[str, Metric]] = {
        "mean change": {name: mean([abs(one.difference) for one in own[name]]) for name in lists},
        "verdicts flipped": {name: mean([float(one.flipped) for one in own[name]]) for name in lists},
    }
    sections = []
    for what, measures in tables.items():
        grouped = {
            name: one.group_items([each.group for each in own[name]]) for name, one in measures.items()
        }
        found = figures("even-handed", grouped, setting.resampling, lists)
        sections.append(Section(what, found, title))
    worst = tuple(
        Figure(
            name,
            Estimate(max(abs(one.difference) for one in own[name])),
            len({one.group for one in own[name]}),
            lower_is_better=True,
        )
        for name in lists
    )
    return [*sections, Section("worst change", worst, title)] if lists else []


def _leans(swaps: Sequence[Swapped], setting: Setting) -> tuple[Figure, ...]:
    measures = {}
    for name in SIDED:
        # turned so that it always goes from the first side of the list to the second
        signed = [
            one.change.difference * (1 if one.side == 0 else -1)
            for one in swaps
            if one.list == name and one.side is not None
        ]
        if signed:
            measures[name] = mean(signed)
    return figures("even-handed", measures, setting.resampling)


def _real_alarms(swaps: Sequence[Swapped], setting: Setting) -> tuple[Figure, ...]:
    measures = {}
    for name in SIDED:
        for side, which in enumerate(("first", "second")):
            own = [one for one in swaps if one.list == name and one.side == side and one.label is False]
            if own:
                measures[f"{name}, {which} side"] = mean([float(one.change.before) for one in own])
    return figures("even-handed", measures, setting.resampling, tuple(measures))


def _alarms(told: Sequence[Told], setting: Setting) -> list[Section]:
    """For each group in neutral sentences, how often it is called slanted, and how likely on average."""
    flagged: dict[str, list[float]] = {}
    scores: dict[str, list[float]] = {}
    for one in told:
        flagged.setdefault(f"{one.list}: {one.group}", []).append(float(one.slanted))
        scores.setdefault(f"{one.list}: {one.group}", []).append(one.score)
    sections = []
    for title, values in (("false alarms", flagged), ("mean probability", scores)):
        measures = {name: mean(some) for name, some in values.items()}
        found = figures("even-handed", measures, setting.resampling, tuple(measures))
        sections.append(Section(title, found, "groups in neutral sentences, by group"))
    return sections
