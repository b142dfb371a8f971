"""The models that are measured, and which of their heads answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pytest

import unslant
from unslant.core.types import Document
from unslant.lab import corpora
from unslant.lab.evaluation.models import PackageModel, open_models, select_corpus_heads
from unslant.neural.checkpoint import HeadSpec, shipped_model
from unslant.neural.decoder import GatedSpanHead
from unslant.registry import resolve
from unslant.spec import Spec

MODEL = Spec(analyzers=("model",), quotations=True)
SEGMENTER = resolve("segmenter", MODEL.segmenter)(MODEL)


def _sentences(text: str) -> list[str]:
    return [sentence.text for sentence in SEGMENTER.split(Document(text, text))]


def _checked(texts: Sequence[str]) -> Iterator[list[tuple[int, int, str]]]:
    for text in texts:
        findings = unslant.check(text, spec=MODEL).findings
        yield [(finding.span.start, finding.span.end, finding.kind) for finding in findings]


def _evaluated(texts: Sequence[str]) -> Iterator[list[tuple[int, int, str | None]]]:
    (model,) = open_models("default")
    for prediction in model.predict(texts):
        yield [(span.span.start, span.span.end, span.kind) for span in prediction.spans]


def test_evaluate_and_check_find_the_same_spans_in_the_sample_text() -> None:
    folder = Path(unslant.__file__).parent / "samples"
    texts = [
        sentence
        for path in sorted(folder.iterdir())
        for sentence in _sentences(path.read_text("utf-8"))
        if "\n" not in sentence
    ]
    found = list(_evaluated(texts))
    assert any(found)
    assert found == list(_checked(texts))


@pytest.mark.shared
@pytest.mark.parametrize("corpus", ["wikibias", "babe/sg2"])
def test_evaluate_and_check_find_the_same_spans(corpus: str, shared_data: Path) -> None:
    texts = (example.text for example in corpora.load(corpus, shared_data))
    # a text of several sentences is checked sentence by sentence, and measured as a whole
    chosen = list(islice((text for text in texts if _sentences(text) == [text]), 300))
    assert len(chosen) == 300
    found = list(_evaluated(chosen))
    assert sum(map(len, found)) > 50
    assert found == list(_checked(chosen))


def test_the_name_says_which_heads_answer() -> None:
    folder = shipped_model()
    assert folder is not None
    assert PackageModel(folder).name == "weights"
    assert PackageModel(folder, "corpus").name == "weights, corpus heads"


def head(type_: str) -> HeadSpec:
    return HeadSpec(type_, type_, "text", (), True)


def test_the_head_that_learned_from_a_corpus_answers_for_it() -> None:
    specs = {"sentence": head("sentence"), "revision": head("sentence"), "any": head("sentence")}
    learned = {"sentence": ("babe/sg2", "anno_lexical"), "revision": ("wikibias", "wnc/clean")}
    asked = {
        name: select_corpus_heads(specs, learned, name).sentence
        for name in ("babe/sg2", "babe/sg1", "wikibias", "wnc", "cad", "")
    }
    assert asked == {
        "babe/sg2": "sentence",
        "babe/sg1": "sentence",
        "wikibias": "revision",
        "wnc": "revision",
        "cad": "any",
        "": "any",
    }
    del specs["any"]
    assert select_corpus_heads(specs, learned, "cad").sentence == "sentence"


def test_the_span_head_for_a_corpus_keeps_its_gate() -> None:
    specs = {
        "sentence": head("sentence"),
        "words": head("spans"),
        "revision": head("sentence"),
        "spans": head("spans"),
    }
    chosen = select_corpus_heads(specs, {"words": ("babe/sg2",), "spans": ("wikibias",)}, "wikibias")
    assert chosen.span_heads == (GatedSpanHead("spans", "revision"),)
    assert chosen.label == "corpus: wikibias"


def test_corpus_heads_answer_otherwise_than_the_product() -> None:
    text = "The village is home to one of the most beautiful and famous churches in the world."
    (product,), (corpus,) = open_models("default"), open_models("default", "corpus")
    assert product.predict([text], "wikibias")[0].probability == product.predict([text])[0].probability
    assert corpus.predict([text], "wikibias")[0].probability != product.predict([text])[0].probability
