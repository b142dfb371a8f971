"""How good a judge of ideology is: on outlets it never saw, and on the random split that flatters it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from unslant.core.example import Example
from unslant.lab import corpora
from unslant.lab.audit.judge import Judge, checked, open_judge
from unslant.lab.audit.judge_corpus import articles
from unslant.lab.audit.judge_fitting import Settings
from unslant.lab.audit.judge_training import sided, train_judge
from unslant.lab.corpora.outlets import normalize_outlet
from unslant.lab.evaluation.held_out import Setting
from unslant.lab.evaluation.reliability import bins_text, reliability_svg
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.stats.metrics import (
    ClassMetrics,
    Metric,
    accuracy,
    brier_score,
    calibration_error,
    reliability_bins,
    roc_auc,
)

__all__ = ["judge"]

_LOWER = ("calibration error", "Brier")


def judge(name: str, setting: Setting, *, random_split: bool = True) -> Result:
    """Measure a judge of the left and the right.

    The random split has the same outlets on both sides, so a judge that knows outlets does well there; what is measured
    there is a judge trained for it in the same way.
    """
    known = open_judge(name)
    dealt = articles(setting.data)
    unseen = "outlets it never saw (test part of the split by outlet)"
    values, labels, left_out = _asked(known, dealt.test)
    sections = [_section(unseen, "judge", values, labels, setting)]
    more, other, _ = _asked(known, dealt.unseen)
    sections.append(_section("all articles of those outlets", "judge", more, other, setting))
    details: dict[str, object] = {
        "area": roc_auc(values, labels),
        "by_outlet": _by_outlet(known, dealt.unseen),
        "not_judged": left_out,
    }
    if random_split:
        sections += _random(setting, dealt.learn)
    bins = reliability_bins(more, other)
    title = f"{known.name} on outlets it never saw"
    return Result(
        "judge",
        f"{known.name} ({known.digest()[:12]})",
        tuple(sections),
        notes=(
            "left and right only, as in the paper; outlets rated center are left out",
            "the judge takes both sides to be as frequent; two thirds of the articles of unseen outlets are right, "
            "which is most of the calibration error there",
            f"area under the curve on unseen outlets: {roc_auc(values, labels) or 0:.3f}",
            "a judge of single texts is weak on outlets it has not seen; an audit compares many texts of one model",
        ),
        pictures={"reliability": reliability_svg(bins, title)},
        drawings=(f"{title}; 'slanted' stands for right\n{bins_text(bins)}",),
        details=details,
    )


def _asked(judge: Judge, examples: Sequence[Example]) -> tuple[list[float], list[bool], int]:
    values = checked(judge, [one.text for one in examples])
    pairs = [
        (value, one.leaning == "right")
        for value, one in zip(values, examples, strict=True)
        if value is not None
    ]
    return [value for value, _ in pairs], [label for _, label in pairs], len(values) - len(pairs)


def _section(
    title: str, task: str, values: Sequence[float], labels: Sequence[bool], setting: Setting
) -> Section:
    said = [value >= 0.5 for value in values]
    classes = ClassMetrics.exclusive(labels, said)
    measures: Mapping[str, Metric] = {
        "macro-F1": classes.macro(),
        "accuracy": accuracy(labels, said),
        "recall left": classes.recall(False),
        "recall right": classes.recall(True),
        "calibration error": calibration_error(values, labels),
        "Brier": brier_score(values, labels),
    }
    return Section(title, figures(task, measures, setting.resampling, _LOWER))


def _random(setting: Setting, own: Sequence[Example]) -> list[Section]:
    """Measure judges that know the outlets they are measured on: by the published random split, and the paper's."""
    everything = sided(list(corpora.load("allsides/random", setting.data)))
    published = [[one for one in everything if one.split in parts] for parts in (("train", "dev"), ("test",))]
    mixed = list(own)
    random.Random(0).shuffle(mixed)  # noqa: S311 - an order, not a secret
    border = round(0.85 * len(mixed))
    splits = {
        "random split of all outlets (the test articles are those of the split by outlet)": published,
        "random split of the judge's own outlets, as the paper splits": [mixed[:border], mixed[border:]],
    }
    found = []
    for number, (title, (learn, test)) in enumerate(splits.items()):
        setting.tell("training on random splits", number, len(splits))
        trained = train_judge(learn, Settings(penalties=(2e-5,), folds=2, by_house=False)).judge
        values, labels, _ = _asked(trained, test)
        found.append(_section(title, "judge-random", values, labels, setting))
    return found


def _by_outlet(judge: Judge, examples: Sequence[Example]) -> dict[str, dict[str, object]]:
    groups: dict[str, list[Example]] = {}
    for one in examples:
        groups.setdefault(normalize_outlet(one.outlet or ""), []).append(one)
    found: dict[str, dict[str, object]] = {}
    for name, group in sorted(groups.items()):
        values, labels, _ = _asked(judge, group)
        if values:
            right = sum((value >= 0.5) == label for value, label in zip(values, labels, strict=True))
            found[name] = {
                "leaning": group[0].leaning,
                "articles": len(values),
                "accuracy": right / len(values),
                "mean": sum(values) / len(values),
            }
    return found
