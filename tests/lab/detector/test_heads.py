"""What each head learns from, and how it is measured."""

from __future__ import annotations

import math
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import torch

from unslant.core.errors import ConfigError, UnknownName
from unslant.core.example import LabelledSpan
from unslant.core.taxonomy import dimensions
from unslant.core.types import Span
from unslant.lab.detector.heads import head_types, make_head, register
from unslant.lab.detector.recipe import HeadPlan, Part
from unslant.neural.subwords import BEGIN, INSIDE, OUTSIDE

from .toy import measure, row

pytestmark = pytest.mark.torch


def head(type_: str, **options: Any) -> Any:
    return make_head(HeadPlan(type_, options=options), 8, 0.0)


@pytest.mark.parametrize("type_", [item for item in head_types() if item != "edits"])
@pytest.mark.parametrize("hidden", [0, 4])
def test_every_head_gives_logits_for_texts_or_subwords(type_: str, hidden: int) -> None:
    built = head(type_, hidden=hidden)
    logits = built(torch.randn(2, 5, 8), torch.randn(2, 8))
    wanted = (2, 5, len(built.labels)) if built.level == "subword" else (2, len(built.labels))
    assert logits.shape == (wanted if len(built.labels) > 1 else (2,))


@pytest.mark.parametrize("width", [1, 3])
def test_the_edit_head_gives_five_vectors_and_a_number_for_each_subword(width: int) -> None:
    built = head("edits", width=width)
    assert built(torch.randn(2, 5, 8), torch.randn(2, 8)).shape == (2, 5, 5 * width + 1)


@pytest.mark.parametrize("type_", head_types())
def test_every_head_is_silent_about_what_nobody_judged(type_: str) -> None:
    built = head(type_)
    rows = [row("a b c"), row("d e f")]
    target = built.targets(rows, 5)
    assert target.weights.sum() == 0
    logits = built(torch.randn(2, 5, 8), torch.randn(2, 8))
    assert built.loss(logits, target) == 0
    outputs = list(logits)
    assert built.decide(outputs, rows) == {}
    assert measure(built, type_, outputs, rows) == {}


@pytest.mark.parametrize(
    ("soft", "label", "share", "wanted", "weight"),
    [
        (0.0, True, 0.6, 1.0, 1.0),
        (1.0, True, 0.6, 0.6, 1.0),
        (0.5, True, 0.6, 0.8, 1.0),
        (0.5, False, None, 0.0, 1.0),
        (0.5, None, 0.5, 0.5, 1.0),
        (0.0, None, 0.5, 0.0, 0.0),
    ],
)
def test_hard_and_soft_labels_are_mixed(
    soft: float, label: bool | None, share: float | None, wanted: float, weight: float
) -> None:
    target = head("sentence", soft=soft).targets([row(label=label, share=share)], 4)
    assert target.values.tolist() == pytest.approx([wanted])
    assert target.weights.tolist() == [weight]


def test_sides_and_corpora_can_count_differently() -> None:
    built = head("sentence", positive=2.0, negative=0.5)
    rows = [row(label=True), row(label=False), row("c", Part("weak", trust=0.1), label=True)]
    assert built.targets(rows, 4).weights.tolist() == pytest.approx([2.0, 0.5, 0.2])


def test_a_corpus_teaches_only_what_the_recipe_says() -> None:
    part = Part("toy", labels=("spans",))
    encoded = row("a b", part, label=True, spans=(LabelledSpan(Span(0, 1)),))
    assert head("sentence").targets([encoded], 4).weights.sum() == 0
    assert head("spans").targets([encoded], 4).weights.sum() == 2


