"""Neutral wording: candidates for each finding, judged by gates that keep the facts as they were."""

from __future__ import annotations

from unslant.rewrite.fixer import Fixer
from unslant.rewrite.result import Fixed, Score, Suggestion

__all__ = ["Fixed", "Fixer", "Score", "Suggestion"]
