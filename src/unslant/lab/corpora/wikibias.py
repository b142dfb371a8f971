"""WIKIBIAS-Manual: Wikipedia sentences before and after a neutrality edit (Zhong et al. 2021)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from unslant.core.example import Example, LabelledSpan
from unslant.core.files import read_text
from unslant.core.taxonomy import kinds
from unslant.lab.corpora.alignment import Detokenized, detokenize
from unslant.lab.corpora.dataset import CorpusSource
from unslant.lab.corpora.problems import CorpusError, CorpusMissing, DataProblem
from unslant.lab.corpora.tables import TableRow, read_jsonl

__all__ = ["read_gold", "read_wikibias", "tagged_spans"]

# The publication counts 238 more sources as biased than have marked words, and does not say which: a source without
# marked words has no label here. Every target is neutral.
_COLUMNS = ("id", "pair", "side", "tokens", "tags", "types", "label")


def read_wikibias(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield source and target of each pair, detokenised, with the marked words where they now stand."""
    for split in ("train", "dev", "test"):
        for row in read_jsonl(source.path(f"{split}.jsonl"), _COLUMNS):
            example = row if isinstance(row, DataProblem) else _wikibias_example(row, split, source)
            if (
                isinstance(row, TableRow)
                and isinstance(example, Example)
                and example.label is not None
                and bool(example.spans) != example.label
            ):
                yield row.problem(
                    "marks and label disagree", f"{len(example.spans or ())} spans, label {example.label}"
                )
            yield example


def _wikibias_example(row: TableRow, split: str, source: CorpusSource) -> Example | DataProblem:
    values = row.values
    tokens, tags, types = values["tokens"], values["tags"], values["types"]
    if not tokens or not all(isinstance(token, str) and token.strip() for token in tokens):
        return row.problem("empty token or no tokens")
    if len(tokens) != len(tags):
        return row.problem("tags do not fit the tokens", f"{len(tags)} tags for {len(tokens)} tokens")
    if unknown := [tag for tag in tags if tag not in ("O", "B-bias", "I-bias")]:
        return row.problem("unknown label", unknown[0])
    if unknown := [name for name in types if name not in kinds()]:
        return row.problem("unknown label", unknown[0])
    if values["label"] not in (0, 1) or values["side"] not in ("source", "target"):
        return row.problem("unknown label", f"{values['label']!r}, {values['side']!r}")
    detokenized = detokenize(tokens)
    # Types are given for the sentence: only where there is one can it be said of each span.
    kind = types[0] if len(types) == 1 else None
    spans = tagged_spans(detokenized, tags, kind)
    unjudged = values["side"] == "source" and not spans and not values["label"]
    return Example(
        id=str(values["id"]),
        text=detokenized.text,
        source=source.name,
        licence=source.licence,
        split=split,
        label=None if unjudged else bool(values["label"]),
        spans=None if unjudged else spans,
        kinds=None if unjudged else frozenset(types),
        pair=str(values["pair"]),
        side=values["side"],
        extra={
            "tag_boundary": values.get("tag_boundary"),
            "tokens": len(tokens),
            "marked": sum(tag != "O" for tag in tags),
        },
    )


def tagged_spans(detokenized: Detokenized, tags: Sequence[str], kind: str | None) -> tuple[LabelledSpan, ...]:
    """Turn begin/inside/outside tags of tokens into spans of the text; an inside without a begin begins."""
    runs: list[tuple[int, int]] = []
    for index, tag in enumerate(tags):
        if tag.startswith("I") and runs and runs[-1][1] == index - 1:
            runs[-1] = (runs[-1][0], index)
        elif tag != "O":
            runs.append((index, index))
    return tuple(LabelledSpan(detokenized.cover(first, last), kind) for first, last in runs)


_FILE = "test_source_gold.conll"
_TAGS = ("O", "B-bias", "I-bias")


def read_gold(source: CorpusSource) -> Iterator[Example]:
    """Yield one example per sentence, detokenised, with the marked words where they now stand."""
    path = source.path(_FILE)
    if not path.is_file():
        raise CorpusMissing(f"{path}: not there; it is a part of the publisher's copy of {source.name}")
    for number, rows in enumerate(_read_conll(path), 1):
        tokens, tags = zip(*rows, strict=True)
        detokenized = detokenize(tokens)
        spans = tagged_spans(detokenized, tags, None)
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


def _read_conll(path: Path) -> Iterator[list[tuple[str, str]]]:
    rows: list[tuple[str, str]] = []
    for number, line in enumerate(read_text(path, CorpusError, max_bytes=1 << 30).split("\n"), 1):
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
