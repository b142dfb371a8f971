"""Token F1, METEOR and BLEU against values computed by hand and against sacrebleu."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from unslant.lab.stats.text_overlap import bag_f1, bleu_counts, bleu_from_counts, bleu_signature, meteor

WORDS = st.lists(st.sampled_from("the cat sat on a mat and ran".split()), max_size=9).map(" ".join)


def test_token_f1_counts_common_tokens_whatever_their_order_and_case() -> None:
    assert bag_f1("The cat sat", ["sat the CAT"]) == 1
    assert bag_f1("the cat", ["the dog"]) == 0.5
    assert bag_f1("the the the", ["the"]) == pytest.approx(2 / 4)
    assert bag_f1("dog", ["a cat", "a dog"]) == pytest.approx(2 / 3)
    assert bag_f1("", ["a cat"]) == 0


def test_meteor_by_hand() -> None:
    # all of six words in one chunk: 1 - 0.5 * (1 / 6) ** 3
    assert meteor("the cat sat on a mat", ["the cat sat on a mat"]) == pytest.approx(1 - 0.5 / 216)
    # one word of one: as many chunks as matches
    assert meteor("cat", ["cat"]) == pytest.approx(0.5)
    # two matches of three words and of two, in two chunks: P 2/3, R 1
    mean = (2 / 3) / (0.9 * 2 / 3 + 0.1)
    assert meteor("cat the mat", ["mat cat"]) == pytest.approx(mean * 0.5)
    # the stem counts where the word differs
    assert meteor("cats running", ["cat runs"]) == pytest.approx(1 - 0.5 / 8)
    assert meteor("dog", ["cat"]) == 0
    assert meteor("dog", ["cat", "dog"]) == pytest.approx(0.5)


def test_a_repeated_word_goes_on_with_its_chunk() -> None:
    # "the" stands twice in the reference; the pairing that keeps the words together has a single chunk
    assert meteor("sat on the mat", ["the cat sat on the mat"]) == pytest.approx(
        (4 / 6) / (0.9 + 0.1 * 4 / 6) * (1 - 0.5 / 64)
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(WORDS, WORDS.filter(bool)), min_size=1, max_size=6))
def test_bleu_is_that_of_sacrebleu(pairs: list[tuple[str, str]]) -> None:
    counts = np.array([bleu_counts(said, [right]) for said, right in pairs])
    wanted = BLEU().corpus_score([said for said, _ in pairs], [[right for _, right in pairs]]).score
    assert 100 * float(bleu_from_counts(counts.sum(axis=0))) == pytest.approx(wanted, abs=1e-6)


@given(WORDS, WORDS.filter(bool))
def test_overlap_lies_between_0_and_1(said: str, right: str) -> None:
    for figure in (bag_f1(said, [right]), meteor(said, [right])):
        assert 0 <= figure <= 1
        assert math.isfinite(figure)


def test_the_signature_names_the_tokenizer() -> None:
    assert "tok:13a" in bleu_signature()
