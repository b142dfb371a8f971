"""Trained rewriters: their folder on disk (``rewriter.json`` and safetensors, no pickle) and their use in ``fix``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import exp
from pathlib import Path
from typing import Any

from unslant.core.errors import InputError, ModelError
from unslant.core.files import make_folder, read_json
from unslant.lab.corpora.catalogue import digest
from unslant.lab.published import published
from unslant.lab.rewriters.recipe import RewriterRecipe
from unslant.lab.rewriters.systems import BeamSettings, Rewording, RewriterSystem, load_pretrained
from unslant.rewriter.pretrained import SentenceRewriter
from unslant.spec import Spec

_BATCH = 16


def find_rewriter(folder: Path) -> Path | None:
    """Return the folder of the rewriter inside the folder of a run; None if there is none."""
    places = (folder, folder / "model")
    return next((place for place in places if (place / "rewriter.json").is_file()), None)


class TrainedRewriter:
    """Rewrites sentences; a sentence that is too long or needs no change has no rewrite."""

    def __init__(
        self, system: RewriterSystem | None, beams: BeamSettings, provenance: Mapping[str, str]
    ) -> None:
        self._system = system
        self._beams = beams
        self.provenance = provenance

    @classmethod
    def load(cls, folder: str | Path, beam: int | None = None) -> TrainedRewriter:
        """Load the output of ``unslant train rewriter``: the folder of the run or of its model."""
        place = find_rewriter(Path(folder)) or Path(folder)
        system, plan = load_system(place)
        beams = BeamSettings(beam or plan["beam"], plan["length_penalty"])
        files: Mapping[str, str] = plan["files"]
        return cls(system, beams, {f"rewriter:{place}": next(iter(files.values()), plan["system"])})

    @classmethod
    def pretrained(cls, name: str, beam: int = 5, prefix: str = "") -> TrainedRewriter:
        """Load any sequence-to-sequence model of transformers, by hub name or folder."""
        return cls(load_pretrained(name, prefix), BeamSettings(beam), {f"hf:{name}": "unchanged"})

    def reword(self, texts: Sequence[str]) -> list[list[tuple[str, float]]]:
        """Return rewordings of each sentence, best first, but none with a lower score than the sentence itself.

        The probability is the mean probability of the words.
        """
        found = self.rewrite_texts(texts)
        return [
            [
                (wording.text, exp(min(wording.score, 0.0)))
                for wording in _better_than_source(" ".join(text.split()), wordings)
            ]
            for text, wordings in zip(texts, found, strict=True)
        ]

    def rewrite_texts(self, texts: Sequence[str]) -> list[list[Rewording]]:
        """Return all rewrites of each text; texts of similar length share a batch."""
        squeezed = [" ".join(text.split()) for text in texts]
        if self._system is None:
            return [[Rewording(text)] if text else [] for text in squeezed]
        found: list[list[Rewording]] = [[] for _ in squeezed]
        order = sorted(range(len(squeezed)), key=lambda at: len(squeezed[at]))
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            some = self._system.rewrite([squeezed[at] for at in places], self._beams)
            for at, wordings in zip(places, some, strict=True):
                found[at] = wordings
        return found


class FolderRewriter(SentenceRewriter):
    """The rewriter ``trained:DIR`` of ``unslant fix``."""

    def __init__(self, folder: str, _spec: Spec) -> None:
        self._rewriter = TrainedRewriter.load(folder)

    def reword(self, texts: Sequence[str]) -> list[list[tuple[str, float]]]:
        """Return rewordings, best first, each with the mean probability of its words."""
        return self._rewriter.reword(texts)


def _better_than_source(text: str, wordings: Sequence[Rewording]) -> list[Rewording]:
    kept: dict[str, Rewording] = {}
    for wording in wordings:
        if wording.text == text:
            break
        if wording.text:
            kept.setdefault(wording.text, wording)
    return list(kept.values())


SCHEMA = "unslant/rewriter/1"


def save_system(system: RewriterSystem | None, recipe: RewriterRecipe, folder: Path) -> None:
    """Write the folder of a system; None is the system that copies its source."""
    make_folder(folder)
    plan: dict[str, Any] = {
        "schema": SCHEMA,
        "system": recipe.system,
        "beam": recipe.beam,
        "length_penalty": recipe.length_penalty,
        "prefix": recipe.prefix,
        "max_length": recipe.max_length,
    }
    if system is not None:
        plan |= system.save(folder)
    plan["files"] = {path.name: digest(path) for path in sorted(folder.glob("*.safetensors"))}
    (folder / "rewriter.json").write_text(json.dumps(plan, ensure_ascii=False, indent=1) + "\n", "utf-8")


def read_plan(folder: Path) -> dict[str, Any]:
    """Read ``rewriter.json`` and verify the digests of the weights."""
    path = folder / "rewriter.json"
    try:
        plan: dict[str, Any] = read_json(path)
        files: Mapping[str, str] = plan["files"]
        good = plan["schema"] == SCHEMA and isinstance(plan["system"], str) and isinstance(files, dict)
    except InputError as error:
        if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
            raise ModelError(
                f"{folder}: contains no rewriter; 'unslant train rewriter RECIPE --output DIR' creates one"
            ) from None
        good = False
    except (KeyError, TypeError):
        good = False
    if not good:
        raise ModelError(f"{path}: is not a rewriter of this version; train it again")
    for name, wanted in files.items():
        if not (folder / name).is_file() or digest(folder / name) != wanted:
            raise ModelError(
                f"{folder / name}: is missing or has changed; train the rewriter again or copy it again"
            )
    return plan


def load_system(folder: Path) -> tuple[RewriterSystem | None, dict[str, Any]]:
    """Return a trained system and its plan; the system is None for the one that copies."""
    plan = read_plan(folder)
    if plan["system"] == "copy":
        return None, plan
    if plan["system"] == "pretrained":
        return load_pretrained(folder, plan["prefix"], plan["max_length"]), plan
    try:
        system: RewriterSystem = published("rewriters").load(folder, plan)
    except (KeyError, TypeError, RuntimeError, AttributeError):
        raise ModelError(f"{folder}: the weights do not match the description; train it again") from None
    return system, plan
