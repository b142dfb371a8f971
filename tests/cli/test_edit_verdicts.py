"""JSON and SARIF say of an edit what ``unslant fix`` does with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cli.conftest import Run

TEXT = (
    "Unfortunately, the plan to widen the road failed. The union slammed the owners of the plant near the river. "
    "The police fired back at the gunman near the bridge."
)
EXPECTED = {"Unfortunately": ["safe"], "slammed": ["review"], "fired back at": []}


def said(run: Run, command: str, form: str) -> Any:
    return json.loads(run(command, "--tier", "rules", "--output-format", form, "a.txt").out)


def test_json_and_sarif_of_a_check_say_what_fix_does(run: Run, folder: Path) -> None:
    (folder / "a.txt").write_text(TEXT)
    found = said(run, "check", "jsonl")["findings"]
    assert {each["text"]: [edit["applicability"] for edit in each["edits"]] for each in found} == EXPECTED
    results = said(run, "check", "sarif")["runs"][0]["results"]
    described = [[fix["description"]["text"] for fix in each.get("fixes", [])] for each in results]
    assert described == [["Delete “Unfortunately” (safe)."], ["Write “criticized” (review)."], []]
    fixed = said(run, "fix", "jsonl")
    made = [(edit["replacement"], edit["applicability"]) for edit in fixed["edits"]]
    assert made == [("The", "safe"), ("criticized", "review")]


def test_the_cache_keeps_the_verdicts(run: Run, folder: Path) -> None:
    (folder / "a.txt").write_text(TEXT)
    assert said(run, "check", "jsonl") == said(run, "check", "jsonl")
