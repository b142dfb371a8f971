"""What no sentence of edited English has, and what an edit must not leave behind."""

from __future__ import annotations

import pytest

from tests.edits.proposed import refused
from unslant.edits.types import Reason


@pytest.mark.parametrize(
    "marked",
    [
        "He gave a {rousing speech|} in May.",
        "It was a {disgrace|}.",
        "They spoke of {greed|}.",
        "The plan was {reckless|}.",
        "A very {bold |}plan passed.",
        "A truly {bold |}plan passed.",
        "It did a {great |}deal of work.",
        "She is one of the most {gifted |}poets here.",
        "How evil and {awful |}critics were is known.",
        "He has {bragged|spoke} of it.",
        "He {opined|said} on taxes today.",
        "The blaze {claimed|said} three lives.",
        "She {demanded|said} that he be fired.",
        "He looked {stunning |}in the wig.",
        "The debunked {claim|argue} spread.",
        "The anti-{war|} group met.",
        "The {anti|}-war group met.",
        "They mourned her {cruel death|}.",
    ],
)
def test_what_an_edit_breaks(marked: str) -> None:
    assert refused(marked) in (Reason.BROKEN, Reason.WORD)


@pytest.mark.parametrize(
    "marked",
    [
        "The {legendary |}singer came.",
        "Critics {slammed|criticized} the plan.",
        "He {claimed|said} that it rained.",
        "He {claimed|said} it was late.",
        "He {insists|says} Ann left.",
        "A {very bold |}plan passed.",
        "She sang {beautifully |}in May.",
        "They loved her {dearly |}in May.",
        "It was a {cruel, |}long winter.",
        "He has {bragged|spoken} of it.",
        "The {anti-war |}group met.",
        "The plan was {reckless and |}costly.",
        "The {radical |}left met the {radical |}right.",
    ],
)
def test_what_an_edit_does_not_break(marked: str) -> None:
    assert refused(marked) is not Reason.BROKEN


def test_an_edit_is_not_blamed_for_what_was_odd_before() -> None:
    assert refused("the {legendary |}singer came came of.") is None


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The far-{left|} party won.", "The far-{right|} party won."),
        ("He is a {liberal|}.", "He is a {conservative|}."),
        ("A very {liberal |}plan passed.", "A very {conservative |}plan passed."),
    ],
)
def test_both_sides_break_alike(left: str, right: str) -> None:
    assert refused(left) == refused(right) is not None
