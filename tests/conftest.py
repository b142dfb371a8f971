"""Fixtures that all tests share."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says more about the machine than about the code, and a change should not fail for an example
# that has nothing to do with it: the examples are the same in every run, and `pytest -m fuzz` looks for new ones.
settings.register_profile(
    "unslant",
    settings.default,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("unslant")

# Some virtual machines announce matrix instructions that they do not have, and torch would be stopped by them.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE")


_ROOT = Path(__file__).parents[1]


def _shared_data() -> Path | None:
    named = os.environ.get("UNSLANT_DATA")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared" / "data"
    return folder if folder.is_dir() else None


def _browser() -> bool:
    """Return whether the page can be tried: Chromium, Node, the packages of tests/page and the extra server exist."""
    chromium = Path(os.environ.get("UNSLANT_CHROMIUM", "/usr/bin/chromium"))
    packages = Path(__file__).parent / "page" / "node_modules"
    programs = shutil.which("node") is not None and importlib.util.find_spec("fastapi") is not None
    return programs and chromium.is_file() and packages.is_dir()


_TORCH = all(importlib.util.find_spec(name) for name in ("torch", "transformers"))
_MARKED = re.compile(r"^pytestmark = .*pytest\.mark\.torch", re.MULTILINE)


_EXTRAS = ("mcp", "pandas", "ray", "sklearn", "spacy")
"""Marks of tests that need the package of that name, from an extra."""


def _vscode() -> bool:
    """Return whether the extension can be built: Node and the packages of editors/vscode are there."""
    return shutil.which("node") is not None and (_ROOT / "editors" / "vscode" / "node_modules").is_dir()


def _libreoffice() -> bool:
    """Return whether LibreOffice can be driven: its program, and the Python of the system with its module ``uno``."""
    tried = ["/usr/bin/python3", "-c", "import uno"]
    return (
        all(map(shutil.which, ("soffice", tried[0])))
        and subprocess.run(tried, capture_output=True, check=False).returncode == 0
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to leave out tests that are asked for by name (``-m "torch or ray"``) because a part is missing."""
    asked = re.findall(r"\w+", config.getoption("markexpr"))
    missing = [name for name in _EXTRAS if name in asked and importlib.util.find_spec(name) is None]
    if "torch" in asked and not _TORCH:
        missing.append("torch or transformers")
    if "node" in asked and shutil.which("node") is None:
        missing.append("Node")
    if "vscode" in asked and not _vscode():
        missing.append("what editors/vscode needs")
    if "browser" in asked and not _browser():
        missing.append("Chromium, Node or the packages of tests/page")
    if missing:
        raise pytest.UsageError(f"asked for with -m, but not installed: {', '.join(missing)}; see .ci/run")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out modules marked with torch where it is not installed, before their imports fail."""
    if _TORCH or collection_path.suffix != ".py" or not collection_path.name.startswith("test_"):
        return None
    return True if _MARKED.search(collection_path.read_text("utf-8")) else None


def _absent(asked: str) -> dict[str, str]:
    """Return the marks of tests that are left out, each with the reason; ``asked`` is what ``-m`` says."""
    absent = {
        name: f"only run when asked for with -m {name}"
        for name in ("fuzz", "hosts", "label_studio", "mutation", "slow")
        if name not in asked
    }
    if _shared_data() is None:
        absent["shared"] = "the public corpora are not at hand; name their folder in UNSLANT_DATA"
    if not _TORCH:
        absent["torch"] = "torch or transformers is not installed"
    for name in _EXTRAS:
        if importlib.util.find_spec(name) is None:
            absent[name] = f"{name} is not installed"
    if not any(map(shutil.which, ("7z", "7zz", "bsdtar"))):
        absent["seven_zip"] = "no tool packs 7z files here"
    if shutil.which("node") is None:
        absent["node"] = "Node is not installed"
    if not _vscode():
        absent["vscode"] = "Node or the packages of editors/vscode are missing"
    if shutil.which("nvim") is None:
        absent["neovim"] = "Neovim is not installed"
    if not any(map(shutil.which, ("firefox", "firefox-esr"))):
        absent["firefox"] = "Firefox is not installed"
    if not _libreoffice():
        absent["libreoffice"] = "LibreOffice or its module for Python (uno) is not installed"
    if not _browser():
        absent["browser"] = "Chromium, Node or the packages of tests/page are missing"
    return absent


_LEFT_OUT = pytest.StashKey[Counter[str]]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that need what is not here, and those to be asked for."""
    absent = _absent(config.getoption("markexpr"))
    reasons = config.stash.setdefault(_LEFT_OUT, Counter())
    left_out = []
    for item in items:
        name = next((name for name in absent if item.get_closest_marker(name)), None)
        if name is not None:
            left_out.append(item)
            reasons[f"{name}: {absent[name]}"] += 1
    config.hook.pytest_deselected(items=left_out)
    gone = set(left_out)
    items[:] = [item for item in items if item not in gone]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand what a worker of ``-n`` left out to the process that writes the summary."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["left out"] = dict(session.config.stash.get(_LEFT_OUT, Counter[str]()))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what a worker left out; every worker collects, and leaves out, the same."""
    reasons = node.config.stash.setdefault(_LEFT_OUT, Counter())
    reasons.update(Counter(getattr(node, "workeroutput", {}).get("left out", {})) - reasons)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how many tests were left out, and why."""
    for reason, count in sorted(config.stash.get(_LEFT_OUT, Counter[str]()).items()):
        terminalreporter.write_line(f"left out: {count} {'test' if count == 1 else 'tests'}, {reason}")
    if not _TORCH:
        terminalreporter.write_line("left out: modules marked with torch, which is not installed")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    folder = _shared_data()
    assert folder is not None, "mark the test with pytest.mark.shared"
    return folder


@pytest.fixture
def trusting(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let every edit be made that no invariant refuses, so that the rest of fixing can be seen."""
    from unslant import api
    from unslant.edits import decide

    lines = dict.fromkeys(("own", "people", "rules alone", "any"), decide.PolicyLine(0.0, 0.0))
    lines["language model"] = decide.PolicyLine(0.0, 1.01)  # never made without review
    monkeypatch.setattr(decide, "load_policy", lambda _: decide.EditPolicy(lines))
    api._pipeline.cache_clear()
    api._fixer.cache_clear()
    yield
    api._pipeline.cache_clear()
    api._fixer.cache_clear()
