"""The decoder: turns a network's logits for one text into a prediction.

There is one decoder. ``check`` reports what it decodes, ``evaluate`` and ``probe --analyzer`` measure it, and training
chooses its best epoch by it. Only the heads that answer may differ (:class:`HeadSelection`).

Spans are decoded in five steps. The tag probabilities of a span head mark words. Marked words become spans of whole
words. The sentence head that gates a span head must find the text slanted, and caps the probability of its spans.
Where spans of several heads overlap, the likeliest stays. Neighbours of one kind are joined, closing punctuation is
trimmed, and spans of function words alone are dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from unslant.core.errors import ModelError
from unslant.core.taxonomy import technique
from unslant.core.types import Span
from unslant.neural.calibrate import even_odds, sentence_probability, sigmoid, softmax
from unslant.neural.subwords import (
    BEGIN,
    INSIDE,
    OUTSIDE,
    NormalizedText,
    Offsets,
    Words,
    find_words,
    snap_to_words,
)
from unslant.neural.word_tags import mark_words
from unslant.text.function_words import FUNCTION
from unslant.text.words import ALPHANUMERIC

if TYPE_CHECKING:
    from unslant.neural.checkpoint import HeadSpec
    from unslant.neural.span_edits import EditPlace, SpanEditDecoder, SpanEdits

NOTHING: Mapping[str, Any] = MappingProxyType({})
_CLOSING = ".,;:!?"
_MAJORITY = 0.5
"""A dimension or opinion is predicted only if it is likelier than all others together."""

_EDITOR, _EDITED = "editor", "edited"
"""The heads that learn which words, and which sentences, an editor would change."""

# The pairs of our own recipes; the head ``sentence`` gates every other span head.
_GATES = {"spans": "revision", "rationale": "abuse"}
_KINDS = {"rationale": "demographic"}


@dataclass(frozen=True)
class NetworkOutput:
    """A text as the network read it, with the logits of all heads."""

    normalized: NormalizedText
    offsets: Offsets
    """Where each subword is in the normalized text."""
    text_logits: Mapping[str, Sequence[float]]
    """By head, for heads that judge the whole text."""
    subword_logits: Mapping[str, Any]
    """By head, one row per subword, for heads that judge subwords; an array where rows are long, else lists."""

    @property
    def text(self) -> str:
        """The normalized text."""
        return self.normalized.text

    @cached_property
    def words(self) -> Words:
        """The words of the normalized text, each with the index of its first subword."""
        return find_words(self.text, self.offsets)

    def word_tags(self, head: str) -> list[list[float]]:
        """Return the probability of each tag for each word, by a span head."""
        rows = self._word_tags.get(head)
        if rows is None:
            logits = self.subword_logits[head]
            rows = self._word_tags[head] = [softmax(logits[index]) for index, _ in self.words]
        return rows

    @cached_property
    def _word_tags(self) -> dict[str, list[list[float]]]:
        return {}


@dataclass(frozen=True, slots=True)
class PredictedSpan:
    """A slanted span."""

    span: Span
    kind: str | None = None
    probability: float | None = None
    technique: str | None = None
    """The technique of the words, if a head predicts it."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a model predicts for one text; fields without a head stay empty."""

    slanted: bool = False
    probability: float | None = None
    """The probability that the text is slanted; None if the model only says yes or no."""
    spans: tuple[PredictedSpan, ...] = ()
    """The slanted spans, in order and without overlap."""
    kinds: frozenset[str] = frozenset()
    kind_probabilities: Mapping[str, float] = field(default_factory=dict)
    dimension: str | None = None
    """The group that the slant concerns; None if there is none or it is unclear."""
    opinion: str | None = None
    """``factual``, ``mixed`` or ``opinion``; None if unclear."""
    edits: SpanEdits | None = None
    words: tuple[tuple[Span, float], ...] = ()
    """How likely an editor would change each word, if a head estimates that."""

    @property
    def score(self) -> float:
        """The score that ranks sentences: the probability, or 1 and 0."""
        return float(self.slanted) if self.probability is None else self.probability


