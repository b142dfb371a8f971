"""Tokens to natural text and back, sentence by sentence, in the two tokenisations of the corpora."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.core.types import Span
from unslant.lab.corpora.alignment import detokenize, find_phrase, find_words, join_tokens, surface

TREEBANK = [
    ("The bill passed .", "The bill passed."),
    ("The bill , he said , passed .", "The bill, he said, passed."),
    ("Did it pass ?", "Did it pass?"),
    ("It passed !", "It passed!"),
    ("He did n't vote .", "He didn't vote."),
    ("He do n't ca n't wo n't .", "He don't can't won't."),
    ("It 's the mayor 's plan .", "It's the mayor's plan."),
    (
        "They 've said they 'll vote ; I 'd say they 're late .",
        "They've said they'll vote; I'd say they're late.",
    ),
    ("`` No , '' she said .", '"No," she said.'),
    ("She said `` no '' and left .", 'She said "no" and left.'),
    ("The vote -LRB- 52 to 48 -RRB- was close .", "The vote (52 to 48) was close."),
    ("It cost $ 3.5 million .", "It cost $3.5 million."),
    ("It rose 5 % in May .", "It rose 5% in May."),
    ("The dogs ' bowls were full .", "The dogs' bowls were full."),
    ("I am gon na vote .", "I am gonna vote."),
    ("A far-right party met .", "A far-right party met."),
    ("He said : go .", "He said: go."),
    ("One \\/ two", "One / two"),
    ("The U.S. Senate met .", "The U.S. Senate met."),
    ("\u201c No , \u201d he said .", "\u201cNo,\u201d he said."),
]

SUBWORDS = [
    ("the on - air host", "the on-air host"),
    ("it cost 75 , 000 dollars", "it cost 75,000 dollars"),
    ("it rose 3 . 5 percent", "it rose 3.5 percent"),
    ("the u . s . senate met .", "the u.s. senate met."),
    ("he didn ' t vote .", "he didn't vote."),
    ("the mayor ' s plan", "the mayor's plan"),
    ("at 10 : 30 he left", "at 10:30 he left"),
    ("one , two , three", "one, two, three"),
    ("either / or", "either/or"),
    ("a - b", "a-b"),
]


@pytest.mark.parametrize(("tokens", "text"), TREEBANK)
def test_treebank_tokens(tokens: str, text: str) -> None:
    assert join_tokens(tokens.split()) == text


@pytest.mark.parametrize(("tokens", "text"), SUBWORDS)
def test_tokens_of_subword_models(tokens: str, text: str) -> None:
    assert join_tokens(tokens.split(), "subwords") == text


@pytest.mark.parametrize(("tokens", "text"), TREEBANK)
def test_every_token_is_found_again(tokens: str, text: str) -> None:
    found = detokenize(tokens.split())
    assert found.text == text
    assert found.tokens() == [surface(token) for token in tokens.split()]


@pytest.mark.parametrize(
    ("token", "written"),
    [
        ("-LRB-", "("),
        ("-RRB-", ")"),
        ("-LSB-", "["),
        ("-RSB-", "]"),
        ("-LCB-", "{"),
        ("-RCB-", "}"),
        ("``", '"'),
        ("''", '"'),
        ("\\/", "/"),
        ("\\*", "*"),
        ("word", "word"),
        ("'s", "'s"),
    ],
)
def test_how_a_token_is_written(token: str, written: str) -> None:
    assert surface(token) == written


def test_a_cover_reaches_from_the_first_token_to_the_last() -> None:
    found = detokenize("The so-called reform , he said , failed .".split())
    span = found.cover(1, 2)
    assert found.text[span.start : span.end] == "so-called reform"
    whole = found.cover(0, 8)
    assert whole == Span(0, len(found.text))


tokens = st.lists(
    st.sampled_from(
        ["The", "bill", ",", ".", "n't", "'s", "``", "''", "-LRB-", "-RRB-", "$", "%", "'", "5", "s"]
    ),
    min_size=1,
    max_size=12,
)


@given(tokens, st.sampled_from(["ptb", "subwords"]))
def test_nothing_but_spaces_is_added(words: list[str], style: str) -> None:
    found = detokenize(words, style)  # type: ignore[arg-type]
    assert found.text.replace(" ", "") == "".join(map(surface, words)).replace(" ", "")
    assert found.text == join_tokens(words, style)  # type: ignore[arg-type]
    assert len(found.spans) == len(words)
    for left, right in pairwise(found.spans):
        assert found.text[left.end : right.start] in ("", " ")


@pytest.mark.parametrize(
    ("text", "phrase", "found"),
    [
        ("The so-called reform failed.", "so-called reform", "so-called reform"),
        ("The So-Called Reform failed.", "so-called reform", "So-Called Reform"),
        ("The so-called\n  reform failed.", "so-called reform", "so-called\n  reform"),
        ("The reform failed, the reform won.", "reform", "reform"),
        ("The reform failed.", " reform ", "reform"),
        ("The reform failed.", "bill", None),
        ("The reform failed.", "", None),
        ("The reform failed.", "  ", None),
        ("It cost $5 (five).", "$5 (five)", "$5 (five)"),
    ],
)
def test_finding_a_phrase(text: str, phrase: str, found: str | None) -> None:
    span = find_phrase(text, phrase)
    assert (text[span.start : span.end] if span else None) == found


@pytest.mark.parametrize(
    ("text", "words", "found", "lost"),
    [
        ("The radical plan failed.", ["radical"], ["radical"], []),
        ("Radical men, radical plans.", ["radical"], ["Radical", "radical"], []),
        ("The radicals met.", ["radical"], [], ["radical"]),
        ("The radical plan failed.", ["radical", "vile"], ["radical"], ["vile"]),
        ("The so-called plan failed.", ["so-called"], ["so-called"], []),
        ("The far right plan.", ["far right", "right plan"], ["far right plan"], []),
        ("A 'radical' plan.", ["'radical'"], ["radical"], []),
        ("A plan.", [""], [], [""]),
        ("A plan.", [], [], []),
    ],
)
def test_finding_whole_words(text: str, words: list[str], found: list[str], lost: list[str]) -> None:
    spans, missing = find_words(text, words)
    assert [text[each.span.start : each.span.end] for each in spans] == found
    assert missing == lost
