"""Pairs out of files and corpora, and the words they are made of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.errors import ConfigError, InputError, UnknownName
from unslant.lab.detector.recipe import Part
from unslant.lab.papers.wikibias.words import UNKNOWN, Vocabulary, detokenize, tokenize
from unslant.lab.rewriters.pairs import Pair, PairData
from unslant.lab.rewriters.recipe import RewriterRecipe, read_rewriter, rewriter_names

pytestmark = pytest.mark.torch

RECIPE = RewriterRecipe("toy", "lstm")


def data(folder: Path | None = None) -> PairData:
    return PairData(RECIPE.as_stages(), folder)


def test_pairs_of_a_harvest_and_of_labelled_examples_are_the_same(tmp_path: Path) -> None:
    harvested = tmp_path / "pairs.jsonl"
    row = {
        "id": "7",
        "source": "The  awful hall.",
        "target": "The hall.",
        "split": "train",
        "licence": "CC BY-SA",
    }
    harvested.write_text(json.dumps(row) + "\n")
    labelled = tmp_path / "weak.jsonl"
    sides = [("source", "The awful hall.", 1), ("target", "The hall.", 0)]
    labelled.write_text(
        "".join(
            json.dumps(
                {"id": f"7:{side}", "text": text, "label": label, "pair": "7", "side": side, "split": "train"}
            )
            + "\n"
            for side, text, label in sides
        )
    )
    reader = data()
    for path in (harvested, labelled):
        assert reader.pairs([Part(str(path))], training=True) == [Pair("The awful hall.", "The hall.")]
    assert reader.used[str(harvested)].licence == "CC BY-SA"


def test_pairs_of_a_parquet_file_are_read(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "pairs.parquet"
    rows = [{"id": "1", "source": "An awful day.", "target": "A day.", "split": "train"}]
    pq.write_table(pa.Table.from_pylist(rows), path)
    assert data().pairs([Part(str(path), weight=0.5)], training=True) == [
        Pair("An awful day.", "A day.", 0.5)
    ]


def test_rows_without_a_side_are_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    rows = [{"source": "One awful.", "target": " "}, {"source": "Two awful.", "target": "Two."}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert data().pairs([Part(str(path), splits=())], training=True) == [Pair("Two awful.", "Two.")]


def test_a_missing_file_is_reported_in_one_sentence() -> None:
    with pytest.raises(InputError, match=r"gone\.jsonl: no such file; check the path"):
        data().pairs([Part("gone.jsonl")], training=True)


@pytest.mark.shared
def test_the_pairs_at_hand_hold_nothing_of_the_test_part(shared_data: Path) -> None:
    from unslant.lab import corpora

    recipe = read_rewriter("copynet")
    pairs = PairData(recipe.as_stages(), shared_data).pairs(recipe.corpora, training=True)
    held = {
        " ".join(example.text.lower().split())
        for example in corpora.load("wikibias", shared_data)
        if example.split in ("dev", "test")
    }
    assert len(pairs) > 4000
    assert not held & {text.lower() for pair in pairs for text in (pair.source, pair.target)}


def test_every_recipe_of_the_package_can_be_read_and_keeps_the_test_text_out() -> None:
    wanted = {"bart", "copy", "copynet", "lstm", "modular", "t5", "transformer", "wordings"}
    assert set(rewriter_names()) == wanted
    for name in wanted - {"copy", "wordings"}:
        recipe = read_rewriter(name)
        assert recipe.guard == ("wikibias",)
        assert all("test" not in part.splits for part in recipe.corpora if part.name == "wikibias")


def test_a_recipe_that_makes_no_sense_is_reported_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    for line, message in {
        'system = "lstm"\njoin = true': "join needs the system modular",
        'system = "transformer"\nfollow = true': "follow needs the system lstm or modular",
        'system = "pretrained"': "needs a base",
        'system = "rnn"': "system must be one of",
        'system = "lstm"\nwidht = 3': "did you mean 'width'",
        'system = "lstm"\n[[phases]]\nname = "detect"': "the phase detect needs the system modular",
        'system = "lstm"\n[[phases]]\noptimizer = "adagrad"': "optimizer must be adam or sgd",
    }.items():
        path.write_text(f'about = "x"\n{line}\n')
        with pytest.raises(ConfigError, match=message):
            read_rewriter(str(path))
    path.write_text("about = ")
    with pytest.raises(ConfigError, match="not valid TOML"):
        read_rewriter(str(path))
    with pytest.raises(UnknownName, match="Did you mean 'copynet'"):
        read_rewriter("copynte")


@given(st.text(max_size=60))
@settings(max_examples=100)
def test_cutting_loses_nothing_but_white_space(text: str) -> None:
    assert detokenize(tokenize(text)) == " ".join(text.split())


def test_unknown_words_have_a_number_in_their_sentence() -> None:
    vocabulary = Vocabulary.build(["the hall", "the road"], 10)
    words = tokenize("the Xanadu road Xanadu")
    assert vocabulary.oov_words(words) == [" Xanadu"]
    known, own = vocabulary.ids(words), vocabulary.ids(words, [" Xanadu"])
    assert known[1] == known[3] == UNKNOWN
    assert own[1] == own[3] == len(vocabulary)
    assert detokenize(vocabulary.word(word_id, [" Xanadu"]) for word_id in own) == "the Xanadu road Xanadu"


def test_the_vocabulary_keeps_the_commonest() -> None:
    texts = ["a b", "a b", "a c"]
    assert Vocabulary.build(texts, 2).words == ("a", " b")
    assert Vocabulary.build(texts, 9, rare=1).words == ("a", " b")
