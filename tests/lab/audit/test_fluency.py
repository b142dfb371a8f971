"""Perplexity and variety, by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.lab.audit.fluency import NGram, distinct, fluency, tokenize
from unslant.lab.audit.store import AuditText

WORDS = ["a", "b", "c", "d"]


def text(key: str, words: str, seconds: float = 0.5) -> AuditText:
    return AuditText(
        key, "trade", "bakers", "Ada", "indirect", "indirect-1", "Ada said", 0, 1, words, 5, seconds, "m"
    )


def test_a_bigram_model_by_hand() -> None:
    model = NGram([["a", "b"], ["a", "c"]], order=2, discount=0.5)
    # what follows how many different words: a: {<s>}, b: {a}, c: {a}, </s>: {b, c}; five in all
    even = 1 / 5  # four words that can follow, and one for all unknown
    unigram = {
        word: (count - 0.5) / 5 + 0.5 * 4 / 5 * even
        for word, count in {"a": 1, "b": 1, "c": 1, "</s>": 2}.items()
    }
    assert model.probability("a", []) == pytest.approx((2 - 0.5) / 2 + 0.5 * 1 / 2 * unigram["a"])
    assert model.probability("b", ["a"]) == pytest.approx((1 - 0.5) / 2 + 0.5 * 2 / 2 * unigram["b"])
    assert model.probability("z", ["z"]) == pytest.approx(0.5 * 4 / 5 * even)
    total, count = model.surprise(["a", "b"])
    expected = [model.probability("a", []), model.probability("b", ["a"]), model.probability("</s>", ["b"])]
    assert (total, count) == (pytest.approx(-sum(map(math.log, expected))), 3)


@settings(max_examples=30)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=6), min_size=1, max_size=6),
    st.lists(st.sampled_from([*WORDS, "x"]), max_size=4),
    st.integers(1, 4),
)
def test_probabilities_add_up_to_one(texts: list[list[str]], before: list[str], order: int) -> None:
    model = NGram(texts, order)
    seen = {word for words in texts for word in words} | {"</s>"}
    total = sum(model.probability(word, before) for word in seen) + model.probability("never", before)
    assert total == pytest.approx(1)


def test_distinct_counts_runs() -> None:
    assert distinct([["a", "b", "a"], ["b", "a"]], 1) == pytest.approx(2 / 5)
    assert distinct([["a", "b", "a"], ["b", "a"]], 2) == pytest.approx(2 / 3)
    assert distinct([["a"]], 2) == 0
    assert tokenize("It isn't so, A!") == ["it", "isn't", "so", ",", "a", "!"]


def test_texts_unlike_the_model_are_more_perplexing() -> None:
    vanilla = {f"k{at}": text(f"k{at}", "the town council met on monday again") for at in range(30)}
    strange = {
        key: replace(item, text="again monday the on met council town") for key, item in vanilla.items()
    }
    usual, odd = fluency(vanilla, vanilla), fluency(strange, vanilla)
    assert usual.perplexity is not None
    assert odd.perplexity is not None
    assert odd.perplexity > 2 * usual.perplexity
    assert usual.seconds_per_token == pytest.approx(0.1)


def test_no_text_is_measured_by_a_model_that_has_read_it() -> None:
    # every text has a word of its own: had the model read it, it would know the word
    vanilla = {f"k{at}": text(f"k{at}", f"w{at}") for at in range(40)}
    found = fluency(vanilla, vanilla).perplexity
    assert found is not None
    model = NGram([[f"w{at}"] for at in range(40)])
    assert found > 1.5 * math.exp(sum(model.surprise([f"w{at}"])[0] for at in range(40)) / 80)


def test_the_models_own_opinion_is_a_perplexity() -> None:
    one = {"k": text("k", "a b")}
    assert fluency(one, one, {"k": -2.0, "l": None}).own_perplexity == pytest.approx(math.exp(2))
    assert fluency(one, one).own_perplexity is None
