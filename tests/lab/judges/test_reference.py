"""A judge brings along what it says about passages of known sides, so that an audit knows what it would find."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from unslant.core.example import Example
from unslant.lab.judges.judge import JudgeError, judge_folder, open_judge
from unslant.lab.judges.reference import JudgeReference, ReferenceSide, measure_reference, read_reference


class CountingJudge:
    """Says how many words a text has, and of which side it is."""

    name = "counting"

    def digest(self) -> str:
        return "counting"

    def judge(self, texts: Sequence[str]) -> list[float | None]:
        return [len(text.split()) / 1000 + (0.5 if "right" in text else 0.0) for text in texts]


def article(number: int, side: str, outlet: str, words: int = 120) -> Example:
    return Example(str(number), " ".join([side] * words), "made", "CC0-1.0", outlet=outlet, leaning=side)


def test_the_judge_that_ships_has_a_reference_for_every_length() -> None:
    found = read_reference(open_judge())
    assert found is not None
    for side in found.lengths.values():
        assert len(side.left) == len(side.right) == 500
    length, longest = found.nearest(400)
    assert length == max(found.lengths)
    left, right = (sum(values) / len(values) for values in (longest.left, longest.right))
    assert left < right, "outlets of the right are judged further right"


def test_passages_have_the_length_of_the_texts_or_less() -> None:
    sides = {length: ReferenceSide((0.1,), (0.9,)) for length in (10, 20, 40)}
    known = JudgeReference("x", "made", sides)
    assert [known.nearest(words)[0] for words in (3, 10, 19.5, 20, 39, 1000)] == [10, 10, 10, 20, 20, 40]


def test_every_outlet_counts_alike_and_articles_that_are_too_short_are_left_out() -> None:
    many = [article(number, "left", "large", words=120) for number in range(900)]
    few = [article(1000 + number, "left", "small", words=60) for number in range(30)]
    right = [article(2000 + number, "right", "other") for number in range(40)]
    found = measure_reference(CountingJudge(), [*many, *few, *right])
    assert found is not None
    assert {length: len(side.left) for length, side in found.lengths.items()} == dict.fromkeys(
        found.lengths, 500
    )
    assert all(set(side.left) == {length / 1000} for length, side in found.lengths.items())
    assert found.lengths[100].right == tuple([0.6] * 40)
    assert measure_reference(CountingJudge(), many) is None, "one side is no slant"


def test_a_reference_of_another_judge_is_not_used(tmp_path: Path) -> None:
    shipped = judge_folder("default")
    assert shipped is not None
    folder = Path(shutil.copytree(shipped, tmp_path / "judge"))
    judge = open_judge(str(folder))
    assert read_reference(judge) is not None
    path = folder / "reference.json"
    whole = json.loads(path.read_text())
    path.write_text(json.dumps(whole | {"judge": "another"}))
    assert read_reference(judge) is None
    path.write_text(json.dumps(whole | {"lengths": {"12": {"left": [2.0], "right": [0.5]}}}))
    with pytest.raises(JudgeError, match=r"reference\.json is incomplete"):
        read_reference(judge)
    path.unlink()
    assert read_reference(judge) is None
