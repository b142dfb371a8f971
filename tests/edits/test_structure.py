"""Edits that would make markup of words: what a line begins with decides how it is read."""

from __future__ import annotations

import pytest

import unslant
from unslant.edits.types import Reason
from unslant.spec import Spec

pytestmark = pytest.mark.usefixtures("trusting")

RULES = Spec(analyzers=("rules",))


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("markdown", "Interestingly, # of users grew.\n"),
        ("markdown", "Sadly, > 50 percent of the users left.\n"),
        ("markdown", "Obviously, 1. the plan was old and long.\n"),
        ("markdown", "Obviously, 1) the plan was old and long.\n"),
        ("markdown", "Sadly, - the plan was old.\n"),
        ("markdown", "Sadly, + the plan was old.\n"),
        ("markdown", "Sadly, ``` the plan was old.\n"),
        ("markdown", "The plan was old.\nSadly, ---\n"),
        ("markdown", "Sadly, | the | plan |\n|---|---|\n"),
        ("wikitext", "Sadly, * the plan was old and long.\n"),
        ("wikitext", "Sadly, # the plan was old.\n"),
        ("wikitext", "Sadly, = the plan was old =\n"),
        ("wikitext", "Sadly, {| the plan was old.\n"),
        ("wikitext", "Sadly, ---- the plan.\n"),
    ],
)
@pytest.mark.parametrize("unsafe", [False, True])
def test_no_edit_makes_a_heading_a_list_or_a_quotation_of_a_line(form: str, text: str, unsafe: bool) -> None:
    fixed = unslant.fix(text, format=form, spec=RULES, unsafe=unsafe)
    assert fixed.text == text
    assert {suggestion.edit.note for suggestion in fixed.edits} <= {Reason.MARKUP.note}
    assert unslant.read(text, form).prose == text


def test_other_edits_of_the_document_are_made() -> None:
    text = "Interestingly, # of users grew.\n\nThe legendary singer came to it late.\n\nSadly, > 50 percent left.\n"
    fixed = unslant.fix(text, format="markdown", spec=RULES)
    assert fixed.text == text.replace("legendary ", "")


@pytest.mark.parametrize(
    "text",
    [
        'Clearly,"The plan is old and long"and the singer came.',
        '" slammed\u201d\t singer legendary iconic "very',
        'The legendary plan.\r"The plan was old and so it is very"\r',
    ],
)
def test_no_edit_changes_what_is_quoted(text: str) -> None:
    for unsafe in (False, True):
        fixed = unslant.fix(text, spec=RULES, unsafe=unsafe)
        before = [text[span.start : span.end] for span in fixed.document.quotations]
        after = unslant.read(fixed.text)
        assert [fixed.text[span.start : span.end] for span in after.quotations] == before
        assert unslant.fix(fixed.text, spec=RULES, unsafe=unsafe).text == fixed.text


def test_plain_text_has_no_structure_to_keep() -> None:
    fixed = unslant.fix("Sadly, 1. the plan was old.", spec=RULES)
    assert fixed.text == "1. the plan was old."


def test_a_quotation_keeps_its_blank() -> None:
    for text in ('"truly\t"', 'The plan is "truly\t".\n', 'It was "the truly\t" plan.\n'):
        fixed = unslant.fix(text, format="markdown", spec=RULES, unsafe=True)
        assert fixed.text == text
