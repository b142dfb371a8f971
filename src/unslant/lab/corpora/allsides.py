"""AllSides articles with the leaning of their outlet (Baly et al. 2020), first 250 words."""

from __future__ import annotations

from collections.abc import Iterator

from unslant.core.example import Example
from unslant.lab.corpora.dataset import Source
from unslant.lab.corpora.detokenize import natural
from unslant.lab.corpora.problems import Problem
from unslant.lab.corpora.tables import jsonl_rows

__all__ = ["rows"]

_SPLITS = {"train": "train", "valid": "dev", "test": "test", None: None}
_LEANINGS = ("left", "center", "right")


def rows(source: Source) -> Iterator[Example | Problem]:
    """Yield one example per article, detokenised; the split is that by outlet (``media``) or the ``random`` one.

    Articles that the chosen split does not use have no split.
    """
    by = source.card.variant or "media"
    path = source.path("articles_first250w.jsonl.gz")
    for row in jsonl_rows(path, ("ID", "topic", "source", "bias_text", "splits", "text")):
        if isinstance(row, Problem):
            yield row
            continue
        split = row.values["splits"].get(by)
        if row.values["bias_text"] not in _LEANINGS or split not in _SPLITS:
            yield row.problem("unknown label", f"{row.text('bias_text')}, {split}")
            continue
        tokens = row.text("text").split()
        if not tokens:
            yield row.problem("empty text")
            continue
        yield Example(
            id=row.text("ID"),
            text=natural(tokens),
            source=source.name,
            licence=source.licence,
            split=_SPLITS[split],
            outlet=row.text("source") or None,
            topic=row.text("topic") or None,
            leaning=row.text("bias_text"),
            page=row.text("ID"),
            extra={"title": row.text("title"), "date": row.text("date")},
        )
