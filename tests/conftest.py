"""Fixtures that all tests share."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from pathlib import Path

import pytest

# Some virtual machines announce matrix instructions that they do not have, and torch would be stopped by them.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE")


def _shared_data() -> Path | None:
    named = os.environ.get("UNSLANT_DATA")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared" / "data"
    return folder if folder.is_dir() else None


def _browser() -> bool:
    """Say whether the page can be tried: Chromium, Node, the packages of tests/page and the extra server are there."""
    chromium = Path(os.environ.get("UNSLANT_CHROMIUM", "/usr/bin/chromium"))
    packages = Path(__file__).parent / "page" / "node_modules"
    programs = shutil.which("node") is not None and importlib.util.find_spec("fastapi") is not None
    return programs and chromium.is_file() and packages.is_dir()


_TORCH = all(importlib.util.find_spec(name) for name in ("torch", "transformers"))
_MARKED = re.compile(r"^pytestmark = .*pytest\.mark\.torch", re.MULTILINE)


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to leave out the tests that need torch where they are asked for by name: ``-m torch``."""
    if "torch" in config.getoption("markexpr") and not _TORCH:
        raise pytest.UsageError("-m torch: torch or transformers is not installed; see .ci/run")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out modules marked with torch where it is not installed, before their imports fail."""
    if _TORCH or collection_path.suffix != ".py" or not collection_path.name.startswith("test_"):
        return None
    return True if _MARKED.search(collection_path.read_text("utf-8")) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that read the public corpora where those are not at hand, and those to be asked for."""
    absent = {"shared"} if _shared_data() is None else set()
    if not _TORCH:
        absent.add("torch")
    absent |= {name for name in ("label_studio", "slow") if name not in config.getoption("markexpr")}
    if importlib.util.find_spec("ray") is None:
        absent.add("ray")
    if importlib.util.find_spec("spacy") is None:
        absent.add("spacy")
    if not any(map(shutil.which, ("7z", "7zz", "bsdtar"))):
        absent.add("seven_zip")
    if not _browser():
        absent.add("browser")
    left_out = [item for item in items if any(item.get_closest_marker(name) for name in absent)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    folder = _shared_data()
    assert folder is not None, "mark the test with pytest.mark.shared"
    return folder
