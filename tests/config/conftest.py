"""What the tests of the configuration share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unslant.config import Settings, load_settings
from unslant.core.errors import ConfigError

RULES = ("demographic/gendered-role", "epistemological/weasel", "framing/praise-adjective")


def known_rules(rule_files: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """Stand in for the catalogue: three rules, and one more for each line of the user's own files."""
    return (*RULES, *(line for _, text in rule_files for line in text.split()))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def load(project: Path) -> Callable[..., Settings]:
    """Write ``unslant.toml`` and load it."""

    def write_and_load(text: str, **arguments: Any) -> Settings:
        (project / "unslant.toml").write_text(text, "utf-8")
        return load_settings(project, **{"known_rules": known_rules, **arguments})

    return write_and_load


@pytest.fixture
def problems(load: Callable[..., Settings]) -> Callable[..., list[str]]:
    """Load what cannot be used and return its sentences."""

    def lines(text: str, **arguments: Any) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            load(text, **arguments)
        return str(caught.value).split("\n")

    return lines
