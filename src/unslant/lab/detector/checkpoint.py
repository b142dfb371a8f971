"""Where a run stands, on disk, so that a killed run goes on as if nothing had happened.

``state.json`` names the folder with the tensors and is replaced in one move, so there is always one whole checkpoint.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from torch import Tensor

from unslant.core.errors import ConfigError

__all__ = ["State", "load_state", "load_tensors", "save_state"]


@dataclass
class State:
    """How far a run has come."""

    digest: str
    """Of the recipe: another recipe cannot go on from here."""
    stage: int = 0
    epoch: int = 0
    """Epochs of the stage that are done."""
    step: int = 0
    """Steps of the epoch that are done."""
    best: float | None = None
    """The best score of the stage."""
    waited: int = 0
    """Epochs since then."""
    decisions: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Calibration and thresholds of the best epoch."""
    history: list[dict[str, Any]] = field(default_factory=list)
    """One entry per epoch: stage, epoch, loss, figures, seconds."""
    seconds: float = 0.0
    """Time spent, over all interruptions."""
    tensors: str | None = None
    """The folder that holds weights and the optimizer's memory."""
    best_weights: str | None = None
    """The file that holds the best weights of the stage."""
    number: int = 0
    """Of this checkpoint."""


def load_state(out: Path) -> State | None:
    """Read where a run stands; None where there is none."""
    path = out / "state.json"
    if not path.is_file():
        return None
    try:
        return State(**json.loads(path.read_text("utf-8")))
    except (ValueError, TypeError):
        raise ConfigError(
            f"{path}: cannot be read as a checkpoint; remove the folder to begin anew"
        ) from None


def save_state(out: Path, state: State, tensors: dict[str, dict[str, Tensor]] | None = None) -> None:
    """Write tensors, then the state that names them, then remove what no state names any more."""
    from safetensors.torch import save_file

    out.mkdir(parents=True, exist_ok=True)
    state.number += 1
    if tensors is not None:
        folder = out / f"checkpoint-{state.number}"
        folder.mkdir(exist_ok=True)
        for name, some in tensors.items():
            save_file(some, folder / f"{name}.safetensors")
        state.tensors = folder.name
    temporary = out / "state.json.new"
    temporary.write_text(json.dumps(asdict(state), indent=1) + "\n", "utf-8")
    os.replace(temporary, out / "state.json")  # noqa: PTH105
    for old in out.glob("checkpoint-*"):
        if old.name != state.tensors:
            shutil.rmtree(old)
    for old in out.glob("best-*.safetensors"):
        if old.name != state.best_weights:
            old.unlink()


def load_tensors(out: Path, state: State, name: str) -> dict[str, Tensor] | None:
    """Read tensors of the checkpoint; None where it has none of that name."""
    from safetensors.torch import load_file

    path = out / (state.tensors or "") / f"{name}.safetensors"
    return load_file(path) if state.tensors and path.is_file() else None
