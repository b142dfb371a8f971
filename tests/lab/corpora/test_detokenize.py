from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.lab.corpora.alignment import Tokenization, detokenize, join_tokens, surface

ARTEFACTS = re.compile(r" [,;?!](?=\s|$)|``|''|-[LR][RSC]B-| n't\b| '(?:s|re|ve|ll|d|m)\b")

MARKS = [
    "``",
    "''",
    '"',
    "'",
    "`",
    ",",
    ".",
    ";",
    ":",
    "-",
    "--",
    "...",
    "(",
    ")",
    "-LRB-",
    "-RRB-",
    "n't",
    "'s",
    "$",
    "%",
]
TOKENS = st.lists(
    st.one_of(
        st.sampled_from(MARKS),
        st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=6),
    ),
    min_size=1,
    max_size=20,
)


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("He did n't say , `` No '' .", 'He didn\'t say, "No".'),
        ("The band 's album ( 1990 ) sold .", "The band's album (1990) sold."),
        ("A cat -LRB- a big one -RRB- sat .", "A cat (a big one) sat."),
        ("It cost $ 5 , or 10 % more ; why ?", "It cost $5, or 10% more; why?"),
        ('She said " yes " and left .', 'She said "yes" and left.'),
        ("The workers ' union met .", "The workers' union met."),
        ("They call it ' home ' here .", "They call it 'home' here."),
        ("We wan na go .", "We wanna go."),
        ("It was late -- too late .", "It was late -- too late."),
        ("“ It \u2019 s ours , ” she said .", "“It\u2019s ours,” she said."),
        ("Ca n't , wo n't , they 're .", "Can't, won't, they're."),
    ],
)
def test_treebank_text_reads_as_people_write(tokens: str, text: str) -> None:
    assert detokenize(tokens.split()).text == text


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("an on - air talk", "an on-air talk"),
        ("over 75 , 000 people", "over 75,000 people"),
        ("in 1990 , 20 people", "in 1990, 20 people"),
        ("the u . s . army", "the u.s. army"),
        ("3 . 5 miles and / or more", "3.5 miles and/or more"),
        ("the court ' s view isn ' t new", "the court's view isn't new"),
        ("it '' found '' a cat", 'it "found" a cat'),
    ],
)
def test_word_piece_text_reads_as_people_write(tokens: str, text: str) -> None:
    assert detokenize(tokens.split(), "subwords").text == text


@given(TOKENS, st.sampled_from(["ptb", "subwords"]))
@settings(max_examples=150, deadline=None)
def test_cutting_along_the_alignment_gives_the_tokens_back(tokens: list[str], style: Tokenization) -> None:
    joined = detokenize(tokens, style)
    assert joined.tokens() == [surface(token) for token in tokens]
    ends = [0, *(span.end for span in joined.spans)]
    gaps = [joined.text[end : span.start] for end, span in zip(ends, joined.spans, strict=False)]
    assert set(gaps) <= {"", " "}
    assert ends[-1] == len(joined.text)
    assert join_tokens(tokens, style) == joined.text


@given(TOKENS)
@settings(max_examples=150, deadline=None)
def test_nothing_of_the_treebank_is_left(tokens: list[str]) -> None:
    tokens = [token for token in tokens if "'" not in token[1:] and "`" not in token[1:]]
    text = join_tokens(tokens)
    assert not re.search(r"``|''|-[LR]RB-|\S n't\b", text)
    assert not re.search(r"\S [,;](?=\s|$)", text)


def test_a_range_of_tokens_covers_the_same_words() -> None:
    joined = detokenize("The band 's `` big '' show".split())
    span = joined.cover(1, 5)
    assert joined.text[span.start : span.end] == 'band\'s "big"'
