"""Whether the time of some work grows in proportion to its input, on a machine of any speed and load."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import pytest

T = TypeVar("T")

_FACTOR = 8
_BOUND = 24
"""Linear work takes 8 times as long on 8 times the input, quadratic work 64 times."""
_ATTEMPTS = 6
_FLOOR = 0.002
"""Seconds of CPU time below which the clock says little."""


def assert_linear(work: Callable[[T], object], make: Callable[[int], T], size: int) -> None:
    """Fail if eight times the input takes much more than eight times the CPU time, in every one of several attempts.

    ``make`` makes the input of a size. Other programs slow one attempt down, but not always the longer half of each.
    """
    small, large = make(size), make(size * _FACTOR)
    ratios = []
    for _ in range(_ATTEMPTS):
        ratios.append(_seconds(work, large) / max(_seconds(work, small), _FLOOR))
        if ratios[-1] < _BOUND:
            return
    pytest.fail(
        f"{_FACTOR} times the input takes {', '.join(f'{ratio:.0f}' for ratio in ratios)} times as long"
    )


def _seconds(work: Callable[[T], object], given: T) -> float:
    began = time.process_time()
    work(given)
    return time.process_time() - began
