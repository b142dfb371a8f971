"""Neutral wording: candidates for each finding, ranked, and let through gates that keep the facts as they were."""

from __future__ import annotations

from unslant.rewrite.fixer import Fixer
from unslant.rewrite.types import Alternative, Fixed, FixedEdit, Score

__all__ = ["Alternative", "Fixed", "FixedEdit", "Fixer", "Score"]
