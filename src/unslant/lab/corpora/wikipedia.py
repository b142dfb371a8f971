"""Sentences of Wikipedia: WIKIBIAS-Manual, neutrality edits (WNC, NPOV), hedges and weasel wording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from unslant.core.example import Example, LabelledSpan
from unslant.core.files import read_text
from unslant.core.taxonomy import kinds
from unslant.core.types import Span
from unslant.lab.corpora.alignment import Detokenized, detokenize, join_tokens
from unslant.lab.corpora.dataset import CorpusSource
from unslant.lab.corpora.tables import (
    CorpusError,
    CorpusMissing,
    DataProblem,
    TableRow,
    convert_rows,
    read_jsonl,
)

_PUBLISHED_LABELS = "published_labels.jsonl.gz"
_WIKIBIAS_COLUMNS = ("id", "pair", "side", "tokens", "tags", "types", "label")


def read_wikibias(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield source and target of each pair, detokenised, with the marked words as spans.

    The label is the published one where the file of published labels is at hand. Without it, a source in which no word
    is marked has no label: the publication calls 238 of these 933 biased, and the other files do not say which.
    """
    published = _published_labels(source)
    for split in ("train", "dev", "test"):
        for row in read_jsonl(source.path(f"{split}.jsonl"), _WIKIBIAS_COLUMNS):
            example = (
                row if isinstance(row, DataProblem) else _wikibias_example(row, split, source, published)
            )
            if (
                isinstance(row, TableRow)
                and isinstance(example, Example)
                and example.label is not None
                and example.spans is not None
                and bool(example.spans) != example.label
            ):
                yield row.problem(
                    "marks and label disagree", f"{len(example.spans or ())} spans, label {example.label}"
                )
            yield example


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


