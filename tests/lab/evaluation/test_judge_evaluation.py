"""A judge from its corpus to its table, on a made-up corpus of the published form."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

from unslant.cli.main import _run
from unslant.lab.evaluation.held_out import Setting
from unslant.lab.evaluation.judge import judge, same_side_shares
from unslant.lab.judges.fitting import JudgeSettings
from unslant.lab.judges.judge import open_judge
from unslant.lab.judges.reference import read_reference
from unslant.lab.judges.training import JudgeTraining, build_judge, is_for_planting, load_split
from unslant.lab.stats.bootstrap import Resampling

OUTLETS = {
    "left": ["CNN (Web News)", "New York Times - News", "Vox", "Salon", "The Guardian"],
    "right": ["Fox News", "Townhall", "National Review", "Breitbart News", "Reason"],
    "center": ["Reuters"],
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = random.Random(0)
    folder = tmp_path_factory.mktemp("data")
    (folder / "allsides").mkdir()
    rows = []
    for leaning, outlets in OUTLETS.items():
        for place, outlet in enumerate(outlets):
            for at in range(30):
                words = rng.choices("road river council monday plan school".split(), k=14)
                words += rng.choices(
                    {"left": ["pear"], "right": ["nail"]}.get(leaning, ["cup"]), k=3 if at % 5 else 0
                )
                rng.shuffle(words)
                split = "train" if place < 3 else "test"
                rows.append(
                    {
                        "ID": f"{outlet}{at}",
                        "topic": "t",
                        "source": outlet,
                        "date": "",
                        "title": "",
                        "bias_text": leaning,
                        "splits": {"media": split, "random": "train" if at < 25 else "test"},
                        "text": " ".join(words),
                    }
                )
    with gzip.open(folder / "allsides" / "articles_first250w.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return folder


@pytest.fixture(scope="module")
def trained(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judge")
    build_judge(folder, JudgeTraining(data=data), JudgeSettings(penalties=(1e-3,), folds=2))
    return folder


def test_a_trained_judge_knows_passages_of_unseen_outlets(trained: Path) -> None:
    found = read_reference(open_judge(str(trained)))
    assert found is not None
    assert list(found.lengths) == [12], "no article has 25 words"
    assert len(found.lengths[12].left) == len(found.lengths[12].right) == 60
    assert "4 outlets" in found.source


def test_articles_are_dealt_by_outlet(data: Path) -> None:
    dealt = load_split(data)
    assert {example.outlet for example in dealt.learn} == {
        "CNN (Web News)",
        "New York Times - News",
        "Fox News",
        "Townhall",
    }
    assert {example.outlet for example in dealt.test} == {"Salon", "The Guardian", "Breitbart News", "Reason"}
    assert len(dealt.unseen) == 120


def test_outlets_it_never_saw_and_the_random_split(data: Path, trained: Path) -> None:
    result = judge(str(trained), Setting(data, Resampling(50)))
    unseen = result.sections[0]
    assert result.figure("accuracy", unseen.title).items == 120
    # four of five articles say a word of their side; of the rest nothing can be known
    assert result.figure("accuracy", unseen.title).estimate.value == pytest.approx(0.9, abs=0.08)
    random_split = result.sections[2]
    assert "random" in random_split.title
    assert result.figure("macro-F1", random_split.title).best is not None
    assert result.figure("macro-F1", random_split.title).best.value == 0.984  # type: ignore[union-attr]
    assert set(result.details["by_outlet"]) == {"salon", "guardian", "breitbart news", "reason"}
    assert "<svg" in result.pictures["reliability"]


def test_articles_with_the_same_verdict_are_neighbours_in_the_judges_own_space(
    data: Path, trained: Path
) -> None:
    result = judge(str(trained), Setting(data, Resampling(50)))
    own = result.figure("by the judge's embeddings").estimate.value
    words = result.figure("by their words").estimate.value
    chance = result.figure("expected by chance").estimate.value
    assert own is not None
    assert words is not None
    assert chance is not None
    assert own > 0.9
    assert own > words > chance
    # one dot for each article in each of the two maps, and two in the legend
    assert result.pictures["map"].count("<circle") == 2 * 120 + 2


def test_neighbours_are_counted_by_direction_and_never_the_text_itself() -> None:
    import numpy as np

    vectors = np.array([[1.0, 0.0], [9.0, 0.1], [0.0, 1.0], [0.1, 5.0]])
    assert same_side_shares(vectors, [True, True, False, False], 1) == [1, 1, 1, 1]
    assert same_side_shares(vectors, [True, False, False, False], 1) == [0, 0, 1, 1]


def test_from_the_command_line(data: Path, trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        _run(
            [
                "evaluate",
                "judge",
                "--data",
                str(data),
                "--model",
                str(trained),
                "--resamples",
                "20",
                "--output-format",
                "json",
            ]
        )
        == 0
    )
    wire = json.loads(capsys.readouterr().out)
    assert wire["task"] == "judge"
    assert _run(["evaluate", "judge", "--data", str(data), "--model", str(trained / "none")]) == 2
    assert "no such folder" in capsys.readouterr().err


def test_training_from_the_command_line(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(["train", "judge", "--data", str(data), "--output", str(tmp_path / "j")]) == 0
    said = capsys.readouterr().out
    assert "106 articles of 4 outlets" in said, (
        "one in ten is kept out, to measure it on outlets that it knows"
    )
    assert "seen outlets: macro-F1" in said
    assert "unseen outlets: macro-F1" in said
    card = json.loads((tmp_path / "j" / "judge.json").read_text())["card"]
    assert card["split"] == "outlet"
    assert card["figures"]["unseen_outlets"]["articles"] == 120


def test_a_random_split_knows_the_outlets_of_both_halves(data: Path) -> None:
    by_outlet, mixed = load_split(data), load_split(data, "random")
    assert {one.outlet for one in mixed.learn} > {one.outlet for one in by_outlet.learn}
    assert {one.outlet for one in mixed.learn} >= {"Vox", "National Review"}
    assert not {one.outlet for one in mixed.learn} & {one.outlet for one in mixed.test}
    assert not any(is_for_planting(one) for one in (*mixed.learn, *mixed.seen)), (
        "planted articles are new to it"
    )
    assert not {one.id for one in mixed.learn} & {one.id for one in mixed.seen}
