"""Outlets as rated by AllSides and by Ad Fontes: an example is an outlet, its text the outlet's name."""

from __future__ import annotations

from collections.abc import Iterator

from unslant.core.example import Example
from unslant.lab.corpora.dataset import Source
from unslant.lab.corpora.problems import Problem
from unslant.lab.corpora.tables import parquet_rows

__all__ = ["rows"]

_LEANINGS = {"Left": "left", "Lean Left": "left", "Center": "center", "Lean Right": "right", "Right": "right"}


def rows(source: Source) -> Iterator[Example | Problem]:
    """Yield one example per rated outlet: all of them, or the part that the variant names."""
    if source.card.variant in ("all", "allsides"):
        yield from _allsides(source)
    if source.card.variant in ("all", "adfontes"):
        yield from _adfontes(source)


def _allsides(source: Source) -> Iterator[Example | Problem]:
    columns = ("news_source", "bias_rating", "reliability", "bias", "community_trust", "outlet_id")
    for row in parquet_rows(source.path("outlets.parquet"), columns):
        if isinstance(row, Problem):
            yield row
        elif row.values["bias_rating"] not in _LEANINGS:
            yield row.problem("unknown label", row.values["bias_rating"])
        else:
            yield Example(
                id=row.text("outlet_id"),
                text=row.text("news_source"),
                source=source.name,
                licence=source.licence,
                outlet=row.text("news_source"),
                leaning=_LEANINGS[row.values["bias_rating"]],
                extra={"rater": "AllSides", "rating": row.values["bias_rating"]}
                | {name: row.values[name] for name in ("bias", "reliability", "community_trust")},
            )


def _adfontes(source: Source) -> Iterator[Example | Problem]:
    for row in parquet_rows(source.path("adfontes_snapshot.parquet"), ("source", "reliability", "bias")):
        if isinstance(row, Problem):
            yield row
        else:
            yield Example(
                id=f"adfontes-{row.number}",
                text=row.text("source"),
                source=source.name,
                licence=source.licence,
                outlet=row.text("source"),
                extra={
                    "rater": "Ad Fontes",
                    "bias": row.values["bias"],
                    "reliability": row.values["reliability"],
                },
            )
