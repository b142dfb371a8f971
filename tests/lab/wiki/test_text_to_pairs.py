"""From two wikitexts to pairs of sentences."""

from __future__ import annotations

import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import assert_linear
from unslant.lab.wiki.pairing import (
    LONGEST_BLOCK,
    ChangedBlock,
    differs_in_references_only,
    extract_prose,
    find_changed_blocks,
    pair_sentences,
    sentence_bleu,
    split_sentences,
)
from unslant.lab.wiki.settings import FILTERS, distance_below, filter_pair

NONE: frozenset[str] = frozenset()


def test_the_changed_lines_are_the_block() -> None:
    (block,) = find_changed_blocks("a\n\nb c\n\nd", "a\n\nb x\n\nd") or []
    assert block == ChangedBlock("b c", "b x", table=False)


def test_blank_lines_do_not_part_a_block() -> None:
    assert len(find_changed_blocks("a\n\nb", "x\n\ny") or []) == 1
    assert len(find_changed_blocks("a\n\nk\n\nb", "x\n\nk\n\ny") or []) == 2
    assert find_changed_blocks("a\nb", "a\n\n\nb") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{| class=x\n| one\n|}", "{| class=x\n| two\n|}"),
        ("{|\n|-\nplain in a table\n|}", "{|\n|-\nanother in a table\n|}"),
        ("{{Infobox\n| name = A\n}}", "{{Infobox\n| name = B\n}}"),
    ],
)
def test_tables_and_parameters_are_seen(before: str, after: str) -> None:
    assert [block.table for block in find_changed_blocks(before, after) or []] == [True]


def test_text_behind_a_table_is_no_table() -> None:
    table = "{|\n| one\n|}\n"
    assert [block.table for block in find_changed_blocks(table + "Text a.", table + "Text b.") or []] == [
        False
    ]


def test_a_paragraph_of_two_megabytes_is_too_large_to_compare() -> None:
    long = "word " * 400_000
    assert find_changed_blocks(long, long + "more") is None
    assert find_changed_blocks("x" * (LONGEST_BLOCK + 1), "y") is None

    def compare(lines: int) -> None:
        before, after = range(lines), range(7, lines, 2)
        assert find_changed_blocks("\n".join(map(str, before)), "\n".join(map(str, after))) is None

    assert_linear(compare, int, 11_000)


@pytest.mark.parametrize(
    ("before", "after", "only"),
    [
        ("It is.", "It is.<ref>A book</ref>", True),
        ('It is.<ref name="a" />', "It is.", True),
        ("It is.<ref>A</ref>", "It was.<ref>B</ref>", False),
    ],
)
def test_references_are_distinguished(before: str, after: str, only: bool) -> None:
    assert differs_in_references_only(ChangedBlock(before, after, table=False)) is only


@pytest.mark.parametrize(
    ("wikitext", "prose"),
    [
        ("'''Ulm''' is a [[city|large city]]s.", "Ulm is a large citys."),
        ("One.<ref name=x>{{cite|a}}</ref> Two {{convert|5|km}} on.", "One. Two on."),
        ("A&nbsp;b&mdash;c AT&amp;T 3 &lt; 4", "A b—c AT&T 3 < 4"),
        ("one<br />two", "one two"),
        ("* item\n== Head ==\ntext", "item\nHead\ntext"),
        ("{| class=x\n| cell\n|}\nAfter.", "After."),
        ("<!-- note -->Kept [http://example.org label].", "Kept label."),
        ("", ""),
    ],
)
def test_markup_becomes_prose(wikitext: str, prose: str) -> None:
    assert extract_prose(wikitext) == prose


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([*"ab '[]{}|<>/=*\n&;!-", "ref", "nowiki", "amp"]), max_size=60).map("".join))
def test_broken_markup_never_fails(wikitext: str) -> None:
    prose = extract_prose(wikitext)
    assert "\n\n" not in prose
    assert all(sentence == " ".join(sentence.split()) for sentence in split_sentences(prose))


def test_broken_markup_takes_no_longer() -> None:
    for broken in ("{{", "[[", "{|", "<ref>", "''", "<!--"):
        assert_linear(extract_prose, broken.__mul__, LONGEST_BLOCK // len(broken) // 8)


def test_sentences_do_not_cross_lines() -> None:
    assert split_sentences("He met Dr. Lee. She left\nNext line") == [
        "He met Dr. Lee.",
        "She left",
        "Next line",
    ]


_words = st.lists(st.sampled_from(["the", "mill", "is", "old", "new", "by"]), min_size=1, max_size=9)


@settings(max_examples=100, deadline=None)
@given(_words, _words)
def test_bleu_is_that_of_sacrebleu(hypothesis: list[str], reference: list[str]) -> None:
    metric = sacrebleu.BLEU(tokenize="none", effective_order=True)
    expected = metric.sentence_score(" ".join(hypothesis), [" ".join(reference)]).score / 100
    assert sentence_bleu(hypothesis, reference) == pytest.approx(expected, abs=1e-6)


def test_sentences_are_paired_by_likeness_not_by_place() -> None:
    before = ["Same here.", "The old mill is a lovely place.", "The bridge was closed in the year 1900."]
    after = ["The bridge was shut in the year 1900.", "Same here.", "The old mill is a place."]
    assert pair_sentences(before, after) == [(before[1], after[2]), (before[2], after[0])]


def test_what_has_nothing_in_common_is_not_paired() -> None:
    assert pair_sentences(["One two three four."], ["Completely other words here."]) == []
    assert pair_sentences(["New sentence."], []) == []


def test_too_many_sentences_are_not_paired() -> None:
    assert pair_sentences([f"a {place}" for place in range(90)], ["b"]) is None


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("The mill, old, stands there.", "The mill old stands there.", "punctuation"),
        ("He called it “great” then.", 'He called it "great" then.', "punctuation"),
        ("The mill was very old.", "The mill is very old.", "levenshtein"),
        (
            "The buildings were desinged and cosntructed.",
            "The buildings were designed and constructed.",
            "grammar",
        ),
        ("The mill of the town has been working since.", "The mill in the town is working since.", "grammar"),
        ("A fine old mill stood here.", "Nothing is known of buildings at this place.", "half-changed"),
        ("The wonderful mill is old.", "The mill is old.", None),
        ("The lone chairman spoke up.", "The lone chairwoman spoke up.", "levenshtein"),
        ("A waitress and a stewardess came.", "A waiter and a steward came.", None),
        ("The chairman spoke to his guests.", "The chairperson spoke to the guests.", None),
        ("He would report the mass fraction.", "He or she would report the mass fraction.", None),
        ("The claim was not accepted.", "The claim was accepted.", None),
    ],
)
def test_filters_have_names(source: str, target: str, reason: str | None) -> None:
    assert filter_pair(source, target, NONE) == reason
    if reason:
        assert reason in FILTERS
        assert filter_pair(source, target, frozenset({reason})) != reason


def _levenshtein(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for i, sign in enumerate(one, 1):
        row, last = [i], row
        for j, against in enumerate(other, 1):
            row.append(min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (sign != against)))
    return row[-1]


@given(st.text("ab ", max_size=9), st.text("ab ", max_size=9), st.integers(1, 6))
def test_the_banded_distance_is_the_distance(one: str, other: str, limit: int) -> None:
    assert distance_below(one, other, limit) is (_levenshtein(one, other) < limit)
