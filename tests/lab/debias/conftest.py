"""Debiasing needs the extra ``lm``; without it the tests of its loops are left out."""

from __future__ import annotations

from importlib.util import find_spec

NEEDS_TORCH = [
    "test_model.py",
    "test_debiaser.py",
    "test_gains.py",
    "test_generate_command.py",
    "test_guide.py",
    "test_schedule.py",
    "test_vectors.py",
]
collect_ignore = [] if find_spec("torch") and find_spec("transformers") else NEEDS_TORCH