def _wikibias_example(
    row: TableRow, split: str, source: CorpusSource, published: Mapping[str, bool]
) -> Example | DataProblem:
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
    # Types are given per sentence, so spans have one only if their sentence has exactly one.
    kind = types[0] if len(types) == 1 else None
    spans = tagged_spans(detokenized, tags, kind)
    label: bool | None = published.get(f"{split}/{values['id']}")
    if label is None and (spans or values["label"] or values["side"] == "target"):
        label = bool(values["label"])
    # a biased sentence without marked words was judged as a whole: which words are biased is not known
    unmarked = not spans and label is not False
    return Example(
        id=str(values["id"]),
        text=detokenized.text,
        source=source.name,
        licence=source.licence,
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


_FILE = "test_source_gold.conll"
_TAGS = ("O", "B-bias", "I-bias")


def read_gold(source: CorpusSource) -> Iterator[Example]:
    """Yield one example per sentence, detokenised, with the marked words as spans."""
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


_PAIR_COLUMNS = ("src", "tgt", "tight", "edits", "deleted", "inserted", "also_in")
_ALIGNED_COLUMNS = ("id", "truecased_source", "truecased_target", "tight", "known")
_SPLITS = (None, "train", "dev", "test")


def read_wnc(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield source and target of each pair as natural text (Pryzant et al. 2020).

    ``wnc/clean`` leaves out the pairs of the noisy part (``rpryzant``) whose target has more words than its source:
    an edit that adds words seldom makes a sentence plainer, and these are where the doubtful targets are.
    ``wnc/notebook`` reads the tight edits of another part of the corpus, ``wnc/notebook-all`` all of them; so do
    ``wnc/aligned`` and ``wnc/aligned-all`` for the largest part, with capitals restored and spacing tidied.
    """
    if str(source.card.variant).startswith("aligned"):
        rows = read_jsonl(source.path("aligned_pairs.jsonl.gz"), _ALIGNED_COLUMNS)
        tight = source.card.variant == "aligned"
        yield from convert_rows(rows, lambda row: _aligned_pair(row, source, tight))
        return
    if str(source.card.variant).startswith("notebook"):
        yield from _read_pairs(source, "notebook_pairs.jsonl.gz", tight=source.card.variant == "notebook")
        return
    rows = read_jsonl(source.path("train_pairs.jsonl"), ("src", "tgt", "origin"))
    yield from convert_rows(rows, lambda row: _wnc_pair(row, source))


def _aligned_pair(row: TableRow, source: CorpusSource, tight: bool) -> Iterator[Example | DataProblem]:
    if tight and not row.values["tight"]:
        yield row.problem("not a tight edit")
        return
    known = [*(row.values["known"] or ()), *(["wikibias_train"] if row.values.get("wikibias_train") else [])]
    for side in ("source", "target"):
        yield source.example(
            f"{row.text('id')}-{side}",
            row.text(f"truecased_{side}"),
            label=side == "source",
            pair=row.text("id"),
            side=side,
            genre="encyclopedia",
            extra={"tight": bool(row.values["tight"]), "also_in": ",".join(known) or None},
        )


def _wnc_pair(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    sides = {"source": row.text("src").split(), "target": row.text("tgt").split()}
    if not all(sides.values()):
        yield row.problem("empty text")
    elif sides["source"] == sides["target"]:
        yield row.problem("source and target are the same")
    elif source.card.variant == "clean" and _is_doubtful(row.text("origin"), sides):
        yield row.problem("target longer than its source in the noisy part")
    else:
        origin = row.text("origin")
        split = origin.rpartition("_")[2]
        for side, tokens in sides.items():
            yield source.example(
                f"{row.number}-{side}",
                join_tokens(tokens, "subwords"),
                split=split if split in ("train", "test") else None,
                label=side == "source",
                pair=str(row.number),
                side=side,
                extra={"origin": origin},
            )


def _is_doubtful(origin: str, sides: dict[str, list[str]]) -> bool:
    return origin.startswith("rpryzant") and len(sides["target"]) > len(sides["source"])


def read_npov(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield source and target of each neutrality edit (Recasens et al. 2013): tight edits, or with ``npov/all`` all."""
    return _read_pairs(source, "pairs.jsonl.gz", tight=source.card.variant != "all")


def _read_pairs(source: CorpusSource, name: str, *, tight: bool) -> Iterator[Example | DataProblem]:
    rows = read_jsonl(source.path(name), _PAIR_COLUMNS)
    yield from convert_rows(rows, lambda row: _edit_pair(row, source, tight))


def _edit_pair(row: TableRow, source: CorpusSource, tight: bool) -> Iterator[Example | DataProblem]:
    texts = {"source": row.text("src").strip(), "target": row.text("tgt").strip()}
    if row.values.get("split") not in _SPLITS:
        yield row.problem("unknown label", row.text("split"))
    elif not all(texts.values()):
        yield row.problem("empty text")
    elif tight and not row.values["tight"]:
        yield row.problem("not a tight edit")
    else:
        for side, text in texts.items():
            yield source.example(
                f"{row.number}-{side}",
                text,
                split=row.values.get("split"),
                label=side == "source",
                pair=str(row.number),
                side=side,
                genre="encyclopedia",
                extra={
                    "tight": bool(row.values["tight"]),
                    "revision": row.text("rev") or None,
                    "also_in": ",".join(row.values["also_in"] or ()) or None,
                },
            )


def read_uncertainty(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per sentence; the marked words are hedges, with their type as technique.

    Nobody judged whether the sentences are slanted, so they have no label.
    """
    rows = read_jsonl(source.path("sentences.jsonl.gz"), ("doc", "id", "text", "spans"))
    yield from convert_rows(rows, lambda row: [_hedged_example(row, source)])


def _hedged_example(row: TableRow, source: CorpusSource) -> Example | DataProblem:
    text = row.text("text")
    if not text.strip():
        return row.problem("empty text")
    for start, end, _ in row.values["spans"]:
        if not 0 <= start < end <= len(text):
            return row.problem("span outside the text", f"[{start}, {end}) in a text of {len(text)}")
    spans = [LabelledSpan(Span(start, end), technique=name) for start, end, name in row.values["spans"]]
    return source.example(
        f"{row.text('doc')}-{row.text('id')}",
        text,
        spans=tuple(sorted(spans, key=lambda labelled: labelled.span)),
        document=row.text("doc"),
        genre="encyclopedia",
    )


def read_weasel(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per sentence in the published splits; the label says whether it has weasel wording."""
    rows = read_jsonl(source.path("sentences.jsonl.gz"), ("text", "label", "split"))
    yield from convert_rows(rows, lambda row: [_weasel(row, source)])


def _weasel(row: TableRow, source: CorpusSource) -> Example | DataProblem:
    if row.values["label"] not in (0, 1) or row.values["split"] not in _SPLITS:
        return row.problem("unknown label", f"{row.values['label']}, {row.values['split']}")
    if not row.text("text").strip():
        return row.problem("empty text")
    label = bool(row.values["label"])
    return source.example(
        str(row.number),
        row.text("text"),
        split=row.values["split"],
        label=label,
        kinds=frozenset({"epistemological"} if label else ()),
        genre="encyclopedia",
    )
