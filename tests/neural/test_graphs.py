"""A graph gives the same answers on every processor, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unslant.neural import network
from unslant.neural.checkpoint import load_package, locate
from unslant.neural.network import Network, _has_vnni

TEXT = "The legendary singer slammed the disastrous plan of the radical council."


def answers() -> dict[str, list[float]]:
    output = Network(load_package(locate(""))).read(TEXT)
    values = {**output.text_logits, **output.subword_logits}
    return {name: np.asarray(value).ravel().tolist() for name, value in values.items()}


FLAGS = "processor : 0\nflags : fpu avx2 {}\n\nprocessor : 1\nflags : fpu avx2 {}\n"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("avx512_vnni", "avx512_vnni", True),
        ("avx_vnni", "avx_vnni", True),
        ("avx512_vnni", "avx512f", False),
        ("avx512f", "avx512f", False),
    ],
)
def test_sums_are_left_to_processors_only_if_all_are_exact(
    tmp_path: Path, one: str, other: str, expected: bool
) -> None:
    processors = tmp_path / "cpuinfo"
    processors.write_text(FLAGS.format(one, other))
    assert _has_vnni(processors) is expected
    assert not _has_vnni(tmp_path / "missing")


def test_answers_are_the_same_however_sums_are_kept_exact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNSLANT_CACHE_DIR", str(tmp_path / "cache"))
    found = answers()
    monkeypatch.setattr(network, "_PROCESSORS", tmp_path / "missing")
    _has_vnni.cache_clear()
    assert answers() == found
    assert not (tmp_path / "cache").exists()
