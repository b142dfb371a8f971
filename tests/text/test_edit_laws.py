"""Laws that edits, diffs and tidying obey together, on sentences put together from everyday parts."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from unslant.core.types import Edit
from unslant.text.diff import UnrelatedText, edits_between
from unslant.text.edits import (
    apply_edits,
    count_changed_words,
    inserted_spans,
    join_edits,
    minimal_change,
    move_offset,
)
from unslant.text.tidy import tidy_edits
from unslant.text.words import Words

SUBJECTS = ["The senator", "A liberal mayor", "A conservative mayor", "Both parties", "An old union"]
VERBS = ["slammed", "praised", "voted on", "did not pass", "wrote about"]
OBJECTS = ["the radical plan", "an hourly wage", "a cruel, costly bill", "the so-called reform", "taxes"]
TAILS = ["on Monday", "in 2016, sadly", "(again)", "with 52 votes", "and left"]

sentences = st.builds(
    lambda *parts: " ".join(parts) + ".",
    st.sampled_from(SUBJECTS),
    st.sampled_from(VERBS),
    st.sampled_from(OBJECTS),
    st.sampled_from(TAILS),
)


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """A sentence, and deletions or replacements of whole words of it that do not touch each other."""
    text = draw(sentences)
    words = [match.span() for match in re.finditer(r"[\w-]+", text)]
    edits = []
    for start, end in words:
        what = draw(st.sampled_from(["keep", "keep", "keep", "delete", "replace"]))
        if what != "keep":
            edits.append(
                Edit(start, end, "" if what == "delete" else draw(st.sampled_from(["new", "official"])))
            )
    return text, edits


@given(edited())
@settings(max_examples=80)
def test_tidied_edits_can_be_joined_moved_and_minimized(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    tidied = tidy_edits(text, edits)
    after = apply_edits(text, tidied)
    if tidied:
        joined = join_edits(text, list(tidied))
        assert apply_edits(text, [joined]) == after
        minimal = Edit(*minimal_change(text, joined))
        assert apply_edits(text, [minimal]) == after
    for edit, (start, end) in zip(tidied, inserted_spans(tidied), strict=True):
        assert after[start:end] == edit.replacement
        assert move_offset(edit.end, tidied) == end


@given(edited())
@settings(max_examples=80)
def test_a_tidied_sentence_has_single_spaces_and_no_stray_marks(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    after = apply_edits(text, tidy_edits(text, edits))
    assert "  " not in after
    assert not re.search(r"\s[.,]|\(\s|\s\)", after)


@given(sentences, sentences)
@settings(max_examples=80)
def test_a_diff_leads_to_the_words_of_the_other_sentence(source: str, target: str) -> None:
    try:
        edits = edits_between(source, target)
    except UnrelatedText:
        assume(False)
    assert all(left.end <= right.start for left, right in pairwise(edits))
    assert Words(apply_edits(source, edits)).plain == Words(target).plain
    assert (not edits) == (Words(source).plain == Words(target).plain)


@given(sentences, sentences)
@settings(max_examples=80)
def test_the_words_that_a_diff_changes_are_bounded_by_the_longer_sentence(source: str, target: str) -> None:
    try:
        edits = edits_between(source, target)
    except UnrelatedText:
        assume(False)
    assert count_changed_words(source, edits) <= max(Words(source).count(), Words(target).count())
    assert edits_between(source, source) == []
