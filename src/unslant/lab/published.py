"""The systems of papers that commands know by name; their modules are imported when one is asked for."""

from __future__ import annotations

import importlib
from typing import Any

_SYSTEMS = {
    "tagger": "wikibias.tagger",
    "rewriters": "wikibias.seq2seq",
    "phrase table": "wikibias.phrase_table",
    "recurrent judge": "liu.recurrent",
}


def published(name: str) -> Any:
    """Return the module of a published system."""
    return importlib.import_module(f"unslant.lab.papers.{_SYSTEMS[name]}")
