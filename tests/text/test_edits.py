"""Applying edits: exact, independent of order, and never a guess where two overlap."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.marked import apply_one_by_one
from unslant.core.errors import AlignmentError
from unslant.core.types import Applicability, Edit, Span
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
from unslant.text.words import Words

TEXTS = st.text(alphabet="ab c.", max_size=24)
WORDINGS = st.text(alphabet="xy ", max_size=4)


@st.composite
def edited(draw: st.DrawFn, minimum: int = 0) -> tuple[str, list[Edit]]:
    """A text and edits of it, in order, none in conflict with another."""
    text = draw(TEXTS.filter(lambda text: len(text) >= 2 * minimum))
    offsets = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8, min_size=2 * minimum)))
    edits: list[Edit] = []
    for start, end in zip(offsets[::2], offsets[1::2], strict=False):
        edit = Edit(start, end, draw(WORDINGS))
        if not any(edit.conflicts(other) for other in edits):
            edits.append(edit)
    return text, edits


@given(edited())
def test_everything_outside_the_edits_stays(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    after = apply_edits(text, edits)
    assert len(after) == len(text) + sum(edit.growth for edit in edits)
    spans = inserted_spans(edits)
    assert [after[start:end] for start, end in spans] == [edit.replacement for edit in edits]
    bounds = [0, *(at for edit in edits for at in (edit.start, edit.end)), len(text)]
    moved = [0, *(at for span in spans for at in span), len(after)]
    kept = [text[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True)]
    assert kept == [after[start:end] for start, end in zip(moved[::2], moved[1::2], strict=True)]


@given(edited(), st.randoms())
def test_the_order_of_edits_does_not_matter(case: tuple[str, list[Edit]], random: object) -> None:
    text, edits = case
    shuffled = list(edits)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert apply_edits(text, shuffled) == apply_edits(text, edits)


@given(edited(), st.randoms(), st.data())
def test_applying_a_subset_one_by_one_in_any_order_is_applying_it_together(
    case: tuple[str, list[Edit]], random: object, data: st.DataObject
) -> None:
    text, edits = case
    chosen = [edit for edit in edits if data.draw(st.booleans())]
    random.shuffle(chosen)  # type: ignore[attr-defined]
    assert apply_one_by_one(text, chosen) == apply_edits(text, chosen)


@given(edited(), st.data())
def test_an_edit_of_the_new_text_is_restated_for_the_old(
    case: tuple[str, list[Edit]], data: st.DataObject
) -> None:
    text, edits = case
    after = apply_edits(text, edits)
    start = data.draw(st.integers(0, len(after)))
    edit = Edit(start, data.draw(st.integers(start, len(after))), "new")
    restated = rebase_back(edit, edits)
    if restated is None:
        assert any(edit.start < end and start < edit.end for start, end in inserted_spans(edits)) or edits
        return
    assert text[restated.start : restated.end] == after[edit.start : edit.end]
    if not any(restated.conflicts(other) for other in edits):
        assert apply_edits(text, [*edits, restated]) == apply_edits(after, [edit])


@given(edited(minimum=1))
def test_joined_edits_do_what_they_do_apart(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    if not edits:
        return
    joined = join_edits(text, edits)
    assert (joined.start, joined.end) == (edits[0].start, edits[-1].end)
    assert apply_edits(text, [joined]) == apply_edits(text, edits)


def test_edits_that_overlap_are_an_error() -> None:
    with pytest.raises(ValueError, match="two edits overlap at 2"):
        apply_edits("abcdef", [Edit(2, 5, "y"), Edit(0, 3, "x")])
    with pytest.raises(ValueError, match="overlap"):
        sort_edits([Edit(1, 2, "x"), Edit(1, 2, "x")])
    assert apply_edits("abc", [Edit(1, 2, "x"), Edit(2, 2, "y")]) == "axyc"


@given(edited())
def test_an_offset_outside_the_edits_moves_with_its_letter(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    after = apply_edits(text, edits)
    for at in range(len(text)):
        if not any(edit.start <= at < edit.end for edit in edits):
            assert after[move_offset(at, edits)] == text[at]
    offsets = [move_offset(at, edits) for at in range(len(text) + 1)]
    assert all(left <= right for left, right in pairwise(offsets))


@given(edited())
def test_a_minimal_change_leaves_the_same_text(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    for edit in edits:
        minimal = Edit(*minimal_change(text, edit))
        assert apply_edits(text, [minimal]) == apply_edits(text, [edit])
        assert minimal_change(text, minimal) == minimal.change


@given(st.lists(st.sampled_from("the a an old town , grew".split()), min_size=1, max_size=8), st.data())
def test_trimming_keeps_the_words(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    spans = Words(text).spans
    first = data.draw(st.integers(0, len(spans) - 1))
    last = data.draw(st.integers(first, len(spans) - 1))
    wording = " ".join(data.draw(st.lists(st.sampled_from("the old new town".split()), max_size=4)))
    edit = Edit(spans[first][0], spans[last][1], wording)
    trimmed = trim_edit(text, edit)
    fold = {"an": "a"}
    written, expected = (
        [fold.get(word, word) for word in Words(apply_edits(text, [each])).plain] for each in (trimmed, edit)
    )
    assert written == expected


def test_an_edit_checks_its_offsets_and_an_insertion_has_no_span() -> None:
    with pytest.raises(AlignmentError, match="reversed edit"):
        Edit(3, 2, "")
    with pytest.raises(AlignmentError):
        _ = Edit(3, 3, "x").span
    assert Edit(1, 3, "x").span == Span(1, 3)
    assert Edit(1, 3, "x").shift(4) == Edit(5, 7, "x")
    assert Edit(1, 3, "x", Applicability.SAFE, 0.5).growth == -1


def test_conflicts_are_about_the_same_place() -> None:
    assert Edit(1, 3, "").conflicts(Edit(2, 4, ""))
    assert Edit(1, 1, "x").conflicts(Edit(1, 3, ""))
    assert not Edit(1, 3, "").conflicts(Edit(3, 4, ""))
    assert not Edit(1, 3, "").conflicts(Edit(0, 1, ""))


def test_a_trimmed_edit_leaves_capitals_and_articles_out() -> None:
    assert trim_edit("She is an iconic actor.", Edit(7, 16, "a")) == Edit(10, 16, "")
    assert trim_edit("Clearly, the vote won.", Edit(0, 12, "The")) == Edit(0, 8, "")
    assert trim_edit("He slammed it.", Edit(3, 10, "opposed")) == Edit(3, 10, "opposed")


def test_changed_words_are_counted_without_articles_and_capitals() -> None:
    assert count_changed_words("an iconic day", [Edit(0, 9, "a")]) == 1
    assert count_changed_words("is wheelchair-bound", [Edit(0, 19, "uses a wheelchair")]) == 3
    assert count_changed_words("Clearly, the", [Edit(0, 12, "The")]) == 1


def test_an_offset_moves_with_what_stands_before_it() -> None:
    edits = [Edit(2, 5, "x"), Edit(8, 8, "yy")]
    assert [move_offset(at, edits) for at in (0, 2, 3, 5, 7, 9)] == [0, 3, 3, 3, 5, 9]
