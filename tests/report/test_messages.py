"""The wording of a finding: what it says, and how it words its suggestions."""

from __future__ import annotations

import pytest

from tests.marked import parse_edits
from unslant.core.types import Edit, Finding, Span
from unslant.report.messages import advice, label, message


def finding(marked: str, words: str, *more: str) -> tuple[Finding, str]:
    """A finding about some words; the edits are written into copies of the sentence."""
    edits: list[Edit] = []
    source = ""
    for each in (marked, *more):
        source, found = parse_edits(each)
        edits += found
    start = source.index(words)
    span = Span(start, start + len(words))
    return Finding(span, words, "framing", "It takes sides.", "rules", edits=tuple(edits)), source


@pytest.mark.parametrize(
    ("marked", "words", "expected"),
    [
        ("He {slammed|criticized} it.", "slammed", "\u201ccriticized\u201d"),
        ("A {vile |}plan failed.", "vile", "leave it out"),
        ("{An iconic|A} plan failed.", "iconic", "leave it out"),
        ("{Sadly, it|It} rained.", "Sadly", "leave it out"),
        ("The{, sadly,|} plan failed.", "sadly", "leave it out"),
        (
            "He {is wheelchair-bound|uses a wheelchair}.",
            "wheelchair-bound",
            "\u201cuses a wheelchair\u201d for \u201cis wheelchair-bound\u201d",
        ),
        ("A {vile plan|plan} failed.", "vile", "leave it out"),
        ("A {vile plan|scheme} failed.", "vile", "\u201cscheme\u201d for \u201cvile plan\u201d"),
        ("A vile {plan|} failed.", "vile", "leave out \u201cplan\u201d"),
        ("It {failed miserably|failed}.", "failed miserably", "leave out \u201cmiserably\u201d"),
        ("He slammed it.", "slammed", ""),
    ],
)
def test_advice(marked: str, words: str, expected: str) -> None:
    assert advice(*finding(marked, words)) == expected


def test_several_wordings_are_listed_and_leaving_out_comes_last() -> None:
    found, source = finding("A {vile|bad} plan.", "vile", "A {vile |}plan.", "A {vile|poor} plan.")
    assert advice(found, source) == "\u201cbad\u201d, \u201cpoor\u201d, or leave it out"


def test_the_same_wording_is_listed_once() -> None:
    found, source = finding("A {vile|bad} plan.", "vile", "A {vile|bad} plan.")
    assert advice(found, source) == "\u201cbad\u201d"


def test_of_many_wordings_the_first_are_shown() -> None:
    rows = [f"A {{vile|word{number}}} plan." for number in range(6)]
    found, source = finding(rows[0], "vile", *rows[1:])
    assert (
        advice(found, source)
        == "\u201cword0\u201d, \u201cword1\u201d, \u201cword2\u201d, \u201cword3\u201d, \u2026"
    )
    assert advice(found, source, shown=1) == "\u201cword0\u201d, \u2026"


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("He {slammed|opposed} it.", "\u201cslammed\u201d: It takes sides. Try: \u201copposed\u201d."),
        ("He slammed it.", "\u201cslammed\u201d: It takes sides."),
    ],
)
def test_messages(marked: str, expected: str) -> None:
    assert message(*finding(marked, "slammed")) == expected


def test_a_separator_may_stand_before_the_advice() -> None:
    found, source = finding("He {slammed|opposed} it.", "slammed")
    assert message(found, source, "\n") == "\u201cslammed\u201d: It takes sides.\nTry: \u201copposed\u201d."


def test_words_over_several_lines_are_shown_on_one() -> None:
    source = "A truly\n   vile plan."
    found = Finding(Span(2, 15), source[2:15], "framing", "It\ntakes sides.", "rules")
    assert message(found, source) == "\u201ctruly vile\u201d: It takes sides."


def test_a_label_names_the_kind_and_the_dimension() -> None:
    found, _ = finding("He slammed it.", "slammed")
    assert label(found) == "framing"
    gendered = Finding(Span(0, 2), "He", "demographic", "why", "rules", dimension="gender")
    assert label(gendered) == "demographic (gender)"


@pytest.mark.parametrize(
    ("rule", "origin", "expected"),
    [
        ("framing/fame", "rules", "framing/fame"),
        (None, "model", "model/framing"),
        (None, "hf:folder", "hf/framing"),
        (None, "llm:https://a.b", "llm/framing"),
        (None, "model+rules", "model/framing"),
        ("model/praise", "model", "model/praise"),
    ],
)
def test_the_id_of_a_finding(rule: str | None, origin: str, expected: str) -> None:
    assert Finding(Span(0, 1), "x", "framing", "why", origin, rule).id == expected
