"""What a sentence states: an edit that changes a fact is stopped, and the gate names the fact."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.marked import parse_edits
from unslant.rewrite.facts import changed_fact
from unslant.text.edits import apply_edits


def changed(marked: str) -> tuple[str, str] | None:
    text, edits = parse_edits(marked)
    return changed_fact(text, apply_edits(text, edits))


@pytest.mark.parametrize(
    ("marked", "gate", "word"),
    [
        # numbers, as figures and as words
        ("The vote was {52|51} to 48.", "number", "52"),
        ("The vote was 52{ to 48|}.", "number", "48"),
        ("It cost {$3.5|$35} million.", "number", "3.5"),
        ("{Two|Three} senators left.", "number", "two"),
        ("A {three-day|} strike ended.", "number", "three"),
        ("The {first|} woman in office", "number", "first"),
        ("He ran {twice|}.", "number", "twice"),
        ("{Both|The} parties agreed.", "number", "both"),
        ("About {half|some} of them left.", "number", "half"),
        # dates
        ("They met on {Monday|Tuesday}.", "date", "monday"),
        ("They met {yesterday|} in town.", "date", "yesterday"),
        ("It lasted a {decade|time}.", "date", "decade"),
        ("It was a long {year|time}.", "date", "year"),
        # units and signs
        ("It grew by five {percent|points}.", "unit", "percent"),
        ("It is five {miles|} away.", "unit", "miles"),
        ("It rose by a few {dollars|}.", "unit", "dollars"),
        # negation
        ("He did {not|} vote.", "negation", "not"),
        ("He {never|} voted.", "negation", "never"),
        ("He {didn't|did} vote.", "negation", "not"),
        ("He {failed|chose} to vote.", "negation", "failed"),
        ("She {denied|discussed} the charge.", "negation", "denied"),
        ("They left {without|with} a word.", "negation", "without"),
        ("It was {hardly|} a win.", "negation", "hardly"),
        # modality
        ("He {may|will} run.", "modality", "may"),
        ("The {alleged|} thief fled.", "modality", "alleged"),
        ("He {reportedly|} left.", "modality", "reportedly"),
        ("The {proposed|} cuts hurt.", "modality", "proposed"),
        ("It will {probably|} pass.", "modality", "probably"),
        ("{Nearly|} all agreed.", "modality", "nearly"),
        # that something is false or unlawful
        ("The {false|} claim spread.", "falsity", "false"),
        ("The {debunked|} story spread.", "falsity", "debunked"),
        ("A {bogus|} letter came.", "falsity", "bogus"),
        ("A {claimed|} discovery was made.", "falsity", "claimed"),
        ("The {illegal|} dump closed.", "legality", ""),
        ("The {convicted|} mayor resigned.", "legality", ""),
        # causes and contrasts
        ("He left {because|as} it rained.", "cause", ""),
        ("{Although|As} it rained, he left.", "contrast", ""),
        ("It rained, {but|and} he left.", "contrast", ""),
        # quantities
        ("{Only|} members may vote.", "quantity", "only"),
        ("It rose {sharply|} last week.", "quantity", "sharply"),
        ("The {largest|} union left.", "quantity", "largest"),
        # names
        ("He met {Ann|the} Doe there.", "name", "Ann"),
        ("They fought the {anti-Catholic|old} laws.", "name", "anti-Catholic"),
        ("The {FBI|police} came.", "name", "FBI"),
        ("The {police|FBI} came.", "name", "FBI"),
        ("He joined the {Democratic|} Party.", "name", "Democratic"),
        ("He joined the {Republican|} Party.", "name", "Republican"),
        # degrees, which a person may decide about
        ("It was {extremely|} cold.", "degree", "extremely"),
        ("He {always|} votes.", "degree", "always"),
        ("It was {even|} colder.", "degree", "even"),
        # links
        ("See {https://a.example/b|the page} now.", "link", "https://a.example/b"),
    ],
)
def test_a_changed_fact_is_named(marked: str, gate: str, word: str) -> None:
    assert changed(marked) == (gate, word)


@pytest.mark.parametrize(
    "marked",
    [
        "The {legendary|} singer came.",
        "Critics {slammed|criticized} the plan.",
        "{Clearly, t|T}he plan works.",
        "The {radical|} plan of 52 senators did not pass on Monday.",
        "He {claimed|said} that it rained.",
        "The {mob|crowd} left because it rained.",
        "It rained, {but|yet} he left.",
        "{Although|Though} it rained, he left.",
        "The {illegal|unlawful} dump closed.",
        "\u201c{Clearly t|T}he plan works,\u201d he said.",
        "The {pushy|} New York mayor spoke.",
        "The {bold|} reform of the U.S. Senate passed.",
    ],
)
def test_wording_alone_is_no_fact(marked: str) -> None:
    assert changed(marked) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("He did not vote.", "He didn't vote."),
        ("They don't know.", "They do not know."),
        ("The left won.", "The left won."),
        ("", ""),
    ],
)
def test_the_same_fact_in_other_words(before: str, after: str) -> None:
    assert changed_fact(before, after) is None


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The {Democrats|party} won.", "The {Republicans|party} won."),
        ("{Only|} Democrats voted.", "{Only|} Republicans voted."),
        ("The {false|} claim of the left spread.", "The {false|} claim of the right spread."),
        ("The left did {not|} win.", "The right did {not|} win."),
        ("The {convicted|} Democrat left.", "The {convicted|} Republican left."),
    ],
)
def test_both_sides_keep_the_same_facts(left: str, right: str) -> None:
    first, second = changed(left), changed(right)
    assert first is not None
    assert second is not None
    assert first[0] == second[0]


def test_a_fact_that_is_stated_twice_must_stay_twice() -> None:
    assert changed("He did {not|} vote and did not speak.") == ("negation", "not")
    assert changed("On Monday {and on Monday|} they met.") == ("date", "monday")


WORDS = (
    "the mayor of Ohio did not win 52 percent on Monday because only 3 voted although it was false .".split()
)


@given(st.permutations(WORDS))
def test_the_order_of_words_changes_no_count(words: list[str]) -> None:
    before, after = " ".join(WORDS), " ".join(words)
    found = changed_fact(before, after)
    # a capital at another place may look like a name
    assert found is None or found[0] == "name"


@given(st.text(max_size=60))
def test_any_text_states_what_it_states(text: str) -> None:
    assert changed_fact(text, text) is None
