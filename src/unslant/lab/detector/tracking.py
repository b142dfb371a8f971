"""Trackers: where the figures of a training run go while it runs.

A tracker gets the settings of the run once, then figures by step. ``jsonl`` needs no package; the others need the
package of the same name. A run that is resumed goes on with the record that it began.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from unslant.core.errors import ConfigError, UnknownName


class Tracker(Protocol):
    """Records the figures of a run."""

    def log(self, step: int, figures: Mapping[str, float]) -> None:
        """Record figures at a step, counted from the beginning of the run."""
        ...

    def close(self) -> None:
        """Write what is still in memory; the run is over, or was stopped."""
        ...


class JsonLinesTracker:
    """Writes ``figures.jsonl`` to the folder of the run: one line for each step with figures."""

    def __init__(self, out: Path, _settings: Mapping[str, Any], step: int) -> None:
        self._path = out / "figures.jsonl"
        kept = []
        if step and self._path.is_file():
            # steps after the last checkpoint are made again
            kept = [line for line in self._path.read_text("utf-8").splitlines() if _step(line) <= step]
        self._path.write_text("".join(f"{line}\n" for line in kept), "utf-8")

    def log(self, step: int, figures: Mapping[str, float]) -> None:
        """Append a line."""
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"step": step, **figures}) + "\n")

    def close(self) -> None:
        """Do nothing: every line is written at once."""


def _step(line: str) -> float:
    """Return the step of a line; one that was cut off is left out."""
    try:
        return float(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError):
        return float("inf")


class _TensorBoard:
    """Writes event files to the folder ``tensorboard`` of the run."""

    def __init__(self, out: Path, settings: Mapping[str, Any], step: int) -> None:
        board = importlib.import_module("torch.utils.tensorboard")
        self._writer = board.SummaryWriter(str(out / "tensorboard"), purge_step=step + 1 if step else None)
        if not step:
            self._writer.add_text("recipe", f"```json\n{json.dumps(settings, indent=1)}\n```")

    def log(self, step: int, figures: Mapping[str, float]) -> None:
        for name, value in figures.items():
            self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        self._writer.close()


class _MlFlow:
    """Logs to the server or folder that ``MLFLOW_TRACKING_URI`` names."""

    def __init__(self, out: Path, settings: Mapping[str, Any], step: int) -> None:
        self._mlflow = importlib.import_module("mlflow")
        name = out / "mlflow-run.txt"
        known = name.read_text("utf-8").strip() if step and name.is_file() else None
        run = self._mlflow.start_run(run_id=known, run_name=None if known else out.name)
        name.write_text(run.info.run_id, "utf-8")
        if not known:
            self._mlflow.log_dict(dict(settings), "recipe.json")

    def log(self, step: int, figures: Mapping[str, float]) -> None:
        self._mlflow.log_metrics(dict(figures), step=step)

    def close(self) -> None:
        self._mlflow.end_run()


class _WandB:
    """Logs to Weights & Biases, or with ``WANDB_MODE=offline`` to the folder of the run."""

    def __init__(self, out: Path, settings: Mapping[str, Any], step: int) -> None:
        wandb = importlib.import_module("wandb")
        name = out / "wandb-run.txt"
        known = name.read_text("utf-8").strip() if step and name.is_file() else wandb.util.generate_id()
        name.write_text(known, "utf-8")
        self._run = wandb.init(dir=str(out), id=known, name=out.name, config=dict(settings), resume="allow")

    def log(self, step: int, figures: Mapping[str, float]) -> None:
        self._run.log(dict(figures), step=step)

    def close(self) -> None:
        self._run.finish()


TRACKERS: Mapping[str, Callable[[Path, Mapping[str, Any], int], Tracker]] = {
    "jsonl": JsonLinesTracker,
    "tensorboard": _TensorBoard,
    "mlflow": _MlFlow,
    "wandb": _WandB,
}
"""Trackers by name: built from the folder of the run, its settings, and the step from which it goes on."""


class _All:
    """Several trackers as one."""

    def __init__(self, trackers: Iterable[Tracker]) -> None:
        self._trackers = tuple(trackers)

    def log(self, step: int, figures: Mapping[str, float]) -> None:
        for tracker in self._trackers:
            tracker.log(step, figures)

    def close(self) -> None:
        for tracker in self._trackers:
            tracker.close()


def check_trackers(names: Iterable[str]) -> None:
    """Raise ``ConfigError`` for a tracker that is unknown or not installed, before anything is loaded or trained."""
    for name in names:
        if name not in TRACKERS:
            raise UnknownName("tracker", name, TRACKERS)
        if TRACKERS[name] is not JsonLinesTracker and find_spec(name) is None:
            raise ConfigError(f"--tracker {name} needs '{name}'; try: pip install {name}")


def open_trackers(names: Iterable[str], out: Path, settings: Mapping[str, Any], step: int) -> Tracker:
    """Return the trackers of these names as one."""
    return _All(TRACKERS[name](out, settings, step) for name in dict.fromkeys(names))
