"""What a change introduced: words, not lines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import assert_linear
from unslant.core.types import Span
from unslant.workspace.changes import find_introduced, find_introduced_by_file

WORD = st.sampled_from(
    ["the", "a", "council", "voted", "on", "its", "budget", "speech", "he", "said", "Rome"]
)
SENTENCE = st.lists(WORD, min_size=1, max_size=9).map(lambda words: " ".join(words) + ".")
PARAGRAPH = st.lists(SENTENCE, min_size=1, max_size=4).map(" ".join)
TEXT = st.lists(PARAGRAPH, min_size=1, max_size=5)


def fresh(old: str | list[str], new: str) -> list[str]:
    """Return the new runs of words."""
    olds = [old] if isinstance(old, str) else old
    return [new[span.start : span.end] for span in find_introduced(olds, new).spans]


@settings(max_examples=60)
@given(TEXT)
def test_nothing_is_new_in_the_same_text(paragraphs: list[str]) -> None:
    text = "\n\n".join(paragraphs)
    assert fresh(text, text) == []


@settings(max_examples=60)
@given(TEXT, st.randoms(use_true_random=False))
def test_moved_paragraphs_are_not_new(paragraphs: list[str], random: object) -> None:
    moved = list(paragraphs)
    random.shuffle(moved)  # type: ignore[attr-defined]
    assert fresh("\n\n".join(paragraphs), "\n\n".join(moved)) == []


@settings(max_examples=60)
@given(TEXT, st.integers(1, 60))
def test_wrapped_lines_are_not_new(paragraphs: list[str], width: int) -> None:
    import textwrap

    wrapped = [textwrap.fill(paragraph, width, break_long_words=False) for paragraph in paragraphs]
    assert fresh("\n\n".join(paragraphs), "\r\n\r\n".join(wrapped).replace("\n", "\r\n")) == []


@settings(max_examples=60)
@given(TEXT, SENTENCE)
def test_an_added_sentence_is_new_and_nothing_else(paragraphs: list[str], sentence: str) -> None:
    old = "\n\n".join(paragraphs)
    assert [(span.start, span.end) for span in find_introduced([old], f"{old} {sentence}").spans] == [
        (len(old) + 1, len(old) + len(sentence))
    ]


@settings(max_examples=60)
@given(TEXT, st.data())
def test_an_inserted_word_is_new_and_nothing_else(paragraphs: list[str], data: st.DataObject) -> None:
    old = "\n\n".join(paragraphs)
    words = old.split(" ")
    at = data.draw(st.integers(0, len(words) - 1))
    assert fresh(old, " ".join([*words[:at], "legendary", *words[at:]])) == ["legendary"]


@settings(max_examples=40)
@given(TEXT, SENTENCE.filter(lambda sentence: " " in sentence))
def test_a_second_copy_is_new(paragraphs: list[str], sentence: str) -> None:
    old = "\n\n".join([*paragraphs, sentence])
    assert fresh(old, f"{old}\n\n{sentence}") == [sentence[:-1]]


@settings(max_examples=60)
@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_compare(old: str, new: str) -> None:
    spans = find_introduced([old], new).spans
    assert list(spans) == sorted(spans)
    assert all(span.end <= len(new) for span in spans)
    assert not find_introduced([new], new).spans


def test_everything_is_new_where_nothing_was() -> None:
    text = "One two. Three!\n\n  Four"
    assert fresh([], text) == fresh("", text) == ["One two", "Three!", "Four"]


def test_the_new_text_may_be_empty() -> None:
    assert fresh("One two.", "") == []
    assert fresh("One two.", " \n\n ") == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("The big dog ran.", "The legendary dog ran.", ["legendary"]),
        ("The dog ran. It sat.", "The dog ran very fast. It sat.", ["very fast"]),
        ("In 2019 she won the prize.", "She won the prize in 2019.", []),
        ("the dog ran", "The Dog ran", []),
        ("He called it “fair”.", 'He called it "fair".', []),
        ("He called it fair today.", 'He called it "fair" today.', ['"', '"']),
        (
            "The plan failed. The mayor left the town.",
            "The plan failed and the mayor left the town.",
            ["and"],
        ),
        ("The plan failed and the mayor left the town.", "The plan failed. The mayor left the town.", []),
        ("- one item\n- two items here\n- three", "- three\n- one item\n- two items here", []),
        ("It's clear.", "It\u2019s clear.", []),
        ("Caf\u00e9 noir.", "Cafe\u0301 noir.", []),
    ],
)
def test_which_words_are_new(old: str, new: str, expected: list[str]) -> None:
    assert fresh(old, new) == expected


def test_an_old_word_vouches_for_one_new_word_only() -> None:
    assert fresh("A famous speech ended.", "A famous famous speech ended.") == ["famous"]
    assert fresh("The famous speech ended late.", "The famous speech ended famous.") == ["famous"]


def test_a_stray_word_of_a_sentence_that_went_does_not_vouch() -> None:
    old = "The harbour opened in spring. Ships, obviously, need deep water and long quays to land."
    new = "The harbour opened in spring. Every reader obviously agrees about this proposal."
    assert "Every reader obviously agrees about this proposal" in fresh(old, new)


def test_a_span_touches_a_new_word_or_not() -> None:
    old, new = "The dog ran home.", "The legendary dog ran home."
    result = find_introduced([old], new)
    at = new.index("legendary")
    assert result.overlaps(Span(at, at + 9))
    assert result.overlaps(Span(0, len(new)))
    assert result.overlaps(Span(at + 8, at + 12))
    assert not result.overlaps(Span(0, 3))
    assert not result.overlaps(Span(0, at))
    assert not result.overlaps(Span(at + 9, len(new)))


def test_what_moved_between_files_is_not_new_and_what_was_copied_is() -> None:
    old = {"a": "First here. Second there.", "b": "Third."}
    moved = find_introduced_by_file(old, {"a": "First here.", "b": "Third. Second there."})
    assert not moved["a"].spans
    assert not moved["b"].spans
    copied = find_introduced_by_file(old, {"a": "First here. Second there.", "b": "Third. Second there."})
    assert not copied["a"].spans
    assert copied["b"].spans == (Span(7, 19),)


def test_what_came_out_of_a_file_that_is_gone_is_not_new() -> None:
    result = find_introduced_by_file({"b": None}, {"b": "Old words. New ones."}, gone=["Old words."])
    assert result["b"].spans == (Span(11, 19),)


def test_long_texts_take_about_linear_time() -> None:
    def write(sentences: int) -> str:
        return " ".join(f"Line {number} of the long report was read aloud." for number in range(sentences))

    def compare(old: str) -> None:
        assert len(find_introduced([old], old.replace("aloud", "out")).spans) == old.count("aloud")

    assert_linear(compare, write, 500)


def test_one_endless_sentence_with_many_changes_is_no_trap() -> None:
    def write(words: int) -> tuple[str, str]:
        old = [f"word{number % 5000}" for number in range(words)]
        return " ".join(old), " ".join(word if at % 9 else "novel" for at, word in enumerate(old))

    def compare(texts: tuple[str, str]) -> None:
        assert set(fresh(*texts)) == {"novel"}

    assert_linear(compare, write, 7_500)
