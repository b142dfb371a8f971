"""Every mutation of the list is noticed by the test that is named with it.

    pytest -n 2 -m mutation tests/mutation

copies the sources and tests, changes one line of the copy, runs the test there, and expects it to fail.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from .mutations import MUTATIONS, ROOT, Mutation

pytestmark = pytest.mark.mutation

_TESTS_FAILED = 1
"""The exit code of pytest; any other but 0 means that the tests could not be run."""
_NEXT_SECOND = count(1)


class Copy:
    """A copy of what the tests need, and a process that runs them there; large files of the model are linked."""

    def __init__(self, folder: Path) -> None:
        self.sources = folder / "src" / "unslant"
        ignored = shutil.ignore_patterns("__pycache__", "node_modules", "weights", "page")
        shutil.copytree(ROOT / "src", folder / "src", ignore=ignored)
        shutil.copytree(ROOT / "tests", folder / "tests", ignore=ignored)
        shutil.copy(ROOT / "pyproject.toml", folder)
        for large in (*ROOT.glob("src/unslant/**/weights"), ROOT / "src" / "unslant" / "server" / "page"):
            (folder / large.relative_to(ROOT)).symlink_to(large)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.mutation.warm"],
            cwd=folder,
            # plugins take longer to load than the tests
            env=os.environ | {"PYTHONPATH": str(folder / "src"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, *tests: str) -> tuple[int, str]:
        """Run tests in the copy; return the exit code and the output."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(tests), file=self.process.stdin, flush=True)
        code, output = json.loads(self.process.stdout.readline())
        return code, output


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    made = Copy(tmp_path_factory.mktemp("copy"))
    with made.process:
        yield made


def test_without_a_mutation_every_test_passes(copy: Copy) -> None:
    code, output = copy.run(*dict.fromkeys(mutation.test for mutation in MUTATIONS))
    assert code == 0, output


@pytest.mark.parametrize(
    "mutation", MUTATIONS, ids=[f"{number}-{mutation.file}" for number, mutation in enumerate(MUTATIONS)]
)
def test_a_mutation_is_noticed(copy: Copy, mutation: Mutation) -> None:
    file = copy.sources / mutation.file
    original = file.read_text()
    status = file.stat()
    try:
        file.write_text(original.replace(mutation.before, mutation.after))
        # compiled files are told from each other by the second, and some mutations do not change the size
        second = int(status.st_mtime) + next(_NEXT_SECOND)
        os.utime(file, (second, second))
        code, output = copy.run(mutation.test)
    finally:
        file.write_text(original)
        os.utime(file, (status.st_atime, status.st_mtime))
    assert code == _TESTS_FAILED, f"{mutation.test} did not notice:\n{mutation.after}\n{output}"
