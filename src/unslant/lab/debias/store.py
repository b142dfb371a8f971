"""Where debiasers are kept that nobody gave another place to, by the model they were made for."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["debiaser_folder"]


def debiaser_folder(model_digest: str) -> Path:
    """Return the place of a model's debiaser: in ``UNSLANT_GUIDES``, or where the system keeps such things."""
    named = os.environ.get("UNSLANT_GUIDES")
    if named:
        return Path(named) / f"debiaser-{model_digest[:16]}"
    import platformdirs

    return Path(platformdirs.user_data_dir("unslant", appauthor=False)) / f"debiaser-{model_digest[:16]}"
