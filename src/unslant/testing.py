"""What every reader, segmenter and analyzer must keep to; for the authors of plugins as well.

Each function raises ``AssertionError`` with a sentence that says what was broken. Call them from your tests with texts
of your own; unslant's tests call them with arbitrary ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from unslant.core.types import Analysis, Document, Sentence, Span
from unslant.protocols import Analyzer, Reader, Segmenter


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise AssertionError(sentence)


def _require_ordered(spans: Sequence[Span], length: int, what: str) -> None:
    _require(all(span.end <= length for span in spans), f"{what} lie inside the source")
    _require(
        all(first.end <= second.start for first, second in pairwise(spans)), f"{what} are in order and apart"
    )


def check_reader(reader: Reader, source: str) -> None:
    """Masking keeps length and line ends and only ever blanks; all spans are ordered and inside."""
    prose = reader.mask(source)
    _require(len(prose) == len(source), "the mask is as long as the source")
    for was, now in zip(source, prose, strict=True):
        _require(now == was or (now == " " and was not in "\r\n"), "a mask blanks, and keeps line ends")
    _require_ordered(reader.blocks(source) or (), len(source), "blocks")
    _require_ordered(reader.quotations(source), len(source), "quotations")
    _require_ordered(reader.comments(source), len(source), "comments")


def check_segmenter(segmenter: Segmenter, document: Document) -> None:
    """Sentences are ordered, trimmed, apart, and cover all prose inside the blocks."""
    spans = [sentence.span for sentence in segmenter.split(document)]
    _require_ordered(spans, len(document.prose), "sentences")
    for span in spans:
        text = document.prose[span.start : span.end]
        _require(text == text.strip(), "a sentence has no white space around it")
    covered = "".join("".join(document.prose[span.start : span.end].split()) for span in spans)
    blocks = document.blocks if document.blocks is not None else _whole(document)
    expected = "".join("".join(document.prose[block.start : block.end].split()) for block in blocks)
    _require(covered == expected, "sentences cover all prose")


def _whole(document: Document) -> tuple[Span, ...]:
    return (Span(0, len(document.prose)),) if document.prose else ()


def check_analyzer(analyzer: Analyzer, sentences: Sequence[Sentence]) -> None:
    """One analysis a sentence, in order; findings lie inside; batched equals one by one; nothing for nothing."""
    _require(analyzer.analyze([]) == [], "no sentences give no analyses")
    together = analyzer.analyze(sentences)
    _require(len(together) == len(sentences), "there is one analysis per sentence")
    for sentence, analysis in zip(sentences, together, strict=True):
        (alone,) = analyzer.analyze([sentence])
        _require(_comparable(alone) == _comparable(analysis), "batched equals one by one")
        for finding in analysis.findings:
            span = finding.span
            _require(sentence.span.contains(span), "a finding lies inside its sentence")
            _require(
                sentence.document.source[span.start : span.end] == finding.text,
                "a finding's text is the source's",
            )


def _comparable(analysis: Analysis) -> tuple[object, ...]:
    """Leave the last digits of scores out: a batch may add up in another order."""
    rounded = None if analysis.probability is None else round(analysis.probability, 3)
    findings = [(finding.span, finding.kind, finding.rule, finding.edits) for finding in analysis.findings]
    return (rounded, findings)
