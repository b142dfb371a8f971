"""Frames: what must follow for the sense of a term to hold."""

from __future__ import annotations

import pytest

from unslant.core.errors import RuleError
from unslant.rules.automaton import Tokens
from unslant.rules.frames import FRAMES, fits
from unslant.rules.terms import parse_term

_HOLDS = {
    "statement": """
        The owner [claimed] the roof was sound.
        The owner [claimed] that the roof was sound.
        The owner [claimed that] the roof was sound.
        The owner [claims] he was never asked.
        The owner [claimed] rents had fallen.
        He [claimed]: “The roof is sound.”
        “The roof is sound,” the owner [claimed].
        The roof is sound, he [claims].
        As the owner [admitted], the roof leaks.
        The clerk [insisted] that the door was open.
        The clerk [claimed] the door should be left open.
        The mayor [claimed] repeatedly that crime fell.
    """,
    "number": """
        The firm lost a [staggering] 40 million pounds.
        It cost a [whopping] $40.
        A [mere] three members came.
    """,
    "aside": """
        [Naturally], the toll failed.
        The toll, [naturally], failed.
        But [apparently], nobody asked.
    """,
    "noun": """
        The [pro-life] group met on Friday.
        [Pro-choice] voters turned out early.
    """,
    "alone": """
        The [disabled] often live alone.
        The [homeless] were asked.
        She cared for the [elderly].
        The [homeless] sleep in the station.
        The [disabled] receive a pension.
    """,
}
_FAILS = {
    "statement": """
        The storm [claimed] three lives.
        The storm [claimed] the lives of 12 people who were at sea.
        She [claimed] the title in 2019.
        The heir [claimed] the estate.
        He [insisted] the door be left open.
        She [insisted] that he leave at once.
        She [insisted] that the door must stay open.
        She [insisted that] the door be left open.
        The buyer [insisted] on a survey.
        The school [admitted] forty pupils.
        He [admitted] to the theft.
    """,
    "number": """
        The firm made a [staggering] loss.
        The [staggering].
    """,
    "aside": """
        The toll [naturally] failed.
        The gas occurs [naturally], and it is heavy.
    """,
    "noun": """
        She is [pro-life].
        They are [pro-choice] and say so.
    """,
    "alone": """
        The [disabled] valve was replaced.
        The [elderly] man crossed the street.
    """,
}


def _cases(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(frame, line.strip()) for frame, text in table.items() for line in text.strip().splitlines()]


def _fits(frame: str, marked: str) -> bool:
    start = marked.index("[")
    end = marked.index("]") - 1
    tokens = Tokens(marked.replace("[", "", 1).replace("]", "", 1))
    inside = [at for at, span in enumerate(tokens.spans) if start <= span[0] and span[1] <= end]
    return fits(frame, tokens, inside[0], inside[-1])


@pytest.mark.parametrize(("frame", "marked"), _cases(_HOLDS))
def test_it_holds(frame: str, marked: str) -> None:
    assert _fits(frame, marked)


@pytest.mark.parametrize(("frame", "marked"), _cases(_FAILS))
def test_it_does_not_hold(frame: str, marked: str) -> None:
    assert not _fits(frame, marked)


def test_every_frame_has_both() -> None:
    assert set(_HOLDS) == set(_FAILS) == set(FRAMES)


def test_a_term_names_its_frame() -> None:
    term = parse_term("claim@v {statement}", {})
    assert term.frame == "statement"
    assert len(term.elements) == 1
    with pytest.raises(RuleError, match="not a frame"):
        parse_term("claim@v {clause}", {})
