"""Choosing what to annotate next."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from unslant.core.example import Example
from unslant.lab.annotation.active import ScoredText, choose, leave_out, score_texts
from unslant.lab.cli.annotate import annotate
from unslant.spec import Spec

TINY = Path(__file__).parents[2] / "neural" / "tiny_model"


def _text(name: str, expected: float, flips: int = 0, leaning: str | None = None) -> ScoredText:
    return ScoredText(Example(name, "Text.", "toy", "", leaning=leaning), expected, flips)


def _names(chosen: list[ScoredText]) -> list[str]:
    return [text.example.id for text in chosen]


def test_half_of_the_places_go_to_disagreement_and_the_others_to_expected_findings() -> None:
    texts = [
        _text("a", 3.0),
        _text("b", 2.0),
        _text("c", 0.5, flips=2),
        _text("d", 0.4, flips=1),
        _text("e", 0.0),
    ]
    assert _names(choose(texts, 2)) == ["c", "a"]
    assert _names(choose(texts, 4)) == ["c", "d", "a", "b"]
    assert "e" not in _names(choose(texts, 10)), "it would teach nothing"


@given(
    st.lists(
        st.tuples(st.floats(0, 5), st.integers(0, 3), st.sampled_from(["left", "right", "center", None]))
    ),
    st.integers(1, 30),
)
def test_both_sides_get_as_many_texts(drawn: list[tuple[float, int, str | None]], count: int) -> None:
    texts = [_text(str(at), *values) for at, values in enumerate(drawn)]
    chosen = choose(texts, count)
    assert len(chosen) <= count
    assert len(set(_names(chosen))) == len(chosen)
    present = {text.example.leaning for text in texts if text.expected or text.flips}
    sides = [sum(text.example.leaning == side for text in chosen) for side in ("left", "right")]
    if {"left", "right"} <= present:
        assert sides[0] == sides[1]


def test_copies_of_what_was_read_are_left_out() -> None:
    read = "The council met on Monday to vote on the plan for the new road."
    examples = [
        Example("copy", f"Yesterday {read.lower()}", "toy", ""),
        Example("new", "The council met on Tuesday, and nobody voted on anything at all.", "toy", ""),
    ]
    assert [example.id for example in leave_out(examples, [read])] == ["new"]


def test_texts_with_slanted_wording_are_expected_to_have_findings() -> None:
    examples = [
        Example("slanted", "The radical senator slammed the so-called reform.", "toy", ""),
        Example("plain", "The council met on Monday.", "toy", ""),
    ]
    slanted, plain = score_texts(examples, [Spec(analyzers=("rules",), threshold=0.2)])
    assert slanted.expected > plain.expected == 0
    assert slanted.flips == plain.flips == 0


def test_the_command_writes_rows_that_export_reads(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "text": "The radical senator slammed the so-called reform.", "label": 1},
        {"id": "2", "text": "The council met on Monday.", "label": 0},
    ]
    source, output = tmp_path / "texts.jsonl", tmp_path / "next.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["select", str(source), "--model", str(TINY), "--model", str(TINY), "-o", str(output)]
    result = CliRunner().invoke(annotate, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    chosen = [json.loads(line) for line in output.read_text().splitlines()]
    assert [row["item"] for row in chosen][:1] == ["1"]
    assert all(row["flips"] == 0 for row in chosen), "a model agrees with itself"
    exported = CliRunner().invoke(annotate, ["export", "sentences", str(output), str(tmp_path / "project")])
    assert exported.exit_code == 0, exported.output


def test_a_corpus_that_is_not_there_is_named(tmp_path: Path) -> None:
    from unslant.core.errors import UnslantError

    with pytest.raises(UnslantError, match="no corpus named"):
        CliRunner().invoke(
            annotate, ["select", "nowhere", "-o", str(tmp_path / "x.jsonl")], catch_exceptions=False
        )
