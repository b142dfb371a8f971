"""Batched beam search over an editor."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from unslant.lab.rewriters.batches import BEGIN, END, PADDING, UNKNOWN, SourceBatch
from unslant.lab.rewriters.editor import Editor

__all__ = ["BeamSettings", "Hypothesis", "Rewording", "search"]

_NEVER = -1e9
_MAX_GROWTH = 10
"""How many words a hypothesis may exceed its source by."""


@dataclass(frozen=True, slots=True)
class BeamSettings:
    """The settings of a beam search."""

    size: int = 5
    length_penalty: float = 1.0
    """The exponent of the length that divides the log probability; 0 favours short hypotheses."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A candidate output."""

    ids: tuple[int, ...]
    attended: tuple[int, ...]
    """The source position with the highest attention for each word."""
    score: float


@dataclass(frozen=True, slots=True)
class Rewording:
    """Another wording of a text."""

    text: str
    score: float = 0.0
    """How much its author prefers it; comparable only with others by the same author."""


@dataclass
class _Finished:
    """The finished hypotheses of one sentence."""

    done: list[Hypothesis] = field(default_factory=list)

    def best(self, size: int) -> list[Hypothesis]:
        return sorted(self.done, key=lambda hypothesis: -hypothesis.score)[:size]


@torch.no_grad()
def search(
    editor: Editor, sources: SourceBatch, states: Tensor, beams: BeamSettings
) -> list[list[Hypothesis]]:
    """Return the best hypotheses of each sentence, best first; at least one each."""
    many, size = len(sources.words), beams.size
    rows = torch.arange(many).repeat_interleave(size)
    states, mask, own = states[rows], sources.mask[rows], sources.own[rows]
    memory = editor.begin(states, mask)
    scores = torch.full((many, size), _NEVER)
    scores[:, 0] = 0.0  # all beams of a sentence start equal: only the first may continue
    last = torch.full((many * size,), BEGIN)
    ids = torch.zeros(many * size, 0, dtype=torch.long)
    attended = torch.zeros(many * size, 0, dtype=torch.long)
    found = [_Finished() for _ in range(many)]
    limits = [len(words) + _MAX_GROWTH for words in sources.words]
    for length in range(1, max(limits) + 1):
        shown = torch.where(last < editor.plan.vocabulary, last, UNKNOWN)
        written, memory = editor.step(shown, states, mask, memory)
        log_probabilities = editor.distribution(written, own, sources.max_oov)
        log_probabilities[:, [PADDING, BEGIN]] = _NEVER
        total = (scores.view(-1, 1) + log_probabilities).view(many, -1)
        # twice the beam size: even if a full beam ends here, enough hypotheses continue
        best, flat = total.topk(2 * size, dim=1)
        width = log_probabilities.shape[1]
        parents, words = flat // width, flat % width
        where = written.attention[:, -1].argmax(dim=-1)
        keep = _finish(best, parents, words, found, (ids, attended, length, size, beams.length_penalty))
        chosen = (torch.arange(many).unsqueeze(1) * size + parents.gather(1, keep)).flatten()
        last = words.gather(1, keep).flatten()
        scores = best.gather(1, keep)
        ids = torch.cat([ids[chosen], last.unsqueeze(1)], dim=1)
        attended = torch.cat([attended[chosen], where[chosen].unsqueeze(1)], dim=1)
        memory = tuple(tensor[chosen] for tensor in memory)
        if all(
            len(finished.done) >= size or length >= limit
            for finished, limit in zip(found, limits, strict=True)
        ):
            break
    _finish_open(found, scores, ids, attended, beams)
    return [finished.best(size) for finished in found]


def _finish(
    best: Tensor,
    parents: Tensor,
    words: Tensor,
    found: list[_Finished],
    so_far: tuple[Tensor, Tensor, int, int, float],
) -> Tensor:
    """Store the hypotheses that end here; return which candidates continue, (sentences, beams)."""
    ids, attended, length, size, penalty = so_far
    going = []
    ends = words == END
    for at, sentence in enumerate(found):
        for rank in ends[at, :size].nonzero().flatten().tolist():
            score = float(best[at, rank])
            if score > _NEVER / 2 and len(sentence.done) < size:
                row = at * size + int(parents[at, rank])
                done = Hypothesis(
                    tuple(ids[row].tolist()), tuple(attended[row].tolist()), score / length**penalty
                )
                sentence.done.append(done)
        going.append((~ends[at]).nonzero().flatten()[:size])
    return torch.stack(going)


def _finish_open(
    found: list[_Finished], scores: Tensor, ids: Tensor, attended: Tensor, beams: BeamSettings
) -> None:
    """Finish the best open hypothesis of sentences without a finished one."""
    for at, sentence in enumerate(found):
        if not sentence.done:
            row = at * beams.size
            score = float(scores[at, 0]) / max(1, ids.shape[1]) ** beams.length_penalty
            sentence.done.append(Hypothesis(tuple(ids[row].tolist()), tuple(attended[row].tolist()), score))
