"""Drawing wordings of a rewriter to read, from real articles and a rewriter that ships."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from unslant.cli.main import main
from unslant.rewriter.package import shipped_rewriter

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(shipped_rewriter() is None, reason="this build has no rewriter"),
]


def test_drawn_wordings_are_ready_to_be_read(tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    command = ["evaluate", "wordings", "--show", "6", "--quiet", "--edits"]
    assert CliRunner().invoke(main, [*command, str(first)]).exit_code == 0
    rows = [json.loads(line) for line in first.read_text("utf-8").splitlines()]
    assert len(rows) == 6
    assert all(row["words"] in row["before"] and row["after"] != row["before"] for row in rows)
    assert {row["verdict"] for row in rows} == {""}
    CliRunner().invoke(main, [*command, str(second), "--without", str(first)])
    others = [json.loads(line)["document"] for line in second.read_text("utf-8").splitlines()]
    assert others
    assert not {row["document"] for row in rows} & set(others)
