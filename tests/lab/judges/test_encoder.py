"""A judge on the vectors of an encoder: it learns, it is kept, and it is refused with another encoder."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel, BertTokenizerFast

from unslant.core.example import Example
from unslant.lab.judges.encoder import EncoderJudge, SentenceEncoder, prepare_text, train_head
from unslant.lab.judges.fitting import JudgeSettings, TrainedJudge
from unslant.lab.judges.judge import JudgeError, judge_texts, open_judge
from unslant.lab.judges.training import Finetuning, finetune_encoder, judge_card

pytestmark = pytest.mark.torch

PLAIN = ["road", "river", "council", "monday", "plan", "school", "and", "by", "the"]
OWN = {"left": ["apples", "pears"], "right": ["nails", "bolts"]}
QUICK = JudgeSettings(penalties=(1e-4, 1e-2), folds=3)


def encoder(folder: Path, seed: int = 0) -> Path:
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *PLAIN, *OWN["left"], *OWN["right"]]
    BertTokenizerFast(vocab={word: at for at, word in enumerate(words)}).save_pretrained(folder)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=128,
        initializer_range=0.5,
    )
    BertModel(config).save_pretrained(folder)
    return folder


def news(count: int = 300) -> list[Example]:
    rng = random.Random(0)
    found = []
    for at in range(count):
        side = ("left", "right")[at % 2]
        words = [*rng.choices(PLAIN, k=5), *rng.choices(OWN[side], k=4)]
        rng.shuffle(words)
        outlet = f"{side} gazette {at % 12}"
        found.append(
            Example(id=str(at), text=" ".join(words), source="s", licence="l", outlet=outlet, leaning=side)
        )
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="module")
def trained(folder: Path) -> TrainedJudge[EncoderJudge]:
    return train_head(news(), SentenceEncoder(str(folder)), QUICK)


def test_it_learns_what_the_sides_say(trained: TrainedJudge[EncoderJudge]) -> None:
    left, right = trained.judge.judge(["apples and pears by the apples", "nails and bolts by the nails"])
    assert left is not None
    assert right is not None
    assert left < 0.3 < 0.7 < right
    assert (trained.texts, trained.outlets) == (300, 12)
    assert trained.losses[trained.penalty] == min(trained.losses.values()) < 0.5


def test_vectors_have_length_1_and_do_not_depend_on_neighbours(folder: Path) -> None:
    texts = ["road", "the river by the school and the council", "apples", "the plan"]
    reader = SentenceEncoder(str(folder))
    together = reader.vectors(texts)
    assert np.linalg.norm(together, axis=1) == pytest.approx(1, abs=1e-5)
    assert together == pytest.approx(np.concatenate([reader.vectors([text]) for text in texts]), abs=1e-5)


def test_a_text_without_a_word_is_not_judged(trained: TrainedJudge[EncoderJudge]) -> None:
    none, empty, some = trained.judge.judge(["...", "", "the road"])
    assert (none, empty) == (None, None)
    assert some is not None
    assert trained.judge.judge([]) == []


def test_an_article_is_read_as_a_generated_text_is(trained: TrainedJudge[EncoderJudge]) -> None:
    assert prepare_text("The road, says Fox News. " + "river " * 200) == prepare_text(
        "The road, says . " + "river " * 97
    )
    assert trained.judge.judge(["apples, says Fox News"]) == trained.judge.judge(["apples, says"])


def test_layers_that_an_encoder_does_not_store_do_not_count(folder: Path, tmp_path: Path) -> None:
    """Without its pooler, as many encoders are published: it is made up anew whenever the encoder is loaded."""
    BertTokenizerFast.from_pretrained(folder).save_pretrained(tmp_path / "encoder")
    BertModel.from_pretrained(folder, add_pooling_layer=False).save_pretrained(tmp_path / "encoder")
    trained = train_head(news(60), SentenceEncoder(str(tmp_path / "encoder")), QUICK)
    trained.judge.save(tmp_path / "judge", {})
    assert open_judge(str(tmp_path / "judge")).judge(["apples"]) == trained.judge.judge(["apples"])


def test_a_folder_comes_back_as_it_was(trained: TrainedJudge[EncoderJudge], tmp_path: Path) -> None:
    trained.judge.save(tmp_path, judge_card(trained, news()))
    found = open_judge(str(tmp_path))
    assert isinstance(found, EncoderJudge)
    texts = ["apples by the road", "the river", "bolts"]
    assert judge_texts(found, texts) == trained.judge.judge(texts)
    told = json.loads((tmp_path / "judge.json").read_text("utf-8"))
    assert "encoder" in told["card"]["model"]
    assert told["card"]["articles"] == {"left": 150, "right": 150}
    assert found.digest() == open_judge(str(tmp_path)).digest()


def test_another_encoder_is_refused(folder: Path, tmp_path: Path) -> None:
    here = encoder(tmp_path / "encoder", seed=1)
    train_head(news(60), SentenceEncoder(str(here)), QUICK).judge.save(tmp_path / "judge", {})
    open_judge(str(tmp_path / "judge"))
    (here / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes())
    with pytest.raises(JudgeError, match="not the one it was trained with"):
        open_judge(str(tmp_path / "judge"))


def test_damage_and_absence_are_reported(trained: TrainedJudge[EncoderJudge], tmp_path: Path) -> None:
    trained.judge.save(tmp_path, {})
    content = bytearray((tmp_path / "judge.safetensors").read_bytes())
    content[-1] ^= 1
    (tmp_path / "judge.safetensors").write_bytes(content)
    with pytest.raises(JudgeError, match="is damaged"):
        open_judge(str(tmp_path))
    with pytest.raises(JudgeError, match="no encoder could be loaded"):
        SentenceEncoder(str(tmp_path / "none"))


def test_one_side_alone_teaches_nothing(folder: Path) -> None:
    left = [new for new in news() if new.leaning == "left"]
    with pytest.raises(JudgeError, match="both sides"):
        train_head(left, SentenceEncoder(str(folder)), QUICK)


def test_a_tuned_encoder_is_kept_with_its_judge(folder: Path, tmp_path: Path) -> None:
    tuned = finetune_encoder(
        str(folder), news(120), tmp_path / "judge" / "encoder", None, Finetuning(1, 16, 1e-3)
    )
    before, after = (SentenceEncoder(str(path)) for path in (folder, tuned))
    assert before.digest != after.digest
    trained = train_head(news(120), after, QUICK)
    trained.judge.save(tmp_path / "judge", judge_card(trained, news(120), "random"))
    moved = (tmp_path / "judge").rename(tmp_path / "moved")
    read = open_judge(str(moved))
    assert isinstance(read, EncoderJudge)
    assert read.card["split"] == "random"
    left, right = read.judge(["apples and pears by the apples", "nails and bolts by the nails"])
    assert left is not None
    assert right is not None
    assert left < 0.5 < right


def test_an_encoder_can_be_tuned_on_some_of_the_articles(folder: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    tuning = Finetuning(2, 16, 1e-3, articles=32)
    finetune_encoder(
        str(folder), news(120), tmp_path / "e", lambda _, done, all_: seen.append((done, all_)), tuning
    )
    assert seen == [(done, 64) for done in (16, 32, 48, 64)], "two epochs of 32 articles"


def test_names_of_the_sides_say_nothing(trained: TrainedJudge[EncoderJudge]) -> None:
    one, other = trained.judge.judge(["the Democrats plan apples", "the Republicans plan apples"])
    assert one == other
