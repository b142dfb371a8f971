"""Made-up corpora, tiny tokenizers and tiny models without sense."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from .made_up import write_corpora

NEEDS_TORCH = ["test_llm.py", "test_processors.py", "test_prompt_reader.py", "test_open_voice.py"]
collect_ignore = [] if find_spec("torch") and find_spec("transformers") else NEEDS_TORCH


@pytest.fixture
def made_up(tmp_path: Path) -> Path:
    """A folder with small corpora in the form of the real ones."""
    return write_corpora(tmp_path / "data")
