"""The names of the sides are hidden from judges, those of one side like those of the other."""

from __future__ import annotations

import pytest

from unslant.lab.corpora.outlets import tokenize_news
from unslant.lab.judges.judge import PLACEHOLDER, mask_sides, mask_words, open_judge

PAIRS = [
    ("Democrats said no.", "Republicans said no."),
    ("A liberal plan, said the left.", "A conservative plan, said the right."),
    ("Left-wing groups met.", "Right-wing groups met."),
    ("The far left's candidate won.", "The far right's candidate won."),
    ("Leftists and Democratic voters", "Rightists and Republican voters"),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_both_sides_become_the_same(one: str, other: str) -> None:
    assert mask_words(tokenize_news(one)) == mask_words(tokenize_news(other))
    assert mask_sides(one) == mask_sides(other)
    assert PLACEHOLDER in mask_sides(one)


@pytest.mark.parametrize("text", ["She left early.", "They were right about it.", "Turn left, then right."])
def test_other_meanings_stay(text: str) -> None:
    assert mask_sides(text) == text
    assert mask_words(tokenize_news(text)) == tokenize_news(text)


def test_the_judge_that_ships_does_not_go_by_names() -> None:
    for one, other in PAIRS:
        assert open_judge().judge([one]) == open_judge().judge([other])
