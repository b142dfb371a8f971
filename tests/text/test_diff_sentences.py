"""The word diff on pairs of sentences: exactly the words that an editor changed, with their offsets."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.marked import parse_edits
from unslant.text.diff import Hunk, UnrelatedText, diff_words, edits_between, similarity
from unslant.text.edits import apply_edits
from unslant.text.words import Words


@pytest.mark.parametrize(
    "marked",
    [
        "The senator {slammed|criticized} the bill on Monday.",
        "The {disgraced|} senator voted for the bill on Monday.",
        "The senator voted for the {radical|} bill on {Black|} Monday.",
        "He {claimed|said} that the {death|estate} tax hurt farmers.",
        "He {claimed|said} that the {handouts|benefits} helped farmers.",
        "She {refused to answer|did not answer} the question twice.",
        "The {regime|government} raised the {age|ages} at which men and women retire.",
        "The group opposes {the killing of unborn children|abortion} in all fifty of the states of the union.",
        "Supporters{, sadly,|} stayed at home during the long and cold winter.",
        "The vote was {close|closer} than the polls had said it would be.",
        "Both {sides|parties} blamed the {other|opposite} one for the delay.",
    ],
)
def test_edits_are_the_words_that_differ(marked: str) -> None:
    source, edits = parse_edits(marked)
    target = " ".join(apply_edits(source, edits).split())
    found = edits_between(source, target)
    assert Words(apply_edits(source, found)).plain == Words(target).plain
    changed = [(source[edit.start : edit.end], edit.replacement) for edit in found]
    assert len(changed) >= len(edits)
    assert sum(len(old.split()) for old, _ in changed) <= sum(
        len(source[edit.start : edit.end].split()) for edit in edits
    )


@pytest.mark.parametrize(
    ("source", "target", "edits"),
    [
        ("Critics slammed the plan.", "Critics criticized the plan.", [(8, 15, "criticized")]),
        ("The vile plan passed.", "The plan passed.", [(4, 8, "")]),
        ("The plan passed.", "The new plan passed.", [(4, 4, "new ")]),
        ("The plan passed.", "The plan passed again.", [(15, 15, " again")]),
        ("The plan passed.", "Then the plan passed.", [(0, 0, "Then ")]),
        ("The plan passed", "The plan, passed", [(8, 8, ",")]),
        ("The plan, passed.", "The plan passed.", [(8, 9, "")]),
        ("The plan passed.", "The plan passed!", [(15, 16, "!")]),
        ("The plan passed.", "the PLAN passed .", []),
        ("The plan  passed.", "The plan passed.", []),
        ("It isn't \u2018done\u2019.", "It isn\u2019t 'done'.", []),
        ("A far\u2010right party won.", "A far-right party won.", []),
        ("A far-right party won.", "A right-wing party won.", [(2, 11, "right-wing")]),
        ("A far-left party won.", "A left-wing party won.", [(2, 10, "left-wing")]),
        (
            "The old mayor slammed the old plan.",
            "The mayor criticized the plan.",
            [(4, 7, ""), (14, 21, "criticized"), (26, 29, "")],
        ),
    ],
)
def test_offsets_and_wordings(source: str, target: str, edits: list[tuple[int, int, str]]) -> None:
    assert [edit.change for edit in edits_between(source, target)] == edits


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ('She said "no".', "She said `` no '' ."),
        ("She didn't go.", "She did n't go ."),
        ("It's over.", "It's over ."),
    ],
)
def test_tokenised_text_is_compared_as_it_was_meant(source: str, target: str) -> None:
    assert edits_between(source, target) == []


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("The bill passed today.", "", "only 0 of 5 words are shared"),
        ("The bill passed today.", "Nobody came.", "only 1 of 5 words are shared"),
        ("One two three four.", "One two five six seven eight.", "only 3 of 7 words are shared"),
        ("The bill passed.", "El proyecto fue aprobado ayer", "only 0 of 5 words are shared"),
    ],
)
def test_an_unrelated_text_is_refused_with_the_count(source: str, target: str, message: str) -> None:
    with pytest.raises(UnrelatedText, match=message):
        edits_between(source, target)


def test_half_of_the_words_is_just_enough() -> None:
    assert len(edits_between("one two three four", "one two five six")) == 1
    with pytest.raises(UnrelatedText):
        edits_between("one two three four five", "one two six seven eight")


@pytest.mark.parametrize(
    ("before", "after", "hunks"),
    [
        ("a b c", "a b c", []),
        ("", "", []),
        ("", "a", [("addition", (0, 0), (0, 1))]),
        ("a", "", [("deletion", (0, 1), (0, 0))]),
        ("a b c", "a x c", [("substitution", (1, 2), (1, 2))]),
        ("a b c", "a c", [("deletion", (1, 2), (1, 1))]),
        ("a c", "a b c", [("addition", (1, 1), (1, 2))]),
        ("a b c d", "x b c y", [("substitution", (0, 1), (0, 1)), ("substitution", (3, 4), (3, 4))]),
        ("a b", "b a", [("addition", (0, 0), (0, 1)), ("deletion", (1, 2), (2, 2))]),
    ],
)
def test_hunks(before: str, after: str, hunks: list[tuple[str, tuple[int, int], tuple[int, int]]]) -> None:
    found = diff_words(before.split(), after.split())
    assert [(hunk.kind, hunk.before, hunk.after) for hunk in found] == hunks


def test_capitals_count_only_where_the_caller_leaves_them_in() -> None:
    old, new = Words("The Left won."), Words("The left won.")
    assert diff_words(old.written, new.written) == [Hunk((1, 2), (1, 2))]
    assert diff_words(old.plain, new.plain) == []


@pytest.mark.parametrize(
    ("before", "after", "share"),
    [
        ("a b c d", "a b c d", 1.0),
        ("a b c d", "a b x y", 0.5),
        ("a b c", "a b c d e f", 2 * 3 / 9),
        ("a", "b", 0.0),
        ("", "", 1.0),
        ("", "a", 0.0),
    ],
)
def test_similarity_is_twice_the_shared_words_over_all(before: str, after: str, share: float) -> None:
    assert similarity(before.split(), after.split()) == pytest.approx(share)


words = st.lists(st.sampled_from("the a mayor said that both parties , voted . not Ana".split()), max_size=10)


@given(words, words)
def test_similarity_is_mutual_for_equal_texts_and_within_bounds(before: list[str], after: list[str]) -> None:
    assert 0 <= similarity(before, after) <= 1
    assert similarity(before, before) == 1
    assert (similarity(before, after) == 1) == (before == after)


@given(words, words)
def test_hunks_never_touch_and_never_repeat_what_is_equal(before: list[str], after: list[str]) -> None:
    hunks = diff_words(before, after)
    for left, right in itertools.pairwise(hunks):
        assert left.before[1] < right.before[0] or left.after[1] < right.after[0]
    kept = len(before) - sum(end - start for (start, end), _ in hunks)
    assert kept == len(after) - sum(end - start for _, (start, end) in hunks)
