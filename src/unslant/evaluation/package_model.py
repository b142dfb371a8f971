"""An exported package (one ONNX graph, int8 or not) as evaluation sees it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from unslant.core.errors import ConfigError, MissingExtra
from unslant.evaluation.lineage import Lineage, read_lineage
from unslant.evaluation.model import Prediction
from unslant.evaluation.reading import Head, Pieces, answered, choose, read

__all__ = ["PackageModel"]

_BATCH = 32


class PackageModel:
    """A package as ``unslant train --export`` writes it; it is loaded when it is first asked."""

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
    def _about(self) -> dict[str, Any]:
        try:
            about: dict[str, Any] = json.loads((self._folder / "model.json").read_text("utf-8"))
            for name, digest in about["files"].items():
                if hashlib.sha256((self._folder / name).read_bytes()).hexdigest() != digest:
                    raise ConfigError(f"{self._folder / name}: damaged or changed; export the model again")
        except (OSError, ValueError, KeyError, AttributeError):
            raise ConfigError(f"{self._folder}: not a whole package; export the model again") from None
        return about

    @cached_property
    def _heads(self) -> dict[str, Head]:
        card = self._folder / "card.json"
        recipe = json.loads(card.read_text("utf-8"))["recipe"] if card.is_file() else {"heads": {}}
        return {
            name: Head(
                head["type"],
                tuple(head["labels"]),
                tuple(recipe["heads"].get(name, {}).get("corpora", ())),
                head["decision"],
                head["options"],
            )
            for name, head in self._about["heads"].items()
        }

    @cached_property
    def _parts(self) -> tuple[Any, Any]:
        about = self._about
        try:
            import onnxruntime
            import tokenizers
        except ModuleNotFoundError as error:
            raise MissingExtra("a package", error.name or "onnxruntime", "train") from error
        if about["features"]:
            raise ConfigError(
                f"{self.name}: its network wants linguistic features; measure the run it was made of"
            )
        tokenizer = tokenizers.Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.enable_truncation(about["max_length"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        return onnxruntime.InferenceSession(str(self._folder / "model.onnx"), options), tokenizer

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:
        """Run the graph over the texts, those of like length together."""
        chosen = choose(self._heads, corpus)
        _, tokenizer = self._parts
        prefix = self._about["prefix"]
        encoded = tokenizer.encode_batch([prefix + text for text in texts])
        order = sorted(range(len(texts)), key=lambda at: len(encoded[at].ids))
        found: list[Any] = [None] * len(texts)
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            rows = self._run([encoded[at] for at in places], list(chosen.values()))
            for at, logits in zip(places, rows, strict=True):
                offsets = [
                    (max(first - len(prefix), 0), max(last - len(prefix), 0))
                    for first, last in encoded[at].offsets
                ]
                found[at] = read(self._heads, chosen, Pieces(texts[at], offsets, logits))
        return found

    def _run(self, rows: Sequence[Any], heads: Sequence[str]) -> Iterator[dict[str, Any]]:
        import numpy as np

        length = max(len(row.ids) for row in rows)
        ids = np.full((len(rows), length), self._about["padding"], dtype=np.int64)
        mask = np.zeros_like(ids)
        for at, row in enumerate(rows):
            ids[at, : len(row.ids)] = row.ids
            mask[at, : len(row.ids)] = 1
        session, _ = self._parts
        outputs = dict(
            zip(heads, session.run(heads, {"input_ids": ids, "attention_mask": mask}), strict=True)
        )
        for at, row in enumerate(rows):
            yield {
                name: values[at, : len(row.ids)]
                if self._about["heads"][name]["level"] == "piece"
                else values[at]
                for name, values in outputs.items()
            }
