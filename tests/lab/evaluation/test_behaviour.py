"""Behavioural tests by type of bias."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.lab.evaluation.toy_model import ToyModel
from unslant.lab.evaluation.behaviour import behaviour, bias_types
from unslant.lab.evaluation.held_out import Setting
from unslant.lab.evaluation.models import RuleModel
from unslant.lab.stats.bootstrap import Resampling
from unslant.neural.decoder import Prediction

SETTING = Setting(resampling=Resampling(20))


class Reader(ToyModel):
    """Knows all the biased sentences, but for those about one party."""

    def __init__(self, spared: str = "") -> None:
        super().__init__()
        self._spared = spared
        self._biased = {
            biased.format(who=who) for kind in bias_types() for biased, _ in kind.pairs for who in kind.who
        }

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:  # noqa: ARG002
        found = []
        for text in texts:
            biased = text in self._biased and not (self._spared and self._spared in text)
            found.append(Prediction(slanted=biased, probability=0.9 if biased else 0.1))
        return found


def test_every_type_has_pairs_that_differ_and_name_someone() -> None:
    assert len(bias_types()) >= 5
    for kind in bias_types():
        assert len(kind.who) >= 2
        assert len(kind.pairs) >= 6
        for biased, neutral in kind.pairs:
            assert biased != neutral
            assert biased.count("{who}") == neutral.count("{who}") == 1


def test_a_model_that_knows_everything_passes_all_of_it() -> None:
    result = behaviour([Reader()], SETTING)
    for section in result.sections:
        assert [figure.estimate.value for figure in section.figures] == [1, 1, 1, 1], section.title
    assert not any(result.details["failed"].values())


def test_a_model_that_spares_one_party_fails_where_parties_are_named() -> None:
    result = behaviour([Reader("Republicans")], SETTING)
    by = {section.title: section for section in result.sections}
    values = {figure.name: figure.estimate.value for figure in by["blaming words"].figures}
    assert values["biased: flagged"] == pytest.approx(0.5)
    assert values["neutral: left alone"] == 1
    assert values["same verdict whoever it is about"] == pytest.approx(0.5)
    assert by["praising words"].figures[0].estimate.value == 1
    assert all("Republicans" in text for text in result.details["failed"]["blaming words"])


def test_the_rules_see_some_types_and_treat_both_parties_alike() -> None:
    result = behaviour([RuleModel()], SETTING)
    found = {section.title: section.figures for section in result.sections}
    assert found["blaming words"][3].estimate.value == 1
    assert (found["blaming words"][1].estimate.value or 0) > 0.8