@dataclass(frozen=True, slots=True)
class GatedSpanHead:
    """A span head, and the sentence head that must agree before its spans count."""

    name: str
    gate: str | None = None
    """The sentence head; None if the span head answers alone."""
    kind: str | None = None
    """The kind of all its spans; None if the heads for kinds decide."""


@dataclass(frozen=True, slots=True)
class HeadSelection:
    """Which head answers which question; None if no head does."""

    label: str
    """How results name the selection: ``product``, or ``corpus: NAME``."""
    sentence: str | None = None
    span_heads: tuple[GatedSpanHead, ...] = ()
    kinds: str | None = None
    span_kinds: str | None = None
    dimension: str | None = None
    opinion: str | None = None
    edits: str | None = None
    technique: str | None = None
    words: str | None = None
    """The span head whose word probabilities are evidence for other findings."""


def first_head(heads: Mapping[str, HeadSpec], type_: str) -> str | None:
    """Return the head that answers for a type: the one named after it, else the first of that type."""
    names = [name for name, head in heads.items() if head.type == type_]
    return type_ if type_ in names else (names[0] if names else None)


def gate_span_heads(
    heads: Mapping[str, HeadSpec], declared: Sequence[Mapping[str, str]] = ()
) -> tuple[GatedSpanHead, ...]:
    """Return each span head with its gate: as a package declares them, else by the names of our own recipes."""
    if declared:
        found = tuple(
            GatedSpanHead(entry.get("spans", ""), entry.get("sentence"), entry.get("kind"))
            for entry in declared
        )
        for name in (name for pair in found for name in (pair.name, pair.gate) if name is not None):
            if name not in heads:
                raise ModelError(f"model.json lists the span head {name!r}, which the model does not have")
        return found
    general = first_head(heads, "sentence")
    return tuple(
        GatedSpanHead(name, gate if (gate := _GATES.get(name)) in heads else general, _KINDS.get(name))
        for name, head in heads.items()
        if head.type == "spans"
    )


def select_product_heads(
    heads: Mapping[str, HeadSpec], declared: Sequence[Mapping[str, str]] = ()
) -> HeadSelection:
    """Return the heads that answer when a text is checked.

    A network that learned from editors (the span head ``editor``, the sentence head ``edited``) answers with these; any
    other answers with all its span heads. Every other question goes to the first head of its type.
    """
    if _EDITOR in heads and not declared:
        others = {
            type_: first_head(heads, type_)
            for type_ in ("kinds", "span_kinds", "dimension", "opinion", "edits")
        }
        return HeadSelection(
            "product",
            sentence=_EDITED if _EDITED in heads else first_head(heads, "sentence"),
            span_heads=(GatedSpanHead(_EDITOR),),
            technique=first_head(heads, "technique"),
            words=_EDITOR,
            **others,
        )
    return HeadSelection(
        "product",
        span_heads=gate_span_heads(heads, declared),
        **{
            type_: first_head(heads, type_)
            for type_ in ("sentence", "kinds", "span_kinds", "dimension", "opinion", "edits")
        },
    )


