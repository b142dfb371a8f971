"""From logits to a prediction."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.core.errors import ModelError
from unslant.core.types import Span
from unslant.neural.checkpoint import HeadSpec, load_package
from unslant.neural.decoder import (
    Decoder,
    GatedSpanHead,
    NetworkOutput,
    PredictedSpan,
    Prediction,
    first_head,
    gate_span_heads,
    merge_spans,
    select_product_heads,
)
from unslant.neural.subwords import NormalizedText
from unslant.neural.word_tags import mark_words

TEXT = "an awful day"
OFFSETS = [(0, 0), (0, 2), (3, 8), (9, 12), (0, 0)]
KINDS = ("framing", "epistemological", "demographic")
OUT, BEGIN = [9.0, 0.0, 0.0], [0.0, 9.0, 0.0]
AWFUL = [OUT, OUT, BEGIN, OUT, OUT]
AWFUL_DAY = [OUT, OUT, BEGIN, [0.0, 0.0, 9.0], OUT]


def logit(chance: float) -> float:
    return math.log(chance / (1 - chance))


def head(type_: str, labels: tuple[str, ...] = ("slanted",), **more: Any) -> HeadSpec:
    return HeadSpec(type_, type_, "text", labels, True, more.get("decision", {}), more.get("options", {}))


def tagger(**decision: Any) -> HeadSpec:
    return head("spans", ("O", "B", "I"), decision=decision)


def output(text: str = TEXT, **logits: Any) -> NetworkOutput:
    per_subword = {name: value for name, value in logits.items() if isinstance(value[0], list)}
    per_text = {name: value for name, value in logits.items() if name not in per_subword}
    return NetworkOutput(NormalizedText.unchanged(text), OFFSETS, per_text, per_subword)


def decode(heads: dict[str, HeadSpec], threshold: float = 0.5, **logits: Any) -> Prediction:
    return Decoder(heads, select_product_heads(heads), threshold=threshold).decode(output(**logits))


def spans_of(prediction: Prediction) -> list[str]:
    return [TEXT[span.span.start : span.span.end] for span in prediction.spans]


def test_the_probability_is_calibrated_and_the_threshold_becomes_one_half() -> None:
    heads = {"sentence": head("sentence", decision={"scale": 2.0, "offset": -1.0, "threshold": 0.4})}
    raw = 1 / (1 + math.exp(0.4))  # 2 * 0.3 - 1 = -0.4
    found = decode(heads, sentence=[0.3])
    assert found.probability == pytest.approx(0.5 + 0.5 * (raw - 0.4) / 0.6)
    assert found.slanted
    assert not decode(heads, sentence=[0.2]).slanted


def test_a_span_has_the_kind_of_its_words() -> None:
    heads = {
        "spans": tagger(),
        "kinds": head("kinds", KINDS, decision={"thresholds": {"demographic": 0.8}}),
        "span_kinds": head("span_kinds", KINDS),
    }
    none = [0.0, 0.0, 0.0]
    of_words = [none, none, [-1.0, 3.0, 0.0], none, none]
    found = decode(heads, spans=AWFUL, kinds=[logit(0.9), logit(0.3), logit(0.7)], span_kinds=of_words)
    assert [(span.span, span.kind) for span in found.spans] == [(Span(3, 8), "epistemological")]
    assert found.kinds == {"framing"}
    assert found.kind_probabilities["demographic"] == pytest.approx(0.7)
    assert found.probability is None


def test_without_a_head_for_span_kinds_a_span_has_the_likeliest_kind_of_its_sentence() -> None:
    heads = {"spans": tagger(), "kinds": head("kinds", KINDS)}
    found = decode(heads, spans=AWFUL_DAY, kinds=[0.0, -3.0, 2.0])
    assert [(span.span, span.kind) for span in found.spans] == [(Span(3, 12), "demographic")]


def test_a_gate_that_finds_the_text_neutral_silences_its_span_head() -> None:
    heads = {"sentence": head("sentence"), "spans": tagger()}
    assert spans_of(decode(heads, sentence=[logit(0.6)], spans=AWFUL)) == ["awful"]
    assert spans_of(decode(heads, sentence=[logit(0.4)], spans=AWFUL)) == []
    assert spans_of(decode(heads, threshold=0.3, sentence=[logit(0.4)], spans=AWFUL)) == ["awful"]


def test_a_span_is_at_most_as_likely_as_its_gate() -> None:
    heads = {"sentence": head("sentence"), "spans": tagger()}
    (span,) = decode(heads, sentence=[logit(0.6)], spans=AWFUL).spans
    assert span.probability == pytest.approx(0.6)


def test_where_spans_of_two_heads_overlap_the_likeliest_stays() -> None:
    heads = {
        "sentence": head("sentence"),
        "spans": tagger(),
        "revision": head("sentence"),
        "words": tagger(),
    }
    found = decode(heads, sentence=[logit(0.9)], revision=[logit(0.7)], spans=AWFUL, words=AWFUL_DAY)
    assert spans_of(found) == ["awful day"]
    found = decode(heads, sentence=[logit(0.7)], revision=[logit(0.9)], spans=AWFUL, words=AWFUL_DAY)
    assert spans_of(found) == ["awful"]


def test_a_conditional_head_has_kinds_for_slanted_sentences_only() -> None:
    heads = {"sentence": head("sentence"), "kinds": head("kinds", KINDS, options={"conditional": True})}
    sure = [logit(0.8), -9.0, -9.0]
    slanted = decode(heads, sentence=[logit(0.75)], kinds=sure)
    neutral = decode(heads, sentence=[logit(0.25)], kinds=sure)
    assert (slanted.kinds, neutral.kinds) == ({"framing"}, frozenset())
    assert slanted.kind_probabilities["framing"] == pytest.approx(0.8 * 0.75)


def test_a_choice_must_be_likelier_than_all_others_together() -> None:
    heads = {
        "dimension": head("dimension", ("none", "gender", "race")),
        "opinion": head("opinion", ("factual", "mixed", "opinion")),
    }
    found = decode(heads, dimension=[0.0, 1.0, 3.0], opinion=[0.0, 3.0, 1.0])
    assert (found.dimension, found.opinion) == ("race", "mixed")
    assert decode(heads, dimension=[3.0, 1.0, 0.0], opinion=[0.0, 3.0, 1.0]).dimension is None
    unclear = decode(heads, dimension=[0.0, 1.0, 1.1], opinion=[1.0, 1.1, 1.0])
    assert (unclear.dimension, unclear.opinion) == (None, None)


def test_neighbours_of_one_kind_are_joined_and_function_words_dropped() -> None:
    text = "They are all vermin, and of the worst."
    places = [Span(5, 8), Span(9, 12), Span(13, 19), Span(25, 27)]
    spans = [
        PredictedSpan(span, "framing", probability)
        for span, probability in zip(places, (0.6, 0.7, 0.9, 0.5), strict=True)
    ]
    assert [
        (text[span.span.start : span.span.end], span.probability) for span in merge_spans(text, spans)
    ] == [("are all vermin", 0.9)]
    (trimmed,) = merge_spans(text, [PredictedSpan(Span(13, 20), "framing", 0.9)])
    assert trimmed.span == Span(13, 19)


def heads_of(**types: str) -> dict[str, HeadSpec]:
    return {name: head(type_) for name, type_ in types.items()}


def test_one_span_head_is_gated_by_the_sentence_head() -> None:
    assert gate_span_heads(heads_of(spans="spans", sentence="sentence")) == (
        GatedSpanHead("spans", "sentence"),
    )


def test_a_span_head_alone_has_no_gate() -> None:
    assert gate_span_heads(heads_of(tags="spans")) == (GatedSpanHead("tags"),)


def test_span_heads_of_our_recipes_are_gated_by_heads_of_the_same_corpora() -> None:
    heads = heads_of(
        sentence="sentence",
        words="spans",
        revision="sentence",
        spans="spans",
        abuse="sentence",
        rationale="spans",
    )
    assert gate_span_heads(heads) == (
        GatedSpanHead("words", "sentence"),
        GatedSpanHead("spans", "revision"),
        GatedSpanHead("rationale", "abuse", "demographic"),
    )


def test_a_package_may_declare_its_span_heads() -> None:
    heads = heads_of(a="spans", b="spans", s="sentence")
    assert gate_span_heads(heads, [{"spans": "b", "kind": "framing"}]) == (
        GatedSpanHead("b", None, "framing"),
    )
    with pytest.raises(ModelError, match="the span head 'c'"):
        gate_span_heads(heads, [{"spans": "a", "sentence": "c"}])


def test_the_head_named_after_its_type_answers_or_else_the_first() -> None:
    assert first_head(heads_of(revision="sentence", sentence="sentence"), "sentence") == "sentence"
    assert first_head(heads_of(revision="sentence", abuse="sentence"), "sentence") == "revision"
    assert first_head(heads_of(revision="sentence"), "dimension") is None


def test_the_heads_of_the_tiny_model(tiny: Path) -> None:
    assert gate_span_heads(load_package(tiny).heads) == (GatedSpanHead("spans", "sentence"),)


def test_words_far_below_the_likeliest_of_their_run_are_left_out() -> None:
    text = "gave a disastrous speech here then one bold claim"
    scores = {
        "gave": 0.35,
        "a": 0.3,
        "disastrous": 0.9,
        "speech": 0.4,
        "here": 0.05,
        "then": 0.1,
        "bold": 0.35,
    }
    found = [Span(match.start(), match.end()) for match in re.finditer(r"\w+", text)]
    rows = [[1 - (score := scores.get(text[item.start : item.end], 0.0)), score, 0.0] for item in found]
    decision = {"threshold": 0.3, "whole": True}

    def marked(**more: float) -> list[str]:
        return [text[word.start : word.end] for word in mark_words(text, found, rows, decision | more)]

    assert marked() == ["gave a disastrous speech", "bold"]
    assert marked(peak=0.6) == ["disastrous", "bold"]


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=12),
    st.floats(0.05, 0.9),
    st.floats(0.05, 0.9),
    st.sampled_from([0.0, 0.5, 0.7]),
)
def test_a_higher_threshold_never_marks_more(
    scores: list[float], one: float, other: float, peak: float
) -> None:
    text = " ".join("word" for _ in scores)
    places = [Span(5 * at, 5 * at + 4) for at in range(len(scores))]
    rows = [[1 - score, score, 0.0] for score in scores]

    def marked(threshold: float) -> set[int]:
        spans = mark_words(text, places, rows, {"threshold": threshold, "peak": peak})
        return {at for span in spans for at in range(span.start, span.end)}

    low, high = sorted((one, other))
    assert marked(high) <= marked(low)
