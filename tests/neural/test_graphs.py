"""A graph that was optimised once is kept, gives the same answers, and is never trusted blindly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unslant.neural import network
from unslant.neural.checkpoint import load_package, locate
from unslant.neural.network import Network, _has_vnni

TEXT = "The legendary singer slammed the disastrous plan of the radical council."


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNSLANT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "graphs"


def answers() -> dict[str, list[float]]:
    output = Network(load_package(locate(""))).read(TEXT)
    values = {**output.text_logits, **output.subword_logits}
    return {name: np.asarray(value).ravel().tolist() for name, value in values.items()}


def only(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def test_the_kept_graph_gives_the_same_answers_and_is_not_made_again(cache: Path) -> None:
    first = answers()
    kept = only(cache)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert cache.stat().st_mode & 0o777 == 0o700
    made = kept.stat().st_mtime_ns
    assert answers() == first
    assert only(cache) == kept
    assert kept.stat().st_mtime_ns == made


@pytest.mark.parametrize("damage", ["cut", "changed", "writable", "empty"])
def test_a_kept_graph_that_is_not_as_it_was_written_is_made_again(cache: Path, damage: str) -> None:
    first = answers()
    kept = only(cache)
    content = kept.read_bytes()
    made = kept.stat().st_mtime_ns
    if damage == "writable":
        kept.chmod(0o666)
    else:
        middle = len(content) // 2
        changed = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        kept.write_bytes({"cut": content[:1000], "changed": changed, "empty": b""}[damage])
    assert answers() == first
    assert only(cache).read_bytes() == content
    assert kept.stat().st_mtime_ns != made
    assert kept.stat().st_mode & 0o777 == 0o600


def test_without_a_place_to_keep_it_the_model_works(cache: Path) -> None:
    first = answers()
    only(cache).unlink()
    cache.rmdir()
    cache.write_text("no folder")
    assert answers() == first
    assert cache.read_text() == "no folder"


def test_only_the_newest_are_kept(cache: Path) -> None:
    cache.mkdir(parents=True)
    for number in range(9):
        (cache / f"{number}-0.onnx").write_bytes(b"old")
    answers()
    assert len(list(cache.iterdir())) == 3
    assert max(file.stat().st_size for file in cache.iterdir()) > 1_000_000


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
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = answers()
    monkeypatch.setattr(network, "_PROCESSORS", tmp_path / "missing")
    assert answers() == found
    # a graph with other weights is another graph: a cache may be carried to another machine
    assert len(list(cache.iterdir())) == (2 if _has_vnni(Path("/proc/cpuinfo")) else 1)