class Decoder:
    """Decodes the outputs of one network with one selection of its heads.

    ``threshold`` is the probability from which spans are wanted. A lower one also returns less likely spans; a higher
    one drops whole spans and never shortens them.
    """

    def __init__(
        self,
        heads: Mapping[str, HeadSpec],
        selection: HeadSelection,
        *,
        span_edits: Mapping[str, SpanEditDecoder] = NOTHING,
        threshold: float = 0.5,
    ) -> None:
        self.heads = heads
        self.selection = selection
        self._span_edits = span_edits
        self._threshold = threshold

    def decode(self, output: NetworkOutput) -> Prediction:
        """Return the prediction; its positions are those of the normalized text."""
        probability = self.probability(output)
        kind_probabilities, kinds = self._kinds(output, probability)
        dimension = self._choice(self.selection.dimension, output)
        return Prediction(
            slanted=probability is not None and probability >= 0.5,
            probability=probability,
            spans=tuple(self.spans(output)),
            kinds=kinds,
            kind_probabilities=kind_probabilities,
            dimension=None if dimension == "none" else dimension,
            opinion=self._choice(self.selection.opinion, output),
            edits=self.edits(output),
            words=self._word_scores(output),
        )

    def _word_scores(self, output: NetworkOutput) -> tuple[tuple[Span, float], ...]:
        if self.selection.words is None:
            return ()
        rows = output.word_tags(self.selection.words)
        return tuple((word, 1 - row[OUTSIDE]) for (_, word), row in zip(output.words, rows, strict=True))

    def probability(self, output: NetworkOutput, head: str | None = None) -> float | None:
        """Return how likely the text is slanted by the selected sentence head, or by another one."""
        head = head or self.selection.sentence
        if head is None:
            return None
        return sentence_probability(output.text_logits[head][0], self.heads[head].decision)

    def spans(self, output: NetworkOutput) -> list[PredictedSpan]:
        """Return the slanted spans, in order and without overlap."""
        found = [span for pair in self.selection.span_heads for span in self._span_head(pair, output)]
        kept: list[PredictedSpan] = []
        for candidate in sorted(found, key=lambda span: (-(span.probability or 0.0), span.span)):
            if not any(candidate.span.overlaps(other.span) for other in kept):
                kept.append(candidate)
        return merge_spans(output.text, sorted(kept, key=lambda span: span.span))

    def edits(self, output: NetworkOutput) -> SpanEdits | None:
        """Return the edits that the edit head would make; None without such a head."""
        head = self.selection.edits
        if head is None or head not in self._span_edits:
            return None
        return self._span_edits[head].choices(output.text, output.words, output.subword_logits[head])

    def edit_places(self, output: NetworkOutput) -> tuple[list[EditPlace], float] | None:
        """Return the spans that the edit head would change, and the probability of no change; None without the head."""
        head = self.selection.edits
        if head is None or head not in self._span_edits:
            return None
        return self._span_edits[head].places(output.words, output.subword_logits[head])

    def _span_head(self, pair: GatedSpanHead, output: NetworkOutput) -> list[PredictedSpan]:
        gate = self.probability(output, pair.gate) if pair.gate else None
        if gate is not None and gate < self._threshold:
            return []
        rows = output.word_tags(pair.name)
        places = [word for _, word in output.words]
        decision = self.heads[pair.name].decision
        found = decode_span_head(output.text, places, rows, decision, gate=gate, threshold=self._threshold)
        return [self._label(pair, output, span, probability) for span, probability in found]

    def _label(
        self, pair: GatedSpanHead, output: NetworkOutput, span: Span, probability: float
    ) -> PredictedSpan:
        name = self._technique(output, span)
        kind = pair.kind or (technique(name).kind if name else self._span_kind(output, span))
        return PredictedSpan(span, kind, probability, name)

    def _technique(self, output: NetworkOutput, span: Span) -> str | None:
        """Return the technique that the words of a span are most likely to use; None without a head for it."""
        head = self.selection.technique
        if head is None:
            return None
        rows = [
            softmax(output.subword_logits[head][index]) for index, word in output.words if span.overlaps(word)
        ]
        totals = [sum(column) for column in zip(*rows, strict=True)]
        return self.heads[head].labels[max(range(len(totals)), key=totals.__getitem__)]

    def _span_kind(self, output: NetworkOutput, span: Span) -> str:
        """Return the kind of a span: by the head for span kinds, else that of the sentence, else the most frequent."""
        if self.selection.span_kinds is not None:
            logits = output.subword_logits[self.selection.span_kinds]
            rows = [logits[index] for index, word in output.words if span.overlaps(word)]
            scores: Sequence[float] = [sum(map(sigmoid, column)) for column in zip(*rows, strict=True)]
            labels = self.heads[self.selection.span_kinds].labels
        elif self.selection.kinds is not None:
            scores = output.text_logits[self.selection.kinds]
            labels = self.heads[self.selection.kinds].labels
        else:
            return "framing"
        return labels[max(range(len(labels)), key=scores.__getitem__)]

    def _kinds(
        self, output: NetworkOutput, probability: float | None
    ) -> tuple[dict[str, float], frozenset[str]]:
        name = self.selection.kinds
        if name is None:
            return {}, frozenset()
        head = self.heads[name]
        conditional = bool(head.options.get("conditional"))
        return decode_kinds(
            head.labels, output.text_logits[name], head.decision, given=probability if conditional else None
        )

    def _choice(self, name: str | None, output: NetworkOutput) -> str | None:
        if name is None:
            return None
        probabilities = softmax(output.text_logits[name])
        best = max(range(len(probabilities)), key=probabilities.__getitem__)
        return self.heads[name].labels[best] if probabilities[best] >= _MAJORITY else None


