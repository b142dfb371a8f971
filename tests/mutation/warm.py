"""Runs tests in forks of one process that has imported what is not ours: that takes longer than most of the tests.

    python -m tests.mutation.warm

reads lines, each a JSON list of tests, and answers each with a line: the exit code of pytest and what it printed.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import BinaryIO

import pytest

_IMPORTED = (
    *("_pytest.assertion.rewrite", "_pytest.junitxml", "_pytest.pytester", "hypothesis.strategies"),
    *("click", "numpy", "httpx", "fastapi.testclient", "uvicorn", "asyncio", "multiprocessing.pool"),
)
"""What tests import beside unslant; what is not installed is left out."""
_LONGEST = 60
"""Seconds after which a test does not end by itself any more: nobody would fail to notice."""


def _run(tests: Sequence[str], output: BinaryIO) -> int:
    """Run tests in a fork; return the exit code, or 1 if there is no end."""
    child = os.fork()
    if child == 0:
        os.setsid()
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
        os._exit(pytest.main(["-q", "-x", "-p", "no:cacheprovider", *tests]))
    until = time.monotonic() + _LONGEST * len(tests)
    ended, status = os.waitpid(child, os.WNOHANG)
    while not ended and time.monotonic() < until:
        time.sleep(0.01)
        ended, status = os.waitpid(child, os.WNOHANG)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # also what a test has started
    if not ended:
        os.waitpid(child, 0)
        return 1
    return os.waitstatus_to_exitcode(status)


def main() -> None:
    """Answer until the input ends."""
    for name in _IMPORTED:
        with suppress(ImportError):
            importlib.import_module(name)
    for line in sys.stdin:
        with tempfile.TemporaryFile() as output:
            code = _run(json.loads(line), output)
            output.seek(0)
            sys.stdout.write(json.dumps([code, output.read().decode("utf-8", "replace")]) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
