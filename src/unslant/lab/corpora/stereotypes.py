"""Stereotypes and comments about social groups: CrowS-Pairs, StereoSet, RedditBias, and stereotypes in passing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unslant.core.example import Example, LabelledSpan
from unslant.lab.corpora.alignment import find_phrase
from unslant.lab.corpora.catalogue import dimension_map
from unslant.lab.corpora.dataset import CorpusSource
from unslant.lab.corpora.tables import DataProblem, TableRow, convert_rows, read_csv, read_jsonl


def read_crows_pairs(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield the more and the less stereotyping sentence of each pair.

    Nobody judged the counterpart free of slant, so it has no label: it swaps the group, not the tone.
    """
    columns = ("sent_more", "sent_less", "stereo_antistereo", "bias_type", "annotations")
    for row in read_csv(source.path("crows_pairs_anonymized.csv"), columns):
        if isinstance(row, DataProblem):
            yield row
        elif row.text("bias_type") not in dimension_map("crows_pairs"):
            yield row.problem("unknown label", row.text("bias_type"))
        else:
            yield from _crows_pair(row, source)


def _crows_pair(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    try:
        votes = ast.literal_eval(row.text("annotations"))
        share = sum(bool(vote) for vote in votes) / len(votes) if votes else None
    except (ValueError, SyntaxError, TypeError):
        yield row.problem("annotations is not a list")
        return
    pair = row.text("") or str(row.number)
    for side, column in (("source", "sent_more"), ("target", "sent_less")):
        if not row.text(column).strip():
            yield row.problem("empty text", column)
            continue
        yield Example(
            id=f"{pair}-{side}",
            text=row.text(column),
            source=source.name,
            licence=source.licence,
            label=True if side == "source" else None,
            share=share if side == "source" else None,
            dimension=dimension_map("crows_pairs")[row.text("bias_type")],
            pair=pair,
            side=side,
            extra={"bias_type": row.text("bias_type"), "direction": row.text("stereo_antistereo")},
        )


_STEREOSET_COLUMNS = ("type", "target", "bias_type", "context", "stereotype", "anti-stereotype", "unrelated")


def read_stereoset(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield the stereotype and the anti-stereotype of each item; the unrelated sentence is in ``extra``.

    Nobody judged the anti-stereotype free of slant, so it has no label.
    """
    for row in read_jsonl(source.path("stereoset.jsonl"), _STEREOSET_COLUMNS):
        if isinstance(row, DataProblem):
            yield row
        elif row.text("bias_type") not in dimension_map("stereoset"):
            yield row.problem("unknown label", row.text("bias_type"))
        elif row.text("type") not in ("intersentence", "intrasentence"):
            yield row.problem("unknown label", row.text("type"))
        else:
            for side, column in (("source", "stereotype"), ("target", "anti-stereotype")):
                yield _stereoset_example(row, side, column, source)


def _stereoset_example(row: TableRow, side: str, column: str, source: CorpusSource) -> Example | DataProblem:
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


_REDDIT_LABELS = {"0": False, "0.0": False, "1": True, "1.0": True}


def read_reddit_bias(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per comment; the phrase is a span where the comment is biased, and in ``extra`` always."""
    dimensions = dimension_map("reddit_bias")
    for row in read_csv(source.path("reddit_bias.csv"), ("text", "bias_pos", "label", "label_group")):
        if isinstance(row, DataProblem):
            yield row
            continue
        text, phrase = row.text("text"), row.text("bias_pos")
        label = _REDDIT_LABELS.get(row.text("label"))
        if label is None or row.text("label_group") not in dimensions:
            yield row.problem("unknown label", f"{row.text('label')}, {row.text('label_group')}")
            continue
        if not text.strip():
            yield row.problem("empty text")
            continue
        span = find_phrase(text, phrase)
        if span is None:
            yield row.problem("marked phrase not in its text")
        yield Example(
            id=str(row.number),
            text=text,
            source=source.name,
            licence=source.licence,
            label=label,
            spans=(LabelledSpan(span),) if label and span else None if label else (),
            dimension=dimensions[row.text("label_group")],
            extra={"phrase": phrase, "group": row.text("label_group")},
        )


def read_stereotype(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per sentence; ``extra`` says whether a stereotype is explicit, implicit or both (1 or 0)."""
    rows = read_jsonl(source.path("sentences.jsonl.gz"), ("text", "explicit", "implicit"))
    yield from convert_rows(rows, lambda row: [_stereotype(row, source)])


def _stereotype(row: TableRow, source: CorpusSource) -> Example | DataProblem:
    flags = {name: row.values[name] for name in ("explicit", "implicit")}
    if any(value not in (0, 1) for value in flags.values()):
        return row.problem("unknown label", flags)
    if not row.text("text").strip():
        return row.problem("empty text")
    label = any(flags.values())
    return source.example(
        str(row.number),
        row.text("text"),
        label=label,
        kinds=frozenset({"demographic"} if label else ()),
        extra=flags,
    )
