"""Diagnosis, dimensions and phrases, on small corpora of our own making."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.lab.evaluation.toy_model import ToyModel
from unslant.lab.evaluation.forums import DIMENSION_CORPORA
from unslant.lab.evaluation.held_out import Leak, Lineage, Setting, _Learned, load_part
from unslant.lab.evaluation.tasks import run
from unslant.lab.stats.bootstrap import Resampling
from unslant.neural.decoder import Prediction


def write(path: Path, rows: Sequence[dict[str, Any]], delimiter: str = ",") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def write_cad(root: Path) -> None:
    """A test part with two biased texts, one of which the toy model misses, and four neutral ones."""
    texts = [
        ("They are awful.", "IdentityDirectedAbuse"),
        ("They are like that.", "AffiliationDirectedAbuse"),
        ("He is awful.", "PersonDirectedAbuse"),
        *((f"It rained {at} days.", "Neutral") for at in range(4)),
    ]
    for split in ("train", "dev", "test"):
        rows = [{"id": f"{split}{at}", "text": text, "labels": name} for at, (text, name) in enumerate(texts)]
        write(root / "cad" / f"cad_v1_1_{split}.tsv", rows, "\t")


def write_reddit(root: Path, count: int = 60) -> None:
    rows = [
        {
            "text": f"those {at} people are awful folk" if at % 2 else f"those {at} people are here",
            "bias_pos": "awful folk" if at % 2 else "here",
            "label": str(at % 2),
            "label_group": str(1 + 3 * (at % 4 < 2)),  # gender or race
        }
        for at in range(count)
    ]
    write(root / "reddit_bias" / "reddit_bias.csv", rows)


def write_stand_ins(root: Path) -> None:
    """Corpora in which every text is about gender, so that the toy model is right of them."""
    write_reddit(root)
    more = {"stereo_antistereo": "stereo", "bias_type": "gender", "annotations": "[['gender']]"}
    pairs = [{"": at, "sent_more": f"one {at}", "sent_less": f"other {at}"} | more for at in range(40)]
    write(root / "crows_pairs" / "crows_pairs_anonymized.csv", pairs)
    items = [
        {"type": "intrasentence", "target": "t", "bias_type": "gender", "context": "c"}
        | {"stereotype": f"s {at}", "anti-stereotype": f"a {at}", "unrelated": f"u {at}"}
        for at in range(40)
    ]
    path = root / "stereoset" / "stereoset.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    groups = {f"label_{name}": "0" for name in ("religion", "race", "economic", "minority")}
    posts = [
        {"text": f"post {at}", "label": "2", "rationale_pos": "post", "label_gender": "1"} | groups
        for at in range(40)
    ]
    write(root / "hatexplain" / "preprocessed.csv", posts)


def test_diagnosis_takes_as_many_neutral_texts_as_biased_ones(tmp_path: Path) -> None:
    write_cad(tmp_path)
    model = ToyModel()
    result = run("diagnosis", [model], Setting(tmp_path, Resampling(0)))
    seen = {text for text, _ in model.seen}
    assert len(seen) == 4
    assert "He is awful." not in seen  # directed at a person
    # one of two biased texts is missed; the training part is 3 of 7 biased, which 0.2 does not reach
    assert result.figure("accuracy, as it is").estimate.value == pytest.approx(3 / 4)
    assert result.figure("accuracy, even odds").estimate.value == pytest.approx(3 / 4)
    assert any("the probability 0.43 is even" in note for note in result.notes)


def test_even_odds_find_what_the_threshold_misses(tmp_path: Path) -> None:
    write_cad(tmp_path)

    class Cautious(ToyModel):
        def _one(self, text: str) -> Prediction:
            return Prediction(False, 0.45 if "They" in text else 0.1)

    result = run("diagnosis", [Cautious()], Setting(tmp_path, Resampling(0)))
    assert result.figure("accuracy, as it is").estimate.value == pytest.approx(1 / 2)
    assert result.figure("accuracy, even odds").estimate.value == 1.0


def test_phrases_are_measured_on_biased_comments_only(tmp_path: Path) -> None:
    write_reddit(tmp_path)
    setting = Setting(tmp_path, Resampling(0))
    biased = [item for item in load_part("reddit_bias", setting) if item.label]
    result = run("phrases", [ToyModel()], setting)
    # 'awful' of 'awful folk': precision 1, recall one half
    assert result.figure("token F1, mean of texts").estimate.value == pytest.approx(2 / 3)
    assert result.figure("exact F1").estimate.value == 0
    assert result.figure("overlap F1").estimate.value == 1
    assert result.figure("overlap F1").items == len(biased) > 0


def test_dimensions_are_counted_together_and_apart(tmp_path: Path) -> None:
    write_stand_ins(tmp_path)
    setting = Setting(tmp_path, Resampling(0))
    result = run("dimensions", [ToyModel()], setting)
    assert len(result.sections) == 1 + len(DIMENSION_CORPORA)
    sizes = {corpus: len(load_part(corpus, setting)) for corpus in DIMENSION_CORPORA}
    race = sum(item.dimension == "race" for item in load_part("reddit_bias", setting))
    total = sum(sizes.values())
    # the model always says gender: all of gender is found, and nothing of race
    together = f"together ({total})"
    gender = 2 * (total - race) / (total + total - race)
    assert result.figure("F1 of gender", together).estimate.value == pytest.approx(gender)
    assert result.figure("F1 of race", together).estimate.value == 0
    assert result.figure("macro-F1", together).estimate.value == pytest.approx(gender / 2)
    assert result.figure("macro-F1", f"crows_pairs ({sizes['crows_pairs']})").estimate.value == 1


def test_one_corpus_that_was_learned_from_is_enough_to_refuse(tmp_path: Path) -> None:
    write_stand_ins(tmp_path)
    seen = Lineage((_Learned("stereoset", (), None, frozenset()),))
    model = ToyModel(seen)
    with pytest.raises(Leak, match="the test part of stereoset"):
        run("dimensions", [model], Setting(tmp_path, Resampling(0)))
    assert model.seen == []
