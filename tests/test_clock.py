"""The outcome of a test does not depend on how fast or how busy the machine is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
FILES = {str(path.relative_to(TESTS)): path for path in sorted(TESTS.rglob("*.py")) if path != Path(__file__)}
CLOCKS = re.compile(r"\btime\.(?:time|monotonic|perf_counter|process_time)(?:_ns)?\(")
MAY_LOOK = {
    "growth.py": "compares work with itself, in several attempts",
    "cli/test_fix_interactive.py": "ends a wait that would never end",
    "cli/test_bad_inputs.py": "five seconds of CPU time for what takes less than half a second",
    "lab/wiki/test_api.py": "waiting takes at least as long as asked for",
    "lab/wiki/test_harvest_run.py": "chooses moments at which to kill a run",
    "server/conftest.py": "ends a wait that would never end",
    "server/test_hostile_requests.py": "five seconds of CPU time for very little work; a client is not cut off early",
    "mutation/warm.py": "ends what would never end",
    "page/firefox.py": "ends a wait that would never end",
    "server/libreoffice_client.py": "ends a wait that would never end",
    "server/test_turns.py": "compares pauses with the time that the work itself took",
    "workspace/test_hostile_folders.py": "five seconds of CPU time for refusing what takes none",
}
MAY_END_SOON = {
    ("lab/lm/test_endpoint.py", 0.5): "the limit is what is tested, with an answer that never ends"
}
SHORTEST_LIMIT = 60
"""Seconds: a limit ends what hangs, and is no measurement."""


def test_only_these_look_at_a_clock() -> None:
    looking = {name for name, path in FILES.items() if CLOCKS.search(path.read_text("utf-8"))}
    assert not {name for name in looking if not name.startswith(tuple(MAY_LOOK))}


def _keywords(path: Path, name: str) -> Iterator[ast.expr]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.keyword) and node.arg == name:
            yield node.value


@pytest.mark.parametrize("name", FILES)
def test_limits_are_generous_and_hypothesis_does_not_measure(name: str) -> None:
    for limit in _keywords(FILES[name], "timeout"):
        if isinstance(limit, ast.Constant) and isinstance(limit.value, int | float):
            generous = limit.value >= SHORTEST_LIMIT or (name, limit.value) in MAY_END_SOON
            assert generous, f"line {limit.lineno}: {limit.value}"
    for deadline in _keywords(FILES[name], "deadline"):
        assert ast.unparse(deadline) == "None", f"line {deadline.lineno}"
    for checks in _keywords(FILES[name], "suppress_health_check"):
        written = ast.unparse(checks)
        assert "too_slow" in written or written == "list(HealthCheck)", f"line {checks.lineno}"
