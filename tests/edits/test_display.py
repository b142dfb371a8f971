"""Edits in readable form: the word diff, the wording of an edit, and what to look at."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.marked import parse_edits
from unslant.core.types import Applicability, Document, Edit, Note, Report, Span
from unslant.edits.result import Fixed, Suggestion
from unslant.report.edits import Look, count_verdicts, file_lines, sentence_lines, word_diff, wording
from unslant.report.positions import LineIndex
from unslant.report.printable import cells
from unslant.text.edits import apply_edits

SAFE, REVIEW, DISPLAY = Applicability.SAFE, Applicability.REVIEW, Applicability.DISPLAY
PLAIN = Look(width=80)


def suggest(
    marked: str, *verdicts: Applicability, base: int = 0, reason: str = "A reason."
) -> list[Suggestion]:
    """The edits of a sentence that begins at ``base``, each with its verdict."""
    text, edits = parse_edits(marked)
    found = []
    for number, edit in enumerate(edits):
        verdict = verdicts[number] if verdicts else REVIEW
        note = "" if verdict is SAFE else reason
        placed = replace(edit.shift(base), applicability=verdict, source="rules", note=note)
        found.append(Suggestion(placed, Span(base, base + len(text)), text))
    return found


def fixed(marked: str, *verdicts: Applicability, notes: tuple[Note, ...] = ()) -> Fixed:
    text, _ = parse_edits(marked)
    document = Document(text, text, "notes.txt")
    return Fixed(document, Report(document), tuple(suggest(marked, *verdicts)), text, notes)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("They {slammed|criticized} it.", "“slammed” → “criticized”"),
        ("The {iconic |}bridge opened.", "“iconic” → delete"),
        # what an article or a comma has to follow is part of the edit, but not of what is said
        ("It is {an iconic|a} bridge.", "“iconic” → delete"),
        ("It is a {grand, iconic|grand} bridge.", "“iconic” → delete"),
        ("The plan {failed miserably|failed}.", "“miserably” → delete"),
        # a word that only joins is not named
        ("It was {cruel and |}long.", "“cruel” → delete"),
        ("The {death tax|estate tax} rose.", "“death tax” → “estate tax”"),
        ("{Clearly, the|The} plan failed.", "“Clearly” → delete"),
        ("It rose{| by 4 percent}.", "add “by 4 percent”"),
        ("They {slammed\n  the|criticized the} plan.", "“slammed the” → “criticized the”"),
    ],
)
def test_an_edit_in_a_few_words(marked: str, expected: str) -> None:
    text, (edit,) = parse_edits(marked)
    assert wording(text, edit, 0) == expected
    assert wording(text, edit.shift(40), 40) == expected


def test_long_wordings_are_cut() -> None:
    text, (edit,) = parse_edits(f"It was {{{'word ' * 40}|{'other ' * 40}}}long.")
    said = wording(text, edit, 0)
    assert said.count("…") == 2
    assert cells(said) < 130


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("They {slammed|criticized} it.", "They [-slammed-]{+criticized+} it."),
        ("The {iconic |}bridge opened.", "The [-iconic-] bridge opened."),
        ("It rose{| by 4 percent}.", "It rose {+by 4 percent+}."),
        ("{Clearly, the|The} plan failed.", "[-Clearly, the-]{+The+} plan failed."),
        (
            "They {slammed|criticized} the {iconic |}bridge.",
            "They [-slammed-]{+criticized+} the [-iconic-] bridge.",
        ),
        ("It {is|was} so", "It [-is-]{+was+} so"),
    ],
)
def test_the_diff_marks_what_goes_and_what_comes(marked: str, expected: str) -> None:
    assert word_diff(suggest(marked), PLAIN) == [expected]


def test_with_color_the_diff_has_no_brackets() -> None:
    (row,) = word_diff(suggest("They {slammed|criticized} it.", SAFE), Look(color=True))
    assert row == "They \x1b[31;9mslammed\x1b[0m \x1b[32mcriticized\x1b[0m it."
    assert re.sub(r"\x1b\[[\d;]*m", "", row) == "They slammed criticized it."


def test_an_edit_for_display_is_left_out_of_a_diff_with_others() -> None:
    edits = suggest("The {cruel |}and {vile |}plan.", REVIEW, DISPLAY)
    assert word_diff(edits, PLAIN) == ["The [-cruel-] and vile plan."]
    assert word_diff(edits[1:], PLAIN) == ["The cruel and [-vile-] plan."]


def test_an_edit_that_begins_inside_another_is_left_out_of_the_diff() -> None:
    (first,) = suggest("They {slammed the|criticized the} plan.")
    inner = replace(first, edit=Edit(first.edit.start + 2, first.edit.end, "x"))
    assert word_diff([first, inner], PLAIN) == ["They [-slammed the-]{+criticized the+} plan."]


@given(st.lists(st.sampled_from(["plan", "a", "council", "remarkably-long-word", "日本語"]), max_size=60))
def test_rows_fit_unless_a_single_word_is_too_long(words: list[str]) -> None:
    look = Look(width=50)
    marked = f"They {{slammed|criticized}} it {' '.join(words)}".rstrip()
    rows = word_diff(suggest(marked), look)
    assert all(cells(row) <= look.room or " " not in row for row in rows)
    assert " ".join(rows) == marked.replace("{slammed|criticized}", "[-slammed-]{+criticized+}")


def test_a_narrow_terminal_still_has_room() -> None:
    assert Look(width=10).room == Look(width=40).room == 30


def test_a_very_long_sentence_is_cut_around_its_edits() -> None:
    far = "word " * 400
    rows = word_diff(suggest(f"{far}{{slammed|criticized}} {far}{{iconic |}}end {far}"), Look(width=200))
    shown = " ".join(rows)
    assert "[-slammed-]{+criticized+}" in shown
    assert "[-iconic-] end" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert cells(shown) < 1_400


def test_control_characters_do_not_reach_the_terminal() -> None:
    edits = suggest("They {slammed\x1b[2J|criticized\x07} it\x1b[31m.", reason="Be\x1bware.")
    lines = "".join(sentence_lines(edits, LineIndex(edits[0].before), PLAIN))
    assert "\x1b" not in lines
    assert "\x07" not in lines


def test_below_the_diff_each_edit_has_its_verdict_and_its_reason() -> None:
    edits = suggest("They {slammed|criticized} the {iconic |}bridge.", SAFE, REVIEW)
    assert list(sentence_lines(edits, LineIndex(edits[0].before), Look(width=70))) == [
        "  1:6     They [-slammed-]{+criticized+} the [-iconic-] bridge.\n",
        "          safe    “slammed” → “criticized”                       rules\n",
        "          review  “iconic” → delete                              rules\n",
        "                  A reason.\n",
    ]


def test_alternatives_are_listed_up_to_three() -> None:
    text, _ = parse_edits("They {slammed|criticized} it.")
    edit = suggest("They {slammed|criticized} it.")[0]
    others = tuple(
        replace(edit.edit, replacement=word) for word in ("faulted", "opposed", "rejected", "blamed")
    )
    lines = list(sentence_lines([replace(edit, alternatives=others)], LineIndex(text), PLAIN))
    assert lines[-1].strip() == "or: “slammed” → “faulted”; “slammed” → “opposed”; “slammed” → “rejected”"


def test_the_position_is_that_of_the_first_edit() -> None:
    source = "One line.\n\nThey slammed it."
    edits = suggest("They {slammed|criticized} it.", base=11)
    assert next(sentence_lines(edits, LineIndex(source), PLAIN)).startswith("  3:6     They ")


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ((SAFE,), "1 edit: 1 safe"),
        ((SAFE, SAFE), "2 edits: 2 safe"),
        ((REVIEW, SAFE), "2 edits: 1 safe, 1 to review"),
        ((DISPLAY, DISPLAY), "2 edits: 2 shown only"),
    ],
)
def test_the_heading_counts_edits_by_verdict(verdicts: tuple[Applicability, ...], expected: str) -> None:
    marked = " and ".join("they {slammed|criticized} it" for _ in verdicts)
    assert count_verdicts(suggest(marked, *verdicts)) == expected


def test_a_file_without_edits_and_notes_prints_nothing() -> None:
    assert list(file_lines(fixed("Nothing here."), PLAIN)) == []


def test_a_file_prints_its_name_its_sentences_and_its_notes() -> None:
    note = Note("The sentence is too long to reword.", Span(0, 4))
    lines = "".join(file_lines(fixed("They {slammed|criticized} it.", SAFE, notes=(note,)), PLAIN))
    assert lines.splitlines()[0] == "notes.txt  1 edit: 1 safe"
    assert "  1:6     They [-slammed-]{+criticized+} it.\n" in lines
    assert lines.endswith("  1:1     note  The sentence is too long to reword.\n\n")


@given(
    st.lists(st.sampled_from(["They", "met", "the", "old", "council", "again"]), min_size=1, max_size=6),
    st.sampled_from(["slammed", "iconic", "death tax"]),
    st.sampled_from(["criticized", "estate tax", "said that"]),
)
def test_the_diff_holds_both_versions(words: list[str], old: str, new: str) -> None:
    marked = f"{' '.join(words)} {{{old}|{new}}} it."
    text, edits = parse_edits(marked)
    shown = " ".join(word_diff(suggest(marked), Look(width=500)))
    assert re.sub(r"\{\+.*?\+\}", "", re.sub(r"\[-(.*?)-\]", r"\1", shown)) == text
    assert re.sub(r"\[-.*?-\]", "", re.sub(r"\{\+(.*?)\+\}", r"\1", shown)) == apply_edits(text, edits)
