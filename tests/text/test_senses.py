"""Words that have another sense in a document than the one that slants."""

from __future__ import annotations

import pytest

from unslant.core.types import Finding, Span
from unslant.pipeline import Pipeline
from unslant.rules.compiled import catalogue, other_senses
from unslant.spec import Spec
from unslant.text.reading import read
from unslant.text.senses import Senses

LEFTIES = (
    "Lefties often buy scissors made for the other hand. In school, lefties had to write with the right."
)
SERVER = "Waitress is a web server in pure Python. Waitress has no dependencies."


def found(text: str, profile: str = "news", **settings: object) -> list[str]:
    spec = Spec(analyzers=("rules",), profile=profile, **settings)  # type: ignore[arg-type]
    (report,) = Pipeline(spec).check([read(text, "markdown", "text.md")])
    return [finding.text for finding in report.findings]


def finding(text: str, words: str, rule: str | None = None) -> Finding:
    start = text.index(words)
    return Finding(Span(start, start + len(words)), words, "framing", "why", "rules", rule, None)


def test_a_word_of_another_subject_is_left_alone_in_a_document_on_that_subject() -> None:
    assert found(LEFTIES) == ["Lefties", "lefties"]
    assert found(f"{LEFTIES}\n\nAbout one person in ten is left-handed.") == []
    assert found("The righties blocked the bill. Handedness is inherited in part.") == []


def test_other_words_of_the_same_rule_are_still_reported_there() -> None:
    text = f"{LEFTIES} About one in ten is left-handed. The radical left blocked the bill."
    assert found(text) == ["radical left"]


def test_a_part_of_a_document_is_judged_by_the_whole() -> None:
    document = read(f"{LEFTIES}\n\nAbout one person in ten is left-handed.", "text", "text.txt")
    pipeline = Pipeline(Spec(analyzers=("rules",), profile="news"))
    assert pipeline.check_within(document, [Span(0, len(LEFTIES))]).findings == ()
    part = read(LEFTIES, "text", "text.txt", after="About one person in ten is left-handed.")
    (report,) = pipeline.check([part])
    assert report.findings == ()


def test_a_name_is_left_alone_at_the_beginning_of_a_sentence_too() -> None:
    assert "Waitress" in found(SERVER, "docs")
    assert found(f"# Waitress\n\n{SERVER} To install Waitress, use pip; then start Waitress.", "docs") == []


@pytest.mark.parametrize(
    "rest",
    [
        "The waitress took the order, and then Waitress and Waitress left.",  # once in lower case
        "Ask the Waitress. Tip the Waitress, and thank your Waitress.",  # capitals of respect
        "They met Waitress Jones and Waitress Smith.",  # a title before a name
        "HOW WAITRESS AND WAITRESS MET",  # capitals only
        "How Waitress Met Waitress at the Long Bar",  # a headline
    ],
)
def test_a_capital_alone_does_not_make_a_name(rest: str) -> None:
    text = f"Waitress and cook quarrelled.\n\n{rest}"
    assert not Senses(read(text, "text", "t"), {}).is_name(finding(text, "Waitress"))


@pytest.mark.parametrize(
    "definition",
    [
        "A malicious report means one that the reporter knows to be false.",
        "A malicious report, meaning one that the reporter knows to be false, is an offence.",
        "The term “malicious” refers to reports that the reporter knows to be false.",
        "## Glossary\n\n- **Malicious report**: one that the reporter knows to be false.",
        "## 2. Definitions\n\nMalicious — known to be false.",
    ],
)
def test_a_term_that_a_policy_defines_is_left_alone_in_it(definition: str) -> None:
    use = "A malicious report will be investigated."
    assert "malicious" in found(use, "people")
    assert [text.casefold() for text in found(f"{use}\n\n{definition}", "people")] == []


def test_a_definition_does_not_excuse_a_label_or_an_opinion() -> None:
    text = "Illegals, meaning people without papers, work here. Every malicious report, meaning a false one, hurts."
    assert "Illegals" in found(text, "people")
    assert "malicious" in found(text, "opinion")
    assert "malicious" not in found(text, "people")


def test_an_entry_outside_a_glossary_defines_nothing() -> None:
    text = "Malicious: that is what this report was."
    assert not Senses(read(text, "text", "t"), {}).is_defined(finding(text, "Malicious"))


def test_a_model_that_objects_to_a_label_may_mark_more_than_the_label() -> None:
    text = "Lefties are overrepresented in fencing. Handedness is inherited in part."
    senses = Senses(read(text, "text", "t"), other_senses())
    words = "Lefties are overrepresented"
    assert senses.is_about_another_subject(finding(text, words, "model/loaded-label"))
    assert not senses.is_about_another_subject(finding(text, words, "model/generalisation"))


def test_every_word_with_another_sense_is_one_that_its_rule_reports() -> None:
    for rule in catalogue():
        for word in (word for words in rule.senses for word in words.split("|")):
            assert word == word.casefold()
            assert any(word.split()[0][:4] in term for term in rule.all_terms()), (rule.id, word)


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("The mare was lame.", "Lameness has many causes."),
        ("The toxic compound was removed.", "Its toxicity is low."),
        ("The witch hunt began in 1692.", "Two women were accused of witchcraft."),
    ],
)
def test_senses_of_the_catalogue(text: str, subject: str) -> None:
    assert found(text) != []
    assert found(f"{text} {subject}") == []
