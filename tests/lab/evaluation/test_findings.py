"""How many findings an editor accepts: counts worked out by hand, and the editors' corpus itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Finding, SentenceVerdict, Severity, Span
from unslant.lab import corpora
from unslant.lab.corpora.editor import MarkedPassage, read_passages
from unslant.lab.evaluation.findings import (
    CheckedDocument,
    check_bounds,
    check_part,
    check_passages,
    findings,
    measure_bound,
    measure_findings,
)
from unslant.lab.evaluation.held_out import Fold, Lineage, Setting
from unslant.lab.stats.bootstrap import Resampling
from unslant.spec import Spec

TEXT = "The legendary singer slammed the bold plan. The council met."


def _span(words: str, grade: str | None = None) -> LabelledSpan:
    start = TEXT.index(words)
    return LabelledSpan(Span(start, start + len(words)), "framing", technique="praise", grade=grade)  # type: ignore[arg-type]


def _finding(words: str, severity: Severity = Severity.WARNING) -> Finding:
    start = TEXT.index(words)
    return Finding(Span(start, start + len(words)), words, "framing", "why", "rules", "a/b", None, severity)


def _document() -> CheckedDocument:
    marked = (_span("legendary", "must"), _span("slammed", "must"), _span("bold", "may"))
    passage = MarkedPassage("d", TEXT, marked, "news", "left", "allsides", 10)
    found = (_finding("legendary singer"), _finding("bold", Severity.SUGGESTION), _finding("council"))
    return CheckedDocument(passage, found)


def test_figures_worked_out_by_hand() -> None:
    result = measure_findings([_document()], Resampling(0), "toy")
    # of three findings two touch marked words, one of them a must; one of two musts is found; one wrong in ten words
    assert result.figure("accepted").estimate.value == pytest.approx(2 / 3)
    assert result.figure("meets a must").estimate.value == pytest.approx(1 / 3)
    assert result.figure("recall of must").estimate.value == pytest.approx(1 / 2)
    assert result.figure("wrong findings per 1,000 words").estimate.value == pytest.approx(100)
    assert result.figure("accepted", "warnings").estimate.value == pytest.approx(1 / 2)
    assert result.figure("accepted", "suggestions").estimate.value == 1


def test_words_and_techniques_worked_out_by_hand() -> None:
    document = _document()
    called = [
        replace(finding, origin="model", rule=f"model/{name}")
        for finding, name in zip(document.findings, ("praise", "ridicule", "ridicule"), strict=True)
    ]
    result = measure_findings([replace(document, findings=tuple(called))], Resampling(0), "toy")
    # "legendary" is right, "singer" and "council" are wrong, "slammed" is missed, "bold" need not be changed
    assert result.figure("words of must, F1").estimate.value == pytest.approx(2 / (2 + 1 + 2))
    assert result.figure("words of found musts, F1").estimate.value == pytest.approx(2 / (2 + 0 + 1))
    # both marked phrases are praise; one of the two findings that meet them says so
    assert result.figure("right technique", "techniques named by the model").estimate.value == pytest.approx(
        0.5
    )
    assert result.figure("right technique", "called ridicule").estimate.value == 0
    assert result.figure("accepted", "called ridicule").estimate.value == pytest.approx(0.5)
    titles = [section.title for section in result.sections if section.title.startswith("called")]
    assert titles[0] == "called ridicule"


def test_a_higher_bound_gives_what_a_check_with_that_threshold_gives() -> None:
    marked = (_span("legendary", "must"),)
    passage = MarkedPassage("d", TEXT, marked, "news", None, "allsides", 10)
    spec = Spec(analyzers=("rules",))
    found = check_bounds([passage], spec, (0.0, 0.6, 1.0))
    for bound, documents in found.items():
        assert documents == check_passages([passage], replace(spec, threshold=bound))
    assert len(found[0.0][0].findings) > len(found[1.0][0].findings)
    accepted, recall, wrong = measure_bound(found[0.0], Resampling(0))
    assert recall.estimate.value == 1
    assert (accepted.name, wrong.name) == ("accepted", "wrong findings per 1,000 words")


def test_news_of_right_outlets_is_compared_with_news_of_left_outlets() -> None:
    left = _document()
    right = CheckedDocument(replace(left.passage, id="e", leaning="right"), left.findings[:2])
    result = measure_findings([left, right], Resampling(200), "toy")
    # right: both findings are accepted, and as many musts are found as on the left
    difference = result.figure("accepted", "news, right minus left").estimate
    assert difference.value == pytest.approx(1 - 2 / 3)
    assert result.figure("recall of must", "news, right minus left").estimate.value == 0
    titles = [section.title for section in measure_findings([left], Resampling(0), "toy").sections]
    assert "news, right minus left" not in titles, "only with outlets of both sides"


def test_probabilities_of_sentences_are_compared_with_what_must_change() -> None:
    first, second = TEXT.index("The council"), len(TEXT)
    verdicts = (SentenceVerdict(Span(0, first - 1), 0.9), SentenceVerdict(Span(first, second), 0.25))
    document = replace(_document(), sentences=verdicts)
    # 0.9 for a sentence with a must and 0.25 for one without a mark: off by 0.1 and 0.25
    error = measure_findings([document], Resampling(0), "toy").figure("calibration error", "sentences")
    assert error.estimate.value == pytest.approx((0.1 + 0.25) / 2)
    doubtful = replace(document, passage=replace(document.passage, marked=(_span("bold", "may"),)))
    error = measure_findings([doubtful], Resampling(0), "toy").figure("calibration error", "sentences")
    assert error.estimate.value == pytest.approx(0.25), "a sentence with only a may is left out"
    without = [section.title for section in measure_findings([_document()], Resampling(0), "toy").sections]
    assert "sentences" not in without, "no network, no probability"


def test_sentences_become_running_text_with_their_marks() -> None:
    def sentence(number: int, text: str, connected: bool, *spans: LabelledSpan) -> Example:
        extra = {"connected": connected, "origin": "ptc"}
        return Example(
            str(number), text, "editor", "", "dev", spans=spans, document="d", genre="news", extra=extra
        )

    first, second = "It was raining.", "The legendary mayor spoke."
    marked = LabelledSpan(Span(4, 13), "framing", grade="must")
    for connected, gap in ((True, " "), (False, "\n\n")):
        examples = [sentence(1, first, connected), sentence(2, second, connected, marked)]
        (passage,) = read_passages(examples, "dev")
        assert passage.text == first + gap + second
        (span,) = passage.marked
        assert passage.text[span.span.start : span.span.end] == "legendary"
        assert list(read_passages(examples, "test")) == []


def test_whole_documents_are_checked_as_a_user_would() -> None:
    passage = MarkedPassage("d", TEXT, (), "news", None, "ptc", 10)
    (checked,) = check_passages([passage], Spec(analyzers=("rules",)))
    assert {finding.text for finding in checked.findings} == {"legendary", "slammed", "bold plan"}


def test_passages_of_our_own_are_measured_by_part_without_what_the_model_learned_from(tmp_path: Path) -> None:
    class Learned(Lineage):
        def allows(self, corpus: str, part: str | Fold = "test") -> bool:
            return (corpus, part) != ("own", "train")

    setting, spec = Setting(tmp_path, Resampling(0)), Spec(analyzers=("rules",), profile="genre")
    counts = {
        (lineage, part): len(check_part(spec, lineage(), setting, part, "own").documents)
        for lineage in (Lineage, Learned)
        for part in ("dev", "test", "everything")
    }
    assert counts[Lineage, "test"] == counts[Learned, "test"] > 0
    assert counts[Learned, "everything"] == counts[Lineage, "dev"] + counts[Lineage, "test"]
    assert counts[Lineage, "everything"] > 2 * counts[Learned, "everything"]
    notes = findings(spec, Learned(), setting, part="everything", model="rules", corpus="own").notes
    assert any("the model learned from text of own" in note for note in notes)


@pytest.mark.shared
def test_text_that_a_model_learned_from_is_left_out(shared_data: Path) -> None:
    class Learned(Lineage):
        def learned_from(self, corpus: str, unless_guarding: str) -> bool:
            return (corpus, unless_guarding) == ("wikibias", "editor")

    setting = Setting(shared_data, Resampling(0))
    spec = Spec(analyzers=("rules",))
    everything = findings(spec, Lineage(), setting, part="dev", model="rules")
    unseen = findings(spec, Learned(), setting, part="dev", model="rules")
    assert not any("documents are left out" in note for note in everything.notes)
    assert any("the model learned from text of wikibias" in note for note in unseen.notes)
    assert any(section.title == "encyclopedia" for section in everything.sections)
    assert not any(section.title == "encyclopedia" for section in unseen.sections)


@pytest.mark.shared
def test_two_readers_bound_what_can_be_reached(shared_data: Path) -> None:
    """Nearly every must of one reader overlaps a mark of the other: the figures can approach 1."""
    twice = [example for example in corpora.load("editor", shared_data) if example.second is not None]
    pairs = [
        any(span.span.overlaps(other.span) for other in example.second or ())
        for example in twice
        for span in example.spans or ()
        if span.grade == "must"
    ]
    assert len(twice) == 385
    assert sum(pairs) / len(pairs) > 0.95
