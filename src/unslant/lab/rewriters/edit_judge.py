"""Fitting the judge of edits (``unslant.rewrite.edit_judge``): the classes of words and the regression.

Words are represented by how often each of the most frequent words comes right before and right after them, weighted by
pointwise mutual information, and clustered by k-means. Frequent words and punctuation marks are classes of their own.
"""

from __future__ import annotations

import json
import math
import random
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import ModelError
from unslant.lab import corpora
from unslant.lab.corpora.editor import EDITOR
from unslant.lab.rewriters.judged_edits import JudgedEdit, judged_edits, offered_by_document
from unslant.rewrite.edit_judge import EditJudge, features, load_judge, save_judge
from unslant.rewrite.word_order import EDGE, NAME, NUMBER, WordOrder, shape
from unslant.spec import Spec
from unslant.text.words import split_words

__all__ = [
    "ClassSettings",
    "JudgeFit",
    "collect_offered",
    "fit_judge",
    "fit_regression",
    "learn_word_order",
    "running_text",
]

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]


_ENDINGS = (4, 3, 2, 0)


@dataclass(frozen=True, slots=True)
class ClassSettings:
    """How many words and classes to learn."""

    words: int = 16_000
    """How many of the most frequent words get a class."""
    own: int = 170
    """How many of them are classes of their own."""
    neighbours: int = 400
    """How many of them serve as context features."""
    groups: int = 230
    """How many classes the other words share."""
    dimensions: int = 48
    rounds: int = 12
    rarest: int = 4
    """Rarer triples of classes are left out."""
    seed: int = 0


def learn_word_order(texts: Iterable[str], settings: ClassSettings | None = None) -> WordOrder:
    """Return the classes of the words of some sentences, and counts of the order in which classes occur."""
    chosen = settings or ClassSettings()
    sentences = [_forms(text) for text in texts]
    counts = Counter(form for sentence in sentences for form in sentence)
    frequent = [form for form, _ in counts.most_common(chosen.words)]
    fixed = [EDGE, NAME, NUMBER]
    fixed += [form for form in frequent if not form[0].isalnum() and form not in fixed]
    fixed += [form for form in frequent[: chosen.own] if form not in fixed]
    others = [form for form in frequent if form not in set(fixed)]
    groups = _group(sentences, frequent, others, chosen)
    classes = {form: number for number, form in enumerate(fixed)}
    classes |= {form: len(fixed) + group for form, group in zip(others, groups, strict=True)}
    endings = _endings(others, classes, counts)
    return _count(sentences, classes, endings, len(fixed) + chosen.groups, chosen.rarest)


def _forms(text: str) -> list[str]:
    words = split_words(text)
    return [EDGE, *(shape(words, at) for at in range(len(words))), EDGE]


def _group(
    sentences: Sequence[Sequence[str]],
    frequent: Sequence[str],
    others: Sequence[str],
    settings: ClassSettings,
) -> list[int]:
    """Return the cluster of each of the other words, by k-means on the directions of their context vectors."""
    import numpy as np

    width = settings.neighbours + 1
    column = {form: number for number, form in enumerate(frequent[: settings.neighbours])}
    row = {form: number for number, form in enumerate(others)}
    places = array("q")
    for sentence in sentences:
        for at in range(1, len(sentence) - 1):
            number = row.get(sentence[at])
            if number is not None:
                places.append(2 * number * width + column.get(sentence[at - 1], width - 1))
                places.append((2 * number + 1) * width + column.get(sentence[at + 1], width - 1))
    counted = np.bincount(np.frombuffer(places, dtype=np.int64), minlength=2 * width * len(others))
    table = counted.reshape(len(others), 2 * width).astype(np.float32)
    vectors = _directions(table, settings.dimensions)
    generator = np.random.default_rng(settings.seed)
    centres = vectors[generator.choice(len(vectors), settings.groups, replace=False)]
    nearest = np.zeros(len(vectors), dtype=np.int64)
    for _ in range(settings.rounds):
        nearest = (vectors @ centres.T).argmax(axis=1)
        for group in range(settings.groups):
            members = vectors[nearest == group]
            if len(members):
                mean = members.mean(axis=0)
                centres[group] = mean / max(float(np.linalg.norm(mean)), 1e-9)
    return [int(group) for group in nearest]


