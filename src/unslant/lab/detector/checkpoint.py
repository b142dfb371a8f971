"""Checkpoints: the state of a run on disk, from which an interrupted run resumes.

``state.json`` names the folder with the tensors and is replaced atomically, so there is always a complete checkpoint.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from torch import Tensor

from unslant.core.errors import ConfigError, InputError
from unslant.core.files import read_json


@dataclass
class RunState:
    """The progress of a run."""

    digest: str
    """The digest of the recipe; a run can only be resumed with the same recipe."""
    stage: int = 0
    epoch: int = 0
    """Completed epochs of the stage."""
    step: int = 0
    """Completed steps of the epoch."""
    best: float | None = None
    """The best score of the stage."""
    waited: int = 0
    """Epochs since the best score."""
    decisions: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Calibration and thresholds of the best epoch."""
    history: list[dict[str, Any]] = field(default_factory=list)
    """One entry per epoch: stage, epoch, loss, metrics, seconds."""
    seconds: float = 0.0
    """Total training time, without interruptions."""
    stage_seconds: float = 0.0
    """The time that the steps of the stage have taken."""
    tensors: str | None = None
    """The folder with the weights and the state of the optimizer."""
    best_weights: str | None = None
    """The file with the best weights of the stage."""
    number: int = 0
    """The number of this checkpoint."""
    total_steps: int = 0
    """Completed steps of all stages."""

    def begin(self, stage: int) -> None:
        """Go on to another stage."""
        self.stage, self.epoch, self.step, self.best, self.waited = stage, 0, 0, None, 0
        self.tensors, self.best_weights, self.stage_seconds = None, None, 0.0


def open_run(recipe: Any, out: Path, digest: str, *, resume: bool, keep: str = "state.json") -> RunState:
    """Begin a run, or with ``resume`` go on with the one in the folder, which must be of the same recipe.

    Without ``resume``, nothing may be there: neither the state of a run nor what ``keep`` names.
    """
    state = load_state(out)
    if (state is not None or (out / keep).exists()) and not resume:
        raise ConfigError(f"{out} already contains a run; add --resume to continue it, or use another folder")
    if state is not None and state.digest != digest:
        raise ConfigError(f"{out} contains a run of another recipe; use another folder")
    out.mkdir(parents=True, exist_ok=True)
    (out / "recipe.json").write_text(json.dumps(asdict(recipe), indent=1) + "\n", "utf-8")
    return state or RunState(digest)


def load_state(out: Path) -> RunState | None:
    """Read the state of a run; None if there is none."""
    path = out / "state.json"
    if not path.is_file():
        return None
    try:
        return RunState(**read_json(path))
    except (InputError, TypeError):
        raise ConfigError(f"{path}: is not a checkpoint; delete the folder to start over") from None


def save_state(out: Path, state: RunState, tensors: dict[str, dict[str, Tensor]] | None = None) -> None:
    """Write tensors, then the state that names them, then delete older files."""
    from safetensors.torch import save_file

    out.mkdir(parents=True, exist_ok=True)
    state.number += 1
    if tensors is not None:
        folder = out / f"checkpoint-{state.number}"
        folder.mkdir(exist_ok=True)
        for name, values in tensors.items():
            save_file(values, folder / f"{name}.safetensors")
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


def load_tensors(out: Path, state: RunState, name: str) -> dict[str, Tensor] | None:
    """Read tensors of the checkpoint; None if it has none of that name."""
    from safetensors.torch import load_file

    path = out / (state.tensors or "") / f"{name}.safetensors"
    return load_file(path) if state.tensors and path.is_file() else None
