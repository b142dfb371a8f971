"""Toxic Spans (SemEval-2021 task 5): toxic posts with the characters that make them so."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span
from unslant.lab.corpora.dataset import Source
from unslant.lab.corpora.problems import Problem
from unslant.lab.corpora.tables import Row, csv_rows

__all__ = ["rows", "runs"]

_FILES = {"train": "tsd_train.csv", "dev": "tsd_trial.csv", "test": "tsd_test.csv"}


def rows(source: Source) -> Iterator[Example | Problem]:
    """Yield one example per post; where annotators marked nothing there is no label, for the post was toxic to some."""
    for split, name in _FILES.items():
        for row in csv_rows(source.path(name), ("spans", "text")):
            yield row if isinstance(row, Problem) else _example(row, split, source)


def _example(row: Row, split: str, source: Source) -> Example | Problem:
    text = row.text("text")
    try:
        marked = sorted(set(ast.literal_eval(row.text("spans"))))
    except (ValueError, SyntaxError, TypeError):
        return row.problem("spans is not a list of positions")
    if not text.strip():
        return row.problem("empty text")
    if marked and not 0 <= marked[0] <= marked[-1] < len(text):
        return row.problem("span outside the text", f"{marked[-1]} in a text of {len(text)}")
    return Example(
        id=f"{split}-{row.number}",
        text=text,
        source=source.name,
        licence=source.licence,
        split=split,
        label=True if marked else None,
        spans=tuple(LabelledSpan(span) for span in runs(marked)),
    )


def runs(positions: Sequence[int]) -> list[Span]:
    """Join positions that follow one another into spans."""
    found: list[tuple[int, int]] = []
    for position in positions:
        if found and found[-1][1] == position:
            found[-1] = (found[-1][0], position + 1)
        else:
            found.append((position, position + 1))
    return [Span(start, end) for start, end in found]
