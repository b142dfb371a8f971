"""Every corpus behind one door: typed examples, licences, digests, raw annotations.

>>> from unslant.lab import corpora
>>> for example in corpora.load("wikibias"):  # doctest: +SKIP
...     print(example.split, example.label, example.text)
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unslant.lab.corpora.catalogue import Card as Card
    from unslant.lab.corpora.catalogue import card as card
    from unslant.lab.corpora.catalogue import cards as cards
    from unslant.lab.corpora.catalogue import names as names
    from unslant.lab.corpora.dataset import Annotation as Annotation
    from unslant.lab.corpora.dataset import Corpus as Corpus
    from unslant.lab.corpora.dataset import Dataset as Dataset
    from unslant.lab.corpora.tables import CorpusError as CorpusError
    from unslant.lab.corpora.tables import CorpusMissing as CorpusMissing
    from unslant.lab.corpora.tables import DataProblem as DataProblem

_HOME = {
    "Annotation": "dataset",
    "Card": "catalogue",
    "Corpus": "dataset",
    "CorpusError": "tables",
    "CorpusMissing": "tables",
    "Dataset": "dataset",
    "DataProblem": "tables",
    "card": "catalogue",
    "cards": "catalogue",
    "names": "catalogue",
}

__all__ = [
    "Annotation",
    "Card",
    "Corpus",
    "CorpusError",
    "CorpusMissing",
    "DataProblem",
    "Dataset",
    "card",
    "cards",
    "load",
    "names",
    "raw_annotations",
]


def load(name: str, data: str | Path | None = None, *, strict: bool = False) -> Corpus:
    """Return a registered corpus, such as ``wikibias`` or ``babe/sg2``.

    Its files are looked for in ``data``, or else in ``UNSLANT_DATA`` and the user's cache. With ``strict`` the first
    row that cannot be used is an error; without, it is counted in ``skipped``.
    """
    from unslant.lab.corpora.catalogue import card, find_folder
    from unslant.lab.corpora.dataset import Corpus, CorpusSource

    entry = card(name)
    return Corpus(CorpusSource(entry, find_folder(entry, data)), strict=strict)


def raw_annotations(name: str, data: str | Path | None = None) -> Iterator[Annotation]:
    """Yield each annotator's judgements of each sentence; for ``babe/sg1``, ``babe/sg2`` and ``babe/mbic``.

    ``Annotation.item`` is the id of the example in the corpus of the same name.
    """
    from unslant.lab.corpora.media_bias import read_annotations

    return read_annotations(load(name, data).source)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'unslant.lab.corpora' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"unslant.lab.corpora.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
