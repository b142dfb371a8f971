"""What all trained judges share: weights of articles, cross-validation folds, and the fit itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from unslant.core.example import Example
from unslant.lab.corpora.outlets import normalize_outlet
from unslant.lab.judges.judge import JudgeError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

TABLE_SIZE = 1 << 17
"""The rows of a linear judge's table, unless the settings say otherwise."""
_STEEPEST = 1.5
"""The log of the largest scale; without a limit, probabilities for separable sides would go to 0 and 1."""


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How a judge is trained."""

    penalties: tuple[float, ...] = (3e-5, 1e-4, 3e-4)
    """L2 penalties to try on held-out outlets."""
    folds: int = 5
    """The number of cross-validation folds."""
    by_outlet: bool = True
    """Hold out whole outlets and weight them by the root of their size; False: weight all articles equally, for a
    random split."""
    min_count: int = 3
    """The number of texts that must contain a word for it to count."""
    mask_sides: bool = True
    """Whether to hide the names of the sides; see ``judge.mask_sides``."""
    size: int = TABLE_SIZE
    """The rows of the table that a linear judge hashes words into."""


JudgeT = TypeVar("JudgeT")


@dataclass(frozen=True, slots=True)
class TrainedJudge(Generic[JudgeT]):
    """A judge, and what its training found."""

    judge: JudgeT
    penalty: float
    losses: dict[float, float]
    """The mean log loss on held-out articles, for each penalty."""
    texts: int
    outlets: int


@dataclass(frozen=True, slots=True)
class Articles:
    """Articles of the left and the right, with what fitting needs to know about them."""

    examples: Sequence[Example]
    labels: Numbers
    """(articles): 1 for the right, 0 for the left."""
    outlets: Sequence[str]
    settings: JudgeSettings

    @classmethod
    def of(cls, examples: Sequence[Example], settings: JudgeSettings) -> Articles:
        """Select the articles of the left and the right."""
        import numpy as np

        examples = select_sided(examples)
        if len({example.leaning for example in examples}) < 2:
            raise JudgeError("a judge needs articles of both sides, but one side has none")
        labels = np.array([example.leaning == "right" for example in examples], dtype=np.float64)
        return cls(
            examples, labels, [normalize_outlet(example.outlet or "") for example in examples], settings
        )

    def weights(self, places: NDArray[np.intp] | None = None) -> Numbers:
        """Return the weights of all articles, or of those at some indices; both sides have the same total weight."""
        import numpy as np

        outlets = self.outlets if places is None else [self.outlets[at] for at in places]
        labels = self.labels if places is None else self.labels[places]
        sizes = Counter(outlets)
        weights = np.array([sizes[name] ** -0.5 if self.settings.by_outlet else 1.0 for name in outlets])
        for side in (0, 1):
            weights[labels == side] /= weights[labels == side].sum()
        return weights / weights.sum()

    def folds(self) -> NDArray[np.intp]:
        """Return the fold of each article; an outlet is in one fold, and both sides are spread evenly."""
        import numpy as np

        count = self.settings.folds
        if not self.settings.by_outlet:
            return np.random.default_rng(0).permutation(len(self.outlets)) % count
        sizes = Counter(zip(self.outlets, self.labels, strict=True))
        loads: dict[tuple[int, float], int] = Counter()
        folds: dict[str, int] = {}
        for (name, side), size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
            fold = folds.get(name, min(range(count), key=lambda fold: loads[fold, side]))
            folds[name] = fold
            loads[fold, side] += size
        return np.array([folds[name] for name in self.outlets])


def select_sided(examples: Sequence[Example]) -> list[Example]:
    """Return the examples of the left and the right."""
    return [example for example in examples if example.leaning in ("left", "right")]


Predict: TypeAlias = "Callable[[NDArray[np.intp], NDArray[np.intp], float], Numbers]"
"""From training articles, held-out articles and a penalty to the logits of the held-out ones."""


def choose_penalty(articles: Articles, predict: Predict) -> tuple[float, dict[float, float], float, float]:
    """Return the best penalty by cross-validation, the losses of all, and the scale and offset of Platt scaling."""
    import numpy as np

    weights, folds = articles.weights(), articles.folds()
    losses: dict[float, float] = {}
    scaling: dict[float, tuple[float, float]] = {}
    for penalty in articles.settings.penalties:
        logits = np.zeros(len(articles.labels))
        for fold in range(articles.settings.folds):
            inside, outside = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            if len(outside) and len(set(articles.labels[inside])) == 2:
                logits[outside] = predict(inside, outside, penalty)
        scale, offset = scaling[penalty] = _fit_platt(logits, articles.labels, weights)
        losses[penalty] = _log_loss(logits * scale + offset, articles.labels, weights)
    best = min(losses, key=losses.__getitem__)
    return best, losses, *scaling[best]


def fit_logistic(matrix: Any, labels: Numbers, weights: Numbers, penalty: float) -> Numbers:
    """Return the coefficients w that minimize Σ weight · log(1 + exp(-y·(x·w + b))) + penalty / 2 · |w|².

    The intercept b is dropped, because Platt scaling fits it again.
    """
    import numpy as np
    from scipy.optimize import minimize

    def objective(parameters: Numbers) -> tuple[float, Numbers]:
        coefficients, bias = parameters[:-1], parameters[-1]
        logits = matrix @ coefficients + bias
        gap = weights * (0.5 + 0.5 * np.tanh(logits / 2) - labels)
        total = _log_loss(logits, labels, weights) + penalty / 2 * float(coefficients @ coefficients)
        return total, np.append(matrix.T @ gap + penalty * coefficients, gap.sum())

    start = np.zeros(matrix.shape[1] + 1)
    found = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 80})
    coefficients: Numbers = found.x[:-1]
    return coefficients


def fit_softmax(matrix: Numbers, labels: NDArray[np.intp], penalty: float) -> Numbers:
    """Return the coefficients, (classes, width), that minimize the log loss + penalty / 2 · |w|².

    All classes have the same total weight. The last column of the matrix is the constant, whose coefficients are not
    penalized.
    """
    import numpy as np
    from scipy.optimize import minimize

    counts = np.bincount(labels)
    weights = 1 / (len(counts) * counts[labels])
    wanted = np.eye(len(counts))[labels]
    penalties = np.append(np.full(matrix.shape[1] - 1, penalty), 0.0)

    def objective(parameters: Numbers) -> tuple[float, Numbers]:
        head = parameters.reshape(len(counts), -1)
        logs = _log_softmax(matrix @ head.T)
        slopes = ((np.exp(logs) - wanted) * weights[:, None]).T @ matrix + penalties * head
        total = -(weights @ logs[range(len(labels)), labels]) + float((penalties * head**2).sum()) / 2
        return float(total), slopes.ravel()

    start = np.zeros(len(counts) * matrix.shape[1])
    found: Numbers = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
    return found.reshape(len(counts), -1)


def softmax_loss(matrix: Numbers, labels: NDArray[np.intp], head: Numbers) -> float:
    """Return the mean log loss of a fitted head; log(classes) is chance."""
    return -float(_log_softmax(matrix @ head.T)[range(len(labels)), labels].mean())


def _log_softmax(logits: Numbers) -> Numbers:
    import numpy as np

    return np.asarray(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))


def _fit_platt(logits: Numbers, labels: Numbers, weights: Numbers) -> tuple[float, float]:
    """Return the scale, at least 0, and the offset that turn logits into calibrated ones (Platt scaling)."""
    import numpy as np
    from scipy.optimize import minimize

    spread = float(logits.std()) or 1.0

    def objective(parameters: Numbers) -> float:
        scaled = np.exp(min(parameters[0], _STEEPEST)) * logits / spread + parameters[1]
        return _log_loss(scaled, labels, weights)

    found = minimize(objective, np.zeros(2), method="Nelder-Mead").x
    return float(np.exp(min(found[0], _STEEPEST)) / spread), float(found[1])


def _log_loss(logits: Numbers, labels: Numbers, weights: Numbers) -> float:
    """The weighted mean log loss, Σ weight · (log(1 + exp(z)) - y · z); 0 is best, log 2 is chance."""
    import numpy as np

    return float((weights * (np.logaddexp(0, logits) - labels * logits)).sum())
