"""What can be set is documented, and what is documented can be set."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from unslant.config import Settings, load_settings
from unslant.config.schema import KEYS, toml
from unslant.core.taxonomy import dimensions, kinds

PAGE = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
DOCUMENTED = re.findall(r"^unslant\.toml:\d+: .*$", PAGE, re.MULTILINE)


def test_the_table_of_keys_says_what_the_schema_says() -> None:
    rows = re.findall(r"^\| `([a-z.-]+)` \|.*\|$", PAGE, re.MULTILINE)
    assert rows == list(KEYS)
    for key in KEYS.values():
        default = key.of(Settings())
        shown = "{}" if key.type.startswith("table") and not default else toml(default)
        assert f"| `{key.name}` | {key.type} | `{shown}` | {key.meaning} |\n" in PAGE


def test_every_kind_and_dimension_is_named() -> None:
    for name in (*kinds(), *dimensions()):
        assert f"`{name}`" in PAGE


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_can_be_used(example: str, project: Path) -> None:
    (project / "house-style.toml").write_text("")
    (project / "packs").mkdir()
    (project / "packs" / "house.toml").write_text("")
    name = "pyproject.toml" if "[tool.unslant" in example else "unslant.toml"
    (project / name).write_text(example, "utf-8")
    settings = load_settings(
        project, known_rules=lambda _: ("demographic/one", "epistemological/wikipedia-relative-time")
    )
    assert settings.config == project / name
    assert settings.origins


def test_the_documented_errors_are_real(problems: Callable[..., list[str]]) -> None:
    text = 'selct = []\n\nfail-on = "warn"\n\n\n[per-file-ignores]\n"docs/*" = [\n"framng"]\n'
    assert problems(text) == DOCUMENTED
