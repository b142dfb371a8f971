"""BABE: news sentences judged by experts (SG1, SG2) and by the crowd (MBIC) (Spinde et al. 2021)."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from unslant.core.example import Example
from unslant.lab.corpora.catalogue import Card
from unslant.lab.corpora.dataset import Source
from unslant.lab.corpora.phrases import find_words
from unslant.lab.corpora.problems import Problem
from unslant.lab.corpora.tables import Dialect, Row, Rows, csv_rows, xlsx_rows

__all__ = ["BIAS", "complete", "final_rows", "item_id", "rows"]

BIAS: Mapping[str, bool | None] = {"Biased": True, "Non-biased": False, "No agreement": None}
_COLUMNS = ("text", "news_link", "outlet", "topic", "type", "label_bias", "label_opinion", "biased_words")
_LEANINGS = {"left": "left", "center": "center", "right": "right"}


def item_id(text: str) -> str:
    """Name a sentence as its file writes it, to the space: three pairs in SG2 differ by nothing else."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def complete(card: Card, folder: Path) -> bool:
    """Say whether the sentences are there; raw annotations may be missing."""
    return (folder / _final(card.variant)).is_file()


def _final(variant: str | None) -> str:
    return "final_labels_MBIC.xlsx" if variant == "mbic" else f"final_labels_{(variant or 'sg2').upper()}.csv"


def final_rows(source: Source) -> Rows:
    """Yield the rows of the file with the labels that annotators agreed on."""
    path = source.path(_final(source.card.variant))
    return xlsx_rows(path, _COLUMNS) if path.suffix == ".xlsx" else csv_rows(path, _COLUMNS, Dialect(";"))


def rows(source: Source) -> Iterator[Example | Problem]:
    """Yield one example per sentence; the soft label comes from the raw annotations where they are there."""
    from unslant.lab.corpora.babe_raw import shares

    share = shares(source)
    for row in final_rows(source):
        if isinstance(row, Problem):
            yield row
            continue
        problem = _wrong(row)
        if problem is not None:
            yield problem
            continue
        text, name = row.text("text").strip(), item_id(row.text("text"))
        words = ast.literal_eval(row.text("biased_words") or "[]")
        spans, lost = find_words(text, words)
        for word in lost:
            yield row.problem("marked word not in its sentence", word)
        yield Example(
            id=name,
            text=text,
            source=source.name,
            licence=source.licence,
            label=BIAS[row.text("label_bias")],
            share=share.get(name),
            spans=spans,
            outlet=_outlet(row.text("outlet")),
            topic=row.text("topic") or None,
            leaning=_LEANINGS.get(row.text("type")),
            page=row.text("news_link") or None,
            extra={"opinion": row.text("label_opinion"), "words": len(words)},
        )


def _wrong(row: Row) -> Problem | None:
    if not row.text("text").strip():
        return row.problem("empty text")
    if row.text("label_bias") not in BIAS:
        return row.problem("unknown label", row.text("label_bias"))
    try:
        words = ast.literal_eval(row.text("biased_words") or "[]")
    except (ValueError, SyntaxError):
        return row.problem("biased_words is not a list", row.text("biased_words")[:60])
    return None if isinstance(words, list) else row.problem("biased_words is not a list")


def _outlet(name: str) -> str | None:
    # SG1 and MBIC write "usa-today" and "fox-news", SG2 "USA Today" and "Fox News".
    return name.lower().replace(" ", "-") or None
