"""Mirrored passages are one passage to the rewriter."""

from hypothesis import given
from hypothesis import strategies as st

from unslant.core.types import Span
from unslant.protocols import WordsInSentence
from unslant.rewriter.passage import as_query, as_target, from_output
from unslant.rewriter.sides import Sides

_LEFT = (
    "Democrats",
    "Democrat",
    "liberal",
    "liberals",
    "left-wing",
    "Joe Biden",
    "Obama",
    "MSNBC",
    "DNC",
    "leftist",
)
_RIGHT = (
    "Republicans",
    "Republican",
    "conservative",
    "conservatives",
    "right-wing",
    "Donald Trump",
    "Bush",
    "Fox News",
    "RNC",
    "rightist",
)
_NEUTRAL = ("slammed", "the bill", "in Ohio,", "Liberal", "and", "DEMOCRATS", "radical", "Smith")


def _query(text: str) -> str:
    return as_query(WordsInSentence(text, Span(0, len(text.split(" ")[0])), "loaded-label")).text


def test_names_of_sides_are_exchanged_in_order_of_appearance() -> None:
    sides = Sides.of(
        "Radical Republicans and Donald Trump cheered while liberal Democrats booed; Trump left."
    )
    hidden = sides.hide(
        "Radical Republicans and Donald Trump cheered while liberal Democrats booed; Trump left."
    )
    assert hidden == "Radical Centrists and John Smith cheered while liberal Democrats booed; Smith left."


def test_mirrored_passages_read_the_same() -> None:
    left = "Slamming Democrats, Donald Trump blamed Joe Biden and LIBERALS on Fox News."
    right = "Slamming Republicans, Joe Biden blamed Donald Trump and CONSERVATIVES on MSNBC."
    assert _query(left) == _query(right)


@given(st.lists(st.sampled_from((*_LEFT, *_NEUTRAL)), min_size=1, max_size=9))
def test_any_passage_reads_like_its_mirror(words: list[str]) -> None:
    mirror = dict(zip(_LEFT, _RIGHT, strict=True)) | {"Liberal": "Conservative", "DEMOCRATS": "REPUBLICANS"}
    mirrored = [mirror.get(word, word) for word in words]
    assert _query(" ".join(words)) == _query(" ".join(mirrored))


@given(st.lists(st.sampled_from((*_LEFT, *_RIGHT, *_NEUTRAL, "Jones", "GOP", "Trump")), max_size=12))
def test_what_is_exchanged_comes_back(words: list[str]) -> None:
    text = " ".join(words)
    sides = Sides.of(text)
    assert sides.restore(sides.hide(text)) == text


def test_a_side_that_the_passage_does_not_name_is_no_wording() -> None:
    sides = Sides.of("The senator slammed the bill.")
    assert sides.restore("Democratic plan") is None
    assert sides.restore("plan") == "plan"


def test_nothing_is_a_wording_of_its_own() -> None:
    sides = Sides.of("")
    assert from_output(as_target("", sides), sides) == ""
    assert from_output("", sides) is None
    assert from_output("a <extra_id_0> b", sides) is None


def test_ids_of_findings_and_techniques_are_read_alike() -> None:
    passage = WordsInSentence("A stunning win.", Span(2, 10), "model/praise")
    assert as_query(passage).text.startswith("neutral praise: ")
    assert as_query(WordsInSentence("A stunning win.", Span(2, 10), "framing/peacock")).text.startswith(
        "neutral: "
    )
