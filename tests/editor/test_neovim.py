"""A real Neovim drives the language server, set up as the documentation says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = """
vim.cmd("edit " .. vim.env.TEXT)
vim.bo.filetype = "markdown"
local waited = vim.wait(120000, function() return #vim.diagnostic.get(0) >= 2 end, 50)
local found = {}
for _, one in ipairs(vim.diagnostic.get(0)) do
  table.insert(found, { one.lnum, one.col, one.end_col, one.code or one.user_data.lsp.code })
end
local params = vim.lsp.util.make_range_params(0, "utf-16")
params.context = { only = { "source.fixAll.unslant" }, diagnostics = {} }
local answers = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 120000)
for _, answer in pairs(answers or {}) do
  for _, action in ipairs(answer.result or {}) do vim.lsp.util.apply_workspace_edit(action.edit, "utf-16") end
end
vim.api.nvim_win_set_cursor(0, { 1, 5 })
local hover = vim.lsp.buf_request_sync(0, "textDocument/hover", vim.lsp.util.make_position_params(0, "utf-16"), 120000)
local said = ""
for _, answer in pairs(hover or {}) do if answer.result then said = answer.result.contents.value end end
local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
local seen = { waited = waited, found = found, lines = lines, hover = said }
vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.RESULT)
vim.cmd("qa!")
"""


def version() -> tuple[int, int]:
    said = subprocess.run(["nvim", "--version"], capture_output=True, text=True, check=True).stdout
    major, minor = re.findall(r"v(\d+)\.(\d+)", said)[0]
    return int(major), int(minor)


@pytest.mark.neovim
def test_neovim_shows_marks_reasons_and_applies_safe_edits(tmp_path: Path) -> None:
    old, new = re.findall(r"```lua\n(.*?)```", (ROOT / "docs" / "editor.md").read_text("utf-8"), re.DOTALL)[
        :2
    ]
    assert "start_client" in old
    assert "vim.lsp.enable" in new
    command = json.dumps([sys.executable, "-m", "unslant", "lsp", "--tier", "rules", "--no-config"])[1:-1]
    setup = (new if version() >= (0, 11) else old).replace('"unslant", "lsp"', command)
    (tmp_path / "script.lua").write_text(setup + SCRIPT, "utf-8")
    text = tmp_path / "text.md"
    text.write_text("The legendary hall opened.\n\nOpponents lambasted the plan.\n", "utf-8")
    result = tmp_path / "result.json"
    done = subprocess.run(
        ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "-S", str(tmp_path / "script.lua")],
        cwd=tmp_path,
        env=os.environ
        | {
            "PYTHONPATH": str(ROOT / "src"),
            "TEXT": str(text),
            "RESULT": str(result),
            "XDG_STATE_HOME": str(tmp_path),
        },
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert result.exists(), done.stdout + done.stderr
    seen = json.loads(result.read_text("utf-8"))
    assert seen["waited"]
    assert seen["found"] == [[0, 4, 13, "framing/praise-adjective"], [2, 10, 19, "framing/attack-verb"]]
    assert seen["lines"] == ["The legendary hall opened.", "", "Opponents criticized the plan."]
    assert "Praises the subject" in seen["hover"]
