"""What is measured: anything that says something of sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from unslant.core.errors import ConfigError
from unslant.core.example import LabelledSpan
from unslant.lab.evaluation.lineage import Lineage
from unslant.neural.checkpoint import shipped

__all__ = ["Prediction", "SentenceModel", "need", "open_models"]


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a model says of one sentence; what it does not judge stays empty."""

    slanted: bool = False
    probability: float | None = None
    """How likely it is slanted; None: the model only says yes or no."""
    spans: tuple[LabelledSpan, ...] = ()
    """The words that slant, in order, with their kind where it is known."""
    kinds: frozenset[str] = frozenset()
    kind_probabilities: Mapping[str, float] = field(default_factory=dict)
    dimension: str | None = None
    """Against whom; None: against nobody."""
    opinion: str | None = None
    """``factual``, ``mixed`` or ``opinion``."""

    @property
    def score(self) -> float:
        """By which sentences are ranked: the probability, or 1 and 0."""
        return float(self.slanted) if self.probability is None else self.probability


class SentenceModel(Protocol):
    """A model as evaluation sees it."""

    @property
    def name(self) -> str:
        """What the figures are shown under."""
        ...

    @property
    def lineage(self) -> Lineage:
        """What it learned from, and what its teachers and its encoder did."""
        ...

    @property
    def answers(self) -> frozenset[str]:
        """What it judges: some of ``sentence``, ``probability``, ``spans``, ``kinds``, ``dimension``, ``opinion``."""
        ...

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:
        """Return one prediction per text, in order.

        Corpora ask different questions by the same name; a model that keeps them apart answers as it learned from
        the corpus that is named.
        """
        ...


def need(model: SentenceModel, answer: str, task: str) -> None:
    """Raise where a model does not judge what a task measures."""
    if answer not in model.answers:
        raise ConfigError(
            f"{model.name}: gives no {_WORDS[answer]}, which {task!r} measures; name another model"
        )


_WORDS = {
    "sentence": "verdict on a sentence",
    "probability": "probability",
    "spans": "spans",
    "kinds": "kinds",
    "dimension": "dimension",
    "opinion": "judgement of opinion and fact",
}


def open_models(name: str) -> list[SentenceModel]:
    """Return the model that a name or folder stands for; several, where it holds the folds of a cross-validation.

    ``rules`` is the rules alone, ``default`` the model that ships; a folder is a run of ``unslant train``, the model
    in it, its package, or a folder of such runs.
    """
    if name == "rules":
        from unslant.lab.evaluation.rule_model import RuleModel

        return [RuleModel()]
    folder = shipped() if name == "default" else Path(name)
    if folder is None or not folder.is_dir():
        what = "this build of unslant has none" if name == "default" else "no such model"
        raise ConfigError(f"{name}: {what}; name 'rules' or the folder of a trained model")
    found = _model(folder)
    if found is not None:
        return [found]
    folds = [one for path in sorted(folder.iterdir()) if path.is_dir() and (one := _model(path))]
    if not folds:
        raise ConfigError(f"{name}: holds no model; 'unslant train detector RECIPE --output DIR' makes one")
    return folds


def _model(folder: Path) -> SentenceModel | None:
    if (folder / "model.json").is_file():
        from unslant.lab.evaluation.package_model import PackageModel

        return PackageModel(folder)
    for place in (folder, folder / "model"):
        if (place / "network.json").is_file():
            from unslant.lab.evaluation.run_model import RunModel

            return RunModel(place)
    return None
