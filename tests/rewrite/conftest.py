"""Tests that need torch are left out where it is not installed."""

from __future__ import annotations

import importlib.util

collect_ignore = (
    []
    if all(importlib.util.find_spec(name) for name in ("torch", "transformers"))
    else ["test_transformers_rewriters.py"]
)
