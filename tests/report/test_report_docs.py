"""The page about output says what is so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import unslant
from tests.report.report_samples import rendered
from unslant.report import FORMATS, Outcome
from unslant.report.wire import schema
from unslant.spec import Spec

PAGE = (Path(__file__).parents[2] / "docs" / "output.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    found = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return found


def test_every_format_is_described() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE.partition("\n## ")[0], re.MULTILINE) == list(FORMATS)


def test_the_example_in_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks("python"):
        exec(block, {})  # noqa: S102 - our own page
    assert capsys.readouterr().out == "1 file checked, no slanted wording found.\n"


def test_the_example_in_json_is_valid() -> None:
    for block in blocks("json"):
        Draft202012Validator(schema()).validate(json.loads(block))


def test_the_text_example_is_real_output() -> None:
    source = "The hall opened in 1962.\nIts legendary foreman said that the roof was sound.\n"
    report = unslant.check(source, spec=Spec(analyzers=("rules",)))
    assert blocks("text") == [rendered("text", Outcome("docs/hall.txt", report))]
