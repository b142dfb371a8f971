"""Fixtures of the tests of corpora."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.lab.corpora.corpus_files import wikibias_row, write_jsonl


@pytest.fixture
def wikibias(tmp_path: Path) -> Path:
    """A root folder with a WIKIBIAS of three pairs."""
    for number, split in enumerate(("train", "dev", "test")):
        rows = [
            wikibias_row(
                f"{number}_0",
                "source",
                "The legendary band 's album , `` Blue '' , sold .",
                "legendary band 's",
            ),
            wikibias_row(f"{number}_1", "target", "The band 's album , `` Blue '' , sold ."),
        ]
        write_jsonl(tmp_path / "wikibias" / f"{split}.jsonl", rows)
    return tmp_path


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run ``unslant data`` with nothing but the given folder."""
    from click.testing import CliRunner

    from unslant.lab.cli.data import data

    monkeypatch.delenv("UNSLANT_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return lambda *words: CliRunner().invoke(data, [str(word) for word in words])
