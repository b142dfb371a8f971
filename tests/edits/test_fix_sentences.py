"""What fixing makes of sentences: what is safe to change, and what must stay whatever is asked for."""

from __future__ import annotations

import pytest

import unslant
from unslant.edits.invariants import broken, changed_fact

RULES = unslant.Spec(analyzers=("rules",), profile="news")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Sadly, the theater closed in March.", "The theater closed in March."),
        ("Unfortunately, the bridge was closed in May.", "The bridge was closed in May."),
        ("Ironically, the fire station burned down.", "The fire station burned down."),
        ("Clearly, the vote was close in both counties.", "The vote was close in both counties."),
        ("Obviously, the plan cost more than before.", "The plan cost more than before."),
        ("Of course, taxes rose in the year after that.", "Taxes rose in the year after that."),
        ("Thankfully, nobody was in the building.", "Nobody was in the building."),
    ],
)
def test_a_comment_before_the_sentence_is_left_out(before: str, after: str) -> None:
    assert unslant.fix(before, spec=RULES).text == after


NEUTRAL = [
    "The council voted 7 to 4 on Tuesday to close the pool in the park.",
    "Ann Doe said the plan was late, and Bob Roe said it was too costly.",
    "The storm claimed three lives in the north of the county on Monday.",
    "She won a grand slam in Paris and another one in New York that year.",
    "The Legendary Pictures film was shot in Utah and in New Mexico.",
    "He slammed the door and left the room before the vote was counted.",
    "The Democratic senator voted for the bill, as did two Republicans.",
    "The Republican senator voted for the bill, as did two Democrats.",
    "The man was convicted of fraud in 2011 and served four years.",
    "The study found no link between the two, the authors wrote.",
    "The far-left party won 4 percent and the far-right party 5 percent.",
    "Legal and illegal migrants are counted in the same column.",
    "The estate tax applies to estates of more than 12 million dollars.",
    "The drug was approved in May, and 4,000 people have taken it.",
    'He said "the legendary singer is a clear winner" and left.',
    "The village of Stunning lies in the county of Great Lakes.",
]


@pytest.mark.parametrize("text", NEUTRAL)
@pytest.mark.parametrize("unsafe", [False, True])
def test_a_neutral_sentence_stays(text: str, unsafe: bool) -> None:
    assert unslant.fix(text, spec=RULES, unsafe=unsafe).text == text


SLANTED = [
    "The senator slammed the budget in a short speech on Monday.",
    "The governor blasted the ruling of the state court on Friday.",
    "The legendary coach of the club retired in May after thirty seasons.",
    "The mayor claimed that crime had fallen in every part of the city.",
    "The controversial law took effect in July in three of the counties.",
    "The bill came to a whopping 90 pages when it was printed on Monday.",
    "The so-called reform of the pension law failed in the upper house.",
    "The elderly pay less on the buses of the city than other people do.",
    "The radical left lost the vote on the housing bill by two seats.",
    "The radical right lost the vote on the housing bill by two seats.",
    "It was an outright lie, and the paper printed it on its first page.",
    "The hugely popular show was seen by 4 million people in one week.",
    "The owner scoffed at the idea of a strike by the nurses in June.",
    "The minister insisted that the figures were right in every table.",
    "A policeman took notes while the owner of the shop described the man.",
]


@pytest.mark.parametrize("text", SLANTED)
def test_whatever_is_made_of_a_sentence_it_states_the_same(text: str) -> None:
    for unsafe in (False, True):
        fixed = unslant.fix(text, spec=RULES, unsafe=unsafe)
        for suggestion in fixed.edits:
            if suggestion.applied:
                found = changed_fact(suggestion.before, suggestion.after)
                assert found is None or found in ("degree", "modality", "quantity"), suggestion.after
        assert not broken(text, fixed.text)


@pytest.mark.parametrize("text", SLANTED)
def test_fixing_again_changes_nothing(text: str) -> None:
    once = unslant.fix(text, spec=RULES, unsafe=True).text
    assert unslant.fix(once, spec=RULES, unsafe=True).text == once


@pytest.mark.parametrize("text", SLANTED)
def test_what_is_safe_is_also_made_when_more_is_requested(text: str) -> None:
    safe = {edit.change for edit in unslant.fix(text, spec=RULES).applied}
    if safe:
        assert unslant.fix(text, spec=RULES, unsafe=True).changed


def test_a_finding_that_is_ignored_inline_is_not_fixed() -> None:
    text = "Sadly, the theater closed in March. <!-- unslant: ignore framing -- an obituary -->"
    assert unslant.fix(text, format="markdown", spec=RULES).text == text


def test_a_rule_that_is_ignored_is_not_fixed() -> None:
    spec = unslant.Spec(analyzers=("rules",), profile="news", ignore=("framing/editorial-adverb",))
    text = "Sadly, the theater closed in March."
    assert unslant.fix(text, spec=spec).text == text


def test_only_what_is_selected_is_fixed() -> None:
    text = "Sadly, the theater closed in March. Clearly, the vote was close in both counties."
    spec = unslant.Spec(analyzers=("rules",), profile="news", select=("framing",))
    assert unslant.fix(text, spec=spec).text == text.replace("Sadly, the", "The")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_stay(end: str) -> None:
    text = f"Sadly, the theater closed in March.{end}{end}The pool opened in May.{end}"
    assert unslant.fix(text, spec=RULES).text == text.replace("Sadly, the", "The")


@pytest.mark.parametrize(
    ("format_name", "before", "after"),
    [
        ("markdown", "# News\n\nSadly, the *theater* closed.", "# News\n\nThe *theater* closed."),
        ("markdown", "- Sadly, the theater closed.\n- It rained.", "- The theater closed.\n- It rained."),
        ("html", "<p>Sadly, the theater closed.</p>", "<p>The theater closed.</p>"),
        ("wikitext", "== News ==\nSadly, the [[theater]] closed.", "== News ==\nThe [[theater]] closed."),
        ("rst", "News\n====\n\nSadly, the theater closed.", "News\n====\n\nThe theater closed."),
        ("asciidoc", "= News\n\nSadly, the theater closed.", "= News\n\nThe theater closed."),
        ("org", "* News\nSadly, the theater closed.", "* News\nThe theater closed."),
        ("latex", "\\section{News}\nSadly, the theater closed.", "\\section{News}\nThe theater closed."),
    ],
)
def test_markup_around_a_fix_stays(format_name: str, before: str, after: str) -> None:
    assert unslant.fix(before, format=format_name, spec=RULES).text == after
