"""What a model learned from decides where it may be measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from unslant.core.errors import ConfigError
from unslant.lab.corpora.seen import text_digest, write_seen
from unslant.lab.evaluation.held_out import EVERYTHING, Fold, Leak, Lineage, Setting, read_lineage
from unslant.lab.evaluation.tasks import run
from unslant.lab.stats.bootstrap import Resampling

from .toy_model import ToyModel, write_babe


def part(name: str, *splits: str) -> dict[str, Any]:
    return {"name": name, "splits": list(splits or ("train",))}


def write_run(folder: Path, *parts: dict[str, Any], **more: Any) -> Path:
    """A run folder with a card and an (empty) model, as far as the lineage asks."""
    stage = {
        "name": "only",
        "corpora": list(parts),
        "dev": more.pop("dev", []),
        "distill": more.pop("distill", None),
    }
    chain = {"before": [card_of(item) for item in more.pop("before", ())], "unknown": more.pop("unknown", [])}
    recipe = {"encoder": "some/encoder", "stages": [stage], "folds": None, "guard": []} | more
    (folder / "model").mkdir(parents=True)
    (folder / "model" / "network.json").write_text("{}")
    (folder / "card.json").write_text(json.dumps({"recipe": recipe, **chain}))
    return folder


def card_of(folder: Path) -> Any:
    return json.loads((folder / "card.json").read_text())


def folds(fold: int | None, corpus: str = "babe/sg2") -> dict[str, Any]:
    return {"corpus": corpus, "count": 5, "fold": fold, "dev": 0.1}


def test_a_published_split_that_was_not_learned_from_may_be_measured_on(tmp_path: Path) -> None:
    lineage = read_lineage(
        write_run(tmp_path / "run", part("wikibias"), dev=[part("wikibias", "dev")]) / "model"
    )
    lineage.check("run", "wikibias")
    assert not lineage.allows("wikibias", EVERYTHING)
    assert lineage.allows("cad", EVERYTHING)


@pytest.mark.parametrize("where", ["corpora", "dev", "distill"])
def test_whatever_had_a_hand_in_it_counts(tmp_path: Path, where: str) -> None:
    seen = part("wikibias", "test")
    run = {
        "corpora": lambda: write_run(tmp_path / "run", seen),
        "dev": lambda: write_run(tmp_path / "run", part("cad"), dev=[seen]),
        "distill": lambda: write_run(tmp_path / "run", distill={"teachers": [], "corpora": [seen]}),
    }[where]()
    with pytest.raises(Leak, match=r"run: its card says .* the test part of wikibias"):
        read_lineage(run).check("run", "wikibias")


def test_all_splits_includes_the_test_split(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {"name": "wikibias", "splits": []})
    assert not read_lineage(run).allows("wikibias")


def test_a_fold_may_be_measured_on_its_own_part_only(tmp_path: Path) -> None:
    lineage = read_lineage(write_run(tmp_path / "run", part("babe/sg2"), folds=folds(3)))
    own = Fold("babe/sg2", 5, 3)
    assert lineage.fold_of("babe/sg2") == own
    lineage.check("run", "babe/sg2", own)
    with pytest.raises(Leak, match="fold 2 of babe/sg2"):
        lineage.check("run", "babe/sg2", Fold("babe/sg2", 5, 2))
    assert not lineage.allows("babe/sg2", Fold("babe/sg2", 10, 3))
    assert not lineage.allows("babe/sg2", EVERYTHING)


def test_without_a_fold_everything_was_learned_from(tmp_path: Path) -> None:
    lineage = read_lineage(write_run(tmp_path / "run", part("babe/sg2"), folds=folds(None)))
    assert lineage.fold_of("babe/sg2") is None
    assert not lineage.allows("babe/sg2", EVERYTHING)


def test_a_variant_shares_its_sentences_unless_it_was_guarded(tmp_path: Path) -> None:
    open_ = read_lineage(write_run(tmp_path / "open", part("babe/mbic")))
    guarded = read_lineage(write_run(tmp_path / "guarded", part("babe/mbic"), guard=["babe/sg2"]))
    assert not open_.allows("babe/sg2", EVERYTHING)
    assert guarded.allows("babe/sg2", EVERYTHING)


def test_encoder_and_teachers_are_followed(tmp_path: Path) -> None:
    first = write_run(tmp_path / "first", part("babe/sg2"), folds=folds(None))
    second = write_run(tmp_path / "second", part("cad"), before=[first])
    assert not read_lineage(second).allows("babe/sg2", EVERYTHING)
    assert read_lineage(second).fold_of("babe/sg2") is None
    third = write_run(tmp_path / "third", part("stereoset"), before=[second])
    assert not read_lineage(third).allows("babe/sg2", EVERYTHING)
    teachers = [
        write_run(tmp_path / f"teacher-{fold}", part("babe/sg2"), folds=folds(fold)) for fold in (0, 1)
    ]
    student = write_run(tmp_path / "student", part("babe/sg2"), folds=folds(1), before=[teachers[1]])
    read_lineage(student).check("student", "babe/sg2", Fold("babe/sg2", 5, 1))
    other = write_run(tmp_path / "other", part("babe/sg2"), folds=folds(1), before=[teachers[0]])
    assert not read_lineage(other).allows("babe/sg2", Fold("babe/sg2", 5, 1))


def test_what_is_not_known_is_reported(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", part("cad"), unknown=["gone"])
    notes = read_lineage(run).notes("wikibias")
    assert notes == [
        "the card of gone is missing, so its training data is unknown",
        "not searched for copies of wikibias when it was trained on: cad",
    ]
    assert read_lineage(tmp_path / "nothing" / "model").unknown == (str(tmp_path / "nothing" / "model"),)
    assert Lineage().notes("wikibias") == []


@pytest.mark.parametrize("text", ["", "[]", '{"recipe": 1}', '{"recipe": {"stages": 1}}', "{}"])
def test_a_card_that_cannot_be_read_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "card.json").write_text(text)
    with pytest.raises(ConfigError, match=r"card\.json: cannot be read as the card of a run"):
        read_lineage(tmp_path)


def toy_corpus(root: Path, sentences: int = 40) -> list[str]:
    texts = [
        f"The {'awful' if at % 2 else 'plain'} council number {at} met in hall {at}."
        for at in range(sentences)
    ]
    labels = ["Biased" if at % 2 else "Non-biased" for at in range(sentences)]
    write_babe(root, list(zip(texts, labels, strict=True)))
    write_babe(root, [("An awful plan.", "Biased"), ("A plan.", "Non-biased")] * 10, "SG1")
    return texts


def test_texts_of_the_training_file_are_left_out_and_counted(tmp_path: Path) -> None:
    """The card names the user's own file, not the corpus whose sentences are in it."""
    texts = toy_corpus(tmp_path)
    seen = frozenset(text_digest(text.upper()) for text in texts[:8])
    model = ToyModel(Lineage(seen=seen))
    result = run("babe", [model], Setting(tmp_path, Resampling(0, 0)))
    assert "left out: 8 texts of babe/sg2 that the model has learned from" in result.notes
    assert not {text for text, _ in model.seen} & set(texts[:8])


