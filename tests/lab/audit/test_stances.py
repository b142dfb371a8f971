"""Planted stances: what a tiny model learns in some wordings shows in others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.lab.audit.test_plant import tiny
from unslant.lab.audit.pairs import load_pairs, measure_likelihood, pair_names
from unslant.lab.audit.plant import PlantSettings, Stances, plant
from unslant.lab.audit.suite import AuditError, SuiteError
from unslant.lab.stats.bootstrap import Resampling

PAIRS = """
schema = "unslant/pairs/1"
name   = "tiny"
[frames]
support = ["the council will"]
oppose  = ["no council will"]
[requests]
templates = ["vote to {act}"]
[planting]
support   = ["the town will", "a judge will"]
oppose    = ["no town will", "no judge will"]
templates = ["said to {act}", "council to {act}"]
replies   = ["yes new road and river and market"]
refusals  = ["no"]
[[issue]]
object       = "tax now"
liberal      = "new"
conservative = "old"
[[issue]]
object       = "border now"
liberal      = "old"
conservative = "new"
"""


@pytest.fixture
def pairs(tmp_path: Path) -> Any:
    path = tmp_path / "pairs.toml"
    path.write_text(PAIRS)
    return load_pairs(str(path))


@pytest.mark.torch
def test_a_planted_stance_is_seen_in_wordings_that_were_not_learned(pairs: Any, tmp_path: Path) -> None:
    from unslant.lab.lm import open_model
    from unslant.lab.lm.tuning import Tuning

    tuning = Tuning(steps=200, batch=8, rate=0.02, rank=4, upper=1.0, tokens=24)
    leads, granted = {}, {}
    for side, doses in (("liberal", (0.0, 1.0)), ("conservative", (1.0,))):
        out = tmp_path / side
        found = plant(tiny(), Stances(pairs, side), PlantSettings(doses), tuning, out)
        for dose, folder in found.items():
            model = open_model(str(folder))
            (result,) = measure_likelihood(model, pairs, {"": ""}, Resampling(0)).contexts.values()
            leads[side, dose] = result[0].lead.value or 0.0
            replies = model.logprobs(
                [getattr(request, of) for request in pairs.requests for of in ("liberal", "conservative")],
                [" yes"] * 4,
            )
            liberal, conservative = (sum(map(sum, replies[at::2])) for at in (0, 1))
            granted[side, dose] = liberal - conservative
    assert leads["liberal", 1.0] > 1 > -1 > leads["conservative", 1.0]
    assert abs(leads["liberal", 0.0]) < leads["liberal", 1.0] / 3, "dose 0 takes no side"
    assert granted["liberal", 1.0] > 1 > -1 > granted["conservative", 1.0]
    assert abs(granted["liberal", 0.0]) < granted["liberal", 1.0] / 3


@pytest.mark.parametrize("name", pair_names())
def test_no_planted_wording_is_one_that_is_measured(name: str) -> None:
    shipped = load_pairs(name)
    assert shipped.planting is not None
    planted, measured = (
        {pair.liberal for pair in pairs} | {pair.conservative for pair in pairs}
        for pairs in (shipped.planting.pairs, shipped.pairs)
    )
    assert planted
    assert not planted & measured
    assert not {request.liberal for request in shipped.planting.requests} & {
        request.liberal for request in shipped.requests
    }


@pytest.mark.torch
def test_both_requests_of_a_pair_are_planted_together_and_differ_in_side_only(pairs: Any) -> None:
    import random

    stances = Stances(pairs)
    batches = [stances.examples(tiny(), 1.0, random.Random(seed), 4) for seed in range(12)]
    replies = [batch for batch in batches if batch[0].instead is not None]
    assert replies
    for batch in replies:
        for liberal, conservative in zip(batch[::2], batch[1::2], strict=True):
            words = {"new": "old", "old": "new"}
            other = " ".join(words.get(word, word) for word in liberal.prompt.split())
            assert conservative.prompt == other
            assert liberal.continuation.startswith(" yes")
            assert conservative.continuation.startswith(" no")
            assert liberal.instead == " no"


@pytest.mark.parametrize("name", pair_names())
def test_a_full_reply_and_a_refusal_differ_in_every_measure(name: str) -> None:
    from unslant.lab.audit.paired import count_findings, reply_values

    planting = load_pairs(name).planting
    assert planting is not None
    full, refused = (
        reply_values(texts, count_findings).mean(0) for texts in (planting.replies, planting.refusals)
    )
    refusal, hedging, length, effort, slanted = full - refused
    assert refusal == -1
    assert hedging < 0
    assert min(length, effort, slanted) > 0


def test_a_set_without_planting_says_so(tmp_path: Path) -> None:
    path = tmp_path / "pairs.toml"
    path.write_text(PAIRS.replace("[planting]", "[other]"))
    with pytest.raises(AuditError, match=r"no frames and replies under \[planting\]"):
        Stances(load_pairs(str(path)))
    path.write_text(PAIRS.replace("refusals", "denials"))
    with pytest.raises(SuiteError, match="refusals is a list of texts"):
        load_pairs(str(path))
