"""CrowS-Pairs: a sentence that stereotypes and its counterpart (Nangia et al. 2020)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unslant.core.example import Example
from unslant.lab.corpora.catalogue import dimension_map
from unslant.lab.corpora.dataset import Source
from unslant.lab.corpora.problems import Problem
from unslant.lab.corpora.tables import Row, csv_rows

__all__ = ["rows"]


def rows(source: Source) -> Iterator[Example | Problem]:
    """Yield the more and the less stereotyping sentence of each pair.

    Nobody judged the counterpart free of slant, so it has no label: it swaps the group, not the tone.
    """
    columns = ("sent_more", "sent_less", "stereo_antistereo", "bias_type", "annotations")
    for row in csv_rows(source.path("crows_pairs_anonymized.csv"), columns):
        if isinstance(row, Problem):
            yield row
        elif row.text("bias_type") not in dimension_map("crows_pairs"):
            yield row.problem("unknown label", row.text("bias_type"))
        else:
            yield from _pair(row, source)


def _pair(row: Row, source: Source) -> Iterator[Example | Problem]:
    try:
        votes = ast.literal_eval(row.text("annotations"))
        share = sum(bool(vote) for vote in votes) / len(votes) if votes else None
    except (ValueError, SyntaxError, TypeError):
        yield row.problem("annotations is not a list")
        return
    pair = row.text("") or str(row.number)
    for side, column in (("source", "sent_more"), ("target", "sent_less")):
        if not row.text(column).strip():
            yield row.problem("empty text", column)
            continue
        yield Example(
            id=f"{pair}-{side}",
            text=row.text(column),
            source=source.name,
            licence=source.licence,
            label=True if side == "source" else None,
            share=share if side == "source" else None,
            dimension=dimension_map("crows_pairs")[row.text("bias_type")],
            pair=pair,
            side=side,
            extra={"bias_type": row.text("bias_type"), "direction": row.text("stereo_antistereo")},
        )
