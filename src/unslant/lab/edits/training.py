"""Fitting the model of edits, and choosing its policy from edits that it has not seen.

The regression is fitted by Adam with an L2 penalty. A cross-validation by documents gives every edit that was read a
probability from weights that have not seen its document; the thresholds of the policy are chosen on these, by class.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.edits.classes import ALONE, ANY, AUTHORED, class_names
from unslant.edits.decide import POLICY, PolicyLine
from unslant.edits.model import EditModel, save_model
from unslant.lab.stats.metrics import roc_auc

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from unslant.lab.edits.verdicts import JudgedEdit

    Numbers = NDArray[np.float64]

_NEVER = 1.01
"""A threshold that no probability reaches."""
_GENERAL = (": leave out", ": replace")
"""How the names of classes end that hold all edits of a source."""
_FIRST_OF_NOW = 8
"""Draws before this one were read after other checks, so they count less."""
_FIRST_OF_DETECTOR = 23
"""Draws from this one on are natural: what the detector that ships finds in articles that nobody had read."""


@dataclass(frozen=True, slots=True)
class EditFit:
    """How the regression is fitted, and what its policy must reach."""

    penalty: float = 4.0
    rounds: int = 300
    step: float = 0.05
    folds: int = 6
    rarest: int = 2
    """Features that fewer edits have are left out."""
    smallest: float = 0.01
    """Weights closer to zero are left out."""
    earlier: float = 0.4
    """What edits of earlier draws count."""
    support: float = 0.35
    """What edits count that nobody proposed."""
    good: float = 0.8
    """The share of good edits among those offered."""
    likely: float = 0.5
    """An edit that is likelier bad than good is not offered."""
    least: float = 0.5
    """The share of good edits among the least likely ones offered, however good the others of their class are."""
    ungrammatical: float = 0.03
    """The largest share of ungrammatical ones among them."""
    safe: float = 0.98
    """The share of good edits among those made without review."""
    enough: int = 50
    """How many edits of a class must have been read for a threshold of its own."""
    seed: int = 0


def fit_model(
    edits: Sequence[JudgedEdit], support: Sequence[JudgedEdit], fit: EditFit
) -> tuple[EditModel, dict[str, PolicyLine]]:
    """Return the model fitted on all edits, and the policy that the cross-validation allows."""
    chances = cross_validate(edits, support, fit)
    seen = [at for at, edit in enumerate(edits) if edit.with_network]
    recent = [at for at in seen if edits[at].draw >= _FIRST_OF_NOW or not edits[at].draw]
    about: dict[str, Any] = {
        "edits": len(seen),
        "good": sum(edits[at].good for at in seen),
        "supporting": len(support),
        "ranked right": _auc(edits, chances, seen),
        "ranked right, recent draws": _auc(edits, chances, recent),
    }
    return EditModel(fit_weights([*edits, *support], fit), about), choose_policy(edits, chances, fit)


def _auc(edits: Sequence[JudgedEdit], chances: Sequence[float], places: Sequence[int]) -> float:
    return round(roc_auc([chances[at] for at in places], [edits[at].good for at in places]) or 0.0, 3)


def cross_validate(edits: Sequence[JudgedEdit], support: Sequence[JudgedEdit], fit: EditFit) -> list[float]:
    """Return how likely each edit is good by weights that have seen no edit of its document."""
    documents = sorted({edit.document for edit in (*edits, *support)})
    random.Random(fit.seed).shuffle(documents)  # noqa: S311
    fold_of = {name: number % fit.folds for number, name in enumerate(documents)}
    chances = [0.0] * len(edits)
    for fold in range(fit.folds):
        others = [edit for edit in (*edits, *support) if fold_of[edit.document] != fold]
        learned = EditModel(fit_weights(others, fit))
        for at, edit in enumerate(edits):
            if fold_of[edit.document] == fold:
                chances[at] = learned.probability(edit.inputs)
    return chances


def fit_weights(edits: Sequence[JudgedEdit], fit: EditFit) -> dict[str, float]:
    """Return the weights of a logistic regression with an L2 penalty on all but the bias."""
    import numpy as np

    counted = Counter(name for edit in edits for name in edit.inputs)
    names = sorted(name for name, count in counted.items() if count >= fit.rarest)
    column = {name: number for number, name in enumerate(names)}
    rows, columns, values = [], [], []
    for row, edit in enumerate(edits):
        for name, value in edit.inputs.items():
            if name in column:
                rows.append(row)
                columns.append(column[name])
                values.append(value)
    row_of, column_of = np.array(rows), np.array(columns)
    value_of: Numbers = np.array(values, dtype=float)
    good: Numbers = np.array([edit.good for edit in edits], dtype=float)
    counts: Numbers = np.array([_weight(edit, fit) for edit in edits])
    penalty: Numbers = np.where(np.array(names) == "bias", 0.0, fit.penalty)
    weights: Numbers = np.zeros(len(names))
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for number in range(1, fit.rounds + 1):
        scores = np.bincount(row_of, value_of * weights[column_of], len(edits))
        missed = counts * (1 / (1 + np.exp(-np.clip(scores, -30, 30))) - good)
        slope = np.bincount(column_of, value_of * missed[row_of], len(names)) + penalty * weights
        slope /= len(edits)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope**2
        weights -= fit.step * (mean / (1 - 0.9**number)) / (np.sqrt(square / (1 - 0.99**number)) + 1e-8)
    return {
        name: float(weight)
        for name, weight in zip(names, weights, strict=True)
        if abs(weight) >= fit.smallest
    }


def _weight(edit: JudgedEdit, fit: EditFit) -> float:
    if not edit.edit_class:
        return fit.support * edit.weight
    return edit.weight * (fit.earlier if 0 < edit.draw < _FIRST_OF_NOW else 1.0)


def choose_policy(
    edits: Sequence[JudgedEdit], chances: Sequence[float], fit: EditFit
) -> dict[str, PolicyLine]:
    """Return a line for each class of which enough edits were read, and one for all others."""
    read: dict[str, list[tuple[float, str]]] = {}
    lately: dict[str, list[tuple[float, str]]] = {}
    for edit, chance in zip(edits, chances, strict=True):
        for name in edit.edit_class if not edit.refused else ():
            read.setdefault(name, []).append((chance, edit.verdict))
            if edit.draw >= _FIRST_OF_DETECTOR and edit.with_network:
                lately.setdefault(name, []).append((chance, edit.verdict))
    lines = dict.fromkeys(AUTHORED, PolicyLine(0.0, _NEVER))
    lines[ANY] = replace(_line(read.get(ANY, []), lately.get(ANY, []), fit), safe=_NEVER)
    for name, all_read in sorted(read.items()):
        if name in lines or len(all_read) < fit.enough:
            continue
        # a probability says less where no network is asked, so there the record decides alone
        bound = replace(fit, likely=0.0, ungrammatical=1.0) if name == ALONE else fit
        line = _line(all_read, lately.get(name, []), bound, narrow=name in class_names())
        if line.offered <= 1 or name.endswith(_GENERAL):  # otherwise the line of the source decides
            lines[name] = line
    lines.setdefault(ALONE, lines[ANY])
    lines[ALONE] = replace(lines[ALONE], safe=_NEVER)
    return lines


def _line(
    read: Sequence[tuple[float, str]],
    lately: Sequence[tuple[float, str]],
    fit: EditFit,
    *,
    narrow: bool = False,
) -> PolicyLine:
    """Return the line of a class: offered by the latest draws if they have enough edits, safe by all.

    A narrow line says only which edits are safe.
    """
    safe = _threshold(read, fit, fit.safe, 1.0, fit.enough)
    drawn = lately if len(lately) >= fit.enough and not narrow else read
    likely = [each for each in drawn if each[0] >= fit.likely]
    offered = safe if narrow else _threshold(likely, fit, fit.good, fit.ungrammatical, fit.enough // 2)
    kept = Counter(verdict for chance, verdict in drawn if chance >= offered)
    return PolicyLine(
        round(offered, 3),
        round(max(offered, safe), 3),  # an edit that is not offered cannot be safe
        narrow=narrow,
        read=kept.total(),
        good=kept["good"],
        ungrammatical=kept["ungrammatical"],
    )


def _threshold(
    read: Sequence[tuple[float, str]], fit: EditFit, good: float, ungrammatical: float, enough: int
) -> float:
    """Return the lowest probability from which on enough edits are good; none is: more than one.

    It ends where the edits just above it are likelier bad than good, however good the others are.
    """
    ordered = sorted(read, reverse=True)
    best, right, broken = _NEVER, 0, 0
    for number, (chance, verdict) in enumerate(ordered, 1):
        right += verdict == "good"
        broken += verdict == "ungrammatical"
        last = ordered[max(0, number - fit.enough) : number]
        if sum(verdict == "good" for _, verdict in last) < fit.least * len(last) and number >= enough:
            break
        if number >= enough and right >= good * number and broken <= ungrammatical * number:
            best = chance
    return best


def write_edits(model: EditModel, lines: Mapping[str, PolicyLine], folder: Path) -> None:
    """Write the model and its policy."""
    save_model(model, folder)
    (folder / POLICY).write_text("".join(_toml(lines)), "utf-8")


def _toml(lines: Mapping[str, PolicyLine]) -> Iterator[str]:
    yield (
        "# Written by `unslant train edits`: from which probability on edits of a class are offered and safe, and how\n"
        "# many of those offered were read, good and ungrammatical, by weights that had not seen their document.\n\n"
    )
    for name, line in sorted(lines.items()):
        yield (
            f'[class."{name}"]\noffered = {line.offered}\nsafe = {line.safe}\nnarrow = {str(line.narrow).lower()}\n'
            f"read = {line.read}\ngood = {line.good}\nungrammatical = {line.ungrammatical}\n\n"
        )
