"""Calibration is an extra: without it there is nothing of the loops to test."""

from __future__ import annotations

from importlib.util import find_spec

NEEDS_TORCH = [
    "test_calibrated.py",
    "test_debiaser.py",
    "test_gains.py",
    "test_generate_command.py",
    "test_policy.py",
    "test_schedule.py",
    "test_vectors.py",
]
collect_ignore = [] if find_spec("torch") and find_spec("transformers") else NEEDS_TORCH
