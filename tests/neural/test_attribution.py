"""Which words the model goes by."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unslant.core.errors import ModelError
from unslant.neural.analyzer import ModelAnalyzer
from unslant.neural.attribution import attribution, attributions
from unslant.spec import Spec


def test_the_slanted_word_weighs_most(analyzer: ModelAnalyzer) -> None:
    found = attribution(analyzer, "the town was awful on monday")
    weights = {found.text[word.span.start : word.span.end]: word.change for word in found.words}
    assert list(weights) == ["the", "town", "was", "awful", "on", "monday"]
    assert max(weights, key=weights.__getitem__) == "awful"
    assert weights["awful"] > 0.5
    assert [found.text[span.start : span.end] for span in found.marked] == ["awful"]


def test_a_weight_is_what_the_probability_loses_without_the_word(analyzer: ModelAnalyzer) -> None:
    found = attribution(analyzer, "the town was awful")
    without = attribution(analyzer, "the town was ")
    assert found.words[3].change == pytest.approx(found.probability - without.probability)


def test_every_sentence_is_explained_by_itself(tiny: Path) -> None:
    found = attributions("The town was awful. It was a so-called road.\n", Spec(model=str(tiny)))
    assert [item.text for item in found] == ["The town was awful.", "It was a so-called road."]
    assert len(found[1].words) == 5
    assert found[0].answers is not None
    assert found[0].answers["kinds"].startswith("framing (")
    assert found[0].answers["dimension"] == "unclear"  # nothing taught it one


def test_nothing_to_explain(tiny: Path) -> None:
    assert attributions("  \n", Spec(model=str(tiny))) == []


def test_a_model_without_a_judgement_of_sentences_says_so(copy: Path) -> None:
    about = json.loads((copy / "model.json").read_text())
    about["heads"] = {"spans": about["heads"]["spans"]}
    (copy / "model.json").write_text(json.dumps(about))
    with pytest.raises(ModelError, match="does not judge whole sentences"):
        attributions("The town was awful.", Spec(model=str(copy)))
