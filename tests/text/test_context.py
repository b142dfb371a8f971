"""Words that are not the writer's own: code, headlines and attributed speech."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unslant
from unslant.text.context import attributed_speech, code_in_prose, is_title

RULES = unslant.Spec(analyzers=("rules",), profile="news")


def _reported(text: str) -> list[str]:
    return [text[span.start : span.end].strip() for span in attributed_speech(text)]


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("Critics called the plan a disaster for the town.", ["disaster for the town."]),
        ("The mayor said that the plan was reckless.", ["the plan was reckless."]),
        ("She said the plan would be a shameful retreat.", ["be a shameful retreat."]),
        ("They denounced the bill as a shameless giveaway.", ["a shameless giveaway."]),
        ("The plan is reckless, the mayor said on Monday.", ["The plan is reckless"]),
        ("According to the union, the offer was a disgrace.", ["the offer was a disgrace."]),
        ("The offer was a disgrace, according to the union.", ["The offer was a disgrace"]),
    ],
)
def test_reported_words(text: str, reported: list[str]) -> None:
    assert _reported(text) == reported


@pytest.mark.parametrize(
    "text",
    [
        "The reckless plan failed.",
        "I said that the plan was reckless.",
        "We must say that the plan was reckless.",
        "Limousine liberals gave the most, according to the filings.",
        "He said something shocking.",
        "The mayor called a meeting.",
    ],
)
def test_words_of_the_writer(text: str) -> None:
    assert not any(
        "reckless" in words or "Limousine" in words or "shocking" in words for words in _reported(text)
    )


@pytest.mark.parametrize(
    "text",
    [
        "The senator called the plan a shameful disgrace.",
        "Opponents denounced it as a shameless giveaway.",
        "According to the union, the shameful offer insulted its members.",
    ],
)
def test_attributed_wording_is_not_reported(text: str) -> None:
    assert unslant.check(text, spec=RULES).findings == ()


def test_the_verb_of_attribution_is_the_writers() -> None:
    (finding,) = unslant.check("He slammed the plan as a disgrace.", spec=RULES).findings
    assert finding.text == "slammed"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Set legendary_mode before the run.", ["legendary_mode"]),
        ("Call slamDoor() first.", ["slamDoor()"]),
        ("Use --shocking or -x here.", ["--shocking", "-x"]),
        ("It lives in /usr/lib/stunning/files now.", ["/usr/lib/stunning/files"]),
        ("Edit shameful.toml and $BRAZEN_HOME.", ["shameful.toml", "$BRAZEN_HOME"]),
        ("McConnell spoke; an iPhone rang.", []),
        ("A well-known and/or so-called plan.", []),
        ("He ran -- and fell.", []),
    ],
)
def test_code_in_prose(text: str, code: list[str]) -> None:
    assert [text[span.start : span.end] for span in code_in_prose(text)] == code


def test_identifiers_are_left_alone_in_any_text() -> None:
    assert unslant.check("Set slammed_door and legendaryMode here.", spec=RULES).findings == ()


def test_titles() -> None:
    assert is_title("The Shocking Truth About Modern Harbours")
    assert not is_title("The shocking truth about modern harbours")
    assert not is_title("Mayor Anna Smith Visited Paris.")
    assert not is_title("MAYOR SLAMS HARBOUR PLAN")


def test_documentation_speaks_of_words_in_emphasis() -> None:
    text = "Use `run()` and `stop()`.\n\nThe word *shocking* is marked; a shocking thing."
    found = unslant.check(text, format="markdown", spec=unslant.Spec(analyzers=("rules",))).findings
    assert [finding.span.start for finding in found] == [text.rindex("shocking")]


@given(st.text(max_size=200))
def test_any_text_is_read_and_spans_lie_inside_it(text: str) -> None:
    for span in (*attributed_speech(text), *code_in_prose(text)):
        assert 0 <= span.start < span.end <= len(text)
    is_title(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- evil\n- trashed\n", []),
        ("- Evil!\n", ["Evil"]),
        ("- an evil plan\n", ["evil"]),
    ],
)
def test_in_documentation_an_item_of_one_word_is_a_name(text: str, found: list[str]) -> None:
    docs, news = (unslant.Spec(analyzers=("rules",), profile=name, threshold=0) for name in ("docs", "news"))
    assert [finding.text for finding in unslant.check(text, format="markdown", spec=docs).findings] == found
    assert unslant.check(text, format="markdown", spec=news).findings
