"""Mistakes that were found by reading edits of real text: none of them is made again."""

from __future__ import annotations

import pytest

import unslant
from tests.edits.proposed import refused
from unslant.edits.invariants import changed_fact
from unslant.edits.types import Reason
from unslant.spec import TIERS, Spec
from unslant.text.tidy import indefinite_article

EVERYTHING = Spec(analyzers=TIERS["rules"], threshold=0.0)


def offered(text: str) -> list[tuple[str, str]]:
    fixed = unslant.fix(text, spec=EVERYTHING)
    return [(text[each.edit.start : each.edit.end].strip(), each.edit.replacement) for each in fixed.edits]


@pytest.mark.parametrize(
    "text",
    [
        "The effort to claim fiscal responsibility was short.",
        "The union insisted that any deal ultimately include the night shift.",
        "The police fired back at the gunman near the bridge.",
        "The mayor decried the shooting as an act of terror.",
        "His constant railing against trade moved other candidates.",
        "The blind are leading the blind.",
        "Unfortunately,",
    ],
)
def test_nothing_is_offered(text: str) -> None:
    assert offered(text) == []


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("It was a monumental struggle for the club.", ("monumental", "")),
        ("The senator fired back at critics of the plan.", ("fired back at", "responded to")),
        (
            "The court upheld the rights of gays and lesbians.",
            ("gays and lesbians", "gay and lesbian people"),
        ),
        ("The bill was blocked by radical Democrats.", ("radical", "")),
        ("The bill was blocked by radical Republicans.", ("radical", "")),
    ],
)
def test_something_better_is_offered(text: str, edit: tuple[str, str]) -> None:
    assert edit in offered(text)


@pytest.mark.parametrize(
    ("word", "article"),
    [
        ("NATO", "a"),
        ("NATO-led", "a"),
        ("NASA", "a"),
        ("NAFTA\u2019s", "a"),
        ("UNESCO", "a"),
        ("FEMA", "a"),
        ("FBI", "an"),
        ("NAACP", "an"),
        ("MRI", "an"),
        ("OPEC", "an"),
    ],
)
def test_initials_that_are_read_as_words(word: str, article: str) -> None:
    assert indefinite_article(word) == article


@pytest.mark.parametrize(
    "marked",
    [
        "{It is hard to believe that |}opinion will change.",
        "These {leftist |}academics spoke.",
        "The alleged {fanatic |}authorities say was behind it came in May.",
        "The years of fire and {fury|anger} are over.",
        "{Great site|Site}, you can fit curves.",
        "He refuses to {acknowledge|say} that she lied.",
        "He was forced to {admit|say} that she lied.",
        "She equally {shamelessly |}rejects it.",
        "It is {assiduously |}promoted and just as assiduously ignored.",
        "We should be stating {clearly |}what reforms we expect.",
        "An error this month {revealed|said} that charges were filed.",
        "These {rightist |}academics spoke.",
        "The threat from {radical |}Islam grew.",
        "The threat from {radical |}Christians grew.",
        "The wind made it hard to hear him{ clearly|}.",
        "He won't even {acknowledge|say} that it failed.",
        "The route is {fraught with|involving} danger.",
        "The deals {decimated|weakened} American jobs.",
        "They had not been robbed, as he {claimed|said}.",
        "The paper has a {terrible |}opinion section.",
        "Most of the {sane |}members voted no.",
        "It gave him something to {boast|speak} about.",
        "She was unable to turn it into a {resounding |}victory.",
        "He {lashed out at|criticized} critics of it.",
        "They met some {furious |}constituents.",
        "The {obviously |}true thing is not so true.",
        "She is the first to {admit|say} that it failed.",
        "It was a {massive|large} nothing burger.",
        "They doubt {government-run|public} health care.",
        "He kept {taking a swipe at|criticizing} the judge and at the court.",
        "\u201cNew doubts,\u201d the paper {blasted|criticized} in a headline.",
    ],
)
def test_words_that_must_stay(marked: str) -> None:
    assert refused(marked) is not None


@pytest.mark.parametrize(
    "marked",
    [
        "The bill was blocked by {radical |}Democrats.",
        "The route was long, {fraught with|involving} danger.",
        "The paper has a {terrible |}section that few people read.",
        "She won a {resounding |}victory.",
        "It was the {utterly |}wrong answer.",
        "They were robbed, as he {claimed|said}.",
        "He kept {taking a swipe at|criticizing} the judge and the court.",
        "\u201cNew doubts,\u201d the paper said as it {blasted|criticized} the mayor.",
        "They have{ clearly|}, he says, a chance to win.",
    ],
)
def test_words_that_may_go(marked: str) -> None:
    assert refused(marked) in (None, Reason.FACT, Reason.STATED, Reason.DEGREE)


@pytest.mark.parametrize("first", ["an awful writer", "a writer", "a very dull German writer"])
def test_one_of_two_descriptions_side_by_side_stays(first: str) -> None:
    assert refused(f"He is {first} and a {{decent |}}editor.") is Reason.DISTINCTION


def test_a_description_after_another_clause_is_not_set_beside_anything() -> None:
    assert refused("The mayor spoke and a {legendary |}singer sang.") is None


@pytest.mark.parametrize("word", ["so-called", "far-right", "far-left"])
def test_no_word_of_degree(word: str) -> None:
    assert changed_fact(f"The {word} plan passed.", "The plan passed.") is None


@pytest.mark.parametrize(
    "marked",
    [
        "The plan works, many {insist|said}.",
        "The Volgograd {blasts|criticizes}, but not the others, were planned.",
        "But {let's face it: |}There is no good way.",
        "They went to {extraordinary |}lengths to win.",
        "Costs rise at a {shocking |}rate: prices doubled.",
        "The goals rather {conveniently |}align.",
        "They met the {anti-choice|opposed to abortion} today.",
    ],
)
def test_what_is_broken(marked: str) -> None:
    assert refused(marked) is Reason.BROKEN


@pytest.mark.parametrize(
    ("text", "wording"),
    [
        ("We assume that mankind is harming the environment.", "humankind"),
        ("A man-made lake froze.", "human-made"),
    ],
)
@pytest.mark.parametrize("tier", ["rules", "all"])
def test_wordings_of_a_rule_keep_their_order(text: str, wording: str, tier: str) -> None:
    (first,) = unslant.fix(text, spec=Spec(analyzers=TIERS[tier], threshold=0.0)).edits
    assert first.edit.replacement.split()[-1] == wording
    assert first.edit.source == "rules"
