"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def _shared_data() -> Path | None:
    named = os.environ.get("UNSLANT_DATA")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared" / "data"
    return folder if folder.is_dir() else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that read the public corpora where those are not at hand."""
    if _shared_data() is not None:
        return
    left_out = [item for item in items if item.get_closest_marker("shared")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not item.get_closest_marker("shared")]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    folder = _shared_data()
    assert folder is not None, "mark the test with pytest.mark.shared"
    return folder
