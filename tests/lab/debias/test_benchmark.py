"""The benchmark of debiasing: it runs both modes, each with what was trained for it."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

from tests.lab.lm.tiny import model

from .made import debiaser_for

pytestmark = pytest.mark.torch
SCRIPT = Path(__file__).parents[3] / "benchmarks" / "debias.py"


def test_both_modes_are_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny = model("llama")
    tiny.model.save_pretrained(tmp_path / "tiny")
    tiny.tokenizer.save_pretrained(tmp_path / "tiny")
    folder = debiaser_for(tiny, tmp_path / "debiaser")
    short = ["--batch", "2", "--tokens", "2", "--full-tokens", "1", "--rounds", "1"]
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), str(tmp_path / "tiny"), "--debiaser", str(folder), *short])
    runpy.run_path(str(SCRIPT), run_name="__main__")
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    names = ["embedding", "classifier", "embedding, full loop", "classifier, full loop"]
    assert list(found["ways"]) == names
    assert all(way["clock"]["ratio"] > 0 for way in found["ways"].values())
