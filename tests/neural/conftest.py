"""A tiny model of a toy language in which four words slant."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from unslant.core.types import Document, Sentence, Span
from unslant.neural.analyzer import ModelAnalyzer
from unslant.neural.checkpoint import load_package
from unslant.neural.network import Network
from unslant.spec import Spec

TINY = Path(__file__).with_name("tiny_model")


@pytest.fixture(scope="session")
def tiny() -> Path:
    return TINY


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy that may be damaged."""
    return Path(shutil.copytree(TINY, tmp_path / "model"))


@pytest.fixture(scope="session")
def network() -> Network:
    return Network(load_package(TINY))


@pytest.fixture(scope="session")
def analyzer() -> ModelAnalyzer:
    return ModelAnalyzer(Spec(model=str(TINY)))


@pytest.fixture(scope="session")
def sentence() -> Callable[..., Sentence]:
    """Make a sentence of its own document; a mask blanks what is in brackets."""

    def make(source: str) -> Sentence:
        prose, depth = "", 0
        for letter in source:
            depth += letter == "["
            prose += " " if depth else letter
            depth -= letter == "]"
        return Sentence(Document(source, prose), Span(0, len(source)))

    return make
