"""Which texts a recipe learns from."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span
from unslant.lab.detector.batches import epoch_rng, sample_epoch
from unslant.lab.detector.data import Data, apply_fixes, changed_spans, fold_splits, mark_changes
from unslant.lab.detector.recipe import Folds, HeadPlan, Part, Recipe, Stage

from .toy import sample

pytestmark = pytest.mark.torch


def recipe(**more: Any) -> Recipe:
    return Recipe("x", "y", {"sentence": HeadPlan("sentence")}, (Stage("s", (Part("z"),)),), **more)


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def sentences(count: int, topic: str) -> list[dict[str, Any]]:
    return [
        {
            "id": f"{number}",
            "text": f"{topic} number {number} of row {number} says word{number}",
            "label": number % 2,
        }
        for number in range(count)
    ]


def test_folds_hold_out_every_text_once_and_keep_the_shares() -> None:
    examples = [Example(str(at), f"text {at}", "toy", "", label=at % 3 == 0) for at in range(300)]
    held = Counter[str]()
    for fold in range(5):
        splits = fold_splits(examples, Folds("toy", 5, fold))
        tests = [example for example in examples if splits[example.id] == "test"]
        held.update(test.id for test in tests)
        assert len(tests) == 60
        assert sum(bool(test.label) for test in tests) == 20
        assert 20 <= sum(split == "dev" for split in splits.values()) <= 28
    assert set(held.values()) == {1}
    assert len(held) == 300


def test_equal_texts_are_never_on_both_sides_of_a_fold() -> None:
    examples = [Example(str(at), f"text {at // 2}", "toy", "", label=True) for at in range(100)]
    splits = fold_splits(examples, Folds("toy", 5, 2))
    for at in range(0, 100, 2):
        assert splits[str(at)] == splits[str(at + 1)]


def test_without_a_fold_nothing_is_held_out_for_testing() -> None:
    examples = [Example(str(at), f"text {at}", "toy", "", label=True) for at in range(100)]
    assert set(fold_splits(examples, Folds("toy")).values()) == {"train", "dev"}


def test_what_is_held_out_is_kept_out_of_every_corpus(tmp_path: Path) -> None:
    rows = sentences(60, "alpha")
    held = write(
        tmp_path / "held.jsonl",
        [row | {"split": "test" if at < 20 else "train"} for at, row in enumerate(rows)],
    )
    copies = [
        {"id": "same", "text": rows[3]["text"].upper() + "!", "label": 1},
        {
            "id": "near",
            "text": "We hear that the mayor of the old town gave a long and boring speech on Monday",
            "label": 1,
        },
        {"id": "free", "text": rows[30]["text"], "label": 1},
    ]
    weak = write(tmp_path / "weak.jsonl", [row | {"split": "train"} for row in copies])
    near = "We hear that the mayor of the old town gave a long and boring speech on Tuesday"
    with Path(held).open("a") as file:
        file.write(json.dumps({"id": "n", "text": near, "label": 0, "split": "dev"}) + "\n")
    learning = (Stage("s", (Part(held), Part(weak))),)
    data = Data(replace(recipe(guard=(held,)), stages=learning))
    kept = [item.example.id for item in data.samples([Part(weak)], training=True)]
    assert kept == ["free"]
    assert data.dropped[weak] == 2
    assert len(data.samples([Part(held)], training=True)) == 40
    # A corpus that is never learned from is guarded as a whole.
    assert Data(recipe(guard=(held,))).samples([Part(weak)], training=True) == []


def test_parts_choose_splits_sides_and_a_limit(tmp_path: Path) -> None:
    rows = [
        {
            "id": f"{at}-{side}",
            "text": f"{side} {at}",
            "label": side == "source",
            "pair": str(at),
            "side": side,
        }
        for at in range(50)
        for side in ("source", "target")
    ]
    path = write(tmp_path / "pairs.jsonl", rows)
    data = Data(recipe())
    everything = data.samples([Part(path, splits=())], training=False)
    assert len(everything) == 100
    train = data.samples([Part(path)], training=False)
    assert 76 <= len(train) <= 84
    split_of = {item.example.id: item.split for item in everything}
    assert all(split_of[f"{at}-source"] == split_of[f"{at}-target"] for at in range(50))
    assert {item.example.side for item in data.samples([Part(path, sides=("source",))], training=False)} == {
        "source"
    }
    limited = data.samples([Part(path, limit=10)], training=False)
    assert len(limited) == 10
    assert limited == Data(recipe()).samples([Part(path, limit=10)], training=False)


@given(st.sampled_from([0.25, 0.5, 1.0, 1.5, 3.0]), st.integers(0, 50))
def test_a_weight_is_how_often_a_text_is_seen(weight: float, epoch: int) -> None:
    samples = [sample(f"text {at}", Part("toy", weight=weight)) for at in range(400)]
    drawn = sample_epoch(samples, epoch_rng(1, "s", epoch))
    counts = Counter(item.example.id for item in drawn)
    assert set(counts.values()) <= {int(weight), int(weight) + 1}
    assert abs(len(drawn) / 400 - weight) < 0.15


def test_both_sides_of_a_pair_are_drawn_or_neither() -> None:
    samples = [
        sample(f"{side} {at}", Part("toy", weight=0.5), pair=str(at), side=side)
        for at in range(50)
        for side in ("source", "target")
    ]
    pairs = Counter(item.example.pair for item in sample_epoch(samples, epoch_rng(1, "s", 0)))
    assert set(pairs.values()) == {2}


@pytest.mark.parametrize(
    ("source", "target", "marked"),
    [
        ("The legendary band won .", "The band won .", ["legendary"]),
        ("He refused to pay", "He did not pay", ["refused to"]),
        ("A big and bad wolf", "A wolf", ["big and bad"]),
        ("So far, so good", "so far so good", []),
        ("It is the best", "It is the best by far", []),
    ],
)
def test_words_that_an_edit_took_away_are_marked(source: str, target: str, marked: list[str]) -> None:
    assert [source[span.start : span.end] for span in changed_spans(source, target)] == marked


def test_only_unmarked_sources_with_a_target_get_weak_marks() -> None:
    pair = [
        Example("1", "a bad plan", "toy", "", pair="p", side="source"),
        Example("2", "a plan", "toy", "", pair="p", side="target"),
        Example("3", "a bad plan", "toy", ""),
        Example("4", "a bad plan", "toy", "", pair="p", side="source", spans=()),
    ]
    source, target, alone, judged = mark_changes(pair)
    assert source.spans is not None
    assert [span.span for span in source.spans] == [Span(2, 5)]
    assert target.spans == ()
    assert alone.spans is None
    assert judged.spans == ()


def test_the_fixes_of_an_editor_are_applied_and_tidied() -> None:
    def marked(text: str, *fixes: tuple[str, str | None]) -> Example:
        spans = tuple(
            LabelledSpan(Span(text.index(words), text.index(words) + len(words)), "framing", fix=fix)
            for words, fix in fixes
        )
        return Example("1", text, "editor", "", spans=spans)

    praised = marked(
        "She gave an inspiring talk and slammed her critics.", ("inspiring", ""), ("slammed", "criticized")
    )
    assert apply_fixes(praised) == "She gave a talk and criticized her critics."
    assert apply_fixes(marked("Nothing is marked here.")) == "Nothing is marked here."
    assert apply_fixes(marked("No small change mends this.", ("No small change", None))) is None
    assert apply_fixes(marked("The bold, bold plan", ("bold, bold", "new"), ("bold plan", "plan"))) is None
