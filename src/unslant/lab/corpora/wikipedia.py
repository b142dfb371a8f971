"""Sentences of Wikipedia: WIKIBIAS-Manual, neutrality edits (WNC, NPOV), hedges and weasel wording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from unslant.core.example import Example, LabelledSpan
from unslant.core.files import read_text
from unslant.core.taxonomy import kinds
from unslant.lab.corpora.alignment import Detokenized, detokenize, join_tokens
from unslant.lab.corpora.dataset import CorpusSource, reads
from unslant.lab.corpora.tables import (
    CorpusError,
    CorpusMissing,
    DataProblem,
    TableRow,
    UnusableRow,
    convert_rows,
    read_jsonl,
    span_in,
)

_TAGS = ("O", "B-bias", "I-bias")
_PUBLISHED_LABELS = "published_labels.jsonl.gz"
_WIKIBIAS_COLUMNS = ("id", "pair", "side", "tokens", "tags", "types", "label")


def read_wikibias(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield source and target of each pair, detokenised, with the marked words as spans.

    The label is the published one where the file of published labels is at hand. Without it, a source in which no word
    is marked has no label: the publication calls 238 of these 933 biased, and the other files do not say which.
    """
    published = _published_labels(source)
    for split in ("train", "dev", "test"):
        rows = read_jsonl(source.path(f"{split}.jsonl"), _WIKIBIAS_COLUMNS)
        yield from convert_rows(
            rows, partial(_wikibias_example, split=split, source=source, published=published)
        )


def _published_labels(source: CorpusSource) -> Mapping[str, bool]:
    """Return the published label of each sentence by split and id; empty without the file."""
    path = source.path(_PUBLISHED_LABELS)
    if not path.is_file():
        return {}
    labels = {}
    for row in read_jsonl(path, ("id", "split", "label")):
        if isinstance(row, DataProblem) or row.values["label"] not in (0, 1):
            raise CorpusError(
                f"{path}: every line needs an id, a split and a label, 0 or 1; fetch the file again"
            )
        labels[f"{row.text('split')}/{row.text('id')}"] = bool(row.values["label"])
    return labels


def _check_wikibias(row: TableRow) -> None:
    values = row.values
    tokens, tags, types = values["tokens"], values["tags"], values["types"]
    if not tokens or not all(isinstance(token, str) and token.strip() for token in tokens):
        raise UnusableRow("empty token or no tokens")
    if len(tokens) != len(tags):
        raise UnusableRow("tags do not fit the tokens", f"{len(tags)} tags for {len(tokens)} tokens")
    if unknown := [tag for tag in tags if tag not in _TAGS] or [
        name for name in types if name not in kinds()
    ]:
        raise UnusableRow("unknown label", unknown[0])
    if values["label"] not in (0, 1) or values["side"] not in ("source", "target"):
        raise UnusableRow("unknown label", f"{values['label']!r}, {values['side']!r}")


