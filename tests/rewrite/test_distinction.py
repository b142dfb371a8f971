"""Words that tell one thing from another, that belong to the word beside them, or that are the word of one side."""

from __future__ import annotations

import pytest

from tests.marked import parse_edits
from unslant.rewrite.distinction import is_bound, takes_side, tells_apart


@pytest.mark.parametrize(
    ("marked", "other"),
    [
        ("The {far-right|} party beat the far-left party.", "far-left"),
        ("The {far-left|} party beat the far-right party.", "far-right"),
        ("The {liberal|} mayor beat a conservative.", "conservative"),
        ("The {conservative|} mayor beat a liberal.", "liberal"),
        ("{Legal|} and illegal migrants came.", "illegal"),
        ("The {rich|} paid less than the poor.", "poor"),
        ("{Old|} voters outnumber young ones.", "young"),
        ("The {pro-life|anti-abortion} and pro-choice camps met.", "pro-choice"),
        ("The {pro-choice|abortion-rights} and pro-life camps met.", "pro-life"),
        ("The {massive|} crowd left and the small crowd stayed.", "crowd"),
        ("The {public|} schools and the private schools closed.", "private"),
        ("A {good|} plan beats a bad plan.", "bad"),
    ],
)
def test_words_that_are_contrasted_stay(marked: str, other: str) -> None:
    text, (edit,) = parse_edits(marked)
    assert tells_apart(text, edit) == other


@pytest.mark.parametrize(
    "marked",
    [
        "The {far-right|} party won.",
        "The {far-left|} party won.",
        "The {legendary|} singer met the mayor.",
        "The {massive|} crowd left.",
        "The {radical|} plan and the law passed.",
        "The {rich|wealthy} paid less.",
        "The {cruel|} crowd left and the crowd stayed away.",
    ],
)
def test_words_without_a_contrast_may_go(marked: str) -> None:
    text, (edit,) = parse_edits(marked)
    assert tells_apart(text, edit) is None


@pytest.mark.parametrize(
    ("marked", "word"),
    [
        ("It was not {clearly|} shown.", "not"),
        ("He didn't {boldly|} speak.", "didn't"),
        ("It was falsely {and maliciously|} reported.", "falsely"),
        ("The {massive|} stroke killed him.", "stroke"),
        ("An {aggressive|} tumor grew.", "tumor"),
        ("A {greedy|} scheduler runs.", "scheduler"),
        ("She {slammed|criticized} the door shut.", "door"),
        ("Crews {blasted|criticized} a new tunnel.", "tunnel"),
        ("The {far-right|} party won.", "far-right"),
        ("The {left-wing|} paper closed.", "left-wing"),
        ("The {right-wing|} paper closed.", "right-wing"),
        ("The {pro-gun|} group met.", "pro-gun"),
        ("A {clearly|} marked path ended.", "marked"),
        ("The {far|} right won.", "right"),
    ],
)
def test_words_that_belong_to_others_stay(marked: str, word: str) -> None:
    text, (edit,) = parse_edits(marked)
    assert is_bound(text, edit) == word


@pytest.mark.parametrize(
    "marked",
    [
        "It was {clearly|} shown.",
        "She {clearly|} wanted it.",
        "Critics {slammed|criticized} the plan.",
        "The {massive|} crowd left.",
        "The {far-right|right-wing} party won.",
        "{Sadly|}, he left.",
    ],
)
def test_words_that_stand_alone_may_change(marked: str) -> None:
    text, (edit,) = parse_edits(marked)
    assert is_bound(text, edit) is None


@pytest.mark.parametrize(
    ("marked", "word"),
    [
        ("{Migrants|Illegal aliens} came.", "illegal"),
        ("{Migrants|Undocumented people} came.", "undocumented"),
        ("The {abortion|unborn} debate went on.", "unborn"),
        ("The {activist|extremist} spoke.", "extremist"),
        ("The {activist|patriot} spoke.", "patriot"),
        ("The {anti-abortion|pro-life} group met.", "pro-life"),
        ("The {abortion-rights|pro-choice} group met.", "pro-choice"),
    ],
)
def test_the_word_of_one_side_is_never_offered(marked: str, word: str) -> None:
    text, (edit,) = parse_edits(marked)
    assert takes_side(text, edit) == word


@pytest.mark.parametrize(
    "marked",
    [
        "The {thug|suspect} left.",
        "The {very radical|radical} group met.",
        "The {pro-life|anti-abortion} group met.",
        "The {pro-choice|abortion-rights} group met.",
        "The {vile|} group met.",
    ],
)
def test_other_wordings_take_no_side(marked: str) -> None:
    text, (edit,) = parse_edits(marked)
    assert takes_side(text, edit) is None
