"""Learning how likely editors accept findings."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import pytest

from unslant.acceptance import FEATURES, FILE, Acceptance, Bound
from unslant.core.errors import ConfigError
from unslant.lab.detector.acceptance import Candidate, fit, install
from unslant.neural.checkpoint import load_package

TINY = Path(__file__).parents[2] / "neural" / "tiny_model"


def _candidate(accepted: bool, **values: float) -> Candidate:
    return Candidate(tuple(values.get(name, 0.0) for name in FEATURES), accepted)


def test_without_other_inputs_the_bias_is_the_log_odds_of_the_share() -> None:
    candidates = [_candidate(number < 30, bias=1.0) for number in range(40)]
    found = fit(candidates, penalty=1e-9)
    assert found["bias"] == pytest.approx(math.log(3), abs=1e-4)


def test_what_tells_findings_apart_gets_the_right_sign() -> None:
    candidates = [
        _candidate(accepted, bias=1.0, span_max=strength, docs=float(docs))
        for accepted, strength, docs in [
            *[(True, 2.0, False)] * 20,
            *[(False, 2.0, True)] * 10,
            *[(False, -2.0, False)] * 20,
            *[(True, -2.0, False)] * 5,
        ]
    ]
    found = fit(candidates)
    assert found["span_max"] > 0
    assert found["docs"] < 0


@pytest.mark.parametrize("accepted", [True, False])
def test_one_answer_alone_teaches_nothing(accepted: bool) -> None:
    with pytest.raises(ConfigError, match="needs findings that editors accept and findings that they do not"):
        fit([_candidate(accepted, bias=1.0)] * 3)


def test_a_model_with_a_regression_is_still_whole(tmp_path: Path) -> None:
    package = tmp_path / "package"
    shutil.copytree(TINY, package)
    acceptance = Acceptance({"bias": 0.25}, bounds=(Bound(0.55, 0.8, 0.7, 3.5),))
    install(acceptance, package)
    loaded = load_package(package)
    loaded.verify()
    assert Acceptance.parse(loaded.read(FILE)) == acceptance
    assert json.loads((package / "model.json").read_text())["files"][FILE]
    assert not list(package.glob("*.tmp"))


def test_no_network_learns_from_what_is_kept_for_calibration() -> None:
    from unslant.core.example import Example
    from unslant.lab.corpora.editor import CALIBRATION, part_of

    examples = [Example("1", "Text.", "editor", "", "train", document=str(number)) for number in range(1200)]
    kept = [example for example in examples if part_of(example) == CALIBRATION]
    assert 60 < len(kept) < 140
    held = Example("1", "Text.", "editor", "", "test", document=kept[0].document)
    assert part_of(held) == "test"
