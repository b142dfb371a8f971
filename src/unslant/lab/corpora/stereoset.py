"""StereoSet: a stereotype, its opposite and an unrelated sentence (Nadeem et al. 2021)."""

from __future__ import annotations

from collections.abc import Iterator

from unslant.core.example import Example
from unslant.lab.corpora.catalogue import dimension_map
from unslant.lab.corpora.dataset import Source
from unslant.lab.corpora.problems import Problem
from unslant.lab.corpora.tables import Row, jsonl_rows

__all__ = ["rows"]

_COLUMNS = ("type", "target", "bias_type", "context", "stereotype", "anti-stereotype", "unrelated")


def rows(source: Source) -> Iterator[Example | Problem]:
    """Yield the stereotype and the anti-stereotype of each item; the unrelated sentence is in ``extra``.

    Nobody judged the anti-stereotype free of slant, so it has no label.
    """
    for row in jsonl_rows(source.path("stereoset.jsonl"), _COLUMNS):
        if isinstance(row, Problem):
            yield row
        elif row.text("bias_type") not in dimension_map("stereoset"):
            yield row.problem("unknown label", row.text("bias_type"))
        elif row.text("type") not in ("intersentence", "intrasentence"):
            yield row.problem("unknown label", row.text("type"))
        else:
            for side, column in (("source", "stereotype"), ("target", "anti-stereotype")):
                yield _example(row, side, column, source)


def _example(row: Row, side: str, column: str, source: Source) -> Example | Problem:
    text = row.text(column).strip()
    if not text:
        return row.problem("empty text", column)
    if row.text("type") == "intersentence":
        context = row.text("context").strip()
        text = f"{context}{'' if context[-1:] in '.!?' else '.'} {text}"
    return Example(
        id=f"{row.number}-{side}",
        text=text,
        source=source.name,
        licence=source.licence,
        label=True if side == "source" else None,
        dimension=dimension_map("stereoset")[row.text("bias_type")],
        pair=str(row.number),
        side=side,
        extra={"target": row.text("target"), "type": row.text("type"), "unrelated": row.text("unrelated")},
    )
