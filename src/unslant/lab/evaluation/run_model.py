"""A trained network, in full precision, as evaluation sees it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import MissingExtra
from unslant.core.example import Example
from unslant.lab.evaluation.lineage import Lineage, read_lineage
from unslant.lab.evaluation.model import Prediction
from unslant.lab.evaluation.reading import Head, Pieces, answered, choose, read

if TYPE_CHECKING:
    from unslant.lab.detector.network import Trained

__all__ = ["RunModel"]


class RunModel:
    """The model of a run of ``unslant train``; it is loaded when it is first asked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def name(self) -> str:
        """The folder of the run."""
        return self._folder.parent.name if self._folder.name == "model" else self._folder.name

    @cached_property
    def lineage(self) -> Lineage:
        """What it learned from."""
        return read_lineage(self._folder)

    @cached_property
    def answers(self) -> frozenset[str]:
        """What its heads judge."""
        return answered(self._heads)

    @cached_property
    def _trained(self) -> Trained:
        try:
            from unslant.lab.detector.network import load_trained
        except ModuleNotFoundError as error:
            raise MissingExtra("a trained network", error.name or "torch", "train") from error
        return load_trained(self._folder)

    @cached_property
    def _heads(self) -> dict[str, Head]:
        network = self._trained.network
        found = {}
        for name, plan in network.plan.heads.items():
            module: Any = network.heads[name]
            decision = self._trained.decisions.get(name, {})
            found[name] = Head(plan.type, tuple(module.labels), plan.corpora, decision, plan.options)
        return found

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:
        """Run the network over the texts."""
        from unslant.lab.detector.predict import encode_for, predict
        from unslant.lab.detector.recipe import Part
        from unslant.lab.detector.rows import Sample

        part = Part("evaluation")
        samples = [
            Sample(Example(str(at), text, "evaluation", ""), part, "") for at, text in enumerate(texts)
        ]
        rows = encode_for(self._trained, samples)
        outputs = predict(self._trained, rows)
        chosen = choose(self._heads, corpus)
        return [
            read(
                self._heads,
                chosen,
                Pieces(row.text, row.offsets, {name: outputs[name][at].numpy() for name in chosen.values()}),
            )
            for at, row in enumerate(rows)
        ]
