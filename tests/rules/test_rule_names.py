"""Rule names in the documentation and in messages exist in the catalogue."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from unslant.core.taxonomy import kinds
from unslant.rules.analyzer import rules_for
from unslant.spec import Spec

ROOT = Path(__file__).parents[2]
RULE_NAME = re.compile(rf"(?<![\w/.-])(?:{'|'.join(kinds())})/[a-z][a-z-]*(?![\w./*])")
OWN_RULES = {
    "docs/configuration.md": {"epistemological/wikipedia-relative-time"},
    "docs/writing-rules.md": {"framing/house-praise", "framing/acme-synergy"},
    "src/unslant/edits/wordings.py": {"framing/wordings"},
}
"""Rules that a file defines itself, or of a pack: examples, and the list of wordings as a rule that reports nothing."""
SOURCES = [
    *(ROOT / "docs").rglob("*.md"),
    *ROOT.glob("*.md"),
    *(
        path
        for path in (ROOT / "src" / "unslant").rglob("*")
        if path.suffix in {".py", ".js", ".html", ".md", ".txt"}
    ),
]


@pytest.fixture(scope="module")
def catalogue() -> set[str]:
    return {rule.id for rule in rules_for(Spec())}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_rule_names_exist(path: Path, catalogue: set[str]) -> None:
    known = catalogue | OWN_RULES.get(path.relative_to(ROOT).as_posix(), set())
    assert [name for name in RULE_NAME.findall(path.read_text("utf-8")) if name not in known] == []


def test_a_made_up_name_is_found() -> None:
    assert RULE_NAME.findall("See `framing/peacock`, not framing/peacock.py.") == ["framing/peacock"]
