"""What can be trained: systems as the loop and the search see them, and those that are built from scratch."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from unslant.core.errors import ConfigError
from unslant.lab.rewriters.batch import encode_pairs, encode_sources, taken_away
from unslant.lab.rewriters.beam import Beams, Rewording, Wording, search
from unslant.lab.rewriters.detector import Detector
from unslant.lab.rewriters.editor import Editor
from unslant.lab.rewriters.pairs import Pair
from unslant.lab.rewriters.recipe import Phase
from unslant.lab.rewriters.words import PADDING, UNKNOWN, Vocabulary, cut, joined

__all__ = ["Scratch", "System", "noised"]


class System(Protocol):
    """A network that learns to rewrite."""

    @property
    def module(self) -> nn.Module:
        """All its weights."""
        ...

    def fits(self, text: str) -> bool:
        """Say whether a sentence is short enough to be read."""
        ...

    def loss(self, pairs: Sequence[Pair], phase: Phase, rng: random.Random) -> Tensor:
        """Return how far it is from what a phase wants."""
        ...

    def rewrite(self, texts: Sequence[str], beams: Beams) -> list[list[Rewording]]:
        """Return wordings of each text, the best first; a text that does not fit has none."""
        ...


def noised(words: Sequence[str], rng: random.Random, drop: float = 0.1, reach: int = 3) -> list[str]:
    """Return words with some left out and the rest moved a little, for an editor to put right."""
    kept = [word for word in words if rng.random() >= drop] or list(words)
    order = sorted(range(len(kept)), key=lambda at: at + rng.random() * reach)
    return [kept[at] for at in order]


@dataclass(frozen=True)
class Scratch:
    """An editor, alone or joined with a detector."""

    editor: Editor
    vocabulary: Vocabulary
    max_length: int
    detector: Detector | None = None

    @property
    def module(self) -> nn.Module:
        """Editor and detector."""
        parts = {"editor": self.editor, **({"detector": self.detector} if self.detector else {})}
        return nn.ModuleDict(parts)

    def fits(self, text: str) -> bool:
        """Say whether a sentence is short enough to be read."""
        return 0 < len(cut(text)) <= self.max_length

    def loss(self, pairs: Sequence[Pair], phase: Phase, rng: random.Random) -> Tensor:
        """Return the mean loss per word of the phase."""
        if phase.name == "detect":
            if self.detector is None:
                raise ConfigError("only a rewriter with a detector has a phase 'detect'")
            return self._detecting(self.detector, pairs)
        if phase.name == "denoise":
            texts = [(joined(noised(cut(one.target), rng)), one.target) for one in pairs]
            return self._editing([pair for pair in texts if pair[0]], phase, informed=False)
        return self._editing([(one.source, one.target) for one in pairs], phase, informed=True)

    def _detecting(self, detector: Detector, pairs: Sequence[Pair]) -> Tensor:
        sources = encode_sources(self.vocabulary, [one.source for one in pairs])
        labels = torch.zeros(sources.known.shape)
        for row, one in enumerate(pairs):
            marks = torch.tensor(taken_away(one.source, one.target), dtype=torch.float)
            labels[row, : len(marks)] = marks
        logits = detector(sources)
        losses = nn.functional.binary_cross_entropy_with_logits(logits, labels, reduction="none")
        return (losses * sources.mask).sum() / sources.mask.sum()

    def _editing(self, pairs: Sequence[tuple[str, str]], phase: Phase, *, informed: bool) -> Tensor:
        batch = encode_pairs(self.vocabulary, pairs, copy=self.editor.plan.copy)
        slant = torch.sigmoid(self.detector(batch.sources)) if self.detector and informed else None
        written = self.editor.write(batch, self.editor.read(batch.sources, slant))
        losses = self.editor.losses(written, batch, phase.smoothing)
        weights = (batch.wanted != PADDING) * (1 + (phase.new_words - 1) * batch.new)
        loss = (losses * weights).sum() / weights.sum()
        if phase.coverage:
            # looking again at what was looked at before costs as much as the two looks share
            seen = written.attention.cumsum(dim=1) - written.attention
            again = torch.minimum(seen, written.attention).sum(dim=-1)
            loss = loss + phase.coverage * (again * (batch.wanted != PADDING)).sum() / weights.sum()
        return loss

    @torch.no_grad()
    def rewrite(self, texts: Sequence[str], beams: Beams) -> list[list[Rewording]]:
        """Search for the likeliest wordings."""
        places = [at for at, text in enumerate(texts) if self.fits(text)]
        found: list[list[Rewording]] = [[] for _ in texts]
        if not places:
            return found
        self.module.eval()
        sources = encode_sources(self.vocabulary, [texts[at] for at in places])
        slant = torch.sigmoid(self.detector(sources)) if self.detector else None
        states = self.editor.read(sources, slant)
        for row, (at, wordings) in enumerate(
            zip(places, search(self.editor, sources, states, beams), strict=True)
        ):
            found[at] = [
                Rewording(self._text(one, sources.words[row], sources.strangers[row]), one.score)
                for one in wordings
            ]
        return found

    def _text(self, wording: Wording, words: Sequence[str], strangers: Sequence[str]) -> str:
        """Return a wording as text; for an unknown word stands the one of the source that was looked at."""
        return joined(
            words[min(where, len(words) - 1)]
            if number == UNKNOWN
            else self.vocabulary.word(number, strangers)
            for number, where in zip(wording.numbers, wording.looked, strict=True)
        )
