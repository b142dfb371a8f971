"""The notebooks in the documentation run, and show what they give."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .notebook import outputs, run_cells

pytestmark = pytest.mark.pandas

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_gives_the_output_that_is_shown(path: Path) -> None:
    notebook = json.loads(path.read_text("utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 4)
    ran = [(cell["outputs"], outputs(printed, value)) for cell, printed, value in run_cells(notebook)]
    assert ran
    for shown, given in ran:
        assert shown == given, f"run: python -m tests.notebook docs/notebooks/{path.name}"
