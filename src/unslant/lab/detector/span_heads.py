"""Heads at the word level: the slanted words, their kind and their technique.

A corpus can grade its spans: those that only some annotators marked, or that an editor *may* change, are doubtful and
can count less (``doubtful``) or be learned as soft targets (``soft_target``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from unslant.core.taxonomy import techniques
from unslant.core.types import Span
from unslant.lab.detector.heads import DecodedRow, LayeredHead, Target, distribution_loss
from unslant.lab.detector.rows import EncodedRow, is_doubtful
from unslant.lab.detector.text_heads import ChoiceOptions, KindsHead
from unslant.lab.stats.metrics import macro_f1, span_f1
from unslant.neural.decoder import PredictedSpan, decode_span_head, merge_spans
from unslant.neural.subwords import IGNORED, OUTSIDE, TAGS, find_words, tag_subwords

_TECHNIQUES = techniques()

_THRESHOLDS = [step / 20 for step in range(4, 17)]
_PEAKS = (0.5, 0.6, 0.7)
_FINE_PEAKS = tuple(step / 20 for step in range(4, 17))
_SPLIT = 2.0
"""A word starts a new span if it is this many times as likely to begin a span as to continue one."""
_GROWN = (0.9, 0.8, 0.7, 0.6)
"""Candidate thresholds next to a marked word, as shares of the threshold."""


@dataclass(frozen=True, slots=True)
class SpanOptions:
    """The options of a span head."""

    marked: float = 1.0
    """The weight of a marked word relative to an unmarked one."""
    doubtful: float = 1.0
    """The weight of a doubtful word relative to other marked words."""
    soft_target: float = 1.0
    """The target probability of the marked tag of a doubtful word; the rest goes to ``outside``."""
    slanted_only: bool = False
    """Whether to learn only from texts with a span."""
    hidden: int = 0
    """The width of an additional layer; 0 for none."""
    match_length_from: float | None = None
    """Choose ``peak`` so that spans from this probability on are as long as the annotated ones; None to use F1.
    For heads whose less likely spans are used, too: a sentence slanted throughout would otherwise be one long span."""

    def __post_init__(self) -> None:
        if not 0 <= self.soft_target <= 1:
            raise ValueError("soft_target must be between 0 and 1")


class SpanHead(LayeredHead):
    """Begin, inside or outside, for the first subword of each word."""

    Options = SpanOptions
    level: ClassVar[Literal["text", "subword"]] = "subword"
    labels: ClassVar[tuple[str, ...]] = TAGS
    exclusive: ClassVar[bool] = True

    def targets(self, rows: Sequence[EncodedRow], length: int) -> Target:
        """Return the probabilities of the tags, (batch, subwords, 3), and weights, (batch, subwords)."""
        tags = torch.full((len(rows), length), IGNORED)
        doubtful = torch.zeros(len(rows), length, dtype=torch.bool)
        for at, row in enumerate(rows):
            spans = gold(row)
            if spans is None or (self.options.slanted_only and not spans):
                continue
            tags[at, : len(row.ids)] = torch.tensor(tag_subwords(row.text, row.offsets, spans))
            doubtful[at, _doubtful_subwords(row)] = True
        trust = torch.tensor([row.sample.part.trust for row in rows]).unsqueeze(1)
        weights = (tags != IGNORED).float() * trust
        weights = torch.where(tags > OUTSIDE, weights * self.options.marked, weights)
        weights = torch.where(doubtful, weights * self.options.doubtful, weights)
        hard = functional.one_hot(tags.clamp(min=0), len(TAGS)).float()
        outside = functional.one_hot(torch.full_like(tags, OUTSIDE), len(TAGS)).float()
        soft = self.options.soft_target * hard + (1 - self.options.soft_target) * outside
        return Target(torch.where(doubtful.unsqueeze(-1), soft, hard), weights)

    def loss(self, logits: Tensor, target: Target) -> Tensor:
        """Return the cross-entropy over the words of annotated texts."""
        return distribution_loss(logits, target)

    def decide(
        self, outputs: Sequence[Tensor], rows: Sequence[EncodedRow], gates: Sequence[float | None] = ()
    ) -> dict[str, Any]:
        """Choose the decision with the best sum of exact and overlap F1, with the gate that ``check`` uses."""
        if not any(gold(row) for row in rows):
            return {}
        tagged = [
            _tag_words(output, row, spans, gate)
            for output, row, gate in zip(outputs, rows, gates or [None] * len(rows), strict=True)
            if (spans := gold(row)) is not None
        ]
        decisions = [
            {"threshold": threshold, "whole": whole} for threshold in _THRESHOLDS for whole in (False, True)
        ]
        best = _best(decisions, tagged)
        grown = [best | {"grow": round(best["threshold"] * share, 4)} for share in _GROWN]
        best = _best([best, *grown], tagged)
        if (lowest := self.options.match_length_from) is not None:
            best = best | {"split": _SPLIT}
            return best | {"peak": _matching_peak(best, tagged, lowest)}
        return _best([best, *(best | {"peak": share} for share in _PEAKS)], tagged)

    def measure(self, decoded: Sequence[DecodedRow], decision: Mapping[str, Any]) -> dict[str, float]:
        """Return exact and overlap F1."""
        marked = [
            (spans, decoded_row.prediction.spans)
            for decoded_row in decoded
            if (spans := gold(decoded_row.row)) is not None
        ]
        if not any(spans for spans, _ in marked):
            return {}
        exact, overlap = span_f1(
            [spans for spans, _ in marked], [[span.span for span in predicted] for _, predicted in marked]
        )
        return {"exact_f1": exact, "overlap_f1": overlap}


class SpanKindsHead(KindsHead):
    """Three logits per subword, learned on the words of spans of a known kind."""

    level: ClassVar[Literal["text", "subword"]] = "subword"

    def targets(self, rows: Sequence[EncodedRow], length: int) -> Target:
        """Return (batch, subwords, 3) labels and weights."""
        values, weights = torch.zeros(len(rows), length, 3), torch.zeros(len(rows), length, 3)
        for at, row in enumerate(rows):
            for subword, kind in _span_kinds(row):
                values[at, subword] = torch.tensor([float(name == kind) for name in self.labels])
                weights[at, subword] = row.sample.part.trust
        return Target(values, torch.where(values > 0, weights * self.options.rare, weights))

    decide = LayeredHead.decide

    def measure(self, decoded: Sequence[DecodedRow], decision: Mapping[str, Any]) -> dict[str, float]:
        """Return the accuracy over the words of spans of a known kind."""
        hits = [
            self.labels[int(decoded_row.output[subword].argmax())] == kind
            for decoded_row in decoded
            for subword, kind in _span_kinds(decoded_row.row)
        ]
        return {"accuracy": sum(hits) / len(hits)} if hits else {}


class TechniqueHead(LayeredHead):
    """One of the techniques, for the first subword of each word of a span; learned on spans with a technique."""

    Options = ChoiceOptions
    level: ClassVar[Literal["text", "subword"]] = "subword"
    labels: ClassVar[tuple[str, ...]] = _TECHNIQUES
    exclusive: ClassVar[bool] = True

    def targets(self, rows: Sequence[EncodedRow], length: int) -> Target:
        """Return (batch, subwords) indices of techniques and weights."""
        values = torch.full((len(rows), length), IGNORED)
        for at, row in enumerate(rows):
            for subword, technique in _span_techniques(row):
                values[at, subword] = _TECHNIQUES.index(technique)
        trust = torch.tensor([row.sample.part.trust for row in rows]).unsqueeze(1)
        return Target(values, (values != IGNORED).float() * trust)

    def measure(self, decoded: Sequence[DecodedRow], decision: Mapping[str, Any]) -> dict[str, float]:
        """Return accuracy and macro-F1 over the words of spans with a technique."""
        pairs = [
            (_TECHNIQUES.index(technique), int(decoded_row.output[subword].argmax()))
            for decoded_row in decoded
            for subword, technique in _span_techniques(decoded_row.row)
        ]
        if not pairs:
            return {}
        truth, guess = [gold for gold, _ in pairs], [predicted for _, predicted in pairs]
        return {
            "accuracy": sum(a == b for a, b in pairs) / len(pairs),
            "macro_f1": macro_f1(truth, guess),
        }


class _Tagged(NamedTuple):
    """A row with the probabilities of its words' tags."""

    text: str
    words: list[Span]
    probabilities: list[list[float]]
    gate: float | None
    gold: list[Span]


