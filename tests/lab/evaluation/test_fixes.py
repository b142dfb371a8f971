"""Figures about fixes: which musts get an edit, which edits equal the editor's, and verdicts by reading."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unslant.core.errors import ConfigError
from unslant.core.example import LabelledSpan
from unslant.core.types import Span
from unslant.lab.corpora.editor import MarkedPassage
from unslant.lab.evaluation.fixes import (
    Draw,
    draw_edits,
    fix_passages,
    judge_edits,
    measure_fixes,
    measure_slant,
    measure_verdicts,
    read_verdicts,
)
from unslant.lab.evaluation.held_out import Setting
from unslant.lab.stats.bootstrap import Resampling
from unslant.neural.decoder import Prediction
from unslant.spec import Spec

FEW = Resampling(50, 0)
RULES = Spec(analyzers=("rules",))


def passage(text: str, words: str, fix: str | None) -> MarkedPassage:
    start = text.index(words)
    span = Span(start, start + len(words))
    marked = LabelledSpan(span, "framing", technique="sensational", grade="must", fix=fix)
    return MarkedPassage(text[:8], text, (marked,), "news", None, "ptc", len(text.split()))


PASSAGES = [
    passage("Unfortunately, the plan to widen the road failed.", "Unfortunately, the", "The"),
    passage("The union slammed the owners of the plant near the river.", "slammed", "criticized"),
    passage("The plan to widen the road was a betrayal of the voters.", "a betrayal of", None),
]


def test_musts_are_counted_by_the_edit_that_they_get() -> None:
    fixed = fix_passages(PASSAGES, RULES)
    result = measure_fixes(fixed, FEW, "rules")
    value = {figure.name: figure.estimate.value for figure in result.sections[0].figures}
    assert value["has a safe edit"] == pytest.approx(1 / 3)
    assert value["has a review edit"] == pytest.approx(1 / 3)
    assert value["has no edit"] == pytest.approx(1 / 3)
    assert value["the edit equals the fix"] == pytest.approx(1)


def test_edits_are_drawn_with_a_place_for_the_verdict(tmp_path: Path) -> None:
    rows = list(draw_edits(fix_passages(PASSAGES, RULES), Draw(5)))
    assert [row["applicability"] for row in rows] == ["safe", "review"]
    assert {row["verdict"] for row in rows} == {""}
    assert rows[1]["words"] == "slammed"
    path = tmp_path / "edits.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(ConfigError, match="give each edit a verdict"):
        read_verdicts(path)
    rows[0]["verdict"], rows[1]["verdict"] = "good", "ungrammatical"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = measure_verdicts(read_verdicts(path), FEW, "rules")
    shares = [[figure.estimate.value for figure in section.figures] for section in result.sections]
    assert shares == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{", r"edits\.jsonl, line 1: is not valid JSON"),
        (b"[" * 100_000, r"edits\.jsonl, line 1: is not valid JSON: it is nested too deeply"),
        (b"\n[]", r"edits\.jsonl, line 2: not an edit with a verdict"),
        (b'{"verdict": "good"}', r"edits\.jsonl, line 1: not an edit with a verdict"),
        (b'{"verdict": "caf\xe9"}', r"edits\.jsonl' is not UTF-8 text \(line 1\)"),
    ],
)
def test_verdicts_that_cannot_be_read_get_one_sentence(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "edits.jsonl"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=problem):
        read_verdicts(path)


def test_a_line_separator_within_an_edit_is_no_end_of_line(tmp_path: Path) -> None:
    row = {"verdict": "good", "applicability": "safe", "before": "One.\u2028Two."}
    path = tmp_path / "edits.jsonl"
    path.write_text(json.dumps(row, ensure_ascii=False) + "\n", "utf-8")
    assert read_verdicts(path) == [row]


def prediction(probability: float) -> Prediction:
    return Prediction(probability >= 0.5, probability)


def test_slant_that_edits_add_is_counted_beyond_noise() -> None:
    before = [prediction(value) for value in (0.4, 0.6, 0.2, 0.3)]
    after = [prediction(value) for value in (0.55, 0.605, 0.25, 0.1)]
    found = {name: metric.value for name, metric in measure_slant(before, after, list("abcd")).items()}
    assert found["more slanted"] == pytest.approx(2 / 4)
    assert found["clearly more slanted"] == pytest.approx(1 / 4)
    assert found["turned slanted"] == pytest.approx(1 / 4)
    assert found["mean change"] == pytest.approx((0.15 + 0.005 + 0.05 - 0.2) / 4)


@pytest.mark.parametrize("judge", ["default", "rules"])
def test_a_judge_that_took_part_in_the_edits_is_refused(judge: str, tmp_path: Path) -> None:
    rows = list(draw_edits(fix_passages(PASSAGES, RULES), Draw(5)))
    path = tmp_path / "edits.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with pytest.raises(ConfigError, match="took part in the rewrites"):
        judge_edits(path, judge, Setting(resampling=FEW), "default")


def test_a_file_without_sentences_cannot_be_judged(tmp_path: Path) -> None:
    path = tmp_path / "edits.jsonl"
    path.write_text('{"document": "a", "applicability": "safe"}\n', "utf-8")
    with pytest.raises(ConfigError, match=r"line 1: not an edit as --show writes them"):
        judge_edits(path, "somewhere", Setting(resampling=FEW), "default")
