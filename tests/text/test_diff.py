"""The word diff: what differs between two texts."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.core.types import Edit
from unslant.text.diff import Hunk, UnrelatedText, diff_words, edits_between, equal_runs, similarity
from unslant.text.edits import apply_edits
from unslant.text.words import Words

WORDS = st.lists(st.sampled_from("the a town was very old , . Ana grew".split()), max_size=12)


@given(WORDS, WORDS)
def test_hunks_lead_from_one_text_to_the_other(before: list[str], after: list[str]) -> None:
    rebuilt: list[str] = []
    at = 0
    for hunk in diff_words(before, after):
        assert before[slice(*hunk.before)] != after[slice(*hunk.after)]
        rebuilt += before[at : hunk.before[0]] + after[slice(*hunk.after)]
        at = hunk.before[1]
    assert rebuilt + before[at:] == after


def test_a_hunk_names_what_was_done() -> None:
    assert [hunk.kind for hunk in diff_words("a b c".split(), "x b".split())] == ["substitution", "deletion"]
    assert diff_words(["a"], ["a", "b"]) == [Hunk((1, 1), (1, 2))]
    assert diff_words(["a"], ["a", "b"])[0].kind == "addition"


def test_similarity_is_a_share() -> None:
    assert similarity("abcd", "abcd") == 1
    assert similarity("abcd", "xyz") == 0
    assert similarity(["a", "b"], ["a", "c"]) == 0.5


@given(WORDS.filter(lambda words: len(words) > 3), st.data())
def test_edits_between_lead_to_the_words_of_the_target(words: list[str], data: st.DataObject) -> None:
    source = " ".join(words)
    at = data.draw(st.integers(0, len(words) - 1))
    target = " ".join([*words[:at], *data.draw(st.lists(st.just("new"), max_size=1)), *words[at + 1 :]])
    try:
        edits = edits_between(source, target)
    except UnrelatedText:
        return
    assert Words(apply_edits(source, edits)).plain == Words(target).plain


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The legendary man spoke.", "The man spoke."),
        ("He slammed the very bad plan.", "He criticized the plan."),
        ("He spoke.", "He reportedly spoke."),
        ("He spoke of it.", "He spoke of it today."),
        ("Café owners — all 12 — left.", "Café owners left."),
    ],
)
def test_alignment_leads_to_the_words_of_the_other_sentence(old: str, new: str) -> None:
    assert Words(apply_edits(old, edits_between(old, new))).plain == Words(new).plain


def test_alignment_takes_no_more_than_what_differs() -> None:
    assert edits_between("Critics slammed the plan today.", "Critics opposed the plan today.") == [
        Edit(8, 15, "opposed")
    ]


def test_the_look_of_tokenised_text_is_no_change() -> None:
    assert edits_between('She said "no" and didn\'t go.', "She said `` no '' and did n't go .") == []
    assert edits_between("She said \u201cno\u201d.", 'She said "no".') == []


@pytest.mark.parametrize(
    "new", ["", "Der Rat stimmte gestern ab und ging.", "I am sorry, I cannot help with that."]
)
def test_another_text_is_no_rewording(new: str) -> None:
    with pytest.raises(UnrelatedText):
        edits_between("The council voted on the plan in March.", new)


@given(WORDS, WORDS)
def test_equal_runs_and_hunks_divide_both_texts(before: list[str], after: list[str]) -> None:
    runs = [run for run in equal_runs(before, after) if run[2]]
    assert all(before[i : i + size] == after[j : j + size] for i, j, size in runs)
    assert sum(size for _, _, size in runs) == len(before) - sum(
        end - start for (start, end), _ in diff_words(before, after)
    )
    assert all(i + size <= k and j + size <= m for (i, j, size), (k, m, _) in pairwise(runs))
