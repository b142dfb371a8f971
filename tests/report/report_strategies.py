"""Any report that the core types allow, for hypothesis."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import strategies as st

from unslant.core.taxonomy import dimensions, kinds
from unslant.core.types import (
    Applicability,
    Document,
    Edit,
    Finding,
    Note,
    Report,
    SentenceVerdict,
    Severity,
    Span,
    Verdict,
)
from unslant.report import Outcome

_CHARS = st.one_of(
    st.sampled_from("ab. <>&\"'%:,\n\r\t\x00\x1b\u202e\u2028日é\u0301😀\udc80"),
    st.characters(exclude_categories=["Cs"]),
)
words = st.text(_CHARS, max_size=20)
probabilities = st.none() | st.floats(0, 1)


@st.composite
def spans(draw: st.DrawFn, length: int) -> Span:
    start = draw(st.integers(0, length - 1))
    return Span(start, draw(st.integers(start + 1, length)))


@st.composite
def findings(draw: st.DrawFn, source: str) -> Finding:
    span = draw(spans(len(source)))
    edits = st.builds(
        lambda span, *rest: Edit(span.start, span.end, *rest),
        spans(len(source)),
        words,
        st.sampled_from(Applicability),
    )
    return Finding(
        span=span,
        text=source[span.start : span.end],
        kind=draw(st.sampled_from(kinds())),
        why=draw(words),
        origin=draw(st.sampled_from(["rules", "model", "rules+model"])),
        rule=draw(
            st.none() | st.sampled_from(["framing/praise-adjective", "demographic/gendered-role", "own/rule"])
        ),
        dimension=draw(st.none() | st.sampled_from(dimensions())),
        severity=draw(st.sampled_from(Severity)),
        probability=draw(probabilities),
        edits=tuple(draw(st.lists(edits, max_size=2))),
        fingerprint=draw(st.sampled_from(["", "0123456789abcdef"])),
    )


@st.composite
def reports(draw: st.DrawFn) -> Report:
    source = draw(st.text(_CHARS, min_size=1, max_size=60))
    cuts = sorted(draw(st.sets(st.integers(0, len(source)), max_size=6)))
    sentences = [
        SentenceVerdict(Span(*pair), draw(probabilities), draw(st.none() | st.sampled_from(Verdict)))
        for pair in pairwise(cuts)
    ]
    found = draw(st.lists(findings(source), max_size=4))
    ordered = tuple(sorted(found, key=lambda finding: finding.span))
    notes = tuple(draw(st.lists(st.builds(Note, words, st.none() | spans(len(source))), max_size=2)))
    return Report(Document(source, source, draw(words)), sentences, ordered, {"version": "0.1.0"}, notes)


@st.composite
def outcomes(draw: st.DrawFn) -> Outcome:
    path = draw(
        st.sampled_from(["text.txt", "a dir/é<b>.md", "../out.md", "<stdin>", "a:b,c%.txt", "bad\udc80.txt"])
    )
    if draw(st.integers(0, 3)) == 0:
        return Outcome(path, error=draw(words))
    return Outcome(path, draw(reports()))


runs = st.lists(outcomes(), max_size=3)
