"""The parts of papers that commands know by name; their modules are imported when one is asked for."""

from __future__ import annotations

import importlib
from typing import Any

_MODULES = {
    "attention": "wikibias.attention",
    "babe figures": "babe.figures",
    "cad figures": "bauer.figures",
    "phrase table": "wikibias.phrase_table",
    "recurrent judge": "liu.recurrent",
    "rewriters": "wikibias.seq2seq",
    "tagger": "wikibias.tagger",
    "wikibias figures": "wikibias.figures",
    "word features": "babe.word_features",
}


def published(name: str) -> Any:
    """Return the module of a part of a paper."""
    return importlib.import_module(f"unslant.lab.papers.{_MODULES[name]}")


def find_published(name: str) -> Any:
    """Return the module of a part of a paper; None if no paper has it."""
    return published(name) if name in _MODULES else None
