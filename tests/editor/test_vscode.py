"""The VS Code extension: its own tests, with the language server of this checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "editors" / "vscode"
SRC = Path(__file__).parents[2] / "src"


@pytest.mark.vscode
def test_the_tests_of_the_extension_pass() -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": str(SRC),
        "UNSLANT_COMMAND": json.dumps([sys.executable, "-m", "unslant"]),
    }
    result = subprocess.run(
        ["npm", "test"], cwd=FOLDER, env=environment, capture_output=True, text=True, timeout=600
    )
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-1000:]
    assert "# pass 9" in result.stdout


def test_the_page_names_every_setting() -> None:
    manifest = json.loads((FOLDER / "package.json").read_text("utf-8"))
    page = (FOLDER / "README.md").read_text("utf-8")
    for setting in manifest["contributes"]["configuration"]["properties"]:
        assert f"| `{setting}` |" in page
