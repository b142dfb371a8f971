"""Fitting how likely readers accept an edit (``unslant.rewrite.edit_acceptance``), from edits that were read.

A file of verdicts names documents and positions; the texts come from the corpora. Each document is read again for its
candidates, so that an edit is known with its proposer and its finding, whatever the gates say of it today.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import ConfigError
from unslant.core.types import Applicability
from unslant.lab import corpora
from unslant.lab.corpora.editor import EDITOR, read_passages
from unslant.lab.stats.metrics import roc_auc
from unslant.rewrite.candidates import EditableSentence, Slot
from unslant.rewrite.edit_acceptance import EditAcceptance, features
from unslant.rewrite.gates import make_case
from unslant.rewrite.planning import Planner
from unslant.spec import Spec
from unslant.text.reading import read
from unslant.text.tidy import tidy_edit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

__all__ = ["AcceptanceFit", "ReadEdit", "cross_validate", "find_read_edits", "fit_acceptance", "fit_weights"]

_ARTICLES = "allsides"
_PARTS = ("train", "calibration", "dev")
"""Edits of the test part are not learned from."""


@dataclass(frozen=True, slots=True)
class ReadEdit:
    """An edit that was read: what is known of it, and whether it was good."""

    document: str
    draw: int
    inputs: tuple[tuple[str, float], ...]
    good: bool

    @property
    def origin(self) -> str:
        """Who proposed it."""
        names = (name.split() for name, _ in self.inputs)
        return next(words[1] for words in names if words[0] == "from" and len(words) == 2)


@dataclass(frozen=True, slots=True)
class AcceptanceFit:
    """How the regression is fitted, and its thresholds."""

    offered: float = 0.85
    ruled: float = 0.75
    unread: float = 0.15
    doubtful: float = 0.97
    penalty: float = 4.0
    rounds: int = 300
    step: float = 0.05
    recent: int = 8
    """Draws before this one were read after other gates, so they count less."""
    earlier: float = 0.3
    folds: int = 8
    rarest: int = 2
    """Features that fewer edits have are left out."""
    smallest: float = 0.01
    """Weights closer to zero are left out."""
    seed: int = 0


def find_read_edits(
    verdicts: Sequence[Mapping[str, Any]],
    data: str | Path | None,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> list[ReadEdit]:
    """Return the edits to review of a file of verdicts that unslant still proposes, before its gates judge them."""
    by_document: dict[str, list[Mapping[str, Any]]] = {}
    for row in verdicts:
        if row["applicability"] == Applicability.REVIEW.value:
            by_document.setdefault(str(row["document"]), []).append(row)
    texts = _texts(set(by_document), data)
    planner = Planner(Spec())
    found: list[ReadEdit] = []
    for number, (name, rows) in enumerate(by_document.items(), 1):
        if name in texts:
            (sentences,) = planner.candidates([read(texts[name], "text", name)])
            known = {(start, end, new): inputs for start, end, new, inputs in _candidates(sentences)}
            for row in rows:
                inputs = known.get((row["start"], row["end"], row["replacement"]))
                if inputs is not None:
                    found.append(ReadEdit(name, int(row["draw"]), inputs, row["verdict"] == "good"))
        progress("documents", number, len(by_document))
    if not found:
        raise ConfigError("none of the edits that were read is in the corpora; name their folder with --data")
    return found


def _texts(names: set[str], data: str | Path | None) -> dict[str, str]:
    found = {example.id: example.text for example in corpora.load(_ARTICLES, data) if example.id in names}
    for part in _PARTS:
        for passage in read_passages(corpora.load(EDITOR, data), part):
            if passage.id in names:
                found[passage.id] = passage.text
    return found


def _candidates(
    sentences: Sequence[tuple[EditableSentence, Sequence[Slot]]],
) -> Iterator[tuple[int, int, str, tuple[tuple[str, float], ...]]]:
    """Yield every candidate of a document: where it is, what it writes, and what is known of it."""
    for target, slots in sentences:
        base, text = target.sentence.span.start, target.text
        for slot in slots:
            for candidate in slot.candidates:
                edit = tidy_edit(text, candidate.bare)
                suggestion = replace(candidate, edit=edit)
                case = make_case(target.sentence, text, suggestion, 1.0)
                inputs = features(text.replace("\0", " "), case.after.text, suggestion)
                yield base + edit.start, base + edit.end, edit.replacement, tuple(inputs)


def fit_acceptance(edits: Sequence[ReadEdit], fit: AcceptanceFit) -> EditAcceptance:
    """Return the regression fitted on all edits, with the figures of a cross-validation by documents."""
    chances = cross_validate(edits, fit)
    recent = [at for at, edit in enumerate(edits) if edit.draw >= fit.recent]
    learned = EditAcceptance(fit_weights(edits, fit), fit.offered, fit.ruled, fit.unread, fit.doubtful)
    kept = [at for at in recent if chances[at] >= learned.least(edits[at].origin, model_agrees=True)]
    about = {
        "edits": len(edits),
        "good": sum(edit.good for edit in edits),
        "ranked right": round(
            roc_auc([chances[at] for at in recent], [edits[at].good for at in recent]) or 0.0, 3
        ),
        "good of recent draws": round(sum(edits[at].good for at in recent) / max(1, len(recent)), 3),
        "kept": round(len(kept) / max(1, len(recent)), 3),
        "good of those kept": round(sum(edits[at].good for at in kept) / max(1, len(kept)), 3),
    }
    return replace(learned, about=about)


def cross_validate(edits: Sequence[ReadEdit], fit: AcceptanceFit) -> list[float]:
    """Return how likely each edit is good by a regression that has seen no edit of its document."""
    documents = sorted({edit.document for edit in edits})
    random.Random(fit.seed).shuffle(documents)  # noqa: S311
    fold_of = {name: number % fit.folds for number, name in enumerate(documents)}
    chances = [0.0] * len(edits)
    for fold in range(fit.folds):
        others = [edit for edit in edits if fold_of[edit.document] != fold]
        learned = EditAcceptance(fit_weights(others, fit), fit.offered, fit.ruled, fit.unread, fit.doubtful)
        for at, edit in enumerate(edits):
            if fold_of[edit.document] == fold:
                chances[at] = learned.score(edit.inputs)
    return chances


def fit_weights(edits: Sequence[ReadEdit], fit: AcceptanceFit) -> dict[str, float]:
    """Return the weights of a logistic regression with an L2 penalty on all but the bias, by Adam on all edits."""
    import numpy as np

    names = _names(edits, fit.rarest)
    column = {name: number for number, name in enumerate(names)}
    table = np.zeros((len(edits), len(names)))
    for row, edit in enumerate(edits):
        for name, value in edit.inputs:
            if name in column:
                table[row, column[name]] = value
    good = np.array([edit.good for edit in edits], dtype=float)
    counts = np.array([1.0 if edit.draw >= fit.recent else fit.earlier for edit in edits])
    penalty = np.where(np.array(names) == "bias", 0.0, fit.penalty)
    weights = _minimize(table, good, counts, penalty, fit)
    return {
        name: round(float(weight), 4)
        for name, weight in zip(names, weights, strict=True)
        if abs(weight) >= fit.smallest
    }


def _names(edits: Sequence[ReadEdit], rarest: int) -> list[str]:
    seen: dict[str, int] = {}
    for edit in edits:
        for name, _ in edit.inputs:
            seen[name] = seen.get(name, 0) + 1
    return sorted(name for name, count in seen.items() if count >= rarest)


def _minimize(
    table: Numbers, good: Numbers, counts: Numbers, penalty: Numbers, fit: AcceptanceFit
) -> Numbers:
    import numpy as np

    weights: Numbers = np.zeros(table.shape[1])
    mean: Numbers = np.zeros_like(weights)
    square: Numbers = np.zeros_like(weights)
    for number in range(1, fit.rounds + 1):
        chance = 1 / (1 + np.exp(-np.clip(table @ weights, -30, 30)))
        slope = (table.T @ (counts * (chance - good)) + penalty * weights) / len(good)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope**2
        weights -= fit.step * (mean / (1 - 0.9**number)) / (np.sqrt(square / (1 - 0.99**number)) + 1e-8)
    return np.asarray(weights)
