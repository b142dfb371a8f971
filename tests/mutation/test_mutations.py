"""Every mutation of the list is noticed by the test that is named with it.

    pytest -m mutation tests/mutation

copies the sources and tests, changes one line of the copy, runs the test there, and expects it to fail.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from .mutations import MUTATIONS, ROOT, Mutation

pytestmark = pytest.mark.mutation

_TESTS_FAILED = 1
"""The exit code of pytest; any other but 0 means that the tests could not be run."""
_LONGEST = 120
"""Seconds after which a test does not end by itself any more: nobody would fail to notice."""
_NEXT_SECOND = count(1)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the tests need; large files of the model are linked."""
    folder = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__", "node_modules", "weights", "page")
    shutil.copytree(ROOT / "src", folder / "src", ignore=ignored)
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for large in (*ROOT.glob("src/unslant/**/weights"), ROOT / "src" / "unslant" / "server" / "page"):
        (folder / large.relative_to(ROOT)).symlink_to(large)
    return folder


def run(folder: Path, *tests: str) -> tuple[int, str]:
    """Run tests in the copy; return the exit code and the output."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests],
            cwd=folder,
            # plugins take longer to load than the tests
            env=os.environ | {"PYTHONPATH": str(folder / "src"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=_LONGEST if len(tests) == 1 else None,
        )
    except subprocess.TimeoutExpired:
        return _TESTS_FAILED, "no end"
    return done.returncode, done.stdout + done.stderr


def test_without_a_mutation_every_test_passes(copy: Path) -> None:
    code, output = run(copy, *dict.fromkeys(mutation.test for mutation in MUTATIONS))
    assert code == 0, output


@pytest.mark.parametrize(
    "mutation", MUTATIONS, ids=[f"{number}-{mutation.file}" for number, mutation in enumerate(MUTATIONS)]
)
def test_a_mutation_is_noticed(copy: Path, mutation: Mutation) -> None:
    file = copy / "src" / "unslant" / mutation.file
    original = file.read_text()
    status = file.stat()
    try:
        file.write_text(original.replace(mutation.before, mutation.after))
        # compiled files are told from each other by the second, and some mutations do not change the size
        second = int(status.st_mtime) + next(_NEXT_SECOND)
        os.utime(file, (second, second))
        code, output = run(copy, mutation.test)
    finally:
        file.write_text(original)
        os.utime(file, (status.st_atime, status.st_mtime))
    assert code == _TESTS_FAILED, f"{mutation.test} did not notice:\n{mutation.after}\n{output}"
