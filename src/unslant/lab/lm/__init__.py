"""Language models behind one protocol: transformers, OpenAI-compatible endpoints, and a mock."""

from __future__ import annotations

from unslant.lab.lm.opening import open_model

__all__ = ["open_model"]