def gold(row: EncodedRow) -> list[Span] | None:
    """Return the annotated spans; None if the corpus has none."""
    marked = row.sample.example.spans
    if marked is None or not row.sample.teaches("spans"):
        return None
    return [labelled.span for labelled in marked]


def _tag_words(output: Tensor, row: EncodedRow, spans: list[Span], gate: float | None) -> _Tagged:
    words = find_words(row.text, row.offsets)
    probabilities = torch.softmax(output, dim=-1).tolist()
    return _Tagged(
        row.text, [word for _, word in words], [probabilities[index] for index, _ in words], gate, spans
    )


def _best(decisions: Sequence[dict[str, Any]], tagged: Sequence[_Tagged]) -> dict[str, Any]:
    """Return the best decision; among equals the one with the threshold nearest to 0.5, then the first."""
    gold_spans = [row.gold for row in tagged]
    scores = [sum(span_f1(gold_spans, [_decode(row, decision) for row in tagged])) for decision in decisions]
    return max(
        zip(scores, decisions, strict=True),
        key=lambda scored: (scored[0], -abs(scored[1]["threshold"] - 0.5)),
    )[1]


def _matching_peak(best: Mapping[str, Any], tagged: Sequence[_Tagged], lowest: float) -> float:
    """Return the share of the likeliest word for which spans are on average as long as the annotated ones."""

    def mean_words(spans: Sequence[Sequence[Span]]) -> float:
        lengths = [
            sum(word.overlaps(span) for word in row.words)
            for row, some in zip(tagged, spans, strict=True)
            for span in some
        ]
        return sum(lengths) / max(len(lengths), 1)

    wanted = mean_words([row.gold for row in tagged])

    def gap(share: float) -> float:
        return abs(mean_words([_decode(row, {**best, "peak": share}, lowest) for row in tagged]) - wanted)

    return min(_FINE_PEAKS, key=gap)


