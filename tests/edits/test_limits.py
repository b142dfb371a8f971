"""Fixing ends, whatever the text, and can be stopped on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

import unslant
from unslant.core.types import Analysis, Document, Sentence
from unslant.edits import decide as limits
from unslant.edits.fixer import Fixer
from unslant.pipeline import Pipeline
from unslant.rules.analyzer import rules_for
from unslant.spec import Spec
from unslant.text import reading

pytestmark = pytest.mark.usefixtures("trusting")

RULES = Spec(analyzers=("rules",))
BOTH = Spec()
Analyze = Callable[[Sequence[Sentence]], list[Analysis]]


def catalogue_words(count: int) -> list[str]:
    """Return terms of the catalogue that are one word."""
    terms = (term for rule in rules_for(RULES) for term in (*rule.terms, *rule.swap))
    words = [term for term in terms if term.isalpha()]
    return words[:count]


def reported_words(count: int) -> list[str]:
    """Return terms of the catalogue that are one word, and that are reported where they follow each other."""
    words = catalogue_words(400)
    for _ in range(3):
        # without the others, a word may stand beside another one
        words = [finding.text for finding in unslant.check(" ".join(words), spec=RULES).findings]
    assert len(words) >= count
    return words[:count]


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the code points that analyzers read."""
    lengths: list[int] = []
    plain = Pipeline.__init__

    def counted(analyze: Analyze) -> Analyze:
        def analyze_and_count(sentences: Sequence[Sentence]) -> list[Analysis]:
            lengths.append(sum(len(sentence.span) for sentence in sentences))
            return analyze(sentences)

        return analyze_and_count

    def counting(self: Pipeline, *given: object, **named: object) -> None:
        plain(self, *given, **named)  # type: ignore[arg-type]
        for analyzer in self._analyzers:
            analyzer.analyze = counted(analyzer.analyze)  # type: ignore[method-assign]

    monkeypatch.setattr(Pipeline, "__init__", counting)
    return lengths


@pytest.mark.parametrize("spec", [RULES, BOTH], ids=["rules", "model"])
@pytest.mark.parametrize(
    "text",
    [
        "legendary and " * 1000 + "le",
        "\n".join(catalogue_words(400)),
        "\n\n".join(catalogue_words(400)),
        " ".join(catalogue_words(400)),
        "claimed that " * 1000,
        'The "' * 1000,
    ],
    ids=["one list", "a word a line", "a word a paragraph", "one line", "claims", "marks"],
)
def test_fixing_reads_a_text_only_so_often(work: list[int], spec: Spec, text: str) -> None:
    document = unslant.read(text)
    fixed = next(Fixer(spec).fix([document]))
    assert fixed.text == text or len(fixed.applied) > 0
    assert sum(work) < 40 * len(text) * len(spec.analyzers)


def test_a_sentence_with_too_many_places_is_reported_and_left_and_the_others_are_fixed() -> None:
    words = " ".join(reported_words(limits.SENTENCE_PLACES + 1))
    text = f"The legendary singer came to it late.\n\n{words}\n\nThe iconic singer came to it late.\n"
    fixed = unslant.fix(text, spec=RULES)
    assert fixed.text == f"The singer came to it late.\n\n{words}\n\nThe singer came to it late.\n"
    (note,) = fixed.notes
    assert note.span is not None
    assert text[note.span.start : note.span.end] == words
    assert "too many places" in note.message
    assert len(fixed.report.findings) >= limits.SENTENCE_PLACES
    assert unslant.fix(fixed.text, spec=RULES).text == fixed.text


def test_the_limits_of_a_sentence_are_exact() -> None:
    assert limits.fits(100, limits.SENTENCE_PLACES)
    assert not limits.fits(100, limits.SENTENCE_PLACES + 1)
    assert limits.fits(limits.EFFORT // 10, 10)
    assert not limits.fits(limits.EFFORT // 10 + 1, 10)
    assert limits.fits(1_000_000, 0)


def test_places_behind_the_limit_of_the_document_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unslant.edits.decide.DOCUMENT_PLACES", 3)
    monkeypatch.setattr("unslant.edits.fixer.DOCUMENT_PLACES", 3)
    text = "The legendary singer came to it late. " * 5
    fixed = unslant.fix(text, spec=RULES)
    assert fixed.text.count("legendary") == 2
    assert fixed.text.endswith("The legendary singer came to it late. " * 2)
    (note,) = fixed.notes
    assert note.span is not None
    assert note.span.start == 3 * len("The legendary singer came to it late. ") + len("The ")


class Enough(Exception):
    """Raised where somebody asks to stop."""


@pytest.mark.parametrize("after", range(2))
def test_fixing_can_be_stopped_at_every_step(after: int) -> None:
    steps = 0

    def progress(_: int) -> None:
        nonlocal steps
        steps += 1
        if steps > after:
            raise Enough

    text = "The legendary singer slammed the plan, and the fireman left. Sadly, # of users grew. " * 20
    fixer = Fixer(RULES, progress=progress)
    with pytest.raises(Enough):
        next(fixer.fix([unslant.read(text, "markdown")]))


def test_edits_that_break_the_markup_are_found_without_reading_the_text_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted: list[int] = []

    def counting(document: Document, source: str) -> Document:
        counted.append(len(source))
        return reading.reread(document, source)

    monkeypatch.setattr("unslant.edits.combine.reread", counting)
    broken = "Sadly, # of users grew.\n\n"
    harmless = "The legendary singer came to it late.\n\n"
    text = broken + harmless * 100
    fixed = next(Fixer(RULES).fix([unslant.read(text, "markdown")]))
    assert fixed.text == broken + "The singer came to it late.\n\n" * 100
    assert len(counted) < 30
    counted.clear()
    many = next(Fixer(RULES).fix([unslant.read(broken * 200, "markdown")]))
    assert many.text == broken * 200
    assert len(counted) < 100
