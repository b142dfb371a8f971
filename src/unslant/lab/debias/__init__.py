"""Reduces the political slant of a language model while it writes, without training it anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unslant.lab.debias.baselines import Replacement as Replacement
    from unslant.lab.debias.baselines import replacer as replacer
    from unslant.lab.debias.calibrated import Calibrated as Calibrated
    from unslant.lab.debias.calibrated import calibrate as calibrate
    from unslant.lab.debias.calibrated import debiased as debiased
    from unslant.lab.debias.settings import METHODS as METHODS
    from unslant.lab.debias.settings import Settings as Settings

_HOME = {
    "METHODS": "settings",
    "Calibrated": "calibrated",
    "Replacement": "baselines",
    "Settings": "settings",
    "calibrate": "calibrated",
    "debiased": "calibrated",
    "replacer": "baselines",
}

__all__ = ["METHODS", "Calibrated", "Replacement", "Settings", "calibrate", "debiased", "replacer"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'unslant.lab.debias' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"unslant.lab.debias.{_HOME[name]}"), name)
