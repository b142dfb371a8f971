"""What a sentence states: an edit that changes a fact is stopped, and the kind of fact is named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.marked import parse_edits
from unslant.edits.invariants import changed_fact
from unslant.text.edits import apply_edits


def changed(marked: str) -> str | None:
    text, edits = parse_edits(marked)
    return changed_fact(text, apply_edits(text, edits))


@pytest.mark.parametrize(
    ("marked", "fact"),
    [
        # numbers, as figures and as words
        ("The vote was {52|51} to 48.", "number"),
        ("The vote was 52{ to 48|}.", "number"),
        ("It cost {$3.5|$35} million.", "number"),
        ("{Two|Three} senators left.", "number"),
        ("A {three-day|} strike ended.", "number"),
        ("The {first|} woman in office", "number"),
        ("He ran {twice|}.", "number"),
        ("{Both|The} parties agreed.", "number"),
        ("About {half|some} of them left.", "number"),
        # dates
        ("They met on {Monday|Tuesday}.", "date"),
        ("They met {yesterday|} in town.", "date"),
        ("It lasted a {decade|time}.", "date"),
        ("It was a long {year|time}.", "date"),
        # units and signs
        ("It grew by five {percent|points}.", "unit"),
        ("It is five {miles|} away.", "unit"),
        ("It rose by a few {dollars|}.", "unit"),
        # negation
        ("He did {not|} vote.", "negation"),
        ("He {never|} voted.", "negation"),
        ("He {didn't|did} vote.", "negation"),
        ("He {failed|chose} to vote.", "negation"),
        ("She {denied|discussed} the charge.", "negation"),
        ("They left {without|with} a word.", "negation"),
        ("It was {hardly|} a win.", "negation"),
        # modality
        ("He {may|will} run.", "modality"),
        ("The {alleged|} thief fled.", "modality"),
        ("He {reportedly|} left.", "modality"),
        ("The {proposed|} cuts hurt.", "modality"),
        ("It will {probably|} pass.", "modality"),
        ("{Nearly|} all agreed.", "modality"),
        # that something is false or unlawful
        ("The {false|} claim spread.", "falsity"),
        ("The {debunked|} story spread.", "falsity"),
        ("A {bogus|} letter came.", "falsity"),
        ("A {claimed|} discovery was made.", "falsity"),
        ("The {illegal|} dump closed.", "legality"),
        ("The {convicted|} mayor resigned.", "legality"),
        # causes and contrasts
        ("He left {because|as} it rained.", "cause"),
        ("{Although|As} it rained, he left.", "contrast"),
        ("It rained, {but|and} he left.", "contrast"),
        # quantities
        ("{Only|} members may vote.", "quantity"),
        ("It rose {sharply|} last week.", "quantity"),
        ("The {largest|} union left.", "quantity"),
        # names
        ("He met {Ann|the} Doe there.", "name"),
        ("They fought the {anti-Catholic|old} laws.", "name"),
        ("The {FBI|police} came.", "name"),
        ("The {police|FBI} came.", "name"),
        ("He joined the {Democratic|} Party.", "name"),
        ("He joined the {Republican|} Party.", "name"),
        # degrees, which a person may decide about
        ("It was {extremely|} cold.", "degree"),
        ("He {always|} votes.", "degree"),
        ("It was {even|} colder.", "degree"),
        # links
        ("See {https://a.example/b|the page} now.", "address"),
    ],
)
def test_a_changed_fact_is_named(marked: str, fact: str) -> None:
    assert changed(marked) == fact


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
    assert first == second


def test_a_fact_that_is_stated_twice_must_stay_twice() -> None:
    assert changed("He did {not|} vote and did not speak.") == "negation"
    assert changed("On Monday {and on Monday|} they met.") == "date"


WORDS = (
    "the mayor of Ohio did not win 52 percent on Monday because only 3 voted although it was false .".split()
)


@given(st.permutations(WORDS))
def test_the_order_of_words_changes_no_count(words: list[str]) -> None:
    before, after = " ".join(WORDS), " ".join(words)
    found = changed_fact(before, after)
    # a capital at another place may look like a name
    assert found is None or found == "name"


@given(st.text(max_size=60))
def test_any_text_states_what_it_states(text: str) -> None:
    assert changed_fact(text, text) is None
