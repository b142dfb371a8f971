"""Names in the sources: a class name means one thing, and a variable says what it holds."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import unslant

SOURCES = Path(unslant.__file__).parent


@cache
def nodes() -> list[tuple[str, ast.ClassDef | ast.arg | ast.Name]]:
    """Return what defines a name, each with its file."""
    return [
        (path.relative_to(SOURCES).as_posix(), node)
        for path in sorted(SOURCES.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef | ast.arg | ast.Name)
    ]


def test_no_class_name_is_defined_twice() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path, node in nodes():
        if isinstance(node, ast.ClassDef):
            places[node.name].append(path)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_variable_is_named_after_a_numeral() -> None:
    found = [
        f"{path}:{node.lineno}"
        for path, node in nodes()
        if (isinstance(node, ast.arg) and node.arg == "one")
        or (isinstance(node, ast.Name) and node.id == "one" and isinstance(node.ctx, ast.Store))
    ]
    assert found == []