def test_tags_of_marked_words() -> None:
    encoded = row("so very bad it is", spans=(LabelledSpan(Span(3, 11)),))
    target = head("spans", marked=3.0).targets([encoded], 9)
    tags = target.values.argmax(dim=-1)[0].tolist()
    assert tags[1:6] == [OUTSIDE, BEGIN, INSIDE, OUTSIDE, OUTSIDE]
    assert target.values.sum(dim=-1).unique().tolist() == [1.0]
    assert target.weights.tolist() == [[0, 1, 3, 3, 1, 1, 0, 0, 0]]


def graded(*spans: tuple[int, int, Any]) -> tuple[LabelledSpan, ...]:
    return tuple(LabelledSpan(Span(start, end), grade=grade) for start, end, grade in spans)


def test_doubtful_words_can_count_less() -> None:
    encoded = row("so very bad it is", spans=graded((3, 7, "must"), (8, 11, "may")))
    assert head("spans").targets([encoded], 7).weights.tolist() == [[0, 1, 1, 1, 1, 1, 0]]
    target = head("spans", marked=2.0, doubtful=0.5).targets([encoded], 7)
    assert target.weights.tolist() == [[0, 1, 2, 1, 1, 1, 0]]
    assert target.values[0, 3].tolist() == [0, 1, 0]


def test_doubtful_words_can_have_a_soft_target() -> None:
    encoded = row("so very bad it is", spans=graded((3, 7, "must"), (8, 11, "may")))
    target = head("spans", soft_target=0.25).targets([encoded], 7)
    assert target.values[0, 2].tolist() == [0, 1, 0]
    assert target.values[0, 3].tolist() == [0.75, 0.25, 0]
    assert target.weights.tolist() == [[0, 1, 1, 1, 1, 1, 0]]
    with pytest.raises(ConfigError, match="soft_target must be between 0 and 1"):
        head("spans", soft_target=2.0)


def test_a_soft_target_is_learned_as_a_probability() -> None:
    encoded = row("bad", spans=graded((0, 3, "may")))
    spans = head("spans", soft_target=0.25)
    target = spans.targets([encoded], 3)
    losses = {
        share: float(
            spans.loss(torch.tensor([[[1.0] * 3, [1 - share, share, 1e-9], [1.0] * 3]]).log(), target)
        )
        for share in (0.05, 0.25, 0.6, 0.95)
    }
    assert min(losses, key=losses.__getitem__) == 0.25


def test_a_span_that_only_some_annotators_marked_is_doubtful_without_a_grade() -> None:
    spans = (
        LabelledSpan(Span(0, 1), share=0.6),
        LabelledSpan(Span(2, 3), share=1.0),
        LabelledSpan(Span(4, 5)),
    )
    target = head("spans", doubtful=0.5).targets([row("a b c", spans=spans)], 5)
    assert target.weights.tolist() == [[0, 0.5, 1, 1, 0]]


def test_a_text_with_only_doubtful_spans_can_have_a_soft_label() -> None:
    rows = [
        row("a b", label=True, spans=graded((0, 1, "may"))),
        row("a b", label=True, spans=graded((0, 1, "may"), (2, 3, "must"))),
        row("a b", label=False, spans=()),
    ]
    assert head("sentence").targets(rows, 4).values.tolist() == [1, 1, 0]
    sentence = head("sentence", doubtful=0.5)
    assert sentence.targets(rows, 4).values.tolist() == [0.5, 1, 0]
    outputs = [torch.tensor(value) for value in (-3.0, 3.0, -3.0)]
    assert measure(sentence, "sentence", outputs, rows)["accuracy"] == 1.0
    assert measure(head("sentence"), "sentence", outputs, rows)["accuracy"] == pytest.approx(2 / 3)


def test_the_technique_of_a_span_is_learned_on_its_words() -> None:
    spans = (
        LabelledSpan(Span(2, 9), technique="praise"),
        LabelledSpan(Span(10, 14), technique="not-a-technique"),
        LabelledSpan(Span(15, 18)),
    )
    encoded = row("a bad new plan now", spans=spans)
    technique = head("technique")
    target = technique.targets([encoded], 7)
    assert target.weights.tolist() == [[0, 0, 1, 1, 0, 0, 0]]
    assert [technique.labels[at] for at in target.values[0, 2:4].tolist()] == ["praise", "praise"]
    assert (
        technique.targets(
            [row("a bad new plan now", Part("toy", labels=("spans",)), spans=spans)], 7
        ).weights.sum()
        == 0
    )


