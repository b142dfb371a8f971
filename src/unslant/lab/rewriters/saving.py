"""A trained rewriter as a folder: ``rewriter.json``, weights as safetensors with their digest, and its words.

A pretrained model keeps the files that transformers writes. No pickle is written or read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from unslant.core.errors import ModelError
from unslant.lab.corpora.dataset import digest
from unslant.lab.detector.recipe import build
from unslant.lab.rewriters.detector import Detector
from unslant.lab.rewriters.editor import Editor, EditorPlan
from unslant.lab.rewriters.pretrained import Pretrained, load_pretrained
from unslant.lab.rewriters.recipe import RewriterRecipe
from unslant.lab.rewriters.systems import Scratch, System
from unslant.lab.rewriters.words import Vocabulary

__all__ = ["SCHEMA", "load_system", "read_plan", "save_system", "weights_of"]

SCHEMA = "unslant/rewriter/1"
_WEIGHTS = "model.safetensors"
_DETECTOR = "detector"


def weights_of(module: nn.Module) -> dict[str, Tensor]:
    """Return a copy of all weights; tensors that share memory are written out each on their own."""
    return {name: one.detach().clone().contiguous() for name, one in module.state_dict().items()}


def save_system(system: System | None, recipe: RewriterRecipe, folder: Path) -> None:
    """Write a system and what is needed to use it; None: the system that copies its source."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    plan: dict[str, Any] = {
        "schema": SCHEMA,
        "system": recipe.system,
        "beam": recipe.beam,
        "length_penalty": recipe.length_penalty,
        "prefix": recipe.prefix,
        "max_length": recipe.max_length,
    }
    if isinstance(system, Pretrained):
        system.model.save_pretrained(folder)
        system.tokenizer.save_pretrained(folder)
    elif isinstance(system, Scratch):
        plan["editor"] = asdict(system.editor.plan)
        plan["words"] = list(system.vocabulary.words)
        if system.detector is not None:
            plan["detector"] = {"features": list(system.detector.features), "encoder": False}
            if system.detector.encoder is not None:
                plan["detector"]["encoder"] = True
                system.detector.encoder.config.save_pretrained(folder / _DETECTOR)  # type: ignore[union-attr,operator]
                system.detector.tokenizer.save_pretrained(folder / _DETECTOR)
        save_file(weights_of(system.module), folder / _WEIGHTS)
    plan["files"] = {one.name: digest(one) for one in sorted(folder.glob("*.safetensors"))}
    (folder / "rewriter.json").write_text(json.dumps(plan, ensure_ascii=False, indent=1) + "\n", "utf-8")


def read_plan(folder: Path) -> dict[str, Any]:
    """Read ``rewriter.json``, and check that the weights are those that were written with it."""
    path = folder / "rewriter.json"
    try:
        plan: dict[str, Any] = json.loads(path.read_text("utf-8"))
        files: Mapping[str, str] = plan["files"]
        good = plan["schema"] == SCHEMA and isinstance(plan["system"], str) and isinstance(files, dict)
    except FileNotFoundError:
        raise ModelError(
            f"{folder}: holds no rewriter; 'unslant train rewriter RECIPE --output DIR' makes one"
        ) from None
    except (ValueError, KeyError, TypeError):
        good = False
    if not good:
        raise ModelError(f"{path}: cannot be read as a rewriter of this version; train it again")
    for name, wanted in files.items():
        if not (folder / name).is_file() or digest(folder / name) != wanted:
            raise ModelError(
                f"{folder / name}: missing or not the file that was written; train or copy it again"
            )
    return plan


def load_system(folder: Path) -> tuple[System | None, dict[str, Any]]:
    """Return a trained system, None for the one that copies, and its plan."""
    plan = read_plan(folder)
    if plan["system"] == "copy":
        return None, plan
    if plan["system"] == "pretrained":
        return load_pretrained(folder, plan["prefix"], plan["max_length"]), plan
    try:
        system = _rebuilt(folder, plan)
    except (KeyError, TypeError, RuntimeError, AttributeError):
        raise ModelError(f"{folder}: weights and description do not fit each other; train it again") from None
    return system, plan


def _rebuilt(folder: Path, plan: Mapping[str, Any]) -> Scratch:
    from safetensors.torch import load_file

    editor_plan = build(EditorPlan, plan["editor"], f"{folder}: editor")
    detector = None
    if "detector" in plan:
        about = plan["detector"]
        place = folder / _DETECTOR if about["encoder"] else None
        detector = Detector.rebuilt(place, about["features"], editor_plan.width, editor_plan.vocabulary)
    with torch.random.fork_rng():
        editor = Editor(editor_plan)
    system = Scratch(editor, Vocabulary(tuple(plan["words"])), plan["max_length"], detector)
    system.module.load_state_dict(load_file(folder / _WEIGHTS))
    system.module.eval()
    return system