def decode_kinds(
    labels: Sequence[str],
    logits: Sequence[float],
    decision: Mapping[str, Any] = NOTHING,
    given: float | None = None,
) -> tuple[dict[str, float], frozenset[str]]:
    """Return the probability of each kind, and the kinds that reach their thresholds.

    For a head that learned from slanted texts alone, ``given`` is how likely the text is slanted: probabilities are
    multiplied by it, and a text that is not slanted has no kinds.
    """
    probabilities = dict(zip(labels, map(sigmoid, logits), strict=True))
    thresholds = decision.get("thresholds", {})
    kinds = frozenset(
        name for name, probability in probabilities.items() if probability >= thresholds.get(name, 0.5)
    )
    if given is None:
        return probabilities, kinds
    return (
        {name: probability * given for name, probability in probabilities.items()},
        kinds if given >= 0.5 else frozenset(),
    )


def decode_span_head(
    text: str,
    words: Sequence[Span],
    rows: Sequence[Sequence[float]],
    decision: Mapping[str, Any] = NOTHING,
    *,
    gate: float | None = None,
    threshold: float = 0.5,
) -> list[tuple[Span, float]]:
    """Return the spans of one span head with their probabilities, from the tag probabilities of each word.

    ``gate`` is the probability of the sentence head that gates it, if any.
    """
    if gate is not None and gate < threshold:
        return []
    even = float(decision.get("threshold", 0.5))
    # a low threshold returns less likely spans; a high one drops whole spans, not their ends
    least = even * min(1.0, 2 * threshold)
    found = []
    for span in snap_to_words(text, mark_words(text, words, rows, {**decision, "threshold": least})):
        scores = [
            row[BEGIN] + row[INSIDE] for word, row in zip(words, rows, strict=True) if span.overlaps(word)
        ]
        # words that a span only grew to, or bridged a gap with, do not count towards its probability
        marked = [score for score in scores if score >= least] or scores
        probability = even_odds(sum(marked) / len(marked), even)
        found.append((span, probability if gate is None else min(probability, gate)))
    return found


def merge_spans(text: str, spans: Sequence[PredictedSpan]) -> list[PredictedSpan]:
    """Join neighbours of one kind, trim closing punctuation, and drop spans of function words alone.

    A joined span is as likely as its likeliest part. The spans must be in order and must not overlap.
    """
    joined: list[PredictedSpan] = []
    for span in spans:
        last = joined[-1] if joined else None
        if last and last.kind == span.kind and not text[last.span.end : span.span.start].strip():
            likeliest = max(last.probability or 0.0, span.probability or 0.0)
            surer = max(last, span, key=lambda part: part.probability or 0.0)
            joined[-1] = PredictedSpan(
                Span(last.span.start, span.span.end), span.kind, likeliest, surer.technique
            )
        else:
            joined.append(span)
    found = []
    for span in joined:
        wording = text[span.span.start : span.span.end]
        if any(word not in FUNCTION for word in ALPHANUMERIC.findall(wording.lower())):
            end = span.span.start + len(wording.rstrip(_CLOSING))
            found.append(replace(span, span=Span(span.span.start, end)))
    return found
