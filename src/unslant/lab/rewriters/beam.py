"""Beam search over an editor: several wordings are followed at once, for several sentences at once."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from unslant.lab.rewriters.batch import Sources
from unslant.lab.rewriters.editor import Editor
from unslant.lab.rewriters.words import BEGIN, END, PADDING, UNKNOWN

__all__ = ["Beams", "Rewording", "Wording", "search"]

_NEVER = -1e9
_ROOM = 10
"""Words that a wording may have more than its source."""


@dataclass(frozen=True, slots=True)
class Beams:
    """How wide to search."""

    size: int = 5
    length_penalty: float = 1.0
    """By which power of the length the log probability is divided; 0: short wordings are preferred."""


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to write a sentence."""

    numbers: tuple[int, ...]
    looked: tuple[int, ...]
    """Which word of the source each was written for."""
    score: float


@dataclass(frozen=True, slots=True)
class Rewording:
    """Another wording of a text."""

    text: str
    score: float = 0.0
    """How much its author prefers it; comparable only with others by the same author."""


@dataclass
class _Sentence:
    """What was finished for one sentence."""

    done: list[Wording] = field(default_factory=list)

    def best(self, size: int) -> list[Wording]:
        return sorted(self.done, key=lambda one: -one.score)[:size]


@torch.no_grad()
def search(editor: Editor, sources: Sources, states: Tensor, beams: Beams) -> list[list[Wording]]:
    """Return the best wordings of each sentence, the best first; at least one each."""
    many, size = len(sources.words), beams.size
    rows = torch.arange(many).repeat_interleave(size)
    states, mask, own = states[rows], sources.mask[rows], sources.own[rows]
    memory = editor.begin(states, mask)
    scores = torch.full((many, size), _NEVER)
    scores[:, 0] = 0.0  # all beams of a sentence begin alike: only one may speak first
    last = torch.full((many * size,), BEGIN)
    numbers = torch.zeros(many * size, 0, dtype=torch.long)
    looked = torch.zeros(many * size, 0, dtype=torch.long)
    found = [_Sentence() for _ in range(many)]
    limits = [len(words) + _ROOM for words in sources.words]
    for length in range(1, max(limits) + 1):
        shown = torch.where(last < editor.plan.vocabulary, last, UNKNOWN)
        written, memory = editor.step(shown, states, mask, memory)
        chances = editor.distribution(written, own, sources.most)
        chances[:, [PADDING, BEGIN]] = _NEVER
        total = (scores.view(-1, 1) + chances).view(many, -1)
        # twice as many as beams: as many as beams may end here and the rest still goes on
        best, flat = total.topk(2 * size, dim=1)
        width = chances.shape[1]
        parents, words = flat // width, flat % width
        where = written.attention[:, -1].argmax(dim=-1)
        keep = _sort_out(best, parents, words, found, (numbers, looked, length, size, beams.length_penalty))
        chosen = (torch.arange(many).unsqueeze(1) * size + parents.gather(1, keep)).flatten()
        last = words.gather(1, keep).flatten()
        scores = best.gather(1, keep)
        numbers = torch.cat([numbers[chosen], last.unsqueeze(1)], dim=1)
        looked = torch.cat([looked[chosen], where[chosen].unsqueeze(1)], dim=1)
        memory = tuple(one[chosen] for one in memory)
        if all(len(one.done) >= size or length >= limit for one, limit in zip(found, limits, strict=True)):
            break
    _close(found, scores, numbers, looked, beams)
    return [one.best(size) for one in found]


def _sort_out(
    best: Tensor,
    parents: Tensor,
    words: Tensor,
    found: list[_Sentence],
    so_far: tuple[Tensor, Tensor, int, int, float],
) -> Tensor:
    """Put away the wordings that end here; return which of the candidates go on, (sentences, beams)."""
    numbers, looked, length, size, penalty = so_far
    going = []
    ends = words == END
    for at, sentence in enumerate(found):
        for rank in ends[at, :size].nonzero().flatten().tolist():
            score = float(best[at, rank])
            if score > _NEVER / 2 and len(sentence.done) < size:
                row = at * size + int(parents[at, rank])
                done = Wording(
                    tuple(numbers[row].tolist()), tuple(looked[row].tolist()), score / length**penalty
                )
                sentence.done.append(done)
        going.append((~ends[at]).nonzero().flatten()[:size])
    return torch.stack(going)


def _close(found: list[_Sentence], scores: Tensor, numbers: Tensor, looked: Tensor, beams: Beams) -> None:
    """End what never ended, where nothing else did."""
    for at, sentence in enumerate(found):
        if not sentence.done:
            row = at * beams.size
            score = float(scores[at, 0]) / max(1, numbers.shape[1]) ** beams.length_penalty
            sentence.done.append(Wording(tuple(numbers[row].tolist()), tuple(looked[row].tolist()), score))
