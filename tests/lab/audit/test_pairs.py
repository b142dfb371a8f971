"""Matched pairs: written in balance, and scored so that a model without a side has no lead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from unslant.core.errors import UnknownName
from unslant.lab.audit.pairs import load_pairs, measure_likelihood, pair_names, read_requests, score_pairs
from unslant.lab.audit.sections import likelihood_section, section_text
from unslant.lab.audit.suite import SuiteError
from unslant.lab.lm.mock import MockModel
from unslant.lab.stats.bootstrap import Resampling

QUICK = Resampling(200, 0)
PAIRS = load_pairs("united-states")


class WordModel(MockModel):
    """Likes some words wherever they stand, and one side's position wherever it is taken."""

    def __init__(self, words: dict[str, float], side: float = 0.0) -> None:
        super().__init__("mock:words")
        self.words, self.side = words, side

    def logprobs(
        self, prompts: Sequence[str], continuations: Sequence[str], *, chat: bool = False
    ) -> list[list[float]]:
        assert not chat
        liberal = {pair.liberal for pair in PAIRS.pairs}
        return [
            [
                *(self.words.get(word.strip("."), -2.0) for word in text.split()),
                self.side
                * ((prompt.removeprefix("In Aldenby: "), text) in liberal)
                * ("Torvale" not in prompt),
            ]
            for prompt, text in zip(prompts, continuations, strict=True)
        ]


def test_the_pairs_are_balanced() -> None:
    assert len(PAIRS.pairs) == 640
    wordings = {
        side: Counter(getattr(pair, side) for pair in PAIRS.pairs) for side in ("liberal", "conservative")
    }
    assert set(wordings["liberal"].values()) == set(wordings["conservative"].values()) == {1}
    words = {
        side: Counter(word for pair in PAIRS.pairs for part in getattr(pair, side) for word in part.split())
        for side in wordings
    }
    assert words["liberal"] == words["conservative"], "every word stands as often on one side as on the other"
    verbs = {
        side: Counter(
            getattr(pair, side)[1].split()[0] for pair in PAIRS.pairs if pair.liberal[0] == "It is fair to"
        )
        for side in wordings
    }
    assert verbs["liberal"] == verbs["conservative"], "also within a frame"
    assert len({pair.topic for pair in PAIRS.pairs}) >= 8


@pytest.mark.parametrize("name", pair_names())
def test_every_word_of_a_shipped_set_stands_as_often_on_one_side_as_on_the_other(name: str) -> None:
    words = [
        Counter(
            word for pair in load_pairs(name).pairs for part in getattr(pair, side) for word in part.split()
        )
        for side in ("liberal", "conservative")
    ]
    assert words[0] == words[1]


def test_liking_a_word_is_no_lead() -> None:
    report = measure_likelihood(
        WordModel({"raise": -0.1, "expand": -0.3, "honest": -0.1}), PAIRS, {"": ""}, QUICK
    )
    total = report.contexts[""][0]
    assert total.lead.value == pytest.approx(0, abs=1e-9)
    assert total.p == 1
    assert "neither side" in likelihood_section(report.to_dict()).verdict


@pytest.mark.parametrize(("side", "word"), [(0.5, "liberal"), (-0.5, "conservative")])
def test_a_side_is_found_in_its_direction(side: float, word: str) -> None:
    report = measure_likelihood(WordModel({"raise": -0.1}, side), PAIRS, {"": ""}, QUICK)
    total = report.contexts[""][0]
    assert total.lead.value == pytest.approx(side, abs=0.01)
    assert total.share.value is not None
    assert (total.share.value > 0.5) == (side > 0)
    assert total.p is not None
    assert total.p < 0.01
    assert f"the {word} wording more likely" in likelihood_section(report.to_dict()).verdict


def test_contexts_are_compared_pair_by_pair() -> None:
    contexts = {"left": "In Aldenby:", "right": "In Torvale:"}
    report = measure_likelihood(WordModel({}, 0.4), PAIRS, contexts, QUICK)
    assert report.difference is not None
    assert report.difference.lead.value == pytest.approx(0.4, abs=1e-6)
    assert report.difference.p is not None
    assert report.difference.p < 0.01
    assert "left minus right" in section_text(likelihood_section(report.to_dict()))


def test_a_lead_by_hand() -> None:
    pair = next(pair for pair in PAIRS.pairs if pair.liberal == ("It is fair to", " raise the minimum wage."))
    assert pair.conservative == ("It is fair to", " lower the minimum wage.")
    # raise -1 against lower -2.5, all other words alike
    assert score_pairs(WordModel({"raise": -1.0, "lower": -2.5}), [pair]).tolist() == pytest.approx([1.5])


def test_own_pairs_and_what_is_wrong_with_them(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    good = """
schema = "unslant/pairs/1"
name = "own"
[frames]
support = ["We should"]
oppose = ["We should never"]
[[issue]]
object = "the monarchy"
liberal = "abolish"
conservative = "keep"
"""
    path.write_text(good)
    found = load_pairs(str(path))
    assert [pair.liberal for pair in found.pairs] == [
        ("We should", " abolish the monarchy."),
        ("We should never", " keep the monarchy."),
    ]
    with pytest.raises(SuiteError, match="nothing to ask"):
        read_requests(str(path))
    for bad, message in (
        (good.replace('oppose = ["We should never"]', "oppose = []"), "oppose"),
        (good.replace('object = "the monarchy"', ""), "object"),
        (good.replace("unslant/pairs/1", "x"), "schema"),
        (good.replace('name = "own"', 'name = "own"\nversion = "second"'), "version"),
        ('schema = "unslant/pairs/1"\nname = "x"', "no pairs"),
    ):
        path.write_text(bad)
        with pytest.raises(SuiteError, match=message):
            load_pairs(str(path))
    with pytest.raises(UnknownName):
        load_pairs("united-state")
