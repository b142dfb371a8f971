"""How accurate an ideology judge is: on unseen outlets, and on a random split, which overestimates it.

Maps show articles by their words alone and by the judge's own embeddings, as in Figure 2 of Liu et al. 2021. If a judge
has learned something, articles that it puts on the same side are close to each other in its own space. One figure says
the same without a drawing: the share of an article's nearest neighbours that get the same verdict.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.example import Example
from unslant.lab import corpora
from unslant.lab.audit.page import place_vectors, word_vectors
from unslant.lab.corpora.outlets import normalize_outlet
from unslant.lab.evaluation.calibration import bins_text, reliability_svg
from unslant.lab.evaluation.held_out import Setting
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.judges.fitting import JudgeSettings, select_sided
from unslant.lab.judges.judge import EmbeddingJudge, Judge, judge_texts, open_judge
from unslant.lab.judges.linear import train_judge
from unslant.lab.judges.training import load_split
from unslant.lab.stats.metrics import (
    ClassMetrics,
    Metric,
    accuracy,
    brier_score,
    calibration_error,
    mean,
    reliability_bins,
    roc_auc,
)
from unslant.report.svg import Svg

Numbers = NDArray[np.float64]

_LOWER = ("calibration error", "Brier")
_ARTICLES = 500
_NEIGHBOURS = 10
_SIDE, _TOP = 320, 46
_COLOURS = {False: "#2b6cb0", True: "#c05621"}


def judge(name: str, setting: Setting, *, random_split: bool = True) -> Result:
    """Measure a judge that tells left from right.

    A random split has the same outlets in training and test, so a judge that recognizes outlets does well on it. To
    measure this, a judge is trained with the same method on the training part of such a split.
    """
    known = open_judge(name)
    split = load_split(setting.data)
    unseen = "unseen outlets (test part of the split by outlet)"
    values, labels, left_out = _judge_articles(known, split.test)
    sections = [_section(unseen, "judge", values, labels, setting)]
    more, other, _ = _judge_articles(known, split.unseen)
    sections.append(_section("all articles of those outlets", "judge", more, other, setting))
    if getattr(known, "card", {}).get("split") == "random":
        same = load_split(setting.data, "random").seen
        near, sides, _ = _judge_articles(known, same)
        title = "unread articles of outlets that it learned from (random split, as in the paper)"
        sections.append(_section(title, "judge-random", near, sides, setting))
    details: dict[str, object] = {
        "area": roc_auc(values, labels),
        "by_outlet": _by_outlet(known, split.unseen),
        "not_judged": left_out,
    }
    if random_split:
        sections += _random(setting, split.learn)
    pictures = {}
    if found := _map_articles(known, split.unseen, setting):
        sections.append(found[0])
        pictures["map"] = found[1]
    bins = reliability_bins(more, other)
    title = f"{known.name} on unseen outlets"
    return Result(
        "judge",
        f"{known.name} ({known.digest()[:12]})",
        tuple(sections),
        notes=(
            "left and right only, as in the paper; outlets rated center are excluded",
            "the judge assumes that both sides are equally frequent, but two thirds of the articles of unseen outlets "
            "are right; that is most of the calibration error",
            f"area under the curve on unseen outlets: {roc_auc(values, labels) or 0:.3f}",
            "for single texts of unseen outlets the judge is weak; an audit compares many texts of one model",
        ),
        pictures={"reliability": reliability_svg(bins, title), **pictures},
        drawings=(f"{title}; 'slanted' stands for right\n{bins_text(bins)}",),
        details=details,
    )


def _judge_articles(judge: Judge, examples: Sequence[Example]) -> tuple[list[float], list[bool], int]:
    values = judge_texts(judge, [example.text for example in examples])
    judged = [pair for pair in zip(values, examples, strict=True) if pair[0] is not None]
    labels = [example.leaning == "right" for _, example in judged]
    return [value for value, _ in judged if value is not None], labels, len(values) - len(judged)


def _section(
    title: str, task: str, values: Sequence[float], labels: Sequence[bool], setting: Setting
) -> Section:
    predicted = [value >= 0.5 for value in values]
    classes = ClassMetrics.exclusive(labels, predicted)
    measures: Mapping[str, Metric] = {
        "macro-F1": classes.macro(),
        "accuracy": accuracy(labels, predicted),
        "recall left": classes.recall(False),
        "recall right": classes.recall(True),
        "calibration error": calibration_error(values, labels),
        "Brier": brier_score(values, labels),
    }
    return Section(title, figures(task, measures, setting.resampling, _LOWER))


def _random(setting: Setting, own: Sequence[Example]) -> list[Section]:
    """Measure judges on outlets they know: on the published random split, and on one made as in the paper."""
    everything = select_sided(list(corpora.load("allsides/random", setting.data)))
    published = [
        [example for example in everything if example.split in parts]
        for parts in (("train", "dev"), ("test",))
    ]
    mixed = list(own)
    random.Random(0).shuffle(mixed)  # noqa: S311 - an order, not a secret
    border = round(0.85 * len(mixed))
    splits = {
        "random split of all outlets (the test articles are those of the split by outlet)": published,
        "random split of the judge's own outlets, as the paper splits": [mixed[:border], mixed[border:]],
    }
    found = []
    for number, (title, (learn, test)) in enumerate(splits.items()):
        setting.progress("training on random splits", number, len(splits))
        trained = train_judge(learn, JudgeSettings(penalties=(2e-5,), folds=2, by_outlet=False)).judge
        values, labels, _ = _judge_articles(trained, test)
        found.append(_section(title, "judge-random", values, labels, setting))
    return found


def _by_outlet(judge: Judge, examples: Sequence[Example]) -> dict[str, dict[str, object]]:
    groups: dict[str, list[Example]] = {}
    for example in examples:
        groups.setdefault(normalize_outlet(example.outlet or ""), []).append(example)
    found: dict[str, dict[str, object]] = {}
    for name, group in sorted(groups.items()):
        values, labels, _ = _judge_articles(judge, group)
        if values:
            right = sum((value >= 0.5) == label for value, label in zip(values, labels, strict=True))
            found[name] = {
                "leaning": group[0].leaning,
                "articles": len(values),
                "accuracy": right / len(values),
                "mean": sum(values) / len(values),
            }
    return found


def _map_articles(judge: Judge, examples: Sequence[Example], setting: Setting) -> tuple[Section, str] | None:
    """Return the shares of neighbours and the drawing; None for a judge without embeddings, or too few articles."""
    if not isinstance(judge, EmbeddingJudge):
        return None
    some = random.Random(0).sample(list(examples), min(_ARTICLES, len(examples)))  # noqa: S311
    texts = [example.text for example in some]
    verdicts = [(at, value >= 0.5) for at, value in enumerate(judge_texts(judge, texts)) if value is not None]
    if len(verdicts) <= _NEIGHBOURS:
        return None
    texts, sides = [texts[at] for at, _ in verdicts], [side for _, side in verdicts]
    spaces = {"by their words": word_vectors(texts), "by the judge's embeddings": _unit(judge.vectors(texts))}
    measures = {name: mean(same_side_shares(vectors, sides)) for name, vectors in spaces.items()}
    right = sum(sides) / len(sides)
    measures["expected by chance"] = mean([right if side else 1 - right for side in sides])
    section = Section(
        f"nearest {_NEIGHBOURS} neighbours of {len(texts)} articles of unseen outlets with the same verdict",
        figures("judge-map", measures, setting.resampling),
    )
    return section, _draw_maps({name: place_vectors(vectors) for name, vectors in spaces.items()}, sides)


def same_side_shares(vectors: Numbers, sides: Sequence[bool], count: int = _NEIGHBOURS) -> list[float]:
    """Return, for each text, the share of its nearest neighbours by cosine that are on its side."""
    unit = _unit(vectors)
    near = unit @ unit.T
    np.fill_diagonal(near, -np.inf)
    chosen = np.argsort(-near, axis=1, kind="stable")[:, :count]
    own = np.asarray(sides)
    found: list[float] = (own[chosen] == own[:, None]).mean(axis=1).tolist()
    return found


def _unit(vectors: Numbers) -> Numbers:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))


def _draw_maps(maps: dict[str, Any], sides: Sequence[bool]) -> str:
    svg = Svg(_SIDE * len(maps), _SIDE + _TOP, "Articles, coloured by the side that the judge puts them on")
    for x, side, name in ((8, False, "judged left"), (108, True, "judged right")):
        svg.circle(x + 4, 12, 4, fill=_COLOURS[side])
        svg.text(x + 14, 16, name)
    for number, (title, places) in enumerate(maps.items()):
        left = number * _SIDE
        svg.text(left + _SIDE / 2, 38, title, text_anchor="middle")
        svg.rect(left + 2, _TOP, _SIDE - 6, _SIDE - 4, fill="none", stroke="#999")
        for (x, y), side in zip(places.tolist(), sides, strict=True):
            svg.circle(
                left + 10 + x * (_SIDE - 22),
                _TOP + 8 + (1 - y) * (_SIDE - 20),
                2.4,
                fill=_COLOURS[side],
                fill_opacity=0.65,
            )
    return svg.render()
