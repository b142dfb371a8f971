"""Everything that the four papers need runs, from end to end, on a few texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run, folder, run
from unslant.cli.exits import Exit
from unslant.lab.reproduce.paper import PAPERS, read_paper

__all__ = ["folder", "run"]

pytestmark = [pytest.mark.torch, pytest.mark.shared]


@pytest.mark.parametrize("name", PAPERS)
def test_a_quick_run_gives_a_page_without_gaps(
    name: str, run: Run, shared_data: Path, tmp_path: Path
) -> None:
    done = run("reproduce", name, "--quick", "--quiet", "--output", str(tmp_path), "--data", str(shared_data))
    page = (tmp_path / f"{name}.md").read_text("utf-8")
    assert "failed: " not in page
    assert done.code == Exit.CLEAN
    assert "not run here:" not in page
    assert "the figures mean nothing" in page
    assert (tmp_path / f"{name}.html").is_file()
    kept = {path.stem for path in (tmp_path / "results").iterdir()}
    assert kept == set(read_paper(name).required_steps())