def _directions(table: Matrix, dimensions: int) -> Matrix:
    """Return unit vectors: positive pointwise mutual information, reduced to its main directions."""
    import numpy as np

    total = float(table.sum())
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / total
    with np.errstate(divide="ignore"):
        information = np.maximum(np.log(table / np.maximum(expected, 1e-9)), 0)
    _, axes = np.linalg.eigh(information.T @ information)
    reduced = information @ axes[:, -dimensions:]
    lengths = np.linalg.norm(reduced, axis=1, keepdims=True)
    return np.asarray(reduced / np.maximum(lengths, 1e-9), dtype=np.float32)


def _endings(others: Sequence[str], classes: Mapping[str, int], counts: Mapping[str, int]) -> dict[str, int]:
    """Return the most frequent class of rare words, by their ending."""
    rare = [form for form in others if form.isalpha()][len(others) // 3 :]
    found: dict[str, int] = {}
    for length in _ENDINGS:
        votes: dict[str, Counter[int]] = {}
        for form in rare:
            ending = form[-length:] if length else ""
            votes.setdefault(ending, Counter())[classes[form]] += min(counts[form], 50)
        for ending, vote in votes.items():
            if sum(vote.values()) >= 100:
                found[ending] = vote.most_common(1)[0][0]
    return found


def _count(
    sentences: Sequence[Sequence[str]],
    classes: Mapping[str, int],
    endings: Mapping[str, int],
    size: int,
    rarest: int,
) -> WordOrder:
    empty = WordOrder(classes, endings, size, array("I", [0] * size), array("I"), array("I"), array("I"))
    single, pairs = [0] * size, [0] * size**2
    triples: Counter[int] = Counter()
    known: dict[str, int] = {}
    for sentence in sentences:
        numbers = []
        for form in sentence:
            if form not in known:
                known[form] = empty.class_of(form)
            numbers.append(known[form])
        for at, now in enumerate(numbers):
            single[now] += 1
            if at:
                pairs[numbers[at - 1] * size + now] += 1
            if at > 1:
                triples[(numbers[at - 2] * size + numbers[at - 1]) * size + now] += 1
    kept = sorted((key, count) for key, count in triples.items() if count >= rarest)
    return WordOrder(
        classes,
        endings,
        size,
        array("I", single),
        array("I", pairs),
        array("I", [key for key, _ in kept]),
        array("I", [count for _, count in kept]),
    )


_BOUNDARY = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"\u201c])")
_ARTICLES = 3
"""The order of words is learned from one article in this many."""


@dataclass(frozen=True, slots=True)
class JudgeFit:
    """How the regression is fitted, and the thresholds of the judge."""

    rounds: int = 8
    step: float = 0.1
    penalty: float = 2e-5
    rarest: int = 3
    """Features that fewer edits have are left out."""
    smallest: float = 0.02
    """Weights closer to zero are left out."""
    offered: float = 0.53
    ruled: float = 0.4
    safe: float = 0.5
    seed: int = 0


def running_text(data: str | Path | None) -> Iterator[str]:
    """Yield sentences of news and of an encyclopedia, none from the parts that evaluations use."""
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
    """Return a judge fitted on everything but the development part and the documents set aside for calibration.

    ``spec`` says which rules and which model propose edits. Intermediate results are kept in the folder ``steps``, from
    which an interrupted run resumes.
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
    """Return the edits that unslant could offer, resuming an earlier run; an incomplete last line is dropped."""
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
    """Return the weights of a logistic regression with an L2 penalty, by AdaGrad; verdicts are balanced."""
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
