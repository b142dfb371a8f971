"""An exported package (one ONNX graph, int8 or not), run as the product runs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.lab.evaluation.lineage import Lineage, read_lineage
from unslant.lab.evaluation.model import Prediction
from unslant.lab.evaluation.reading import Head, Pieces, answered, choose, read
from unslant.neural.checkpoint import Package, load_package

if TYPE_CHECKING:
    from unslant.neural.network import Network

__all__ = ["PackageModel"]


class PackageModel:
    """A package as ``unslant train detector --export`` writes it; it is loaded when it is first asked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def name(self) -> str:
        """The folder; that of the run, where the package lies in it."""
        folder = self._folder
        return f"{folder.parent.name}/{folder.name}" if folder.name == "package" else folder.name

    @cached_property
    def lineage(self) -> Lineage:
        """What it learned from."""
        return read_lineage(self._folder)

    @cached_property
    def answers(self) -> frozenset[str]:
        """What its heads judge."""
        return answered(self._heads)

    @cached_property
    def _package(self) -> Package:
        package = load_package(self._folder)
        package.verify()
        return package

    @cached_property
    def _heads(self) -> dict[str, Head]:
        plans: Mapping[str, Mapping[str, Any]] = self._package.card().get("recipe", {}).get("heads", {})
        found = {}
        for name, head in self._package.heads.items():
            plan = plans.get(name, {})
            found[name] = Head(
                head.type,
                head.labels,
                tuple(plan.get("corpora", ())),
                head.decision,
                plan.get("options", {}),
            )
        return found

    @cached_property
    def _network(self) -> Network:
        from unslant.neural.network import Network

        return Network(self._package)

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:
        """Read the texts as the product does, and answer with the heads for the corpus."""
        chosen = choose(self._heads, corpus)
        return self._network.map(lambda text: self._read(text, chosen), texts)

    def _read(self, text: str, chosen: Mapping[str, str]) -> Prediction:
        import numpy as np

        reading = self._network.read(text)
        logits = {
            name: np.asarray(
                reading.text_logits[name] if name in reading.text_logits else reading.subword_logits[name]
            )
            for name in chosen.values()
        }
        normalized = reading.normalized
        found = read(self._heads, chosen, Pieces(normalized.text, reading.offsets, logits))
        spans = tuple(replace(one, span=normalized.back(one.span)) for one in found.spans)
        return replace(found, spans=spans)
