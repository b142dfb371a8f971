"""The authors' own marks for the source side of the WIKIBIAS test part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from unslant.core.example import Example
from unslant.lab.corpora.dataset import Source
from unslant.lab.corpora.detokenize import detokenize
from unslant.lab.corpora.problems import CorpusError, CorpusMissing
from unslant.lab.corpora.wikibias import spans_of

__all__ = ["gold_examples"]

_FILE = "test_source_gold.conll"
_TAGS = ("O", "B-bias", "I-bias")


def gold_examples(source: Source) -> Iterator[Example]:
    """Yield one example per sentence, detokenised, with the marked words where they now stand."""
    path = source.path(_FILE)
    if not path.is_file():
        raise CorpusMissing(f"{path}: not there; it is a part of the publisher's copy of {source.name}")
    for number, rows in enumerate(_sentences(path), 1):
        tokens, tags = zip(*rows, strict=True)
        detokenized = detokenize(tokens)
        spans = spans_of(detokenized, tags, None)
        yield Example(
            id=f"gold-{number}",
            text=detokenized.text,
            source=source.name,
            licence=source.licence,
            split="test",
            label=bool(spans),
            spans=spans,
            side="source",
        )


def _sentences(path: Path) -> Iterator[list[tuple[str, str]]]:
    rows: list[tuple[str, str]] = []
    for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
        if not line.strip():
            if rows:
                yield rows
            rows = []
            continue
        token, _, tag = line.rpartition(" ")
        if not token.strip() or tag not in _TAGS:
            raise CorpusError(f"{path}, line {number}: not a word and one of {', '.join(_TAGS)}")
        rows.append((token.strip(), tag))
    if rows:
        yield rows
