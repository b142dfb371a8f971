"""Offsets, limits and stretches at the very edge, where an off-by-one error would show."""

from __future__ import annotations

import pytest

import unslant
from unslant.core.types import Edit, Span
from unslant.spec import Spec
from unslant.text.directives import directives_over, find_directives
from unslant.text.edits import (
    apply_edits,
    count_changed_words,
    inserted_spans,
    join_edits,
    minimal_change,
    move_offset,
    rebase_back,
    sort_edits,
)
from unslant.text.quotations import find_quotations
from unslant.text.readers.masking import merge_ranges, to_hidden, trim_ranges
from unslant.text.sentences import LONGEST, NupunktSegmenter
from unslant.text.words import split_words


def test_edits_that_meet_are_applied_and_those_that_overlap_are_refused() -> None:
    assert apply_edits("abcdef", [Edit(3, 5, "Y"), Edit(0, 3, "X")]) == "XYf"
    with pytest.raises(ValueError, match="overlap at 2"):
        sort_edits([Edit(0, 3, "X"), Edit(2, 5, "Y")])
    with pytest.raises(ValueError, match="overlap at 2"):
        sort_edits([Edit(2, 2, "X"), Edit(2, 2, "X")])
    assert join_edits("abcdef", [Edit(0, 1, "X"), Edit(3, 4, "Y")]).change == (0, 4, "XbcY")


def test_offsets_move_with_the_edits_before_them() -> None:
    edits = [Edit(2, 4, "xyz"), Edit(6, 8, "")]
    # abcdefghij -> abxyzefij
    assert [move_offset(at, edits) for at in (0, 2, 3, 4, 5, 6, 7, 8, 9)] == [0, 5, 5, 5, 6, 7, 7, 7, 8]
    assert inserted_spans(edits) == [(2, 5), (7, 7)]


def test_an_edit_is_moved_back_to_the_text_before_others() -> None:
    applied = [Edit(2, 4, "xyz")]
    assert rebase_back(Edit(5, 6, ""), applied) == Edit(4, 5, "")
    assert rebase_back(Edit(0, 2, ""), applied) == Edit(0, 2, "")
    assert rebase_back(Edit(4, 6, ""), applied) is None
    assert rebase_back(Edit(1, 3, ""), applied) is None


def test_the_smallest_change_is_found_at_both_ends() -> None:
    assert minimal_change("the plan", Edit(0, 8, "the plot")) == (6, 8, "ot")
    assert minimal_change("a bb c", Edit(3, 4, "")) == (2, 3, "")
    assert minimal_change("the plan", Edit(4, 4, "old ")) == (4, 4, "old ")


def test_changed_words_are_those_deleted_or_written_whichever_are_more() -> None:
    assert count_changed_words("an old plan", [Edit(0, 6, "a")]) == 1
    assert count_changed_words("the plan", [Edit(4, 8, "old new plan")]) == 2
    assert count_changed_words("the plan", [Edit(0, 8, "")]) == 2
    assert count_changed_words("the plan", [Edit(4, 8, "plan")]) == 0


def test_words_before_and_after_an_offset() -> None:
    words = split_words("one two")
    assert (words.before(3), words.before(2), words.before(7)) == (0, -1, 1)
    assert (words.after(4), words.after(5), words.after(0)) == (1, 2, 0)


def test_hidden_ranges_that_meet_become_one() -> None:
    assert list(to_hidden([(0, 2), (2, 4), (6, 7), (6, 6), (8, 8)])) == [(0, 4), (6, 7)]
    assert list(to_hidden([(0, 5), (1, 2), (5, 6)])) == [(0, 6)]
    assert to_hidden([(1, 3)]).blank("abcd") == "a  d"
    assert to_hidden([(0, 4)]).blank("a\nb\r") == " \n \r"


def test_spans_that_meet_stay_two_and_those_that_overlap_become_one() -> None:
    assert merge_ranges([(2, 4), (0, 2)]) == (Span(0, 2), Span(2, 4))
    assert merge_ranges([(1, 4), (0, 2)]) == (Span(0, 4),)
    assert merge_ranges([(0, 5), (1, 2)]) == (Span(0, 5),)
    assert merge_ranges([(3, 3)]) == ()
    assert trim_ranges("  ab  ", [(0, 6), (0, 2)]) == (Span(2, 4),)


def test_a_quotation_has_something_between_its_marks() -> None:
    assert find_quotations('a "" b', None) == ()
    assert find_quotations('a "b" c', None) == (Span(2, 5),)
    assert find_quotations("\u201ca \u2018b\u2019 c\u201d", None) == (Span(0, 9),)
    # of two that cross, the first counts
    assert find_quotations('\u201ca "b\u201d c" d', None) == (Span(0, 6),)


@pytest.mark.parametrize(("between", "quoted"), [(499, True), (500, False)])
def test_single_marks_reach_only_so_far(between: int, quoted: bool) -> None:
    inside = "a" * between
    assert bool(find_quotations(f"x '{inside}' y", None)) is quoted


def test_a_long_sentence_is_cut_at_the_limit_and_not_before() -> None:
    segmenter = NupunktSegmenter(Spec())
    exact = "x " * (LONGEST // 2 - 1) + "xx"
    assert len(exact) == LONGEST
    assert [len(word.span) for word in segmenter.split(unslant.read(exact))] == [LONGEST]
    hyphens = "so-called-" * LONGEST
    lengths = [len(word.span) for word in segmenter.split(unslant.read(hyphens))]
    assert max(lengths) <= LONGEST
    assert sum(lengths) == len(hyphens)


def test_an_ignore_needs_a_selector_and_a_reason() -> None:
    source = "# unslant: ignore framing -- because\nWords.\n# unslant: ignore framing\nWords.\n# unslant: ignore -- a\n"
    document = unslant.read(source)
    (directive,) = document.directives
    assert source[directive.scope.start : directive.scope.end].strip() == "Words."
    assert len(document.notes) == 2
    assert find_directives(source, (), None) == ((), ())


def test_an_ignore_ends_where_its_line_ends() -> None:
    source = "One. <!-- unslant: ignore framing -- a -->\nTwo.\n"
    document = unslant.read(source, "markdown")
    end = document.directives[0].scope.end
    assert directives_over(document, Span(end - 1, end)) == (0,)
    assert directives_over(document, Span(end, end + 1)) == ()
    assert directives_over(document, Span(0, 1)) == (0,)
