"""Every sentence of SECURITY.md has a test, and docs/design/security.md says which."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "design" / "security.md").read_text("utf-8")
PROMISES = " ".join((ROOT / "SECURITY.md").read_text("utf-8").split())
ROWS = re.findall(r"^\| (?!sentence |---)(.+?) \| (`.+) \|$", PAGE, re.MULTILINE)
UNSAFE_MODULES = {"pickle", "cPickle", "shelve", "marshal", "dill", "joblib", "cloudpickle"}


@pytest.mark.parametrize(("sentence", "tests"), ROWS)
def test_each_promise_is_made_and_each_test_is_there(sentence: str, tests: str) -> None:
    assert sentence in PROMISES
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", tests)
    assert len(named) == tests.count("::")
    for path, name in named:
        tree = ast.parse((ROOT / path).read_text("utf-8"))
        assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_no_sentence_about_what_is_protected_is_left_out() -> None:
    protected = PROMISES.partition("Whatever they contain:")[2].partition("See [docs/server.md]")[0]
    sentences = re.split(r"(?<=[.;]) (?=[A-Z`])|- \*\*[^*]+\*\*", protected)
    for sentence in filter(str.strip, sentences):
        told = sentence.strip()
        assert any(quoted in told for quoted, _ in ROWS), told


def test_nothing_unpickles_or_evaluates() -> None:
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                assert not UNSAFE_MODULES & {alias.name.partition(".")[0] for alias in node.names}, path
            elif isinstance(node, ast.ImportFrom):
                assert (node.module or "").partition(".")[0] not in UNSAFE_MODULES, path
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec"), path
