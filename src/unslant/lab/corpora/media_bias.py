"""anno-lexical: news sentences labelled by a majority of language models for the construct of BABE."""

from __future__ import annotations

from collections.abc import Iterator

from unslant.core.example import Example
from unslant.lab.corpora.dataset import CorpusSource
from unslant.lab.corpora.problems import DataProblem
from unslant.lab.corpora.tables import read_parquet

__all__ = ["read_anno_lexical"]


def read_anno_lexical(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per sentence, in the published splits."""
    for split in ("train", "dev", "test"):
        path = source.path(f"anno-lexical-{split}.parquet")
        for row in read_parquet(path, ("text", "source_name", "label", "sentence_id")):
            if isinstance(row, DataProblem):
                yield row
            elif row.values["label"] not in (0, 1):
                yield row.problem("unknown label", row.values["label"])
            elif not row.text("text").strip():
                yield row.problem("empty text")
            else:
                yield Example(
                    id=row.text("sentence_id"),
                    text=row.text("text"),
                    source=source.name,
                    licence=source.licence,
                    split=split,
                    label=bool(row.values["label"]),
                    outlet=row.text("source_name") or None,
                )
