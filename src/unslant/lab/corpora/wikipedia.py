"""Pieces of the Wiki Neutrality Corpus: sentence pairs around a neutrality edit (Pryzant et al. 2020)."""

from __future__ import annotations

from collections.abc import Iterator

from unslant.core.example import Example
from unslant.lab.corpora.alignment import join_tokens
from unslant.lab.corpora.dataset import CorpusSource
from unslant.lab.corpora.problems import DataProblem
from unslant.lab.corpora.tables import read_jsonl

__all__ = ["read_wnc"]

_SPLITS = {"train": "train", "test": "test"}


def read_wnc(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield source and target of each pair, detokenised.

    ``wnc/clean`` leaves out the pairs of the noisy part (``rpryzant``) whose target has more words than its source:
    an edit that adds words seldom makes a sentence plainer, and these are where the doubtful targets are.
    """
    for row in read_jsonl(source.path("train_pairs.jsonl"), ("src", "tgt", "origin")):
        if isinstance(row, DataProblem):
            yield row
            continue
        sides = {"source": row.text("src").split(), "target": row.text("tgt").split()}
        if not all(sides.values()):
            yield row.problem("empty text")
        elif sides["source"] == sides["target"]:
            yield row.problem("source and target are the same")
        elif source.card.variant == "clean" and _doubtful(row.text("origin"), sides):
            yield row.problem("target longer than its source in the noisy part")
        else:
            for side, tokens in sides.items():
                yield Example(
                    id=f"{row.number}-{side}",
                    text=join_tokens(tokens, "pieces"),
                    source=source.name,
                    licence=source.licence,
                    split=_SPLITS.get(row.text("origin").rpartition("_")[2]),
                    label=side == "source",
                    pair=str(row.number),
                    side=side,
                    extra={"origin": row.text("origin")},
                )


def _doubtful(origin: str, sides: dict[str, list[str]]) -> bool:
    return origin.startswith("rpryzant") and len(sides["target"]) > len(sides["source"])
