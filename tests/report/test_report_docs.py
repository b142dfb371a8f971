"""The page about output says what is so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.report.report_samples import ROLE, finding, outcome, rendered
from unslant.report import FORMATS
from unslant.report.wire import schema

PAGE = (Path(__file__).parents[2] / "docs" / "output.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    found = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return found


def test_every_format_is_described() -> None:
    assert re.findall(r"^\| `(\w+)` \| (?:people|programs|code|annotations)", PAGE, re.MULTILINE) == list(
        FORMATS
    )


def test_the_example_in_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks("python"):
        exec(block, {})  # noqa: S102 - our own page
    assert capsys.readouterr().out == "1 file checked, no slanted wording found.\n"


def test_the_example_in_json_is_valid() -> None:
    for block in blocks("json"):
        Draft202012Validator(schema()).validate(json.loads(block))


def test_the_example_of_text_is_what_is_written() -> None:
    source = "One.\nIts legendary chairman said that the roof was sound.\n"
    role = finding(
        source,
        "chairman",
        "chair",
        kind="demographic",
        dimension="gender",
        rule="demographic/gendered-role",
        why=ROLE,
    )
    checked = outcome(source, finding(source, "legendary", "well-known", ""), role, path="docs/hall.txt")
    assert blocks("text") == [rendered("text", checked)]
