"""What no sentence of edited English has, and what an edit must not leave behind."""

from __future__ import annotations

import pytest

from tests.marked import parse_edits
from unslant.rewrite.breaks import find_break
from unslant.rewrite.grammar import problems
from unslant.text.edits import apply_edits


def broken(marked: str) -> str | None:
    text, edits = parse_edits(marked)
    return find_break(text, apply_edits(text, edits), edits)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("They saw the his house.", "two articles in a row"),
        ("They saw the.", "an article with nothing to stand for"),
        ("They saw a, then left.", "an article with nothing to stand for"),
        ("The is here.", "an article with nothing to stand for"),
        ("The and the other came.", "an article with nothing to stand for"),
        ("They saw the of the town.", "an article before a preposition"),
        ("They spoke of.", "a preposition with nothing after it"),
        ("They spoke of and left.", "a preposition with nothing after it"),
        ("They spoke of by now.", "two prepositions in a row"),
        ("They came and.", "a conjunction before a stop"),
        ("They came and or left.", "two conjunctions in a row"),
        ("The plan is.", "a verb of being with nothing after it"),
        ("The plan became, he said, old.", "a verb of being with nothing after it"),
        ("He came (, he said) late.", "a comma with nothing before it"),
        ("He came,, late.", "a comma with nothing before it"),
        ("He came () late.", "empty brackets"),
        ("He came came late.", "a word twice"),
        ("He saw a eagle.", "the wrong article"),
        ("He saw an bear.", "the wrong article"),
        ("He saw it (in town.", "a bracket without its partner"),
        ("He saw it] in town.", "a bracket without its partner"),
        ('He said "no.', "a quotation mark without its partner"),
        (", he came late.", "an odd beginning"),
        ("he came late.", "an odd beginning"),
        ("And he came late.", "a beginning with a joining word"),
        ("He came late to the", "an odd end"),
        ("He came late", "an odd end"),
        ("The old house by the river.", "no verb"),
    ],
)
def test_problems(text: str, problem: str) -> None:
    assert problems(text)[problem] >= 1


@pytest.mark.parametrize(
    "text",
    [
        "The Senate passed the bill on Tuesday.",
        "Democrats and Republicans agreed that the plan was too costly.",
        "She said that that was all she had had.",
        "He is the man whom she spoke about.",
        "They came in, sat down, and went out.",
        "The plan he dreamt up was never tried.",
        "An hour later, a European court ruled.",
        'He said "no" and left.',
        "It looks as if they will.",
    ],
)
def test_good_sentences_have_no_problem(text: str) -> None:
    assert not problems(text)


@pytest.mark.parametrize(
    ("marked", "problem"),
    [
        ("He gave a {rousing speech|} in May.", "an article before a preposition"),
        ("It was a {disgrace|}.", "an article with nothing to stand for"),
        ("They spoke of {greed|}.", "a preposition with nothing after it"),
        ("The plan was {reckless|}.", "a verb of being with nothing after it"),
        ("A very {bold |}plan passed.", "a word of degree with nothing to add to"),
        ("A truly {bold |}plan passed.", "a word of degree with nothing to add to"),
        ("It did a {great |}deal of work.", "a noun that needs its adjective"),
        ("She is one of the most {gifted |}poets here.", "a word of degree with nothing to add to"),
        ("How evil and {awful |}critics were is known.", "a noun that needs its adjective"),
        ("He has {bragged|spoke} of it.", "a past form where a participle stood"),
        ("He {opined|said} on taxes today.", "a past form where a participle stood"),
        ("The blaze {claimed|said} three lives.", "a verb of saying with nothing said"),
        ("She {demanded|said} that he be fired.", "a verb of saying with nothing said"),
        ("He looked {stunning |}in the wig.", "a verb of seeming with nothing after it"),
        ("The debunked {claim|argue} spread.", "a verb where a noun stood"),
        ("The anti-{war|} group met.", "part of a word"),
        ("The {anti|}-war group met.", "part of a word"),
        ("They mourned her {cruel death|}.", "a possessive with nothing to stand for"),
    ],
)
def test_what_an_edit_breaks(marked: str, problem: str) -> None:
    assert broken(marked) == problem


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
    assert broken(marked) is None


def test_an_edit_is_not_blamed_for_what_was_odd_before() -> None:
    assert broken("the {legendary |}singer came came of.") is None


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The far-{left|} party won.", "The far-{right|} party won."),
        ("He is a {liberal|}.", "He is a {conservative|}."),
        ("A very {liberal |}plan passed.", "A very {conservative |}plan passed."),
    ],
)
def test_both_sides_break_alike(left: str, right: str) -> None:
    assert broken(left) == broken(right) is not None
