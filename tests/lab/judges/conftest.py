"""Judges with a network need the extra ``lm``; without it their tests are left out."""

from __future__ import annotations

from importlib.util import find_spec

NEEDS_TORCH = ["test_encoder.py", "test_huggingface.py"]
collect_ignore = [] if find_spec("torch") and find_spec("transformers") else NEEDS_TORCH
