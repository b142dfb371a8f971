"""What each head learns from, and how it is measured."""

from __future__ import annotations

import math
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from unslant.core.errors import ConfigError, UnknownName
from unslant.core.example import LabelledSpan
from unslant.core.taxonomy import dimensions
from unslant.core.types import Span
from unslant.lab.detector.heads import (
    Target,
    choice_loss,
    head_types,
    make_head,
    pair_loss,
    register,
    soft_choice_loss,
    soft_yes_no_loss,
    yes_no_loss,
)
from unslant.lab.detector.recipe import HeadPlan, Part
from unslant.lab.detector.text_heads import fit_platt
from unslant.lab.stats.metrics import best_threshold, calibration_error, f1, macro_f1, span_f1
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


LOGITS = st.lists(st.floats(-5, 5), min_size=3, max_size=3)


def t(*values: float) -> torch.Tensor:
    return torch.tensor(values)


@given(LOGITS, st.floats(-50, 50))
def test_what_nobody_judged_moves_nothing(logits: list[float], other: float) -> None:
    target = Target(t(1.0, 0.0, 0.3), t(1.0, 1.0, 0.0))
    one = torch.tensor(logits, requires_grad=True)
    yes_no_loss(one, target).backward()
    assert one.grad is not None
    assert one.grad[2] == 0
    changed = torch.tensor([logits[0], logits[1], other])
    assert torch.isclose(yes_no_loss(torch.tensor(logits), target), yes_no_loss(changed, target))


def test_a_loss_over_nothing_is_zero() -> None:
    nothing = Target(t(0.0), t(0.0))
    assert yes_no_loss(t(3.0), nothing) == 0
    assert choice_loss(torch.ones(1, 3), Target(torch.tensor([-100]), t(0.0))) == 0


def test_a_soft_label_is_learned_as_a_share() -> None:
    target = Target(t(0.7), t(1.0))
    best = min((float(yes_no_loss(t(x / 100), target)), x / 100) for x in range(-300, 300))
    assert math.isclose(1 / (1 + math.exp(-best[1])), 0.7, abs_tol=0.01)


def test_a_text_that_counts_half_moves_half_as_much() -> None:
    full = yes_no_loss(t(2.0, 1.0), Target(t(0.0, 0.0), t(1.0, 1.0)))
    half = yes_no_loss(t(2.0, 1.0), Target(t(0.0, 0.0), t(0.5, 0.5)))
    assert torch.isclose(half, full / 2)


@given(LOGITS, LOGITS, st.sampled_from([1.0, 2.0, 4.0]))
def test_nothing_is_nearer_to_the_teacher_than_the_teacher(
    ours: list[float], theirs: list[float], heat: float
) -> None:
    student, teacher = torch.tensor([ours]), torch.tensor([theirs])
    whole, each = torch.ones(1), torch.ones(1, 3)
    assert (
        soft_choice_loss(teacher, Target(teacher, whole), heat)
        <= soft_choice_loss(student, Target(teacher, whole), heat) + 1e-4
    )
    assert (
        soft_yes_no_loss(teacher, Target(teacher, each), heat)
        <= soft_yes_no_loss(student, Target(teacher, each), heat) + 1e-4
    )


def test_a_pair_in_the_right_order_costs_less() -> None:
    sources, targets = torch.tensor([0]), torch.tensor([1])
    assert pair_loss(t(2.0, -2.0), sources, targets) < pair_loss(t(-2.0, 2.0), sources, targets)
    none = torch.tensor([], dtype=torch.long)
    assert pair_loss(t(2.0, -2.0), none, none) == 0


def test_calibration_takes_back_overconfidence() -> None:
    generator = torch.Generator().manual_seed(0)
    honest = torch.randn(2000, generator=generator, dtype=torch.float64) * 2
    labels = (torch.rand(2000, generator=generator, dtype=torch.float64) < torch.sigmoid(honest)).tolist()
    loud = honest * 3 + 1
    scale, offset = fit_platt(loud.tolist(), labels)
    assert math.isclose(scale, 1 / 3, rel_tol=0.15)
    assert math.isclose(offset, -1 / 3, abs_tol=0.15)
    before = calibration_error(torch.sigmoid(loud).tolist(), labels).value
    after = calibration_error(torch.sigmoid(loud * scale + offset).tolist(), labels).value
    assert before is not None
    assert after is not None
    assert after < 0.04 < before


@given(st.lists(st.tuples(st.floats(-3, 3), st.booleans()), min_size=4, max_size=30))
def test_calibration_keeps_the_order(cases: list[tuple[float, bool]]) -> None:
    scale, offset = fit_platt([logit for logit, _ in cases], [label for _, label in cases])
    assert scale > 0
    assert math.isfinite(offset)


def test_perfect_separation_does_not_ask_for_certainty() -> None:
    scale, offset = fit_platt([-2.0, -1.0, 1.0, 2.0], [False, False, True, True])
    assert 1 / (1 + math.exp(-(2 * scale + offset))) < 0.95


def test_scores_by_hand() -> None:
    assert f1(0, 0, 0) == 0
    assert macro_f1([0, 0, 1, 1], [0, 0, 1, 1]) == 1
    assert macro_f1([0, 0, 0, 1], [0, 0, 0, 0]) == pytest.approx(3 / 7)
    gold = [[Span(0, 3), Span(10, 12)], []]
    guess = [[Span(0, 3), Span(9, 12)], [Span(4, 5)]]
    exact, overlap = span_f1(gold, guess)
    assert exact == pytest.approx(2 / 5)
    assert overlap == pytest.approx(2 * (2 / 3) * 1 / (2 / 3 + 1))


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=1, max_size=20))
def test_no_other_threshold_is_better(cases: list[tuple[bool, float]]) -> None:
    gold, chances = [case for case, _ in cases], [case for _, case in cases]

    def value(threshold: float) -> float:
        guess = [chance >= threshold for chance in chances]
        return f1(sum(a and b for a, b in zip(gold, guess, strict=True)), sum(guess), sum(gold))

    best = value(best_threshold(gold, chances))
    if any(gold):
        assert best >= max(value(chance) for chance in chances) - 1e-9
