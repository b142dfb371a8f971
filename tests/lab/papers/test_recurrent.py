"""A recurrent judge: it learns, it reads words in order, and it is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.judges.test_encoder import news
from unslant.core.example import Example
from unslant.lab.judges.judge import JudgeError, judge_texts, open_judge
from unslant.lab.judges.training import judge_card
from unslant.lab.papers.liu.recurrent import RecurrentTraining, train_recurrent

pytestmark = pytest.mark.torch

QUICK = RecurrentTraining(epochs=12, rate=2e-2, size=8, dropout=0.0)


def test_it_learns_what_the_sides_say_and_survives_its_folder(tmp_path: Path) -> None:
    trained = train_recurrent(news(), QUICK)
    texts = ["apples and pears by the apples", "nails and bolts by the nails", "...", "apples"]
    left, right, nothing, _ = judge_texts(trained.judge, texts)
    assert left is not None
    assert right is not None
    assert left < 0.3 < 0.7 < right
    assert nothing is None or 0 <= nothing <= 1
    assert (trained.texts, trained.outlets) == (300, 12)
    assert trained.losses[trained.penalty] < 0.5
    trained.judge.save(tmp_path, judge_card(trained, news(), "random"))
    again = open_judge(str(tmp_path))
    assert again.digest() == trained.judge.digest()
    assert again.judge(texts) == trained.judge.judge(texts)
    assert train_recurrent(news(), QUICK).judge.digest() == trained.judge.digest()
    (tmp_path / "judge.safetensors").write_bytes(b"damaged")
    with pytest.raises(JudgeError, match="damaged"):
        open_judge(str(tmp_path))


def test_the_order_of_words_matters_to_it() -> None:
    sides = (("left", "first second"), ("right", "second first"))
    ordered = [
        Example(str(at), text, "s", "l", outlet=f"{side} {at % 6}", leaning=side)
        for at in range(200)
        for side, text in (sides[at % 2],)
    ]
    judge = train_recurrent(ordered, RecurrentTraining(epochs=25, rate=3e-2, size=8, dropout=0.0)).judge
    one, other = judge.judge(["first second", "second first"])
    assert one is not None
    assert other is not None
    assert one < 0.4 < 0.6 < other