def test_a_model_that_has_learned_from_most_of_a_corpus_is_refused(tmp_path: Path) -> None:
    texts = toy_corpus(tmp_path)
    model = ToyModel(Lineage(seen=frozenset(map(text_digest, texts))))
    with pytest.raises(Leak, match=r"it has learned from \d+ of these \d+ texts of babe/sg2"):
        run("babe", [model], Setting(tmp_path, Resampling(0, 0)))


def test_the_digests_of_a_run_are_found_from_its_model_and_package(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", part("mine.csv"))
    write_seen(folder, ["A text."])
    for place in (folder, folder / "model", folder / "package" / "int8"):
        assert read_lineage(place).has_seen("a TEXT")
    (folder / "seen.txt.gz").write_bytes(b"damaged")
    with pytest.raises(ConfigError, match="what the model learned from is not known"):
        read_lineage(folder)


def test_a_model_that_learned_from_a_file_is_refused_where_its_texts_are_not_known(tmp_path: Path) -> None:
    """As for a package that was copied out of the folder of its run."""
    toy_corpus(tmp_path)
    folder = write_run(tmp_path / "run", part("data/mine.csv"))
    model = ToyModel(read_lineage(folder))
    with pytest.raises(Leak, match=r"toy: it learned from mine\.csv, and seen\.txt\.gz, .* is missing"):
        run("babe", [model], Setting(tmp_path, Resampling(0, 0)))
    assert not model.seen
    write_seen(folder, ["Another text."])
    run("babe", [ToyModel(read_lineage(folder))], Setting(tmp_path, Resampling(0, 0)))


def test_a_sentence_of_a_longer_training_text_is_found(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", part("mine.csv"))
    write_seen(
        folder, ["It rained. The council voted for the new bridge on Monday. Nobody said why that was."]
    )
    lineage = read_lineage(folder)
    assert lineage.has_seen("The council voted for the new bridge, on Monday!")
    assert lineage.has_seen("They met. The council voted for the new bridge on Monday.")
    assert not lineage.has_seen("It rained.")
    assert not lineage.has_seen("The council voted against the new bridge on Monday.")


def test_two_models_are_compared_on_texts_that_neither_has_learned_from(tmp_path: Path) -> None:
    texts = toy_corpus(tmp_path)
    first = ToyModel(Lineage(seen=frozenset(map(text_digest, texts[:4]))))
    other = ToyModel(Lineage(seen=frozenset(map(text_digest, texts[4:8]))))
    results = [
        run("babe", [model], Setting(tmp_path, Resampling(0, 0), compared=(against.lineage,)))
        for model, against in ((first, other), (other, first))
    ]
    assert first.seen == other.seen
    assert not {text for text, _ in first.seen} & set(texts[:8])
    for result in results:
        assert "left out: 8 texts of babe/sg2 that one of the models has learned from" in result.notes