def test_techniques_are_measured_on_the_words_of_spans() -> None:
    technique = head("technique")
    spans = (LabelledSpan(Span(0, 3), technique="praise"), LabelledSpan(Span(4, 8), technique="doubt"))
    encoded = row("bad plan now", spans=spans)
    output = torch.zeros(5, len(technique.labels))
    output[1:3, technique.labels.index("praise")] = 1.0
    metrics = measure(technique, "technique", [output], [encoded])
    assert metrics["accuracy"] == 0.5
    assert metrics["macro_f1"] == pytest.approx((2 / 3 + 0) / 2)


def test_there_are_21_techniques() -> None:
    labels = head("technique").labels
    assert len(set(labels)) == len(labels) == 21


def test_texts_without_a_mark_can_be_left_out() -> None:
    rows = [row("a b", spans=()), row("a b", spans=(LabelledSpan(Span(0, 1)),))]
    weights = head("spans", slanted_only=True).targets(rows, 4).weights
    assert weights.sum(dim=1).tolist() == [0, 2]


def test_kinds_are_those_of_the_corpus() -> None:
    rows = [
        row(label=True, kinds=frozenset({"framing"})),
        row(label=False, kinds=frozenset()),
        row(label=True),
    ]
    target = head("kinds").targets(rows, 4)
    assert target.values.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert target.weights.sum(dim=1).tolist() == [3, 3, 0]
    assert head("kinds", conditional=True).targets(rows, 4).weights.sum(dim=1).tolist() == [3, 0, 0]


def test_the_kind_of_a_span_is_learned_on_its_words() -> None:
    encoded = row("a bad plan", spans=(LabelledSpan(Span(2, 5), "epistemological"),))
    target = head("span_kinds").targets([encoded], 5)
    assert target.weights[0].sum(dim=1).tolist() == [0, 0, 3, 0, 0]
    assert target.values[0, 2].tolist() == [0, 1, 0]


def test_a_text_without_a_dimension_teaches_nothing() -> None:
    built = head("dimension")
    assert built.labels == ("none", *dimensions())
    target = built.targets([row(dimension="gender"), row()], 4)
    assert target.weights.tolist() == [1, 0]
    assert built.labels[int(target.values[0])] == "gender"


def test_opinions_in_the_words_of_the_corpus() -> None:
    built = head("opinion")
    rows = [
        row(extra={"opinion": name}) for name in ("Entirely factual", "Expresses writer\u2019s opinion", "?")
    ]
    target = built.targets(rows, 4)
    assert target.weights.tolist() == [1, 1, 0]
    assert target.values[:2].tolist() == [0, 2]


def test_pairwise_asks_whether_a_slanted_source_scores_above_its_target() -> None:
    rows = [
        row("a", label=True, pair="1", side="source"),
        row("b", label=False, pair="1", side="target"),
        row("c", label=True, pair="2", side="source"),
        row("d", label=False, pair="2", side="target"),
        row("e", label=False, pair="3", side="source"),
        row("f", label=False, pair="3", side="target"),
    ]
    outputs = [torch.tensor(value) for value in (2.0, 1.0, -2.0, -1.0, 0.0, 5.0)]
    assert measure(head("sentence"), "sentence", outputs, rows)["pairwise"] == 0.5


def test_decisions_change_the_verdict() -> None:
    rows = [row("a", label=True), row("b", label=True), row("c", label=False), row("d", label=False)]
    outputs = [torch.tensor(value) for value in (3.0, 2.0, 1.0, 1.1)]
    built = head("sentence")
    assert measure(built, "sentence", outputs, rows)["accuracy"] == 0.5
    assert measure(built, "sentence", outputs, rows, built.decide(outputs, rows))["accuracy"] == 1.0


