"""From logits to what they say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from unslant.core.types import Span
from unslant.lab.evaluation.reading import Head, Pieces, answered, choose, read

TEXT = "an awful day"
OFFSETS = [(0, 0), (0, 2), (3, 8), (9, 12), (0, 0)]
KINDS = ("framing", "epistemological", "demographic")


def logit(chance: float) -> float:
    return math.log(chance / (1 - chance))


def says(heads: dict[str, Head], **logits: object) -> Pieces:
    assert set(heads) == set(logits)
    return Pieces(TEXT, OFFSETS, {name: np.array(value, dtype=float) for name, value in logits.items()})


def test_the_probability_is_calibrated_and_the_threshold_decides() -> None:
    heads = {
        "sentence": Head("sentence", ("slanted",), decision={"scale": 2.0, "offset": -1.0, "threshold": 0.4})
    }
    found = read(heads, choose(heads, ""), says(heads, sentence=0.3))
    assert found.probability == pytest.approx(1 / (1 + math.exp(0.4)))  # 2 * 0.3 - 1 = -0.4
    assert found.slanted
    assert not read(heads, choose(heads, ""), says(heads, sentence=0.2)).slanted


def test_spans_come_with_the_kind_of_their_words() -> None:
    heads = {
        "spans": Head("spans", ("O", "B", "I"), decision={"threshold": 0.5}),
        "kinds": Head("kinds", KINDS, decision={"thresholds": {"demographic": 0.8}}),
        "span_kinds": Head("span_kinds", KINDS),
    }
    marks = [[9, 0, 0], [9, 0, 0], [0, 9, 0], [9, 0, 0], [9, 0, 0]]
    of_words = [[0.0, 0, 0]] * 2 + [[-1.0, 3, 0]] + [[0.0, 0, 0]] * 2
    pieces = says(heads, spans=marks, kinds=[logit(0.9), logit(0.3), logit(0.7)], span_kinds=of_words)
    found = read(heads, choose(heads, ""), pieces)
    assert [(one.span, one.kind) for one in found.spans] == [(Span(3, 8), "epistemological")]
    assert found.kinds == {"framing"}
    assert found.kind_probabilities["demographic"] == pytest.approx(0.7)
    assert found.probability is None


def test_without_a_head_for_it_a_span_has_the_likeliest_kind_of_its_sentence() -> None:
    heads = {"spans": Head("spans", ("O", "B", "I")), "kinds": Head("kinds", KINDS)}
    marks = [[9, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9], [9, 0, 0]]
    found = read(heads, choose(heads, ""), says(heads, spans=marks, kinds=[0.0, -3.0, 2.0]))
    assert [(one.span, one.kind) for one in found.spans] == [(Span(3, 12), "demographic")]


def test_a_hierarchical_head_speaks_only_of_slanted_sentences() -> None:
    heads = {
        "sentence": Head("sentence", ("slanted",)),
        "kinds": Head("kinds", KINDS, options={"conditional": True}),
    }
    sure = [logit(0.8), -9.0, -9.0]
    slanted = read(heads, choose(heads, ""), says(heads, sentence=logit(0.75), kinds=sure))
    neutral = read(heads, choose(heads, ""), says(heads, sentence=logit(0.25), kinds=sure))
    assert (slanted.kinds, neutral.kinds) == ({"framing"}, frozenset())
    assert slanted.kind_probabilities["framing"] == pytest.approx(0.8 * 0.75)


def test_choices_take_the_likeliest_name() -> None:
    heads = {
        "dimension": Head("dimension", ("none", "gender", "race")),
        "opinion": Head("opinion", ("factual", "mixed", "opinion")),
    }
    found = read(heads, choose(heads, ""), says(heads, dimension=[0, 1, 2], opinion=[0, 3, 2]))
    assert (found.dimension, found.opinion) == ("race", "mixed")
    nobody = read(heads, choose(heads, ""), says(heads, dimension=[3, 1, 2], opinion=[0, 3, 2]))
    assert nobody.dimension is None


def test_the_head_that_learned_from_a_corpus_answers_for_it() -> None:
    heads = {
        "sentence": Head("sentence", ("slanted",), ("babe/sg2", "anno_lexical")),
        "revision": Head("sentence", ("slanted",), ("wikibias", "wnc/clean")),
        "any": Head("sentence", ("slanted",)),
    }
    asked = {
        name: choose(heads, name)["sentence"]
        for name in ("babe/sg2", "babe/sg1", "wikibias", "wnc", "cad", "")
    }
    assert asked == {
        "babe/sg2": "sentence",
        "babe/sg1": "sentence",
        "wikibias": "revision",
        "wnc": "revision",
        "cad": "any",
        "": "any",
    }
    del heads["any"]
    assert choose(heads, "cad")["sentence"] == "sentence"


def test_what_a_model_judges_follows_from_its_heads() -> None:
    assert answered({"a": Head("sentence", ()), "b": Head("span_kinds", ())}) == {"sentence", "probability"}
    assert answered({"a": Head("spans", ()), "b": Head("something new", ())}) == {"spans"}
