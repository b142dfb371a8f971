"""Cached analyses equal fresh ones."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.types import Analysis, Applicability, Document, Edit, Finding, Sentence, Span
from unslant.editor.checker import CachingAnalyzer

WORDS = ("calm", "bold", "sad")


class Bold:
    """Marks every ``bold``, and counts how many sentences it was asked about."""

    def __init__(self) -> None:
        self.analyzed = 0

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        self.analyzed += len(sentences)
        return [self._one(sentence) for sentence in sentences]

    def _one(self, sentence: Sentence) -> Analysis:
        at = sentence.text.find("bold")
        if at < 0:
            return Analysis(0.1)
        start = sentence.span.start + at
        span = Span(start, start + 4)
        edit = Edit(span.start, span.end, "plain", Applicability.SAFE)
        found = Finding(span, "bold", "framing", "It is bold.", "test", edits=(edit,))
        return Analysis(0.9, None, (found,), (Edit(start, start, "not ", probability=0.5),))


def sentences(words: Sequence[str]) -> list[Sentence]:
    text = " ".join(f"So {word}." for word in words)
    document = Document(text, text)
    found, at = [], 0
    for word in words:
        found.append(Sentence(document, Span(at, at + len(word) + 4)))
        at += len(word) + 5
    return found


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=6), max_size=5), st.integers(1, 3))
def test_the_answers_are_the_same(texts: list[list[str]], room: int) -> None:
    remembering = CachingAnalyzer(Bold(), room)
    for words in texts:
        batch = sentences(words)
        assert remembering.analyze(batch) == Bold().analyze(batch)


def test_only_what_is_new_is_asked_about() -> None:
    bold = Bold()
    remembering = CachingAnalyzer(bold)
    remembering.analyze(sentences(["calm", "bold", "calm"]))
    assert bold.analyzed == 2
    remembering.analyze(sentences(["sad", "calm", "bold", "calm"]))
    assert bold.analyzed == 3


def test_markup_tells_sentences_apart() -> None:
    prose = "So bold."
    plain = Sentence(Document(prose, prose), Span(0, 8))
    marked = Sentence(Document("So*bold.", prose), Span(0, 8))
    bold = Bold()
    CachingAnalyzer(bold).analyze([plain, marked])
    assert bold.analyzed == 2
