"""Training samples and their encoding as rows of subwords, with rule findings as optional features.

There is one feature per rule: 1 if the word of the subword is part of a finding of that rule, otherwise 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from unslant.core.types import Document, Finding, Sentence, Span
from unslant.neural.group_masking import GroupMask, MaskedText
from unslant.rules.analyzer import RuleAnalyzer, rules_for
from unslant.spec import Spec

if TYPE_CHECKING:
    import numpy as np

    from unslant.core.example import Example, LabelledSpan
    from unslant.lab.detector.recipe import Part


def is_doubtful(labelled: LabelledSpan) -> bool:
    """Return whether only some annotators marked a span, or an editor *may* but need not change it."""
    if labelled.grade is not None:
        return labelled.grade == "may"
    return labelled.share is not None and labelled.share < 1


@dataclass(frozen=True, slots=True)
class SoftLabels:
    """The soft labels of one text for one head, from a teacher."""

    values: np.ndarray[Any, Any]
    """Logits: (classes,) for a text, (subwords, classes) for its subwords."""
    starts: tuple[int, ...] = ()
    """The start offsets of the teacher's subwords; empty for a head at the text level."""


@dataclass(frozen=True, slots=True)
class TrainingSample:
    """A text with its labels and how training uses them."""

    example: Example
    part: Part
    split: str
    soft: Mapping[str, SoftLabels] = field(default_factory=dict)
    """Soft labels by head."""
    rewritten: str | None = None
    """The text after an editor's changes; the same text if nothing needs a change, None if unknown."""

    def teaches(self, type_: str) -> bool:
        """Return whether heads of this type learn from it."""
        return not self.part.labels or type_ in self.part.labels


@dataclass(frozen=True, slots=True)
class EncodedRow:
    """A sample as the encoder sees it."""

    sample: TrainingSample
    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    """The position of each subword in the text; (0, 0) for special tokens and the prefix."""

    @property
    def text(self) -> str:
        """The text, without prefix."""
        return self.sample.example.text


def encode(
    tokenizer: Callable[..., Any],
    samples: Sequence[TrainingSample],
    max_length: int,
    prefix: str = "",
    *,
    mask: GroupMask | None = None,
) -> list[EncodedRow]:
    """Tokenize texts; offsets refer to the original text, without prefix and masks."""
    if not samples:
        return []
    texts = [sample.example.text for sample in samples]
    masked = [MaskedText(text) if mask is None else mask.mask(text) for text in texts]
    encoded = tokenizer(
        [prefix + text.text for text in masked],
        truncation=True,
        max_length=max_length,
        return_offsets_mapping=True,
    )
    shift = len(prefix)
    rows = []
    encodings = zip(encoded["input_ids"], encoded["offset_mapping"], strict=True)
    for sample, text, (ids, offsets) in zip(samples, masked, encodings, strict=True):
        rows.append(
            EncodedRow(
                sample, tuple(ids), tuple(_original_offset(text, shift, *offset) for offset in offsets)
            )
        )
    return rows


def _original_offset(masked: MaskedText, shift: int, start: int, end: int) -> tuple[int, int]:
    """Return the position of a subword in the original text; (0, 0) for special tokens and the prefix."""
    start, end = max(start - shift, 0), max(end - shift, 0)
    return masked.original(start, end) if start < end else (0, 0)


def feature_names() -> tuple[str, ...]:
    """Return the rule ids in the order of the features."""
    return tuple(sorted(rule.id for rule in rules_for(Spec())))


@cache
def _analyzer() -> Any:
    return RuleAnalyzer(Spec())


@lru_cache(maxsize=100_000)
def rule_findings(text: str) -> tuple[Finding, ...]:
    """Return what the rules find in a sentence."""
    if not text.strip():
        return ()
    (analysis,) = _analyzer().analyze([Sentence(Document(text, text), Span(0, len(text)))])
    return tuple(analysis.findings)


def feature_rows(rows: Sequence[EncodedRow], length: int, names: Sequence[str]) -> list[list[list[float]]]:
    """Return features as (rows, length, names); a rule that is no longer in the catalogue has no findings."""
    columns = {name: at for at, name in enumerate(names)}
    features = []
    for row in rows:
        values = [[0.0] * len(names) for _ in range(length)]
        for finding in rule_findings(row.text):
            for subword, (start, end) in enumerate(row.offsets):
                if finding.rule in columns and start < finding.span.end and finding.span.start < end:
                    values[subword][columns[finding.rule]] = 1.0
        features.append(values)
    return features
