"""The sizes of the sets that Bauer et al. built from CAD, as published and in a copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unslant.core.example import Example
from unslant.lab.corpora.abuse import build_cad_sets
from unslant.lab.corpora.statistics import FigureComparison, published_figures


def compare(examples: Sequence[Example], variant: str | None) -> list[FigureComparison]:  # noqa: ARG001
    """Return the sizes of the sets for evaluation and for training beside ours."""
    return [
        row
        for part in ("evaluation", "train")
        for row in compare_sizes(build_cad_sets(examples, part=part), part)
    ]


def compare_sizes(
    sets: Mapping[str, tuple[Example, ...]], part: str = "evaluation"
) -> list[FigureComparison]:
    """Return the size of each set beside the published one."""
    figures = published_figures("cad")[part]
    full = "identification" in sets
    note = "" if full else "this copy has no rationales or dimensions to filter by"
    rows = [
        FigureComparison(f"{name} ({part})", figures.get(name), len(items), note)
        for name, items in sets.items()
    ]
    if full:
        for dimension, figure in figures["dimension"].items():
            ours = sum(example.dimension == dimension for example in sets["identification"])
            rows.append(FigureComparison(f"identification: {dimension} ({part})", figure, ours))
    return rows
