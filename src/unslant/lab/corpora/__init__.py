"""Every corpus behind one door: typed examples, licences, digests, raw annotations.

>>> from unslant.lab import corpora
>>> for example in corpora.load("wikibias"):  # doctest: +SKIP
...     print(example.split, example.label, example.text)
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from unslant.lab.corpora.catalogue import Card, card, cards, find_folder, names
from unslant.lab.corpora.dataset import Annotation, Corpus, CorpusSource, Dataset
from unslant.lab.corpora.tables import CorpusError, CorpusMissing, DataProblem

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
    entry = card(name)
    return Corpus(CorpusSource(entry, find_folder(entry, data)), strict=strict)


def raw_annotations(name: str, data: str | Path | None = None) -> Iterator[Annotation]:
    """Yield each annotator's judgements of each sentence; for ``babe/sg1``, ``babe/sg2`` and ``babe/mbic``.

    ``Annotation.item`` is the id of the example in the corpus of the same name.
    """
    from unslant.lab.corpora.media_bias import read_annotations

    return read_annotations(load(name, data).source)
