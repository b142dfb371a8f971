"""A process that has checked a text can fork, and its children can check texts too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
TEXT = "The legendary singer slammed the plan. The council met on Monday. Radical critics attacked it. " * 8

FORK = f"""
import os, unslant
parent = unslant.check({TEXT!r})
child = os.fork()
if child == 0:
    same = unslant.check({TEXT!r} + "It rained.").findings[: len(parent.findings)] == parent.findings
    os._exit(0 if same else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""

POOL = f"""
import multiprocessing, unslant

def count(text):
    return len(unslant.check(text).findings)

if __name__ == "__main__":
    expected = count({TEXT!r})
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(count, [{TEXT!r}] * 4) == [expected] * 4
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize("program", [FORK, POOL], ids=["os.fork", "multiprocessing"])
def test_children_check_texts_too(program: str) -> None:
    environment = os.environ | {"PYTHONPATH": str(SOURCE), "UNSLANT_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, timeout=600, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
