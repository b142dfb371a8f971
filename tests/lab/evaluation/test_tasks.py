"""The tasks, on small corpora and a model whose answers are known."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.lab.evaluation.toy_model import ToyModel, held, write_babe, write_wikibias
from unslant.core.errors import ConfigError, UnknownName
from unslant.lab.corpora.tables import CorpusError, CorpusMissing
from unslant.lab.evaluation.forums import at_even_odds
from unslant.lab.evaluation.held_out import Answer, Leak, Lineage, Setting, _Learned
from unslant.lab.evaluation.result import Result, compare
from unslant.lab.evaluation.tasks import run
from unslant.lab.evaluation.wikibias import readers
from unslant.lab.stats.bootstrap import Resampling
from unslant.neural.decoder import Prediction

BABE = [(f"The weather in town {at} was awful.", "Biased") for at in range(10)]
BABE += [(f"The weather in town {at} was dry.", "Non-biased") for at in range(9)]
BABE += [("A glorious day in town.", "Non-biased"), ("A day that nobody agrees on.", "No agreement")]
WIKI: list[tuple[str, str, list[str]]] = [
    ("It was an awful day .", "It was a day .", ["framing"]),
    ("It was a glorious day .", "It was a day in May .", ["framing", "demographic"]),
    ("It was a so-called day .", "It was another day .", ["epistemological"]),
    ("An awful lot of rain fell .", "Rain fell .", []),
]


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    write_babe(tmp_path, BABE)
    write_babe(tmp_path, BABE[:4] + BABE[10:14], "SG1")
    write_wikibias(tmp_path, WIKI)
    return Setting(tmp_path, Resampling(50))


def value(result: Result, name: str, section: str | None = None) -> Any:
    return result.figure(name, section).estimate.value


def test_babe_is_the_mean_over_five_stratified_parts(setting: Setting) -> None:
    model = ToyModel()
    result = run("babe", [model], setting)
    folds = result.details["folds"]["babe/sg2"]
    assert [fold["sentences"] for fold in folds] == [4, 4, 4, 4, 4]
    # one of 20 is wrong: four parts are perfect; in the fifth, 2 of 2 biased and 1 of 2 neutral are right
    imperfect = (2 * 2 / (3 + 2) + 2 * 1 / (1 + 2)) / 2
    assert sorted(fold["macro_f1"] for fold in folds) == pytest.approx([imperfect, 1, 1, 1, 1])
    figure = result.figure("babe/sg2, macro-F1")
    assert figure.estimate.value == pytest.approx((4 + imperfect) / 5)
    assert figure.error == pytest.approx((1 - imperfect) / 5)  # one value apart from four equal ones
    assert figure.best is not None
    assert (figure.best.system, figure.best.value) == ("BERT, distant", 0.804)
    assert value(result, "babe/sg1, macro-F1") == 1.0
    assert "A day that nobody agrees on." not in {text for text, _ in model.seen}


def test_babe_is_also_scored_by_its_later_labels(setting: Setting) -> None:
    assert len(run("babe", [ToyModel()], setting).sections) == 2
    later = [
        {
            "text": text,
            "label": int(label == "Biased" or "glorious" in text),
            "sg2": 0,
            "in_sg2": True,
            "split_naacl2025": "test",
            "experts": {},
            "llms": {},
            "biased_words": "[]",
        }
        for text, label in BABE[2:20]
    ]
    with gzip.open(setting.data / "babe/reannotated.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in later)
    result = run("babe", [ToyModel()], setting)
    # the sentence that the model gets wrong by the old labels is biased by the new ones; two have no new label
    assert value(result, "babe/sg2 with the labels of babe/reannotated, macro-F1") == 1.0
    assert result.figure("babe/sg2 with the labels of babe/reannotated, accuracy").items == 18
    assert value(result, "babe/sg2, macro-F1") < 1.0
    with gzip.open(setting.data / "babe/reannotated.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row | {"label": 1}) + "\n" for row in later)
    sections = run("babe", [ToyModel()], setting).sections
    assert len(sections) == 2, "no figures where all sentences of a fold have one label"


def test_each_fold_is_asked_for_its_own_part(setting: Setting) -> None:
    models = [ToyModel(held(0)), ToyModel(held(1))]
    result = run("babe", models, setting)
    first, second = ({text for text, _ in model.seen} for model in models)
    assert not first & second
    assert len(first | second) == 20
    assert [section.title for section in result.sections] == ["babe/sg2, mean of 2 folds"]
    assert result.model == "toy and 1 more"
    assert "no cross-validation" not in " ".join(result.notes)
    alone = run("babe", [ToyModel()], setting)
    assert alone.notes[0] == "no cross-validation: one model, trained without babe/sg1, on all folds"


def test_a_single_fold_says_how_little_it_saw(setting: Setting) -> None:
    result = run("babe", [ToyModel(held(1))], setting)
    assert result.figure("babe/sg2, macro-F1").error is None
    assert "babe/sg2: 10 of 20 sentences, as not all folds are there" in result.notes


def test_folds_must_be_folds_and_different_ones(setting: Setting) -> None:
    with pytest.raises(ConfigError, match="holds out the same fold as toy"):
        run("babe", [ToyModel(held(0)), ToyModel(held(0))], setting)
    with pytest.raises(ConfigError, match="names no fold of babe/sg2"):
        run("babe", [ToyModel(held(0)), ToyModel()], setting)


def learned(corpus: str, *splits: str) -> Lineage:
    return Lineage((_Learned(corpus, splits or ("train",), None, frozenset()),))


@pytest.mark.parametrize(
    ("task", "corpus"),
    [
        ("babe", "babe/sg2"),
        ("groups", "babe/sg2"),
        ("wikibias", "wikibias"),
        ("pairwise", "wikibias"),
        ("tagging", "wikibias"),
        ("fine-grained", "wikibias"),
    ],
)
def test_nothing_is_measured_on_text_that_was_learned_from(setting: Setting, task: str, corpus: str) -> None:
    model = ToyModel(learned(corpus, "train", "test"))
    with pytest.raises(Leak, match="toy: its card says"):
        run(task, [model], setting)
    assert model.seen == []


def test_wikibias_counts_the_sentences_with_a_label(setting: Setting) -> None:
    result = run("wikibias", [ToyModel()], setting)
    # the source of the fourth pair has no marked words: it is not known to be neutral, and left out
    title = "test sentences with a label (7)"
    # biased: 3 gold, 2 predicted, 2 hits
    assert value(result, "F1 of biased", title) == pytest.approx(4 / 5)
    assert value(result, "precision of biased", title) == 1
    assert value(result, "accuracy", title) == pytest.approx(6 / 7)
    assert result.figure("F1 of biased", title).items == 4  # pairs are drawn together
    assert result.figure("F1 of biased", title).published != ()
    assert any("sources without marked words are left out" in note for note in result.notes)


def test_a_tie_is_not_above(setting: Setting) -> None:
    result = run("pairwise", [ToyModel()], setting)
    assert value(result, "source above its target") == pytest.approx(2 / 3)
    assert value(result, "the same score") == pytest.approx(1 / 3)
    assert result.figure("the same score").items == 3  # the fourth source has no label


def test_kinds_are_counted_each_by_itself(setting: Setting) -> None:
    result = run("fine-grained", [ToyModel()], setting)
    # framing: 2 gold, 2 predicted, 2 hits; the others: 1 gold, none predicted
    assert value(result, "F1 of framing") == 1
    assert value(result, "recall of epistemological") == 0
    assert value(result, "macro-F1") == pytest.approx(1 / 3)
    assert value(result, "precision of demographic") is None


def test_tagging_is_against_the_gold_file(setting: Setting) -> None:
    model = ToyModel()
    result = run("tagging", [model], setting)
    # gold marks two words, the model three, two of them the same
    assert result.sections[0].title == "4 source sentences, 2 gold spans"
    assert "toy marked 3 spans" in result.notes
    # a model that marks more can still be compared with it
    assert compare(
        result, run("tagging", [ToyModel(unfair={"day": 1.0})], setting), setting.resampling
    ).sections
    for name in ("exact F1", "overlap F1", "token F1"):
        assert value(result, name) == pytest.approx(4 / 5)
    best = result.figure("exact F1").best
    assert best is not None
    assert (best.system, best.value, best.same) == ("authors' predictions", 0.396, True)
    assert {corpus for _, corpus in model.seen} == {"wikibias"}
    assert "It was an awful day." in {text for text, _ in model.seen}


@pytest.mark.parametrize("line", ["awful", "awful X-bias", " B-bias"])
def test_a_damaged_gold_file_is_named_with_its_line(setting: Setting, line: str) -> None:
    path = Path(str(setting.data)) / "wikibias" / "test_source_gold.conll"
    path.write_text(f"An O\n{line}\n", "utf-8")
    with pytest.raises(CorpusError, match="line 2: not a word and one of"):
        run("tagging", [ToyModel()], setting)
    path.unlink()
    with pytest.raises(CorpusMissing, match=r"test_source_gold\.conll: not there"):
        run("tagging", [ToyModel()], setting)


def test_calibration_leaves_out_what_was_learned_from(setting: Setting) -> None:
    both = run("calibration", [ToyModel()], setting)
    assert [section.title for section in both.sections] == ["babe/sg2 (20)", "wikibias (7)"]
    # 0.9 eleven times, ten of them biased; 0.2 nine times, none of them
    gap = (abs(11 * 0.9 - 10) + abs(9 * 0.2)) / 20
    assert value(both, "ECE", "babe/sg2 (20)") == pytest.approx(gap)
    result = run("calibration", [ToyModel(learned("babe/sg2"))], setting)
    assert [section.title for section in result.sections] == ["wikibias (7)"]
    assert "babe/sg2 is left out, because the model was trained on it" in result.notes
    assert set(both.pictures) == {"babe/sg2", "wikibias"}
    with pytest.raises(Leak):
        run(
            "calibration",
            [ToyModel(Lineage((*learned("babe/sg2").learned, *learned("wikibias", "test").learned)))],
            setting,
        )


def test_groups_are_measured_apart(setting: Setting) -> None:
    result = run("groups", [ToyModel()], setting)
    # the one false alarm stands at place 19: an outlet of the right, with five neutral sentences
    assert value(result, "left", "false alarms by leaning") == 0
    assert value(result, "right", "false alarms by leaning") == pytest.approx(1 / 5)
    assert value(result, "weather", "false alarms by topic") == pytest.approx(1 / 10)
    assert result.details["spread"]["false alarms by leaning"] == pytest.approx(1 / 5)


def test_several_runs_are_averaged(setting: Setting) -> None:
    one, other = ToyModel(), ToyModel(unfair={"day": 1.0})
    apart = [value(run("wikibias", [model], setting), "accuracy") for model in (one, other)]
    assert apart[0] is not None
    assert apart[1] is not None
    assert apart[0] != apart[1]
    together = run("wikibias", [one, other], setting)
    figure = together.figure("accuracy")
    assert figure.estimate.value == pytest.approx((apart[0] + apart[1]) / 2)
    # of two values, the standard error of the mean is half their distance
    assert figure.error == pytest.approx(abs(apart[0] - apart[1]) / 2)
    assert figure.items == 4
    assert figure.estimate.low is not None
    assert together.model == "toy and 1 more"
    assert "mean of 2 runs; the error is the standard error over runs" in together.notes


def test_tagging_is_also_scored_as_in_the_publication(setting: Setting) -> None:
    result = run("tagging", [ToyModel()], setting)
    assert result.sections[1].title.startswith("scored as in the publication: 2 biased sources")
    # the third span of the model stands in a source without gold spans, which is left out
    assert value(result, "exact F1, as published") == 1
    assert value(result, "partial F1, as published") == 1


def test_a_model_that_does_not_judge_it_is_reported(setting: Setting) -> None:
    model = ToyModel()
    model.answers = frozenset({"sentence"})  # type: ignore[misc]
    for task, what in (("tagging", "spans"), ("calibration", "probability"), ("dimensions", "dimension")):
        with pytest.raises(ConfigError, match=f"toy: predicts no {what}"):
            run(task, [model], setting)


def test_even_odds_move_the_threshold_and_nothing_without_probability() -> None:
    from unslant.core.example import Example

    example = Example("1", "text", "cad", "")
    said = [Prediction(False, 0.3), Prediction(False, 0.1), Prediction(True), Prediction(False)]
    assert at_even_odds([Answer(example, item) for item in said], 0.2) == [True, False, True, False]


def test_an_unknown_task_gets_the_nearest(setting: Setting) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'tagging'"):
        run("taging", [ToyModel()], setting)


def test_two_readers_of_the_same_sentences_bound_what_tagging_can_reach(tmp_path: Path) -> None:
    text = "The awful mayor spoke of a glorious plan."
    shared = {"kind": "framing", "technique": "loaded-label", "fix": None}
    spans = [
        {"start": 4, "end": 9, "grade": "must"} | shared,
        {"start": 27, "end": 35, "grade": "may"} | shared,
    ]
    sentences = [
        {"id": "a", "document": "d", "text": text, "spans": spans, "second": spans[:1]},
        {"id": "b", "document": "d", "text": "It rained.", "spans": [], "second": []},
        {"id": "c", "document": "d", "text": "Nobody read this twice.", "spans": []},
    ]
    row = {"source": "s", "genre": "news", "connected": True, "sentences": sentences}
    folder = tmp_path / "editor"
    folder.mkdir()
    for split in ("train", "dev", "test"):
        with gzip.open(folder / f"{split}.jsonl.gz", "wt") as file:
            file.write(json.dumps(row) + "\n" if split == "test" else "")
    result = readers(Setting(tmp_path, Resampling(20)))
    assert result.figure("exact F1").estimate.value == pytest.approx(2 / 3)
    assert result.figure("F1 of biased").estimate.value == 1
    assert result.figure("exact F1").items == 2
