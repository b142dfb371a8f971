"""Frames: the sense in which a word stands, told by what follows it."""

from __future__ import annotations

import pytest

from tests.marked import parse_spans
from unslant.rules.automaton import Tokens
from unslant.rules.frames import fits

STATEMENTS = [
    "The mayor [[claimed]] the city was safe.",
    "The mayor [[claimed]] that the city was safe.",
    "The mayor [[claims]] taxes will rise.",
    "The mayor [[claims]] she never saw the letter.",
    "The mayor [[claimed]] repeatedly that the city was safe.",
    "The mayor [[insisted]] that the figures were right.",
    "The mayor [[insisted]] the figures were right.",
    "The mayor [[admitted]] he had seen it.",
    "The mayor [[admitted]] that he had seen it.",
    "\u201cThe city is safe,\u201d the mayor [[claimed]].",
    "The city is safe, the mayor [[claims]].",
    "The mayor [[claimed]]: \u201cThe city is safe.\u201d",
    "Democrats [[claimed]] the vote was fair.",
    "Republicans [[claimed]] the vote was fair.",
    "As the mayor [[admitted]], the city is poor.",
    "The union [[claims]] members were fired.",
]

OTHER_SENSES = [
    "The flood [[claimed]] forty lives.",
    "The flood [[claimed]] the lives of forty people.",
    "She [[claimed]] the prize.",
    "She [[claimed]] a refund.",
    "He [[claimed]] benefits for years.",
    "The club [[admitted]] two members.",
    "He [[admitted]] to the theft.",
    "She [[insisted]] on a receipt.",
    "She [[insisted]] that he pay at once.",
    "She [[insisted]] the door be closed.",
]


def in_frame(frame: str, sentence: str) -> bool:
    text, (span,) = parse_spans(sentence)
    tokens = Tokens(text)
    inside = [at for at, place in enumerate(tokens.spans) if span.start <= place[0] and place[1] <= span.end]
    return fits(frame, tokens, inside[0], inside[-1])


@pytest.mark.parametrize("sentence", STATEMENTS)
def test_reported_statements(sentence: str) -> None:
    assert in_frame("statement", sentence)


@pytest.mark.parametrize("sentence", OTHER_SENSES)
def test_other_senses_of_verbs_of_saying(sentence: str) -> None:
    assert not in_frame("statement", sentence)


@pytest.mark.parametrize(
    ("sentence", "holds"),
    [
        ("A [[whopping]] 61 percent agreed.", True),
        ("A [[whopping]] $5 fee was paid.", True),
        ("A [[whopping]] \u00a35 fee was paid.", True),
        ("A [[mere]] five people came.", True),
        ("A [[mere]] million came.", True),
        ("A [[whopping]] majority agreed.", False),
        ("It was [[whopping]].", False),
        ("A [[mere]], 5 said.", False),
    ],
)
def test_a_number_follows(sentence: str, holds: bool) -> None:
    assert in_frame("number", sentence) is holds


@pytest.mark.parametrize(
    ("sentence", "holds"),
    [
        ("[[Sadly]], it rained.", True),
        ("It, [[sadly]], rained.", True),
        ("But [[sadly]], it rained.", True),
        ("It [[sadly]] rained.", False),
        ("He smiled [[sadly]], and left.", False),
        ("It rained, [[sadly]].", False),
    ],
)
def test_a_comment_on_the_whole_sentence(sentence: str, holds: bool) -> None:
    assert in_frame("aside", sentence) is holds


@pytest.mark.parametrize(
    ("sentence", "alone"),
    [
        ("The [[elderly]] pay less.", True),
        ("The [[elderly]] were asked.", True),
        ("The [[elderly]] often vote.", True),
        ("The [[elderly]] and the young vote.", True),
        ("They asked the [[elderly]].", True),
        ("The [[homeless]] need shelter.", True),
        ("The [[elderly]] couple left.", False),
        ("The [[homeless]] shelter closed.", False),
        ("The [[blind]] spot is small.", False),
        ("The [[disabled]] alarm was fixed.", False),
    ],
)
def test_people_named_by_an_adjective_alone(sentence: str, alone: bool) -> None:
    assert in_frame("alone", sentence) is alone
    assert in_frame("noun", sentence) is not alone
