"""The types that every part of unslant shares: positions, documents, findings and reports.

All are immutable. Positions are half-open pairs of code points into the source as the user wrote it.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from html import escape
from typing import Any, Self

from unslant.core.errors import AlignmentError

SCHEMA = "unslant/report/1"
"""The name and version of the JSON form."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of a text, by half-open code-point offsets."""

    start: int
    """The first code point inside."""
    end: int
    """The first code point after."""

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise AlignmentError(f"empty or reversed span [{self.start}, {self.end})")

    def __len__(self) -> int:
        return self.end - self.start

    def overlaps(self, other: Span) -> bool:
        """Return whether the two share a code point."""
        return self.start < other.end and other.start < self.end

    def contains(self, other: Span) -> bool:
        """Return whether ``other`` lies wholly inside."""
        return self.start <= other.start and other.end <= self.end

    def to_dict(self) -> dict[str, int]:
        """Return the JSON form."""
        return {"start": self.start, "end": self.end}

    @classmethod
    def from_dict(cls, data: Mapping[str, int]) -> Self:
        """Rebuild from the JSON form."""
        return cls(data["start"], data["end"])


def join_spans(spans: Iterable[Span], *, touching: bool = False) -> tuple[Span, ...]:
    """Return spans in order, with those that overlap joined; with ``touching``, also those that only meet."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start < joined[-1].end + touching:
            joined[-1] = Span(joined[-1].start, max(span.end, joined[-1].end))
        else:
            joined.append(span)
    return tuple(joined)


class Severity(StrEnum):
    """How much a finding matters; ordered."""

    SUGGESTION = "suggestion"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        """The place in the order, 0 for the mildest."""
        return tuple(Severity).index(self)


class Applicability(StrEnum):
    """How an edit may be applied: automatically, after review, or not at all."""

    SAFE = "safe"
    REVIEW = "review"
    DISPLAY = "display"

    @property
    def rank(self) -> int:
        """The place in the order, 0 for what may be applied automatically."""
        return tuple(Applicability).index(self)


class Verdict(StrEnum):
    """What the analyzers conclude about a whole sentence."""

    SLANTED = "slanted"
    UNCERTAIN = "uncertain"
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class Note:
    """Something to tell the writer that is not a finding, such as an inline ignore that ignores nothing."""

    message: str
    span: Span | None = None
    """Where in the source; None: the document as a whole."""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"span": self.span.to_dict() if self.span else None, "message": self.message}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from the JSON form."""
        return cls(data["message"], Span.from_dict(data["span"]) if data["span"] else None)


