"""The model of edits: how likely a reader finds an edit good. One file, one digest, and no package to run it.

A logistic regression over :mod:`unslant.edits.features`, which include what the detector's network says of the words.
``unslant train edits`` fits it; the thresholds lie in ``policy.toml``, which the same command writes.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from unslant.core.errors import ModelError

FILE = "model.json"
_FORMAT = "unslant/edit-model/1"
_LIMIT = 30.0


@dataclass(frozen=True, slots=True)
class EditModel:
    """The weights of the regression."""

    weights: Mapping[str, float]
    about: Mapping[str, Any] = field(default_factory=dict)
    """What it was fitted on, and how well it ranked edits that it had not seen."""
    digest: str = ""
    """The SHA-256 of its file."""

    def probability(self, inputs: Mapping[str, float]) -> float:
        """Return how likely an edit is good, given its features."""
        known = self.weights
        total = sum(known.get(name, 0.0) * value for name, value in inputs.items())
        return 1 / (1 + math.exp(-max(-_LIMIT, min(_LIMIT, total))))


def save_model(model: EditModel, folder: Path) -> None:
    """Write the model as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    entry = {
        "format": _FORMAT,
        "about": dict(model.about),
        "weights": {name: round(value, 3) for name, value in sorted(model.weights.items())},
    }
    (folder / FILE).write_text(json.dumps(entry, indent=0, ensure_ascii=False) + "\n", "utf-8")


def load_model(folder: Path) -> EditModel:
    """Read the model of a folder; a ``ModelError`` names a file that cannot be used."""
    path = folder / FILE
    try:
        content = path.read_bytes()
        entry = json.loads(content)
        if entry["format"] != _FORMAT:
            raise ValueError(f"its format is {entry['format']!r}, not {_FORMAT!r}")
        weights = {str(name): float(value) for name, value in entry["weights"].items()}
        return EditModel(weights, dict(entry["about"]), hashlib.sha256(content).hexdigest())
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(f"the model of edits {path} cannot be read: {error}; reinstall unslant") from error


@lru_cache(1)
def shipped_model() -> EditModel:
    """Return the model that ships with unslant."""
    return load_model(Path(__file__).with_name("weights"))
