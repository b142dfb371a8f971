"""Words that tell one thing from another, that belong to the word beside them, or that are the word of one side."""

from __future__ import annotations

import pytest

from tests.edits.proposed import refused
from unslant.edits.types import Reason


@pytest.mark.parametrize(
    "marked",
    [
        "The {far-right|} party beat the far-left party.",
        "The {far-left|} party beat the far-right party.",
        "The {liberal|} mayor beat a conservative.",
        "The {conservative|} mayor beat a liberal.",
        "{Legal|} and illegal migrants came.",
        "The {rich|} paid less than the poor.",
        "{Old|} voters outnumber young ones.",
        "The {pro-life|anti-abortion} and pro-choice camps met.",
        "The {pro-choice|abortion-rights} and pro-life camps met.",
        "The {massive|} crowd left and the small crowd stayed.",
        "The {public|} schools and the private schools closed.",
        "A {good|} plan beats a bad plan.",
    ],
)
def test_words_that_are_contrasted_stay(marked: str) -> None:
    assert refused(marked) is not None


@pytest.mark.parametrize(
    "marked",
    [
        "The {legendary|} singer met the mayor.",
        "The {massive|} crowd left.",
        "The {radical|} plan and the law passed.",
        "The {rich|wealthy} paid less.",
        "The {cruel|} crowd left and the crowd stayed away.",
    ],
)
def test_words_without_a_contrast_may_go(marked: str) -> None:
    assert refused(marked) is not Reason.DISTINCTION


@pytest.mark.parametrize(
    "marked",
    [
        "It was not {clearly|} shown.",
        "He didn't {boldly|} speak.",
        "It was falsely {and maliciously|} reported.",
        "The {massive|} stroke killed him.",
        "An {aggressive|} tumor grew.",
        "A {greedy|} scheduler runs.",
        "She {slammed|criticized} the door shut.",
        "Crews {blasted|criticized} a new tunnel.",
        "The {far-right|} party won.",
        "The {left-wing|} paper closed.",
        "The {right-wing|} paper closed.",
        "The {pro-gun|} group met.",
        "A {clearly|} marked path ended.",
        "The {far|} right won.",
    ],
)
def test_words_that_belong_to_others_stay(marked: str) -> None:
    assert refused(marked) in (Reason.DISTINCTION, Reason.SIDE)


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
    assert refused(marked) is not Reason.DISTINCTION


@pytest.mark.parametrize(
    "marked",
    [
        "{Migrants|Illegal aliens} came.",
        "{Migrants|Undocumented people} came.",
        "The {abortion|unborn} debate went on.",
        "The {activist|extremist} spoke.",
        "The {activist|patriot} spoke.",
        "The {anti-abortion|pro-life} group met.",
        "The {abortion-rights|pro-choice} group met.",
    ],
)
def test_the_word_of_one_side_is_never_offered(marked: str) -> None:
    assert refused(marked) is Reason.SIDE


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
    assert refused(marked) is not Reason.SIDE
