"""The list of wordings: what it offers for words that a model finds, and where it stays silent."""

from __future__ import annotations

import pytest

import unslant
from tests.edits.proposed import refused
from tests.growth import assert_linear
from unslant.core.types import Sentence, Span
from unslant.edits.types import Reason
from unslant.edits.wordings import listed, wordings_for
from unslant.text.edits import apply_edits


def reworded(text: str, words: str | None = None) -> list[str]:
    """Return the sentence with each wording that the list has for some of its words, or for any of them."""
    sentence = Sentence(unslant.read(text), Span(0, len(text)))
    start = text.index(words) if words else 0
    span = Span(start, start + len(words or text))
    return [apply_edits(text, [edit]) for edit in wordings_for(sentence, span)]


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("The mayor slammed the plan.", "The mayor criticized the plan."),
        ("The mayor has slammed the plan.", "The mayor has criticized the plan."),
        ("She lashes out at the court.", "She criticizes the court."),
        ("He vehemently denied it.", "He denied it."),
        ("It was an amazing game.", "It was a game."),
        ("Prices soared in May.", "Prices rose in May."),
        ("The city boasts a museum.", "The city has a museum."),
        ("Two minions came along.", "Two aides came along."),
        ("They are obsessed with fame.", "They are interested in fame."),
    ],
)
def test_a_listed_word_is_reworded_in_its_own_form(text: str, new: str) -> None:
    assert new in reworded(text)


@pytest.mark.parametrize(
    "text",
    [
        "The storm claimed three lives.",
        "Thieves of the Stunning Diamond were caught.",
        "A perfect gas obeys the law.",
        "Toxic waste was found there.",
        "He is openly gay.",
    ],
)
def test_other_senses_names_and_statements_stay(text: str) -> None:
    assert not reworded(text)


def test_only_words_inside_the_finding_change() -> None:
    text = "The stunning hall and the hapless mayor."
    assert reworded(text, "hapless mayor") == ["The stunning hall and the mayor."]


def test_several_words_of_a_finding_change_together_first() -> None:
    text = "He answered the hapless uproar."
    assert reworded(text)[0] == "He answered the controversy."


def test_the_list_takes_no_side() -> None:
    for word, wording in listed().swaps.items():
        assert refused(f"The {{{word}|{wording}}} was there.") is not Reason.SIDE


def test_many_findings_of_a_long_sentence_are_looked_up_together() -> None:
    def look_up(sentence: Sentence) -> None:
        words = len(sentence.text) // len("shameful plan ")
        for at in range(words):
            start = at * len("shameful plan ")
            assert wordings_for(sentence, Span(start, start + len("shameful")))

    def make(size: int) -> Sentence:
        text = "shameful plan " * size
        return Sentence(unslant.read(text), Span(0, len(text)))

    assert_linear(look_up, make, 40)
