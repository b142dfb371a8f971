"""Edits of real sentences: applying, joining, moving, trimming and counting them, each with the result written out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.marked import apply_one_by_one, parse_edits
from unslant.core.errors import AlignmentError
from unslant.core.types import Applicability, Edit
from unslant.text.edits import (
    apply_edits,
    count_changed_words,
    inserted_spans,
    join_edits,
    minimal_change,
    move_offset,
    rebase_back,
    sort_edits,
    trim_edit,
)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("Critics {slammed|criticized} the bill.", "Critics criticized the bill."),
        ("The {radical |}left {rammed|passed} it through.", "The left passed it through."),
        ("The {radical |}right {rammed|passed} it through.", "The right passed it through."),
        ("{|Some }Democrats agreed.", "Some Democrats agreed."),
        ("Republicans agreed{| in part}.", "Republicans agreed in part."),
        ("{Everything goes.|}", ""),
        ("{|}Nothing changes.", "Nothing changes."),
        ("{A|B}{C|D}", "BD"),
        ("Caf\u00e9 {owners|staff} \u2014 all 12 \u2014 left.", "Caf\u00e9 staff \u2014 all 12 \u2014 left."),
        ("\U0001f5f3 {Voters|People} came.", "\U0001f5f3 People came."),
        ("line one\r\n{line|row} two", "line one\r\nrow two"),
        ("tab\t{here|there}", "tab\tthere"),
    ],
)
def test_applied_edits(marked: str, expected: str) -> None:
    text, edits = parse_edits(marked)
    assert apply_edits(text, edits) == expected
    assert apply_edits(text, reversed(edits)) == expected


@pytest.mark.parametrize(
    ("edits", "place"),
    [
        ([Edit(0, 4, "a"), Edit(3, 6, "b")], 3),
        ([Edit(3, 6, "b"), Edit(0, 4, "a")], 3),
        ([Edit(0, 9, "a"), Edit(2, 3, "b")], 2),
        ([Edit(5, 7, "a"), Edit(5, 7, "a")], 5),
        ([Edit(5, 7, "a"), Edit(5, 8, "b")], 5),
        ([Edit(1, 3, "a"), Edit(2, 2, "b")], 2),
        ([Edit(0, 1, ""), Edit(4, 8, ""), Edit(7, 9, "")], 7),
    ],
)
def test_overlapping_edits_are_refused_and_the_place_is_named(edits: list[Edit], place: int) -> None:
    with pytest.raises(ValueError, match=f"^two edits overlap at {place}$"):
        sort_edits(edits)
    with pytest.raises(ValueError, match=f"overlap at {place}"):
        apply_edits("The bill passed.", edits)


def test_edits_that_meet_do_not_overlap() -> None:
    text = "The bill passed."
    edits = [Edit(4, 8, "law"), Edit(8, 9, " has "), Edit(9, 15, "failed"), Edit(15, 15, " again")]
    assert apply_edits(text, edits) == "The law has failed again."


@pytest.mark.parametrize(
    ("marked", "joined"),
    [
        ("He {slammed|criticized} the bill.", (3, 10, "criticized")),
        ("He {slammed|criticized} the {vile |}bill.", (3, 20, "criticized the ")),
        ("{Cruel|Harsh} cuts and {vile|bad} lies.", (0, 19, "Harsh cuts and bad")),
        ("The {|new }law {|also }passed.", (4, 8, "new law also ")),
        ("A {b|} c {d|} e", (2, 7, " c ")),
    ],
)
def test_joined_edits_write_what_lies_between_as_it_stands(marked: str, joined: tuple[int, int, str]) -> None:
    text, edits = parse_edits(marked)
    assert join_edits(text, edits).change == joined


def test_a_joined_edit_keeps_how_the_first_may_be_applied() -> None:
    edits = [Edit(0, 1, "x", Applicability.SAFE, 0.9), Edit(2, 3, "y", Applicability.DISPLAY, 0.1)]
    joined = join_edits("a b", edits)
    assert (joined.applicability, joined.probability) == (Applicability.SAFE, 0.9)
    assert join_edits("a b", edits[:1]) is edits[0]


@pytest.mark.parametrize(
    ("word", "marked"),
    [
        ("council", "The {cruel |}council {slammed|opposed} it."),
        ("it", "The {cruel |}council {slammed|opposed} it."),
        ("The", "The {cruel |}council {slammed|opposed} it."),
        ("voters", "{|Many of the }voters {flocked|came} to the polls."),
        ("polls", "{|Many of the }voters {flocked|came} to the polls."),
        ("left", "{\u201cRadical\u201d |}left"),
        ("end", "a {b|bbbbbbbb} c {d|} end"),
    ],
)
def test_a_word_outside_the_edits_is_found_again(word: str, marked: str) -> None:
    text, edits = parse_edits(marked)
    after = apply_edits(text, edits)
    at = move_offset(text.index(word), edits)
    assert after[at : at + len(word)] == word


@pytest.mark.parametrize(
    ("marked", "written"),
    [
        ("He {slammed|criticized} the {vile |}bill.", ["criticized", ""]),
        ("{|Some }Democrats {rammed|pushed} it {|through}", ["Some ", "pushed", "through"]),
        ("{|Some }Republicans {rammed|pushed} it {|through}", ["Some ", "pushed", "through"]),
    ],
)
def test_inserted_spans_hold_what_was_written(marked: str, written: list[str]) -> None:
    text, edits = parse_edits(marked)
    after = apply_edits(text, edits)
    assert [after[start:end] for start, end in inserted_spans(edits)] == written


@pytest.mark.parametrize(
    ("marked", "other", "expected"),
    [
        # (applied edits, another edit of the same text, what both leave)
        ("He {slammed|criticized} the vile bill.", ("vile ", ""), "He criticized the bill."),
        ("He slammed the {vile |}bill.", ("slammed", "criticized"), "He criticized the bill."),
        ("{He|The mayor} slammed it.", ("it", "the bill"), "The mayor slammed the bill."),
        ("He slammed {it|}.", ("He", "She"), "She slammed ."),
        ("He {|harshly }slammed it.", ("it", "that"), "He harshly slammed that."),
    ],
)
def test_an_edit_of_the_text_after_others_is_restated_for_the_text_before(
    marked: str, other: tuple[str, str], expected: str
) -> None:
    text, applied = parse_edits(marked)
    after = apply_edits(text, applied)
    start = after.index(other[0])
    edit = Edit(start, start + len(other[0]), other[1])
    assert apply_edits(after, [edit]) == expected
    restated = rebase_back(edit, applied)
    assert restated is not None
    assert apply_edits(text, [*applied, restated]) == apply_one_by_one(text, [*applied, restated]) == expected


@pytest.mark.parametrize(
    ("edit", "applied"),
    [
        (Edit(3, 10, "x"), [Edit(5, 6, "y")]),
        (Edit(5, 6, "x"), [Edit(3, 10, "y")]),
        (Edit(3, 10, "x"), [Edit(3, 10, "x")]),
        (Edit(3, 3, "x"), [Edit(3, 10, "y")]),
        (Edit(3, 3, "x"), [Edit(3, 3, "y")]),
        (Edit(3, 10, "x"), [Edit(0, 1, ""), Edit(9, 12, "")]),
    ],
)
def test_edits_of_the_same_place_conflict_whichever_comes_first(edit: Edit, applied: list[Edit]) -> None:
    assert any(edit.conflicts(other) for other in applied)
    assert any(other.conflicts(edit) for other in applied)


@pytest.mark.parametrize(
    ("marked", "words", "found"),
    [
        ("He {slammed|criticized} the bill.", "criticized", None),
        ("He {slammed|criticized} the bill.", "ed the", None),
        ("He {slammed|criticized} the bill.", "the", "the"),
        ("He {slammed|criticized} the bill.", "He", "He"),
        ("He {very |}boldly spoke.", "boldly", "boldly"),
        ("He {|very }boldly spoke.", "boldly", "boldly"),
        ("He {|very }boldly spoke.", "very", None),
    ],
)
def test_only_words_that_were_there_before_can_be_traced_back(
    marked: str, words: str, found: str | None
) -> None:
    text, applied = parse_edits(marked)
    after = apply_edits(text, applied)
    start = after.index(words)
    back = rebase_back(Edit(start, start + len(words), "*"), applied)
    assert (text[back.start : back.end] if back else None) == found


@pytest.mark.parametrize(
    ("marked", "trimmed"),
    [
        ("He {slammed the bill|criticized the bill} today.", "He {slammed|criticized} the bill today."),
        ("He {slammed the bill|slammed the law} today.", "He slammed the {bill|law} today."),
        ("{An iconic voice|A voice} spoke.", "An {iconic|} voice spoke."),
        ("{Clearly, the bill|The bill} passed.", "{Clearly,|} the bill passed."),
        ("He {is a very old|is a} man.", "He is a {very old|} man."),
        ("The {so-called reform|reform} passed.", "The {so-called|} reform passed."),
        ("The {town|old town} grew.", "The {|old }town grew."),
        ("It {grew|grew fast}.", "It grew{| fast}."),
        ("A {vile plot|scheme} failed.", "A {vile plot|scheme} failed."),
        ("The {\u201creform\u201d|reform} passed.", "The {\u201creform\u201d|reform} passed."),
        ("The {bill|bill} passed.", "The {bill|bill} passed."),
        ("The {BILL|bill} passed.", "The {BILL|bill} passed."),
        ("He said{ |  }no.", "He said{ |  }no."),
    ],
)
def test_trimmed_edits_write_no_word_that_was_there(marked: str, trimmed: str) -> None:
    text, (edit,) = parse_edits(marked)
    same, (expected,) = parse_edits(trimmed)
    assert same == text
    assert trim_edit(text, edit).change == expected.change


@pytest.mark.parametrize(
    ("marked", "minimal"),
    [
        ("the {chairman|chair} spoke", (9, 12, "")),
        ("the {fireman|firefighter} spoke", (8, 11, "fighter")),
        ("the {plan|plane} flew", (8, 8, "e")),
        ("{cat|dog}", (0, 3, "dog")),
        ("a {very |}bold plan", (1, 6, "")),
        ("aa{a|}a", (0, 1, "")),
        ("{|new }law", (0, 0, "new ")),
    ],
)
def test_minimal_changes(marked: str, minimal: tuple[int, int, str]) -> None:
    text, (edit,) = parse_edits(marked)
    start, end, new = minimal_change(text, edit)
    assert apply_edits(text, [Edit(start, end, new)]) == apply_edits(text, [edit])
    assert (start, end, new) == minimal


def test_an_edit_that_changes_nothing_has_an_empty_minimal_change() -> None:
    start, end, new = minimal_change("the plan flew", Edit(4, 8, "plan"))
    assert (end - start, new) == (0, "")


def test_edits_that_leave_the_same_text_have_the_same_minimal_change() -> None:
    text = "He said that that was so."
    first, second = Edit(8, 13, ""), Edit(13, 18, "")
    assert apply_edits(text, [first]) == apply_edits(text, [second])
    assert minimal_change(text, first) == minimal_change(text, second)


@pytest.mark.parametrize(
    ("marked", "count"),
    [
        ("He {slammed|criticized} it.", 1),
        ("He {|harshly }criticized it.", 1),
        ("The {death tax|estate tax} fell.", 1),
        ("The {death tax|tax on estates} fell.", 3),
        ("The {pro-life|anti-abortion} movement", 1),
        ("The {anti-choice|anti-abortion} movement", 1),
        ("{An illegal|A} man and {a radical|a} plan", 2),
        ("He {said, |}no", 1),
        ("He said{,|;} no", 0),
        ("{The The|The} bill", 1),
        ("a {b c d|e} f", 3),
        ("a {e|b c d} f", 3),
        ("a {don\u2019t|don't} f", 0),
        ("nothing", 0),
    ],
)
def test_changed_words_are_counted(marked: str, count: int) -> None:
    assert count_changed_words(*parse_edits(marked)) == count


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2), (-5, -1)])
def test_an_edit_with_impossible_offsets_is_refused(start: int, end: int) -> None:
    with pytest.raises(AlignmentError, match="reversed edit"):
        Edit(start, end, "x")


@pytest.mark.parametrize(
    ("edit", "growth"), [(Edit(0, 7, "criticized"), 3), (Edit(0, 7, ""), -7), (Edit(4, 4, "new "), 4)]
)
def test_growth_is_the_difference_in_length(edit: Edit, growth: int) -> None:
    assert edit.growth == growth


def test_the_wire_form_of_an_edit_says_how_good_it_is_and_who_proposes_it() -> None:
    edit = Edit(3, 10, "criticized", Applicability.SAFE, 0.75, "rules", "Look twice.")
    wire = edit.to_dict()
    assert wire == {
        "span": {"start": 3, "end": 10},
        "replacement": "criticized",
        "applicability": "safe",
        "probability": 0.75,
        "source": "rules",
        "note": "Look twice.",
    }
    assert Edit.from_dict(wire) == edit


def test_the_wire_form_of_an_edit_knows_three_words_for_how_it_may_be_applied() -> None:
    for name in ("safe", "review", "display"):
        wire = {"span": {"start": 0, "end": 1}, "replacement": "", "applicability": name}
        assert Edit.from_dict(wire).applicability.value == name
    with pytest.raises(ValueError, match="'perhaps' is not a valid Applicability"):
        Edit.from_dict({"span": {"start": 0, "end": 1}, "replacement": "", "applicability": "perhaps"})


offsets = st.integers(0, 30)


@given(offsets, offsets, offsets, offsets)
def test_a_conflict_is_mutual(a: int, b: int, c: int, d: int) -> None:
    one, other = Edit(min(a, b), max(a, b), "x"), Edit(min(c, d), max(c, d), "y")
    assert one.conflicts(other) == other.conflicts(one)
    assert one.conflicts(one)


@given(offsets, offsets, st.integers(0, 50))
def test_shifting_there_and_back_changes_nothing(a: int, b: int, by: int) -> None:
    edit = Edit(min(a, b), max(a, b), "x", Applicability.SAFE, 0.5)
    assert edit.shift(by).shift(-by) == edit
    assert edit.shift(by).growth == edit.growth