def test_the_threshold_of_spans_is_chosen_on_what_was_marked() -> None:
    rows = [row("a bad plan", spans=(LabelledSpan(Span(2, 5)),)), row("a new plan", spans=())]
    # The marked word has a probability of about 0.37, the others far less.
    faint = torch.tensor([[9.0, 0, 0], [9.0, 0, 0], [0.55, 0.0, -9.0], [9.0, 0, 0], [9.0, 0, 0]])
    outputs = [faint, torch.tensor([[9.0, 0, 0]] * 5)]
    built = head("spans")
    assert measure(built, "spans", outputs, rows)["exact_f1"] == 0
    decision = built.decide(outputs, rows)
    assert decision["threshold"] < 0.37
    assert measure(built, "spans", outputs, rows, decision) == {"exact_f1": 1.0, "overlap_f1": 1.0}


def test_less_likely_spans_can_be_made_as_long_as_the_annotated_ones() -> None:
    rows = [row("a bad sad plan b", spans=(LabelledSpan(Span(2, 9)),))]
    # five words between the two special subwords: 0.25, 0.9, 0.6, 0.25 and 0.25 likely to be marked
    chances = [0.0001, 0.25, 0.9, 0.6, 0.25, 0.25, 0.0001]
    outputs = [torch.tensor([[math.log(1 - chance), math.log(chance), -9.0] for chance in chances])]
    found = head("spans", match_length_from=0.1).decide(outputs, rows)
    # the annotated span has two words: of the highest probability, 0.6 is two thirds and 0.25 less than a third
    assert 0.25 / 0.9 < found["peak"] <= 0.6 / 0.9
    assert "peak" not in head("spans").decide(outputs, rows)


def test_each_kind_has_its_own_threshold() -> None:
    rows = [
        row("a", kinds=frozenset({"framing"})),
        row("b", kinds=frozenset({"demographic"})),
        row("c", kinds=frozenset()),
    ]
    outputs = [torch.tensor(item) for item in ([2.0, -5, -4], [1.0, -5, -2], [1.0, -5, -4])]
    built = head("kinds")
    decision = built.decide(outputs, rows)
    assert set(decision["thresholds"]) == {"framing", "demographic"}
    figures = measure(built, "kinds", outputs, rows, decision)
    assert figures == {"macro_f1": 1.0, "framing": 1.0, "demographic": 1.0}
    conditional = head("kinds", conditional=True)
    assert set(measure(conditional, "kinds", outputs, rows, decision)) == {
        "slanted_macro_f1",
        "slanted_framing",
        "slanted_demographic",
    }


@pytest.mark.parametrize("type_", head_types())
def test_every_head_type_and_option_is_documented(type_: str) -> None:
    page = (Path(__file__).parents[3] / "docs" / "training.md").read_text("utf-8")
    section = page.partition("## Heads")[2].partition("\n## ")[0]
    assert f"`{type_}`" in section
    for field in fields(head(type_).options):
        assert f"`{field.name}`" in section, field.name


def test_a_head_can_be_added_from_outside() -> None:
    register("length", "tests.lab.detector.test_heads:LengthHead")
    assert "length" in head_types()
    assert isinstance(head("length"), LengthHead)


class LengthHead(torch.nn.Module):
    """A head that nobody needs."""

    from dataclasses import make_dataclass

    Options = make_dataclass("Options", [], frozen=True)

    def __init__(self, options: object, width: int, dropout: float) -> None:
        super().__init__()
        self.asked = (options, width, dropout)


def test_unknown_types_and_options_are_named() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'spans'"):
        head("span")
    with pytest.raises(ConfigError, match="did you mean 'soft'"):
        head("sentence", sofd=1.0)