def _decode(tagged: _Tagged, decision: Mapping[str, Any], lowest: float = 0.5) -> list[Span]:
    found = decode_span_head(
        tagged.text, tagged.words, tagged.probabilities, decision, gate=tagged.gate, threshold=lowest
    )
    found = [(span, probability) for span, probability in found if lowest >= 0.5 or probability >= lowest]
    merged = merge_spans(tagged.text, [PredictedSpan(span, None, probability) for span, probability in found])
    return [predicted.span for predicted in merged]


def _doubtful_subwords(row: EncodedRow) -> list[int]:
    """Return the first subwords of the words that belong only to doubtful spans."""
    spans = row.sample.example.spans or ()
    doubtful = [labelled.span for labelled in spans if is_doubtful(labelled)]
    certain = [labelled.span for labelled in spans if not is_doubtful(labelled)]
    return [
        subword
        for subword, word in find_words(row.text, row.offsets)
        if any(span.overlaps(word) for span in doubtful) and not any(span.overlaps(word) for span in certain)
    ]


def _span_kinds(row: EncodedRow) -> list[tuple[int, str]]:
    """Return the first subword and the kind of each word in a span of a known kind."""
    if not row.sample.teaches("span_kinds"):
        return []
    return _label_words(row, [(labelled.span, labelled.kind) for labelled in row.sample.example.spans or ()])


def _span_techniques(row: EncodedRow) -> list[tuple[int, str]]:
    """Return the first subword and the technique of each word in a span of a known technique."""
    if not row.sample.teaches("technique"):
        return []
    spans = row.sample.example.spans or ()
    return _label_words(
        row, [(labelled.span, labelled.technique) for labelled in spans if labelled.technique in _TECHNIQUES]
    )


def _label_words(row: EncodedRow, spans: Sequence[tuple[Span, str | None]]) -> list[tuple[int, str]]:
    labelled = []
    for subword, word in find_words(row.text, row.offsets):
        label = next((label for span, label in spans if span.overlaps(word)), None)
        if label is not None:
            labelled.append((subword, label))
    return labelled