@dataclass(frozen=True, slots=True)
class Directive:
    """An inline ignore: a comment that asks for some findings to be left out, and says why."""

    span: Span
    """The comment itself."""
    scope: Span
    """The range of the source that it covers."""
    selectors: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class KeptWords:
    """Words that the writer keeps in one sentence although a rule reports them, listed outside of the text."""

    rule: str
    """The rule, or the kind of a finding without one."""
    words: str
    """On one line, possibly shortened."""
    sentence: str
    """The sentence as it was, on one line, possibly shortened."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class WordSenses:
    """The words that a document uses in a sense of its own."""

    names: frozenset[str] = frozenset()
    """Words that are names in it, as they are written."""
    defined: frozenset[str] = frozenset()
    """Words that it defines, in lower case."""
    subjects: frozenset[str] = frozenset()
    """Words of rules that belong to another subject that it names."""


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A text to be checked, as the user wrote it, with everything that is not prose blanked."""

    source: str
    """The text as the user wrote it."""
    prose: str
    """The same length; what is not prose is blanked with spaces, line ends are kept."""
    id: str = "<text>"
    """A path or another name that a person recognises."""
    format: str = "text"
    """The name of the reader that made it."""
    language: str | None = None
    """The language of the whole text if that is not English; its prose is then blank."""
    quotations: tuple[Span, ...] = ()
    """Direct quotations with their marks, in order, none overlapping another."""
    hidden: tuple[Span, ...] = ()
    """Ranges of the prose in which nothing is reported, in order, such as addresses in plain text."""
    blocks: tuple[Span, ...] | None = None
    """Ranges that no sentence crosses (paragraphs, headings, list items); None: blank lines decide."""
    directives: tuple[Directive, ...] = ()
    """The inline ignores in it."""
    notes: tuple[Note, ...] = ()
    """What the reader has to tell, such as an inline ignore without a reason."""
    before: str = ""
    """What stands before it if it is a part of a longer text: read, as a quotation may begin there; not checked."""
    after: str = ""
    """What stands behind it."""
    senses: WordSenses | None = None
    """What the longer text says about its words, if it is a part of one; None: they are looked up in what is here."""
    kept: tuple[KeptWords, ...] = ()
    """What the writer keeps: such findings are not reported."""

    def __post_init__(self) -> None:
        if len(self.source) != len(self.prose):
            raise AlignmentError(
                f"{self.id}: prose has {len(self.prose)} code points, the source {len(self.source)}"
            )


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """One sentence of a document."""

    document: Document
    span: Span

    @property
    def text(self) -> str:
        """The sentence with markup blanked; the same length as its span."""
        return self.document.prose[self.span.start : self.span.end]

    def reword(self, text: str, probability: float) -> Edit:
        """Return the edit that puts another wording in the place of the whole sentence."""
        return Edit(self.span.start, self.span.end, text, probability=probability)


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of text: replace the text from ``start`` to ``end``, by half-open code-point offsets."""

    start: int
    end: int
    """The same as the start for an insertion."""
    replacement: str
    """What to write instead; empty to delete."""
    applicability: Applicability = Applicability.REVIEW
    probability: float | None = None
    """How likely a reader finds the change good; None where nobody estimated it."""
    source: str = ""
    """Who proposes it: ``rules``, ``list``, ``model``, ``deletion`` or ``rewriter``; empty: nobody said."""
    note: str = ""
    """What the writer should look at before applying it; mostly nothing."""

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise AlignmentError(f"reversed edit [{self.start}, {self.end})")

    @property
    def span(self) -> Span:
        """The text that is replaced; an insertion has no span and raises ``AlignmentError``."""
        return Span(self.start, self.end)

    @property
    def change(self) -> tuple[int, int, str]:
        """What the edit does, whoever may apply it; edits are sorted and compared by it."""
        return self.start, self.end, self.replacement

    @property
    def growth(self) -> int:
        """How much longer the text becomes; negative: shorter."""
        return len(self.replacement) - (self.end - self.start)

    def shift(self, by: int) -> Edit:
        """Return the same edit for a text that begins ``by`` code points earlier."""
        return replace(self, start=self.start + by, end=self.end + by)

    def conflicts(self, other: Edit) -> bool:
        """Return whether both change the same place, so that only one of them can be applied."""
        return (self.start < other.end and other.start < self.end) or self.start == other.start

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "span": {"start": self.start, "end": self.end},
            "replacement": self.replacement,
            "applicability": self.applicability.value,
            "probability": self.probability,
            "source": self.source,
            "note": self.note,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from the JSON form."""
        return cls(
            data["span"]["start"],
            data["span"]["end"],
            data["replacement"],
            Applicability(data["applicability"]),
            data.get("probability"),
            data.get("source", ""),
            data.get("note", ""),
        )


