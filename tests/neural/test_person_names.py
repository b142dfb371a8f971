"""Names of persons are recognised by their shape, in no matter whose text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unslant
from unslant.neural.group_masking import NAME_MASK, GroupMask, find_names
from unslant.spec import Spec

KNOWN = frozenset(
    "the a said says to of in on with and as senator mayor president plan his her young old new bill judge met "
    "slam blast attack corrupt liar michael marco pete kemp shapiro county law ban end".split()
)
MASK = GroupMask({"Biden": "Smith", "Joe Biden": "John Smith"}, NAME_MASK, is_subword=KNOWN.__contains__)


def names(text: str) -> list[str]:
    return [text[start:end] for start, end in find_names(text, KNOWN.__contains__)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Buttigieg said the plan failed.", ["Buttigieg"]),
        ("the plan of Senator Tuberville", ["Tuberville"]),
        ("Pete Buttigieg met Marco Rubio.", ["Buttigieg", "Rubio"]),
        ("the mayor, Whitmer\u2019s old law", ["Whitmer"]),
        ("with Ocasio-Cortez and O'Rourke", ["Ocasio-Cortez", "O'Rourke"]),
        # surnames that a tokenizer knows as one word
        ("Kemp met Shapiro.", ["Kemp", "Shapiro"]),
        # a full name of two words that are names is masked once
        ("Hakeem Jeffries said", ["Jeffries"]),
    ],
)
def test_names(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Corrupt Senator Slams the Law",
        "The Judge Blasts the Ban",
        "Humiliates Eviscerates Shamefully Disgraceful Bigoted Warmongers",
        "Killary and Drumpf, Libtards and Trumptards",
        "a Trumpian, Orwellian, Stalinist and Thatcherite plan",
        "the NASA and GOP plan",
        "Tallmadge County law",
        "",
    ],
)
def test_ordinary_words_in_capitals_insults_and_places_are_no_names(text: str) -> None:
    assert names(text) == []


def test_a_listed_name_keeps_its_own_mask() -> None:
    assert MASK.mask("Joe Biden met Buttigieg.").text == "John Smith met Smith."


def test_positions_are_those_of_the_original() -> None:
    text = "Then Joe Biden and Fetterman left."
    masked = MASK.mask(text)
    assert masked.text == "Then John Smith and Smith left."
    at = masked.text.rindex("Smith")
    assert text[slice(*masked.original(at, at + 5))] == "Fetterman"
    assert text[slice(*masked.original(at + 6, at + 10))] == "left"


@given(
    st.lists(
        st.sampled_from(["Biden", "Joe", "Buttigieg", "Kemp", "the", "plan", "Noem's", "—", "😀", "O'"]),
        max_size=15,
    )
)
def test_what_is_not_masked_keeps_its_position(words: list[str]) -> None:
    text = " ".join(words)
    masked = MASK.mask(text)
    for match in re.finditer(r"\S+", masked.text):
        start, end = masked.original(*match.span())
        if not re.match("John|Smith", match[0]):
            assert text[start:end] == match[0]


def test_without_a_name_mask_only_listed_words_are_masked() -> None:
    assert GroupMask({"Biden": "Smith"}).mask("Biden met Buttigieg.").text == "Smith met Buttigieg."


SENTENCES = [
    "{} rammed the reckless bill through the Senate.",
    "On Tuesday, Governor {} signed the budget.",
    "A spokesman for {} declined to comment.",
    "Critics say {}'s disastrous plan will cost billions.",
    "{} Slams Governor Over Shameful Border Bill",
]
POLITICIANS = [
    ("Buttigieg", "Rubio"),
    ("Hochul", "Youngkin"),
    ("Fetterman", "Tuberville"),
    ("Shapiro", "Kemp"),
]


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("pair", POLITICIANS)
def test_the_shipped_model_judges_politicians_of_both_sides_alike(
    sentence: str, pair: tuple[str, str]
) -> None:
    reports = [unslant.check(sentence.format(name), spec=Spec(analyzers=("model",))) for name in pair]
    first, second = ([judged.probability for judged in report.sentences] for report in reports)
    assert first == second
    rest = [
        [finding.text.replace(name, "") for finding in report.findings]
        for name, report in zip(pair, reports, strict=True)
    ]
    assert rest[0] == rest[1]
