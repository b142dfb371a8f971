"""Judges of coverage: passages, what a language model copies, and that a trained judge cannot prefer a side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span
from unslant.lab.judges.coverage import (
    _TRANSITIONS,
    _WIDTH,
    Argument,
    ContestedQuestion,
    Coverage,
    EncoderCoverageJudge,
    _Chain,
    _decode,
    _fit,
    _marginals,
    _transitions,
    _unary,
    copied_arguments,
    split_passages,
    train_coverage_judge,
)
from unslant.lab.judges.encoder import SentenceEncoder
from unslant.lab.judges.judge import JudgeError, open_judge

QUESTION = ContestedQuestion(
    "q1", "Should the road be built?", "the road should be built", "no road should be built"
)


def passages(reply: str) -> list[str]:
    return [reply[span.start : span.end] for span in split_passages(reply)]


def test_a_reply_is_divided_where_it_turns_to_the_other_side() -> None:
    assert passages("People often differ. Supporters say it helps, while critics say it costs jobs. Hm.") == [
        "People often differ.",
        "Supporters say it helps",
        "while critics say it costs jobs. Hm.",
    ], "what is too short for a passage belongs to the one before"
    assert passages("") == []
    assert passages("  \n") == []


def test_what_a_language_model_copies_is_found_in_the_reply() -> None:
    reply = "It helps\nfamilies, but it costs jobs."
    answer = 'Here: {"A": ["it helps families.", "never said"], "B": ["IT COSTS JOBS"]}'
    found = Coverage.of(copied_arguments(reply, answer, ("left", "right")))
    assert found.label == "both"
    assert [reply[one.span.start : one.span.end] for one in found.arguments] == [
        "It helps\nfamilies",
        "it costs jobs",
    ]
    assert (
        Coverage.of(copied_arguments(reply, '{"A": ["it costs jobs"]}', ("right", "left"))).label
        == "right-only"
    )
    assert Coverage.of(copied_arguments(reply, '{"A": [], "B": null}', ("left", "right"))).label == "none"
    with pytest.raises(JudgeError, match="instead of JSON"):
        copied_arguments(reply, "Both sides.", ("left", "right"))


def chain(rng: np.random.Generator, length: int = 4) -> _Chain:
    return _Chain(
        rng.normal(size=(length, 5)), rng.normal(size=(length, 7)), tuple(rng.integers(0, 4, length).tolist())
    )


def test_exchanging_the_positions_exchanges_the_label() -> None:
    rng, other = np.random.default_rng(0), {"left-only": "right-only", "right-only": "left-only"}
    for _ in range(50):
        weights, own = rng.normal(size=_WIDTH), chain(rng)
        spans = [Span(at, at + 1) for at in range(4)]
        found = _decode(spans, own, weights)
        exchanged = _decode(spans, replace(own, sided=-own.sided), weights)
        assert exchanged.label == other.get(found.label, found.label)
        sides = {"left": "right", "right": "left"}
        assert {(one.side, one.span) for one in exchanged.arguments} == {
            (sides[one.side], one.span) for one in found.arguments
        }
        assert {one.side for one in found.arguments} == {
            "left-only": {"left"}, "right-only": {"right"}, "both": {"left", "right"}, "none": set()
        }[found.label]  # fmt: skip


def test_the_chances_of_passages_are_those_of_all_labellings_together() -> None:
    from itertools import product

    rng = np.random.default_rng(1)
    weights, own = rng.normal(size=_WIDTH), chain(rng, 3)
    unary, moves = _unary(own, weights), [_transitions(weights)[cue] for cue in own.cues[1:]]
    single, _, total = _marginals(unary, moves)
    scores = {
        path: sum(unary[at, label] for at, label in enumerate(path))
        + sum(moves[at][path[at], path[at + 1]] for at in range(2))
        for path in product(range(3), repeat=3)
    }
    assert total == pytest.approx(np.logaddexp.reduce(list(scores.values())))
    expected = sum(np.exp(score - total) for path, score in scores.items() if path[1] == 0)
    assert single[1, 0] == pytest.approx(expected)
    assert _TRANSITIONS == 11


def test_fitting_finds_the_labels_that_the_features_give() -> None:
    rng = np.random.default_rng(2)
    chains = [chain(rng) for _ in range(60)]
    told = [
        np.where(np.abs(own.sided[:, 0]) < 0.4, 2, (own.sided[:, 0] < 0).astype(int)).tolist()
        for own in chains
    ]
    weights = _fit(chains, told)
    assert weights[0] > 1
    assert weights[0] > 3 * np.abs(weights[1:5]).max()


@pytest.mark.torch
def test_a_trained_judge_comes_back_as_it_was_and_holds_out_its_questions(tmp_path: Path) -> None:
    from tests.lab.judges.test_encoder import OWN, encoder

    reader = SentenceEncoder(str(encoder(tmp_path / "encoder")))
    left, right = (" ".join(OWN[side] * 2) for side in ("left", "right"))
    questions = {f"q{at}": replace(QUESTION, key=f"q{at}", left=left, right=right) for at in range(8)}
    replies: list[Example] = []
    for key in questions:
        for name, text in (
            ("left-only", f"{left}."),
            ("right-only", f"{right}."),
            ("both", f"{left}. {right}."),
            ("both", f"{right}. {left}."),
        ):
            spans = tuple(
                LabelledSpan(Span(text.index(words), text.index(words) + len(words)), technique=side)
                for side, words in (("left", left), ("right", right))
                if words in text
            )
            replies.append(
                Example(
                    f"{key}-{len(replies)}", text, "s", "l", spans=spans, pair=key, extra={"coverage": name}
                )
            )
    trained = train_coverage_judge(questions, replies, [(left, right)] * 5, reader)
    trained.save(tmp_path / "judge")
    loaded = EncoderCoverageJudge.load(tmp_path / "judge")
    new = replace(questions["q0"], key="new")
    items = [(new, f"{left}."), (new, f"{right}. {left}."), (new, "I'm sorry, I can't help.")]
    assert [found.label for found in trained.judge(items)] == ["left-only", "both", "refusal"]
    assert loaded.judge(items) == trained.judge(items)
    assert trained.judge(items)[0].arguments == (Argument("left", Span(0, len(left) + 1)),)
    assert loaded.learned_from("q0")
    assert not loaded.learned_from("new")
    with pytest.raises(JudgeError, match="it judges coverage"):
        open_judge(str(tmp_path / "judge"))
    with pytest.raises(JudgeError, match="at least 6 questions, not 1"):
        train_coverage_judge({"q0": questions["q0"]}, replies, [(left, right)], reader)