@dataclass(frozen=True, slots=True)
class Finding:
    """Words that slant: where, of which kind, why, and what to write instead."""

    span: Span
    text: str
    """The words in question: ``source[span.start:span.end]``."""
    kind: str
    """How it slants: a kind of the taxonomy."""
    why: str
    """The reason, in one friendly sentence for the writer."""
    origin: str
    """The analyzer that reported it: ``rules``, ``model``, …; several are joined by ``+``."""
    rule: str | None = None
    """The id of the rule, if a rule reported it."""
    dimension: str | None = None
    """Against whom it slants: a dimension of the taxonomy, or None."""
    severity: Severity = Severity.WARNING
    probability: float | None = None
    """How likely an editor would agree; None if nothing estimated it."""
    edits: tuple[Edit, ...] = ()
    """What could be written, the best first, as decided for its document; each can be applied by itself."""
    deletable: bool = False
    """Whether the sentence stands without the words, so that a writer may simply leave them out."""
    fingerprint: str = ""
    """Names the finding whatever line it moves to; set by the pipeline."""

    @property
    def id(self) -> str:
        """The id by which it is selected and explained: the rule's, or the analyzer's name with the kind."""
        return self.rule or f"{re.split('[:+]', self.origin)[0]}/{self.kind}"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "span": self.span.to_dict(),
            "text": self.text,
            "kind": self.kind,
            "dimension": self.dimension,
            "probability": self.probability,
            "severity": self.severity.value,
            "rule": self.rule,
            "origin": self.origin,
            "why": self.why,
            "edits": [edit.to_dict() for edit in self.edits],
            "deletable": self.deletable,
            "fingerprint": self.fingerprint,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from the JSON form."""
        return cls(
            span=Span.from_dict(data["span"]),
            text=data["text"],
            kind=data["kind"],
            why=data["why"],
            origin=data["origin"],
            rule=data["rule"],
            dimension=data["dimension"],
            severity=Severity(data["severity"]),
            probability=data["probability"],
            edits=tuple(Edit.from_dict(edit) for edit in data["edits"]),
            deletable=data.get("deletable", False),
            fingerprint=data["fingerprint"],
        )


@lru_cache(maxsize=256)
def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def fingerprint(rule: str, text: str, sentence: str, occurrence: int = 0) -> str:
    """Name a finding by what it says and the sentence it is in, not by where that sentence stands.

    White space and case do not count, so re-wrapped lines keep their fingerprints. ``occurrence`` tells apart
    equal findings in equal sentences.
    """
    parts = (rule, _fold(text), _fold(sentence), str(occurrence))
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class WordScore:
    """How likely an editor would change one word of a sentence, as a network sees it."""

    span: Span
    """Where the word is in the source."""
    probability: float


@dataclass(frozen=True, slots=True)
class Analysis:
    """What one analyzer found in one sentence; what it does not judge stays empty."""

    probability: float | None = None
    """How likely the sentence is slanted."""
    spread: float | None = None
    """The standard deviation of that probability, if the analyzer knows it."""
    findings: tuple[Finding, ...] = ()
    proposals: Sequence[Edit] = ()
    """Edits with their probabilities, the likeliest first, whether or not they touch a finding."""
    words: Sequence[WordScore] = ()
    """A score for every word, if the analyzer gives one; evidence for or against the findings of others."""


@dataclass(frozen=True, slots=True)
class SentenceVerdict:
    """What all analyzers together conclude about one sentence."""

    span: Span
    probability: float | None = None
    verdict: Verdict | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "span": self.span.to_dict(),
            "probability": self.probability,
            "verdict": self.verdict.value if self.verdict else None,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from the JSON form."""
        verdict = data["verdict"]
        return cls(Span.from_dict(data["span"]), data["probability"], Verdict(verdict) if verdict else None)


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """Everything that unslant reports about one document."""

    document: Document
    sentences: Sequence[SentenceVerdict] = ()
    findings: tuple[Finding, ...] = ()
    """Ordered by position."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """What was run: version, digest of the spec, analyzers."""
    notes: tuple[Note, ...] = ()
    """What else the writer should know."""

    def __post_init__(self) -> None:
        source = self.document.source
        for finding in self.findings:
            if source[finding.span.start : finding.span.end] != finding.text:
                raise AlignmentError(f"{self.document.id}: {finding.text!r} is not at {finding.span.start}")

    def sentence_of(self, finding: Finding) -> str:
        """Return the sentence that a finding is in, as the user wrote it."""
        start = finding.span.start
        place = bisect_right(self.sentences, start, key=lambda sentence: sentence.span.start) - 1
        if place < 0:
            return ""
        span = self.sentences[place].span
        return self.document.source[span.start : max(span.end, finding.span.end)]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, the same from the command, the library and the server."""
        return {
            "schema": SCHEMA,
            "document": {"id": self.document.id, "format": self.document.format},
            "sentences": [sentence.to_dict() for sentence in self.sentences],
            "findings": [finding.to_dict() for finding in self.findings],
            "notes": [note.to_dict() for note in self.notes],
            "provenance": dict(self.provenance),
        }

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the text, with the words that are reported marked."""
        source, parts, at = self.document.source, [], 0
        for finding in self.findings:
            start = max(finding.span.start, at)
            title = escape(f"{finding.severity.value} {finding.id}: {finding.why}", quote=True)
            words = escape(source[start : finding.span.end])
            parts.append(f'{escape(source[at:start])}<mark title="{title}">{words}</mark>')
            at = max(finding.span.end, at)
        return f'<div style="white-space:pre-wrap">{"".join(parts)}{escape(source[at:])}</div>'

    @classmethod
    def from_dict(cls, document: Document, data: Mapping[str, Any]) -> Self:
        """Rebuild from the JSON form and the document it refers to."""
        return cls(
            document,
            tuple(SentenceVerdict.from_dict(sentence) for sentence in data["sentences"]),
            tuple(Finding.from_dict(finding) for finding in data["findings"]),
            dict(data["provenance"]),
            tuple(Note.from_dict(note) for note in data["notes"]),
        )


@dataclass(frozen=True, slots=True)
class Weight:
    """How much one word matters."""

    span: Span
    """In the text of the sentence."""
    change: float
    """How much the probability falls without the word; negative: it rises."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """One sentence, its judgement, and the weight of each of its words."""

    text: str
    probability: float
    words: tuple[Weight, ...]
    """In order, none overlapping another."""
    marked: tuple[Span, ...] = ()
    """The words that are reported."""
    answers: Mapping[str, str] | None = None
    """What else the model says of the sentence, by question."""
