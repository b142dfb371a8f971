"""The page on the harvest says what the commands offer."""

from __future__ import annotations

from pathlib import Path

import pytest

from unslant.lab.cli.harvest import harvest, label
from unslant.lab.wiki.revisions import comment_languages
from unslant.lab.wiki.settings import FILTERS

PAGE = (Path(__file__).parents[3] / "docs" / "harvest.md").read_text("utf-8")


@pytest.mark.parametrize("command", [harvest, label])
def test_every_option_is_described(command: object) -> None:
    options = [option for parameter in command.params for option in parameter.opts if option.startswith("--")]  # type: ignore[attr-defined]
    assert options
    assert [option for option in options if f"`{option}" not in PAGE] == []


def test_every_filter_and_language_is_described() -> None:
    assert [name for name in FILTERS if f"`{name}`" not in PAGE] == []
    assert [name for name in comment_languages() if f"`{name}`" not in PAGE] == []
