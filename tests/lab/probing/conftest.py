"""Made-up corpora, tiny tokenizers and tiny models without sense."""

from __future__ import annotations

from pathlib import Path

import pytest

from .made_up import write_corpora


@pytest.fixture
def made_up(tmp_path: Path) -> Path:
    """A folder with small corpora in the form of the real ones."""
    return write_corpora(tmp_path / "data")
