"""The Dockerfile says what is so; building it needs a builder, and is left to those who have one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

from unslant.cli.main import main

TEXT = (Path(__file__).parents[1] / "Dockerfile").read_text("utf-8")
ROOT = Path(__file__).parents[1]


def test_it_runs_as_a_user_without_rights() -> None:
    last = TEXT[TEXT.rindex("FROM ") :]
    assert re.search(r"^USER \d+$", last, re.MULTILINE)
    assert "slim" in last.splitlines()[0]


def test_the_health_check_asks_an_address_that_exists() -> None:
    (path,) = re.findall(r"127\.0\.0\.1:8000(/\w+)", TEXT)
    assert f'"{path}"' in (ROOT / "src" / "unslant" / "server" / "app.py").read_text("utf-8")


def test_the_command_has_these_options() -> None:
    (words,) = re.findall(r"^CMD (\[.*\])$", TEXT, re.MULTILINE)
    name, *arguments = json.loads(words)
    command = main.get_command(click.Context(main), name)
    assert command is not None
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in arguments if word.startswith("--")} <= known
