"""Quotations in sentences as reporters, novelists and typists write them."""
# ruff: noqa: RUF001 (quotation marks and dashes are meant)

from __future__ import annotations

import pytest

import unslant
from tests.marked import parse_spans
from unslant.text.quotations import find_quotations

RULES = unslant.Spec(analyzers=("rules",), profile="news")


@pytest.mark.parametrize(
    "marked",
    [
        # posts on social networks, which are signed instead of marked
        "[[The stunning vote was rigged! — Ada Roe (@adaroe) May 4, 2021]] The mayor left.",
        "[[So sad. — Ada Roe (@adaroe) May 4, 2021]] [[Not so. — Bo Lee (@bolee) May 5, 2021]] They met.",
        "The mayor wrote to @adaroe in May, and a reply came on June 4, 2021.",
        "A stunning vote.\nRoe tweeted:\n[[So sad.\nIt was rigged!\n— Ada Roe (@adaroe) May 4, 2021]]",
        "The stunning vote ended. Roe disagreed. [[It was rigged! — Ada Roe (@adaroe) May 4, 2021]]",
        "A stunning night: [[It was rigged! — Ada Roe (@adaroe) May 4, 2021]]",
        "Ada Roe (@adaroe) spoke on May 4, 2021.",
        # attribution before, after and between
        'The senator said, [["We will not vote for it."]]',
        '[["We will not vote for it,"]] the senator said.',
        '[["We will not,"]] the senator said, [["vote for it."]]',
        "[[“We will not,”]] the senator said, [[“vote for it.”]]",
        # part of a sentence
        'He called it [["a total disgrace"]] and left.',
        "She called it [[‘a triumph’]] and stayed.",
        "She called it [['a triumph']] and stayed.",
        'The [["pro-life"]] and [["pro-choice"]] camps met.',
        'A so-called [["expert"]] and a so-called [["journalist"]] spoke.',
        # marks beside brackets, dashes and stops
        'The plan ([["a disaster"]], he said) failed.',
        'The plan—[["a disaster"]]—failed.',
        'He asked, [["Why?"]] and left.',
        'He shouted [["No!"]]; she shouted [["Yes!"]].',
        '[["No,"]] he said. [["Never."]]',
        # quotations within quotations
        "[[“He said ‘never’ and left,”]] she said.",
        "[[\"He said 'never' and left,\"]] she said.",
        "[[‘He said “never” and left,’]] she said.",
        # apostrophes around quotations
        "It's [[“a win for the workers’ unions,”]] they said.",
        "The workers' union said [['no']] to the owners' offer.",
        "The Democrats' bill is [['dead']], the Republicans' leader said.",
        "[['It's over,']] he said.",
        "Rock 'n' roll is [['dead']].",
        "In the '90s he said [['no']].",
        # other languages' marks
        "The paper wrote [[«un désastre»]] on its front page.",
        "The paper wrote [[„eine Katastrophe“]] on its front page.",
        # the typewriter's marks
        "He said [[``never again'']] twice.",
        # titles and lists
        'She wrote [["The Long Road"]], [["The Short Road"]] and [["Home"]].',
        # several sentences
        '[["One. Two. Three."]] he said.',
        '[["Is it so? It is!"]] she wrote.',
    ],
)
def test_quotations(marked: str) -> None:
    text, spans = parse_spans(marked)
    found = find_quotations(text, None)
    assert [text[span.start : span.end] for span in found] == [text[span.start : span.end] for span in spans]
    assert list(found) == spans


@pytest.mark.parametrize(
    "text",
    [
        "The party's leaders' votes didn't count.",
        "It’s the voters’ choice, isn’t it?",
        "The '60s and '70s weren't kind to the cities' poor.",
        "He is 6'2\" and she is 5'11\" tall.",
        'A 27" screen costs less than a 32" one.',
        "They don't, won't, can't and shan't.",
        "'Tis the season; 'twas the night.",
        "Give 'em hell, she didn't say.",
        "No marks at all.",
        "",
    ],
)
def test_nothing_is_quoted(text: str) -> None:
    assert find_quotations(text, None) == ()


@pytest.mark.parametrize(
    ("marked", "why"),
    [
        ("He said [[“the plan is dead and left the room.]] Nobody laughed.", "an opening mark alone"),
        ("[[the plan is dead,”]] he said. Nobody laughed.", "a closing mark alone"),
        ('[[the plan is dead,"]] he said. Nobody laughed.', "a straight closing mark alone"),
        ('He said [["the plan is dead and left.]] Nobody laughed.', "a straight opening mark alone"),
    ],
)
def test_half_a_quotation_reaches_to_the_end_of_its_sentence(marked: str, why: str) -> None:
    text, spans = parse_spans(marked)
    assert list(find_quotations(text, None)) == spans, why


def test_a_quotation_of_several_paragraphs_opens_each_and_closes_once() -> None:
    text = "He wrote: “The first.\n\n“The second.\n\n“The third.” Then he stopped."
    found = [text[span.start : span.end] for span in find_quotations(text, None)]
    assert found == ["“The first.", "“The second.", "“The third.”"]


def test_a_blank_line_ends_what_was_never_closed() -> None:
    text = "He said “no and left.\n\nThe legendary singer came."
    (quotation,) = find_quotations(text, None)
    assert text[quotation.start : quotation.end] == "“no and left."


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("The shameful plan failed.", ["shameful"]),
        ('She called it "a shameful plan" on Monday.', []),
        ("She called it “a shameful plan” on Monday.", []),
        ('The shameful mayor said "a shameful plan" failed.', ["shameful"]),
        ("The mayor's shameful plan didn't pass.", ["shameful"]),
        ("He is 6'2\" and the shameful plan is 5'11\" long.", ["shameful"]),
    ],
)
def test_quoted_words_are_not_the_writers(text: str, reported: list[str]) -> None:
    found = unslant.check(text, spec=RULES).findings
    assert [finding.text for finding in found if finding.text == "shameful"] == reported


def test_quoted_words_are_reported_on_request() -> None:
    spec = unslant.Spec(analyzers=("rules",), profile="news", quotations=True, threshold=0.0)
    text = "Ana wrote “the shameful plan” down."
    assert "shameful" in [finding.text for finding in unslant.check(text, spec=spec).findings]
