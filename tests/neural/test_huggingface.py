"""Models of the transformers library as analyzers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import unslant
from unslant.core.errors import ModelError
from unslant.core.types import Sentence
from unslant.neural.huggingface import HuggingFaceAnalyzer, parse_kind, parse_tag, positive_label
from unslant.neural.subwords import BEGIN, INSIDE, OUTSIDE
from unslant.registry import resolve
from unslant.spec import Spec
from unslant.testing import check_analyzer

pytestmark = pytest.mark.torch

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    ".",
    "the",
    "town",
    "was",
    "awful",
    "aw",
    "##ful",
    "long",
]


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Write a tiny random model, as a classifier or a tagger."""
    import torch
    from transformers import (
        BertConfig,
        BertForSequenceClassification,
        BertForTokenClassification,
        BertTokenizerFast,
    )

    def write(tagger: bool, labels: list[str], biases: list[float] | None = None) -> Path:
        folder = tmp_path_factory.mktemp("hf")
        BertTokenizerFast(vocab={word: at for at, word in enumerate(WORDS)}).save_pretrained(folder)
        config = BertConfig(
            vocab_size=len(WORDS),
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=32,
            id2label=dict(enumerate(labels)),
            label2id={label: at for at, label in enumerate(labels)},
        )
        torch.manual_seed(0)
        model: Any = (BertForTokenClassification if tagger else BertForSequenceClassification)(config)
        if biases:
            model.classifier.bias.data = torch.tensor(biases)
        model.save_pretrained(folder)
        return folder

    return write


def sentences(*texts: str) -> list[Sentence]:
    segmenter = resolve("segmenter", "nupunkt")(Spec())
    return [word for text in texts for word in segmenter.split(unslant.read(text, "markdown"))]


TEXTS = (
    "The town was awful.",
    "It was **long**  and the town was long. " * 12,
    "\ud800 e\u0301 \u0130.",
    "Awful",
)


def test_a_classifier_keeps_the_contract_and_gives_probabilities(make: Callable[..., Path]) -> None:
    analyzer = HuggingFaceAnalyzer(str(make(False, ["Non-biased", "Biased"], [0.0, 2.0])), Spec())
    check_analyzer(analyzer, sentences(*TEXTS))
    (analysis,) = analyzer.analyze(sentences("The town was awful."))
    assert analysis.probability is not None
    assert analysis.probability > 0.5
    assert analysis.findings == ()


def test_the_label_that_says_slanted_counts(make: Callable[..., Path]) -> None:
    swapped = HuggingFaceAnalyzer(str(make(False, ["Biased", "Non-biased"], [0.0, 2.0])), Spec())
    (analysis,) = swapped.analyze(sentences("The town was awful."))
    assert analysis.probability is not None
    assert analysis.probability < 0.5


def test_a_tagger_keeps_the_contract_and_marks_whole_words(make: Callable[..., Path]) -> None:
    folder = make(True, ["O", "B-EPISTEMOLOGICAL", "I-EPISTEMOLOGICAL"], [0.0, 9.0, 0.0])
    analyzer = HuggingFaceAnalyzer(str(folder), Spec())
    check_analyzer(analyzer, sentences(*TEXTS))
    (analysis,) = analyzer.analyze(sentences("the town was awful"))
    assert [finding.text for finding in analysis.findings] == ["the", "town", "was", "awful"]
    assert {finding.kind for finding in analysis.findings} == {"epistemological"}
    assert all((finding.probability or 0) > 0.9 for finding in analysis.findings)


def test_a_tagger_that_sees_nothing_marks_nothing(make: Callable[..., Path]) -> None:
    analyzer = HuggingFaceAnalyzer(str(make(True, ["O", "B", "I"], [9.0, 0.0, 0.0])), Spec())
    assert [item.findings for item in analyzer.analyze(sentences(*TEXTS))] == [()] * len(sentences(*TEXTS))


def test_it_is_named_in_the_settings(make: Callable[..., Path]) -> None:
    folder = make(False, ["neutral", "slanted"])
    report = unslant.check("A legendary town.", spec=Spec(analyzers=("rules", f"hf:{folder}")))
    assert report.sentences[0].probability is not None
    assert [finding.origin for finding in report.findings] == ["rules"]
    assert report.provenance[f"hf:{folder}"] == "local"


def test_a_folder_without_a_model_gets_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="name a hub model or a folder") as error:
        HuggingFaceAnalyzer(str(tmp_path), Spec())
    assert "\n" not in str(error.value)


def test_which_label_means_slanted() -> None:
    assert positive_label({0: "LABEL_0", 1: "LABEL_1"}, "m") == 1
    assert positive_label({0: "SUBJECTIVE", 1: "OBJECTIVE"}, "m") == 0
    assert positive_label({0: "Unbiased", 1: "Biased"}, "m") == 1
    assert positive_label({0: "score"}, "m") == 0
    with pytest.raises(ModelError, match="none of its labels"):
        positive_label({0: "left", 1: "center", 2: "right"}, "m")


def test_what_a_tag_says() -> None:
    assert [parse_tag(name) for name in ("O", "B-X", "B", "I-X", "biased", "LABEL_0")] == [
        OUTSIDE,
        BEGIN,
        BEGIN,
        INSIDE,
        INSIDE,
        OUTSIDE,
    ]
    assert parse_kind("B-DEMOGRAPHIC") == "demographic"
    assert parse_kind("B") == "framing"


def test_evaluate_measures_a_model_of_transformers(make: Callable[..., Path], tmp_path: Path) -> None:
    import json

    from click.testing import CliRunner

    from unslant.lab.cli.evaluate import evaluate

    table = tmp_path / "mine.csv"
    table.write_text('text,label,spans\nthe town was awful,1,"[[13, 18]]"\nthe town was long,0,[]\n')
    out = tmp_path / "result.json"
    common = ["own", str(table), "--resamples", "0", "--output-format", "json", "-o", str(out)]
    classifier = make(False, ["neutral", "biased"], [-4.0, 4.0])
    assert CliRunner().invoke(evaluate, [*common, "--model", f"hf:{classifier}"]).exit_code == 0
    result = json.loads(out.read_text())
    assert result["model"] == f"hf:{classifier}"
    (sentences, *_) = result["sections"]
    values = {figure["name"]: figure["value"] for figure in sentences["figures"]}
    assert (values["accuracy"], values["recall of slanted"]) == (0.5, 1.0)
    assert "training data is unknown" in " ".join(result["notes"])
    tagger = make(True, ["O", "B-bias", "I-bias"], [-4.0, 4.0, -4.0])
    assert CliRunner().invoke(evaluate, [*common, "--model", f"hf:{tagger}"]).exit_code == 0
    titles = [section["title"] for section in json.loads(out.read_text())["sections"]]
    assert titles == ["sentences", "spans"]
