"""A trained rewriter behind the seam that every rewriter keeps to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp
from pathlib import Path

from unslant.core.types import Analysis, Edit, Sentence
from unslant.lab.rewriters.beam import Beams, Rewording
from unslant.lab.rewriters.pretrained import load_pretrained
from unslant.lab.rewriters.saving import load_system
from unslant.lab.rewriters.systems import System
from unslant.spec import Spec

__all__ = ["FolderRewriter", "TrainedRewriter", "is_rewriter"]

_BATCH = 16


def is_rewriter(folder: Path) -> Path | None:
    """Return where in a folder the rewriter of a run lies; None where there is none."""
    places = (folder, folder / "model")
    return next((place for place in places if (place / "rewriter.json").is_file()), None)


class TrainedRewriter:
    """Words sentences anew as it learned to; a sentence it cannot read, or would leave as it is, has no wording."""

    def __init__(self, system: System | None, beams: Beams, provenance: Mapping[str, str]) -> None:
        self._system = system
        self._beams = beams
        self.provenance = provenance

    @classmethod
    def load(cls, folder: str | Path, beam: int | None = None) -> TrainedRewriter:
        """Load what ``unslant train rewriter`` wrote: the folder of the run, or of the model in it."""
        place = is_rewriter(Path(folder)) or Path(folder)
        system, plan = load_system(place)
        beams = Beams(beam or plan["beam"], plan["length_penalty"])
        files: Mapping[str, str] = plan["files"]
        return cls(system, beams, {f"rewriter:{place}": next(iter(files.values()), plan["system"])})

    @classmethod
    def pretrained(cls, name: str, beam: int = 5, prefix: str = "") -> TrainedRewriter:
        """Take any sequence-to-sequence model of transformers as it is, by hub name or folder."""
        return cls(load_pretrained(name, prefix), Beams(beam), {f"hf:{name}": "as it is"})

    def rewrite(self, sentences: Sequence[Sentence], analyses: Sequence[Analysis]) -> list[list[Edit]]:  # noqa: ARG002
        """Return rewordings of each sentence that score better than leaving it alone, the best first.

        The probability is that of the average word.
        """
        found = self.wordings([sentence.text for sentence in sentences])
        return [
            [
                sentence.reword(wording.text, exp(min(wording.score, 0.0)))
                for wording in _better(" ".join(sentence.text.split()), wordings)
            ]
            for sentence, wordings in zip(sentences, found, strict=True)
        ]

    def wordings(self, texts: Sequence[str]) -> list[list[Rewording]]:
        """Return the wordings of each text as they come; sentences of like length are read together."""
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


class FolderRewriter:
    """Proposes what a trained rewriter would write, as ``unslant fix --rewriter trained:DIR`` asks for it."""

    def __init__(self, folder: str, _spec: Spec) -> None:
        self._rewriter = TrainedRewriter.load(folder)

    def rewrite(self, sentences: Sequence[Sentence], analyses: Sequence[Analysis]) -> list[list[Edit]]:
        """Return rewordings of each sentence, the best first."""
        return self._rewriter.rewrite(sentences, analyses)


def _better(text: str, wordings: Sequence[Rewording]) -> list[Rewording]:
    kept: dict[str, Rewording] = {}
    for one in wordings:
        if one.text == text:
            break
        if one.text:
            kept.setdefault(one.text, one)
    return list(kept.values())
