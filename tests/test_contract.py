"""Every component keeps its contract, over arbitrary text in every format."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unslant
from unslant.core.types import Document, Sentence, Span
from unslant.registry import names, resolve
from unslant.spec import Spec
from unslant.testing import check_analyzer, check_reader, check_segmenter

FORMATS = names("reader")
ANALYZER = resolve("analyzer", "rules")(Spec())
SEGMENTER = resolve("segmenter", "nupunkt")(Spec())

_PIECES = [
    "The legendary chairman slammed it. ",
    "Clearly, everyone knows the truth. ",
    '"It is a so-called plan," she said. ',
    "\u201cA stunning win\u201d ",
    "All women are emotional. ",
    "a very, very sad day ",
    "the 'experts' ",
    "**so-called** ",
    "<b>illegal aliens</b> ",
    "[[iconic|legendary]] ",
    "{{quote|slammed}} ",
    "<!-- unslant: ignore framing -- fine --> ",
    "`code` ",
    "\n\n",
    "\r\n",
    "\r",
    "\x00",
    "\u0130stanbul ",
    "e\u0301 ",
    "\U0001f469\u200d\U0001f680 ",
    "\u05e9\u05dc\u05d5\u05dd ",
    "\ud800",
    "> quoted slammed\n",
    "# Heading\n",
    "| a | b |\n|---|---|\n",
    "&amp;",
    "https://example.org/legendary ",
]
texts = st.lists(st.sampled_from(_PIECES) | st.text(max_size=8), max_size=25).map("".join)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=60, deadline=None)
@given(source=texts)
def test_readers(name: str, source: str) -> None:
    check_reader(resolve("reader", name)(), source)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=60, deadline=None)
@given(source=texts)
def test_the_segmenter(name: str, source: str) -> None:
    check_segmenter(SEGMENTER, unslant.read(source, name))


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=60, deadline=None)
@given(source=texts)
def test_the_analyzer_of_rules(name: str, source: str) -> None:
    check_analyzer(ANALYZER, list(SEGMENTER.split(unslant.read(source, name))))


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=60, deadline=None)
@given(source=texts, quotations=st.booleans())
def test_findings_are_ordered_where_they_say_and_their_edits_apply(
    name: str, source: str, quotations: bool
) -> None:
    report = unslant.check(source, format=name, spec=Spec(quotations=quotations))
    spans = [finding.span for finding in report.findings]
    assert spans == sorted(spans)
    for finding in report.findings:
        assert source[finding.span.start : finding.span.end] == finding.text
        for edit in finding.edits:
            assert edit.span.end <= len(source)
            assert source[edit.span.start : edit.span.end] != edit.replacement
    assert len({finding.fingerprint for finding in report.findings}) == len(report.findings)


@settings(max_examples=40, deadline=None)
@given(st.lists(texts, max_size=6))
def test_a_stream_of_documents_gives_what_each_gives_alone(sources: list[str]) -> None:
    documents = [unslant.read(source, "markdown", f"{number}.md") for number, source in enumerate(sources)]
    together = [report.to_dict() for report in unslant.Pipeline().check(iter(documents))]
    assert together == [unslant.check(document).to_dict() for document in documents]


def test_a_stream_is_lazy() -> None:
    taken = []

    def documents() -> object:
        for number in range(5):
            taken.append(number)
            yield unslant.read("A long plain sentence. " * 4000, id=str(number))

    reports = unslant.Pipeline().check(documents())  # type: ignore[arg-type]
    assert taken == []
    assert next(reports).document.id == "0"
    assert len(taken) < 5


def test_a_broken_component_is_reported() -> None:
    class Longer:
        def mask(self, source: str) -> str:
            return source + " "

    with pytest.raises(AssertionError, match="as long as the source"):
        check_reader(Longer(), "a")  # type: ignore[arg-type]

    class Forgetful:
        def analyze(self, _: list[Sentence]) -> list[object]:
            return []

    document = Document("A text.", "A text.")
    with pytest.raises(AssertionError, match="one analysis per sentence"):
        check_analyzer(Forgetful(), [Sentence(document, Span(0, 7))])  # type: ignore[arg-type]
