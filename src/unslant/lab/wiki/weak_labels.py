"""Labels for a pair of sentences without annotators: what a neutrality edit took away was probably slanted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from unslant.core.types import Span
from unslant.lab.wiki.edits import Words, find_edits
from unslant.lab.wiki.evidence import evidence, probability, set_aside
from unslant.lab.wiki.knowledge import knowledge
from unslant.lab.wiki.parsing import Parser

__all__ = ["LabelledEdit", "LabelledPair", "drop_least_likely", "label_pair", "relabel"]


@dataclass(frozen=True, slots=True)
class LabelledEdit:
    """One changed phrase with what the labeller makes of it."""

    kind: str
    """``substitution``, ``deletion`` or ``addition``."""
    source: Span | None
    target: Span | None
    confidence: float
    """The probability that the words of the source are slanted; 0 where there are none."""
    set_aside: str | None = None
    """Why the edit is not about neutrality, where that is plain: marks, case, spelling."""

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "kind": self.kind,
            "source": self.source.to_dict() if self.source else None,
            "target": self.target.to_dict() if self.target else None,
            "confidence": round(self.confidence, 4),
            "set_aside": self.set_aside,
        }


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A sentence before and after an edit, with its weak labels."""

    source: str
    target: str
    edits: tuple[LabelledEdit, ...]
    spans: tuple[Span, ...]
    """The words of the source that are taken for slanted, in order."""
    confidence: float
    """How sure the labeller is of the best span, or of there being none."""

    @property
    def label(self) -> bool:
        """Whether the source is taken for slanted; the target never is."""
        return bool(self.spans)


def label_pair(
    source: str, target: str, threshold: float | None = None, parser: Parser | None = None
) -> LabelledPair:
    """Label a pair; whatever lies in ``spans`` was changed by the edit."""
    threshold = knowledge().threshold if threshold is None else threshold
    before, after = Words.of(source), Words.of(target)
    found = find_edits(before, after, parser=parser)
    taking = [edit for edit in found if edit.kind != "addition"]
    edits: list[LabelledEdit] = []
    for edit in found:
        aside = set_aside(edit, before, after)
        score = 0.0
        if aside is None and edit.kind != "addition":
            score = probability(evidence(edit, taking, before, after))
        edits.append(
            LabelledEdit(edit.kind, before.cover(*edit.before), after.cover(*edit.after), score, aside)
        )
    spans = tuple(edit.source for edit in edits if edit.source and edit.confidence >= threshold)
    best = max((edit.confidence for edit in edits), default=0.0)
    return LabelledPair(source, target, tuple(edits), spans, best if spans else 1 - best)


def drop_least_likely(pairs: Sequence[LabelledPair], share: float) -> list[LabelledPair]:
    """Leave out the given share of pairs, those with the least confidence; the order stays, ties go to the earlier."""
    order = sorted(range(len(pairs)), key=lambda place: (-pairs[place].confidence, place))
    kept = set(order[: len(pairs) - int(len(pairs) * share)])
    return [pair for place, pair in enumerate(pairs) if place in kept]


def relabel(
    pairs: Iterable[LabelledPair], judge: Callable[[list[str]], list[float]], threshold: float = 0.5
) -> Iterator[LabelledPair]:
    """Let a model have the last word on the label of each source: below the threshold its spans are taken off.

    The model can only take back: it never marks words that the edit left alone.
    """
    for pair in pairs:
        (score,) = judge([pair.source])
        yield pair if not pair.spans or score >= threshold else replace(pair, spans=(), confidence=1 - score)