def _wikibias_example(
    row: TableRow, split: str, source: CorpusSource, published: Mapping[str, bool]
) -> Iterator[Example | DataProblem]:
    _check_wikibias(row)
    values = row.values
    tokens, tags, types = values["tokens"], values["tags"], values["types"]
    detokenized = detokenize(tokens)
    # Types are given per sentence, so spans have one only if their sentence has exactly one.
    spans = tagged_spans(detokenized, tags, types[0] if len(types) == 1 else None)
    label: bool | None = published.get(f"{split}/{values['id']}")
    if label is None and (spans or values["label"] or values["side"] == "target"):
        label = bool(values["label"])
    # a biased sentence without marked words was judged as a whole: which words are biased is not known
    unmarked = not spans and label is not False
    if label is not None and not unmarked and bool(spans) != label:
        yield row.problem("marks and label disagree", f"{len(spans)} spans, label {label}")
    yield source.example(
        str(values["id"]),
        detokenized.text,
        split=split,
        label=label,
        spans=None if unmarked else spans,
        kinds=None if unmarked and not types else frozenset(types),
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


def read_gold(source: CorpusSource) -> Iterator[Example]:
    """Yield one example per sentence, detokenised, with the marked words as spans."""
    path = source.path("test_source_gold.conll")
    if not path.is_file():
        raise CorpusMissing(f"{path}: not there; it is a part of the publisher's copy of {source.name}")
    for number, rows in enumerate(_read_conll(path), 1):
        tokens, tags = zip(*rows, strict=True)
        detokenized = detokenize(tokens)
        spans = tagged_spans(detokenized, tags, None)
        yield source.example(
            f"gold-{number}",
            detokenized.text,
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


_PAIR_COLUMNS = ("src", "tgt", "tight", "edits", "deleted", "inserted", "also_in")
_SPLITS = (None, "train", "dev", "test")


def read_wnc(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield source and target of each pair as natural text (Pryzant et al. 2020).

    ``wnc/clean`` leaves out the pairs of the noisy part (``rpryzant``) whose target has more words than its source:
    an edit that adds words seldom makes a sentence plainer, and these are where the doubtful targets are.
    ``wnc/notebook`` reads the tight edits of another part of the corpus, ``wnc/notebook-all`` all of them; so do
    ``wnc/aligned`` and ``wnc/aligned-all`` for the largest part, with capitals restored and spacing tidied.
    """
    variant = str(source.card.variant)
    if variant.startswith("aligned"):
        return _aligned_pairs(source)
    return (_notebook_pairs if variant.startswith("notebook") else _wnc_pairs)(source)


@reads("aligned_pairs.jsonl.gz", "id", "truecased_source", "truecased_target", "tight", "known")
def _aligned_pairs(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    if source.card.variant == "aligned" and not row.values["tight"]:
        raise UnusableRow("not a tight edit")
    known = [*(row.values["known"] or ()), *(["wikibias_train"] if row.values.get("wikibias_train") else [])]
    texts = {side: row.text(f"truecased_{side}") for side in ("source", "target")}
    extra = {"tight": bool(row.values["tight"]), "also_in": ",".join(known) or None}
    yield from _sides(source, row.text("id"), texts, genre="encyclopedia", extra=extra)


def _sides(
    source: CorpusSource, name: str, texts: Mapping[str, str], split: str | None = None, **fields: Any
) -> Iterator[Example]:
    """Yield the source of a pair, which is slanted, and its target."""
    for side, text in texts.items():
        yield source.example(
            f"{name}-{side}", text, split=split, label=side == "source", pair=name, side=side, **fields
        )


@reads("train_pairs.jsonl", "src", "tgt", "origin")
def _wnc_pairs(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    origin = row.text("origin")
    sides = {"source": row.needed("src").split(), "target": row.needed("tgt").split()}
    if sides["source"] == sides["target"]:
        raise UnusableRow("source and target are the same")
    longer = len(sides["target"]) > len(sides["source"])
    if source.card.variant == "clean" and origin.startswith("rpryzant") and longer:
        raise UnusableRow("target longer than its source in the noisy part")
    named = origin.rpartition("_")[2]
    split = named if named in ("train", "test") else None
    texts = {side: join_tokens(tokens, "subwords") for side, tokens in sides.items()}
    yield from _sides(source, str(row.number), texts, split, extra={"origin": origin})


def _edit_pair(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    split = row.choice("split", _SPLITS)
    texts = {"source": row.needed("src").strip(), "target": row.needed("tgt").strip()}
    if not row.values["tight"] and not str(source.card.variant).endswith("all"):
        raise UnusableRow("not a tight edit")
    extra = {
        "tight": bool(row.values["tight"]),
        "revision": row.text("rev") or None,
        "also_in": ",".join(row.values["also_in"] or ()) or None,
    }
    yield from _sides(source, str(row.number), texts, split, genre="encyclopedia", extra=extra)


_notebook_pairs = reads("notebook_pairs.jsonl.gz", *_PAIR_COLUMNS)(_edit_pair)
read_npov = reads("pairs.jsonl.gz", *_PAIR_COLUMNS)(_edit_pair)
"""Source and target of each neutrality edit (Recasens et al. 2013): tight edits, or with ``npov/all`` all."""


@reads("sentences.jsonl.gz", "doc", "id", "text", "spans")
def read_uncertainty(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    """Yield one example per sentence; the marked words are hedges, with their type as technique.

    Nobody judged whether the sentences are slanted, so they have no label.
    """
    text, document = row.needed("text"), row.text("doc")
    spans = [
        LabelledSpan(span_in(text, start, end), technique=name) for start, end, name in row.values["spans"]
    ]
    yield source.example(
        f"{document}-{row.text('id')}",
        text,
        spans=tuple(sorted(spans, key=lambda labelled: labelled.span)),
        document=document,
        genre="encyclopedia",
    )


@reads("sentences.jsonl.gz", "text", "label", "split")
def read_weasel(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    """Yield one example per sentence in the published splits; the label says whether it has weasel wording."""
    if row.values["label"] not in (0, 1) or row.values["split"] not in _SPLITS:
        raise UnusableRow("unknown label", f"{row.values['label']}, {row.values['split']}")
    label = bool(row.values["label"])
    yield source.example(
        str(row.number),
        row.needed("text"),
        split=row.values["split"],
        label=label,
        kinds=frozenset({"epistemological"} if label else ()),
        genre="encyclopedia",
    )
