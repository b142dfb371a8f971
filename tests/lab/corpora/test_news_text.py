"""What a classifier of news gets to read."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.lab.corpora.outlets import TOKENS, tokenize_news


def test_names_of_the_press_do_not_remain() -> None:
    text = "(CNN) — The mayor told Fox News, and later the New York Times, that foxnews.com's story is wrong!"
    assert " ".join(tokenize_news(text)) == "the mayor told , and later the , that story is wrong !"


def test_the_outlet_of_the_article_goes_too() -> None:
    text = "Readers of the Elmton Gazette asked."
    assert "gazette" in tokenize_news(text)
    assert tokenize_news(text, "Elmton Gazette - News") == ["readers", "of", "the", "asked", "."]
    assert tokenize_news(text, "Elmton Gazette") == ["readers", "of", "the", "asked", "."]


def test_a_house_named_by_a_common_word_leaves_the_text_whole() -> None:
    assert (
        tokenize_news("The reason is a lack of time.", "Reason") == "the reason is a lack of time .".split()
    )


def test_words_within_other_words_stay() -> None:
    assert tokenize_news("He said nprx and a slated voxel.") == "he said nprx and a slated voxel .".split()


def test_punctuation_goes_but_for_three_marks() -> None:
    assert tokenize_news('"Yes"; (no): a/b? - 5% of $3!') == ["yes", "no", "a", "b", "5", "of", "3", "!"]
    assert tokenize_news("It isn\u2019t so.") == ["it", "isn't", "so", "."]


def test_only_the_first_tokens_are_read() -> None:
    assert len(tokenize_news("word " * 300)) == TOKENS == 100
    assert tokenize_news("one two three", tokens=2) == ["one", "two"]


@settings(max_examples=50)
@given(st.text(max_size=200), st.text(max_size=20))
def test_any_text_and_outlet_can_be_read(text: str, outlet: str) -> None:
    words = tokenize_news(text, outlet)
    assert all(word == word.lower() and not word.isspace() for word in words)
