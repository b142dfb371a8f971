"""ParaDetox: a toxic sentence and one to three neutral rewrites (Logacheva et al. 2022)."""

from __future__ import annotations

from collections.abc import Iterator

from unslant.core.example import Example
from unslant.lab.corpora.dataset import Source
from unslant.lab.corpora.problems import Problem
from unslant.lab.corpora.tables import Dialect, csv_rows

__all__ = ["rows"]

_REWRITES = ("neutral1", "neutral2", "neutral3")


def rows(source: Source) -> Iterator[Example | Problem]:
    """Yield the toxic sentence and each of its rewrites, one pair for all."""
    for row in csv_rows(source.path("paradetox.tsv"), ("toxic", *_REWRITES), Dialect("\t")):
        if isinstance(row, Problem):
            yield row
            continue
        rewrites = [row.text(column).strip() for column in _REWRITES if row.text(column).strip()]
        if not row.text("toxic").strip() or not rewrites:
            yield row.problem("empty text")
            continue
        for number, text in enumerate((row.text("toxic").strip(), *rewrites)):
            yield Example(
                id=f"{row.number}-{number}",
                text=text,
                source=source.name,
                licence=source.licence,
                label=number == 0,
                pair=str(row.number),
                side="target" if number else "source",
            )
