"""Debiasing: reduces the political slant of a language model while it generates, without training it again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unslant.lab.debias.model import DebiasedModel as DebiasedModel
    from unslant.lab.debias.model import debias as debias
    from unslant.lab.debias.settings import METHODS as METHODS
    from unslant.lab.debias.settings import DebiasSettings as DebiasSettings

_HOME = {"METHODS": "settings", "DebiasSettings": "settings", "DebiasedModel": "model", "debias": "model"}

__all__ = ["METHODS", "DebiasSettings", "DebiasedModel", "debias"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'unslant.lab.debias' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"unslant.lab.debias.{_HOME[name]}"), name)
