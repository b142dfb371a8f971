"""Local models are an extra: without it there is nothing of theirs to test."""

from __future__ import annotations

from importlib.util import find_spec

NEEDS_TORCH = ["test_causal.py", "test_sampling.py"]
collect_ignore = [] if find_spec("torch") and find_spec("transformers") else NEEDS_TORCH
