"""A BiLSTM-CNN-CRF as a model to measure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from unslant.core.errors import MissingExtra
from unslant.lab.evaluation.held_out import Lineage, read_lineage
from unslant.neural.decoder import PredictedSpan, Prediction

if TYPE_CHECKING:
    from unslant.lab.detector.bilstm_run import TrainedTagger

__all__ = ["TaggerModel"]


class TaggerModel:
    """The tagger in a folder of ``unslant train tagger``; a text with a marked span is slanted."""

    heads = ""
    answers = frozenset({"sentence", "spans"})

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.name = folder.name

    @cached_property
    def lineage(self) -> Lineage:
        """What it learned from."""
        return read_lineage(self._folder)

    @cached_property
    def _tagger(self) -> TrainedTagger:
        try:
            from unslant.lab.detector.bilstm_run import load_tagger
        except ModuleNotFoundError as error:
            raise MissingExtra("a trained tagger", error.name or "torch", "train") from error
        return load_tagger(self._folder)

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:  # noqa: ARG002
        """Tag every text."""
        return [
            Prediction(slanted=bool(spans), spans=tuple(map(PredictedSpan, spans)))
            for spans in self._tagger.spans(texts)
        ]
