"""Fitting the judge of edits (``unslant.rewrite.edit_judge``): the classes of words and the regression."""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from unslant.core.errors import ModelError
from unslant.lab import corpora
from unslant.lab.corpora.editor import EDITOR
from unslant.lab.rewriters.judged_edits import JudgedEdit, judged_edits, offered_by_document
from unslant.lab.rewriters.word_classes import learn_word_order
from unslant.rewrite.edit_judge import EditJudge, features, load_judge, save_judge
from unslant.rewrite.word_order import WordOrder
from unslant.spec import Spec

__all__ = ["JudgeFit", "collect_offered", "fit_judge", "fit_regression", "running_text"]

_BOUNDARY = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"\u201c])")
_ARTICLES = 3
"""One article in this many is read for the order of words."""


@dataclass(frozen=True, slots=True)
class JudgeFit:
    """How the regression is fitted, and the thresholds of the judge."""

    rounds: int = 8
    step: float = 0.1
    penalty: float = 2e-5
    rarest: int = 3
    """Inputs that fewer edits have are left out."""
    smallest: float = 0.02
    """Weights closer to zero are left out."""
    offered: float = 0.53
    ruled: float = 0.4
    safe: float = 0.5
    seed: int = 0


def running_text(data: str | Path | None) -> Iterator[str]:
    """Yield sentences of news and of an encyclopedia; nothing of the parts that figures are measured on."""
    for example in corpora.load(EDITOR, data):
        if example.split == "train":
            yield example.text
    for number, example in enumerate(corpora.load("allsides", data)):
        if number % _ARTICLES == 0:
            yield from _BOUNDARY.split(example.text)
    for example in corpora.load("weasel", data):
        yield example.text
    for example in corpora.load("npov/all", data):
        if example.side == "target":
            yield example.text


def fit_judge(
    data: str | Path | None,
    spec: Spec,
    fit: JudgeFit,
    steps: Path,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> EditJudge:
    """Return a judge fitted on everything but the development part and the documents kept for calibration.

    ``spec`` says which rules and which model propose edits. What takes long is kept in the folder ``steps``, so that a
    run that was interrupted goes on where it stopped.
    """
    progress("steps", 0, 3)
    order = _word_order(data, steps / "word-order")
    progress("steps", 1, 3)
    edits = [edit for edit in judged_edits(data, fit.seed) if edit.part == "train"]
    edits += collect_offered(data, spec, steps / "offered.jsonl")
    progress("steps", 2, 3)
    weights = fit_regression(order, edits, fit)
    progress("steps", 3, 3)
    about: dict[str, Any] = {
        "edits": len(edits),
        "good": sum(edit.good for edit in edits),
        "sources": dict(Counter(edit.source for edit in edits)),
        "classes": order.size,
        "weights": len(weights),
    }
    return EditJudge(order, weights, fit.offered, fit.ruled, fit.safe, about)


def _word_order(data: str | Path | None, folder: Path) -> WordOrder:
    """Learn the order of words, or read what an earlier run learned."""
    try:
        return load_judge(folder).order
    except ModelError:
        order = learn_word_order(running_text(data))
        save_judge(EditJudge(order, {}, 0.0, 0.0, 0.0, {}), folder)
        return order


def collect_offered(data: str | Path | None, spec: Spec, path: Path) -> list[JudgedEdit]:
    """Return the edits that unslant could offer, those of an earlier run among them; a torn last line is dropped."""
    known: dict[str, list[JudgedEdit]] = {}
    if path.exists():
        whole, _, _ = path.read_text("utf-8").rpartition("\n")
        for line in filter(None, whole.split("\n")):
            entry = json.loads(line)
            known[entry["document"]] = [JudgedEdit(**edit) for edit in entry["edits"]]
        path.write_text(whole + "\n" if whole else "", "utf-8")
    with path.open("a", encoding="utf-8") as file:
        for document, edits in offered_by_document(data, spec, "train", known):
            known[document] = edits
            file.write(json.dumps({"document": document, "edits": [asdict(edit) for edit in edits]}) + "\n")
            file.flush()
    return [edit for edits in known.values() for edit in edits]


def fit_regression(order: WordOrder, edits: Sequence[JudgedEdit], fit: JudgeFit) -> dict[str, float]:
    """Return the weights of a logistic regression with an L2 penalty, by AdaGrad; both verdicts weigh the same."""
    inputs = [features(order, edit.before, edit.after) for edit in edits]
    seen = Counter(name for found in inputs for name, _ in found)
    rows = [[(name, value) for name, value in found if seen[name] >= fit.rarest] for found in inputs]
    mass = {good: sum(edit.weight for edit in edits if edit.good == good) for good in (True, False)}
    total = sum(mass.values())
    weights: dict[str, float] = dict.fromkeys((name for row in rows for name, _ in row), 0.0)
    squares = dict.fromkeys(weights, 1e-2)
    generator = random.Random(fit.seed)  # noqa: S311
    places = list(range(len(rows)))
    for _ in range(fit.rounds):
        generator.shuffle(places)
        for place in places:
            edit, row = edits[place], rows[place]
            logit = sum(weights[name] * value for name, value in row)
            chance = 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))
            pull = (float(edit.good) - chance) * edit.weight * total / (2 * mass[edit.good])
            for name, value in row:
                slope = pull * value - fit.penalty * len(row) * weights[name]
                squares[name] += slope * slope
                weights[name] += fit.step * slope / math.sqrt(squares[name])
    return {name: round(weight, 3) for name, weight in weights.items() if abs(weight) >= fit.smallest}
