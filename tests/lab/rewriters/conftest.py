"""Pairs of a toy language in which an editor takes two words away."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.lab.detector.conftest import make_encoder


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny encoder."""
    return make_encoder(tmp_path_factory.mktemp("encoder"))


WORDS = "the town council met on monday a road opened river was long".split()


def toy_pairs(count: int, seed: int = 0) -> list[dict[str, Any]]:
    """Rows with source and target: of the two slanting words, one is deleted and the other replaced."""
    rng = random.Random(seed)
    rows = []
    for number in range(count):
        words = [rng.choice(WORDS) for _ in range(rng.randint(3, 6))]
        at = rng.randrange(len(words))
        slanted, plain = (["awful"], []) if number % 2 else (["regime"], ["government"])
        source, target = [*words[:at], *slanted, *words[at:]], [*words[:at], *plain, *words[at:]]
        split = "dev" if number % 10 == 9 else "train"
        rows.append(
            {"id": str(number), "source": " ".join(source), "target": " ".join(target), "split": split}
        )
    return rows


@pytest.fixture
def pairs_file(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps({**row, "licence": "CC0"}) + "\n" for row in toy_pairs(120)))
    return path


@pytest.fixture
def rewriter_file(tmp_path: Path, pairs_file: Path) -> Callable[..., Path]:
    """Write a recipe of a tiny rewriter."""

    def write(system: str, more: str = "", phases: str = "", epochs: int = 2, lr: float = 0.01) -> Path:
        path = tmp_path / f"{system}.toml"
        path.write_text(
            f"""
about = "toy"
system = "{system}"
corpora = [{{ name = "{pairs_file}" }}]
dev = [{{ name = "{pairs_file}", splits = ["dev"] }}]
width = 32
layers = 1
heads = 2
rare = 0
dropout = 0.0
beam = 2
{more}
{phases}
[[phases]]
epochs = {epochs}
batch = 12
lr = {lr}
"""
        )
        return path

    return write
