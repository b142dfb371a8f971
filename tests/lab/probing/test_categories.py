"""The rule that sorts rephrasings into the categories of the publication."""

from __future__ import annotations

import pytest

from unslant.lab.probing.categories import REPHRASING_CATEGORIES, rephrasing_category

TEXT = "this damn law is what a stupid idea"
REFERENCES = ("this law is a bad idea", "The law is not a good idea.")


@pytest.mark.parametrize(
    ("answer", "category"),
    [
        ("this damn law is what a stupid idea", "copy"),
        ("This DAMN law is what a stupid idea", "copy"),
        ("this law is a stupid idea", "keeps the bias"),
        ("you are all stupid", "keeps the bias"),
        ("this law is a poor idea", "correct"),
        ("the weather is nice in May", "another text"),
        ("what it is: required", "another text"),
        ("this law is a bad idea\nTask: Rephrase the previous text\nAnswer: yes", "an example of its own"),
        ("Question: what is a law?", "an example of its own"),
        (" …", "nothing"),
        ("", "nothing"),
    ],
)
def test_an_answer_has_the_category_of_the_first_rule_that_fits(answer: str, category: str) -> None:
    assert rephrasing_category(TEXT, answer, REFERENCES) == category
    assert category in REPHRASING_CATEGORIES


def test_a_text_without_slanted_words_has_no_category() -> None:
    assert rephrasing_category("a law", "a law", ["this is a law"]) is None
