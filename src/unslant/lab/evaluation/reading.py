"""From the numbers of a network's heads to what they say of a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unslant.core.example import LabelledSpan
from unslant.core.types import Span
from unslant.lab.evaluation.model import Prediction
from unslant.neural.spans import decode_scores, snap, words

if TYPE_CHECKING:
    from unslant.lab.stats.metrics import Numbers

__all__ = ["Head", "Pieces", "answered", "choose", "read"]

_TYPES = ("sentence", "spans", "kinds", "span_kinds", "dimension", "opinion")


@dataclass(frozen=True, slots=True)
class Head:
    """What must be known of a head to read its numbers."""

    type: str
    labels: tuple[str, ...]
    corpora: tuple[str, ...] = ()
    """What taught it; empty: everything."""
    decision: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pieces:
    """One text as a network saw it, and the logits of its heads."""

    text: str
    offsets: Sequence[tuple[int, int]]
    logits: Mapping[str, Numbers]


def choose(heads: Mapping[str, Head], corpus: str) -> dict[str, str]:
    """Return the head of each type that speaks for a corpus.

    That is the one which learned from it, then from a variant of it, then from everything; else the first.
    """
    chosen: dict[str, str] = {}
    for kind in _TYPES:
        names = [name for name, head in heads.items() if head.type == kind]
        if names:
            # sorting is stable: among equals, the first stays first
            chosen[kind] = sorted(names, key=lambda name: -_closeness(heads[name], corpus))[0]
    return chosen


def _closeness(head: Head, corpus: str) -> int:
    if corpus in head.corpora:
        return 3
    if corpus and corpus.partition("/")[0] in {one.partition("/")[0] for one in head.corpora}:
        return 2
    return 1 if not head.corpora else 0


def answered(heads: Mapping[str, Head]) -> frozenset[str]:
    """Return what heads of these types judge."""
    types = {head.type for head in heads.values()}
    return frozenset(types & set(_TYPES) - {"span_kinds"}) | (
        {"probability"} if "sentence" in types else set()
    )


def read(heads: Mapping[str, Head], chosen: Mapping[str, str], pieces: Pieces) -> Prediction:
    """Return what the chosen heads say."""
    probability, slanted = _sentence(heads, chosen, pieces)
    chances, kinds = _kinds(heads, chosen, pieces)
    conditional = "kinds" in chosen and heads[chosen["kinds"]].options.get("conditional")
    if conditional and probability is not None:
        chances = {name: chance * probability for name, chance in chances.items()}
        kinds = kinds if slanted else frozenset()
    dimension = _choice(heads, chosen, pieces, "dimension")
    return Prediction(
        slanted=slanted,
        probability=probability,
        spans=_spans(heads, chosen, pieces, chances),
        kinds=kinds,
        kind_probabilities=chances,
        dimension=None if dimension == "none" else dimension,
        opinion=_choice(heads, chosen, pieces, "opinion"),
    )


def _sigmoid(values: Any) -> Any:
    import numpy as np

    return 1 / (1 + np.exp(-np.clip(values, -60, 60)))


def _softmax(values: Numbers) -> Numbers:
    import numpy as np

    raised = np.exp(values - values.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def _sentence(
    heads: Mapping[str, Head], chosen: Mapping[str, str], pieces: Pieces
) -> tuple[float | None, bool]:
    if "sentence" not in chosen:
        return None, False
    name = chosen["sentence"]
    decision = heads[name].decision
    logit = float(pieces.logits[name].reshape(-1)[0])
    chance = float(_sigmoid(logit * decision.get("scale", 1.0) + decision.get("offset", 0.0)))
    return chance, chance >= decision.get("threshold", 0.5)


def _kinds(
    heads: Mapping[str, Head], chosen: Mapping[str, str], pieces: Pieces
) -> tuple[dict[str, float], frozenset[str]]:
    if "kinds" not in chosen:
        return {}, frozenset()
    head = heads[chosen["kinds"]]
    chances = dict(zip(head.labels, map(float, _sigmoid(pieces.logits[chosen["kinds"]])), strict=True))
    thresholds = head.decision.get("thresholds", {})
    return chances, frozenset(name for name, one in chances.items() if one >= thresholds.get(name, 0.5))


def _choice(heads: Mapping[str, Head], chosen: Mapping[str, str], pieces: Pieces, kind: str) -> str | None:
    if kind not in chosen:
        return None
    return heads[chosen[kind]].labels[int(pieces.logits[chosen[kind]].argmax())]


def _spans(
    heads: Mapping[str, Head], chosen: Mapping[str, str], pieces: Pieces, chances: Mapping[str, float]
) -> tuple[LabelledSpan, ...]:
    if "spans" not in chosen or not pieces.offsets:
        return ()
    name = chosen["spans"]
    tagged = _softmax(pieces.logits[name]).tolist()
    marked = decode_scores(pieces.text, pieces.offsets, tagged, heads[name].decision)
    # as the product shows them: whole words, and nothing that is only a mark
    found = snap(pieces.text, marked)
    likeliest = max(chances, key=lambda one: chances[one]) if chances else None
    return tuple(LabelledSpan(span, _kind(heads, chosen, pieces, span) or likeliest) for span in found)


def _kind(heads: Mapping[str, Head], chosen: Mapping[str, str], pieces: Pieces, span: Span) -> str | None:
    if "span_kinds" not in chosen:
        return None
    name = chosen["span_kinds"]
    inside = [piece for piece, word in words(pieces.text, pieces.offsets) if span.overlaps(word)]
    return heads[name].labels[int(_sigmoid(pieces.logits[name][inside]).mean(axis=0).argmax())]
