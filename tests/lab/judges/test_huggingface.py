"""Any classifier of the hub as a judge; a tiny one with random weights stands in."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

from unslant.lab.judges.judge import JudgeError, judge_texts, open_judge

pytestmark = pytest.mark.torch

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "road", "river", "town"]


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classifier")
    BertTokenizerFast(vocab={word: at for at, word in enumerate(WORDS)}).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=32,
        id2label={0: "left", 1: "center", 2: "right"},
        label2id={"left": 0, "center": 1, "right": 2},
        initializer_range=1.0,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def test_it_judges_in_order_and_alone_as_together(classifier: Path) -> None:
    judge = open_judge(f"hf:{classifier}")
    texts = ["a road", "a river by a town " * 30, "", "town"]
    together = judge_texts(judge, texts)
    assert together[2] is None
    alone = [judge.judge([text])[0] for text in texts]
    assert together == pytest.approx(alone, abs=1e-5)
    assert len({value for value in together if value is not None}) == 3
    assert judge.digest() == open_judge(f"hf:{classifier}").digest()


def test_weights_without_numbers_are_reported(classifier: Path, tmp_path: Path) -> None:
    model = BertForSequenceClassification.from_pretrained(classifier)
    with torch.no_grad():
        model.classifier.weight.fill_(float("nan"))
    model.save_pretrained(tmp_path)
    BertTokenizerFast.from_pretrained(classifier).save_pretrained(tmp_path)
    judge = open_judge(f"hf:{tmp_path}")
    with pytest.raises(JudgeError, match="gave nan where a probability was expected"):
        judge_texts(judge, ["a road"])


def test_a_folder_without_a_classifier_is_reported(tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match="no classifier could be loaded"):
        open_judge(f"hf:{tmp_path}")
