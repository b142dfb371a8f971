"""Stereotypes and comments about social groups: CrowS-Pairs, StereoSet, RedditBias, and stereotypes in passing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unslant.core.example import Example, LabelledSpan
from unslant.lab.corpora.alignment import find_phrase
from unslant.lab.corpora.catalogue import dimension_map
from unslant.lab.corpora.dataset import CorpusSource, reads
from unslant.lab.corpora.tables import DataProblem, TableRow, UnusableRow


@reads(
    "crows_pairs_anonymized.csv", "sent_more", "sent_less", "stereo_antistereo", "bias_type", "annotations"
)
def read_crows_pairs(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield the more and the less stereotyping sentence of each pair.

    Nobody judged the counterpart free of slant, so it has no label: it swaps the group, not the tone.
    """
    dimension = row.choice("bias_type", dimension_map("crows_pairs"))
    try:
        votes = ast.literal_eval(row.text("annotations"))
        share = sum(bool(vote) for vote in votes) / len(votes) if votes else None
    except (ValueError, SyntaxError, TypeError):
        raise UnusableRow("annotations is not a list") from None
    pair = row.text("") or str(row.number)
    for side, column in (("source", "sent_more"), ("target", "sent_less")):
        if not row.text(column).strip():
            yield row.problem("empty text", column)
            continue
        yield source.example(
            f"{pair}-{side}",
            row.text(column),
            label=True if side == "source" else None,
            share=share if side == "source" else None,
            dimension=dimension,
            pair=pair,
            side=side,
            extra={"bias_type": row.text("bias_type"), "direction": row.text("stereo_antistereo")},
        )


@reads(
    "stereoset.jsonl",
    *("type", "target", "bias_type", "context", "stereotype", "anti-stereotype", "unrelated"),
)
def read_stereoset(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield the stereotype and the anti-stereotype of each item; the unrelated sentence is in ``extra``.

    Nobody judged the anti-stereotype free of slant, so it has no label.
    """
    dimension = row.choice("bias_type", dimension_map("stereoset"))
    kind = row.choice("type", ("intersentence", "intrasentence"))
    for side, column in (("source", "stereotype"), ("target", "anti-stereotype")):
        text, context = row.text(column).strip(), row.text("context").strip()
        if not text:
            yield row.problem("empty text", column)
            continue
        if kind == "intersentence":
            text = f"{context}{'' if context[-1:] in '.!?' else '.'} {text}"
        yield source.example(
            f"{row.number}-{side}",
            text,
            label=True if side == "source" else None,
            dimension=dimension,
            pair=str(row.number),
            side=side,
            extra={"target": row.text("target"), "type": kind, "unrelated": row.text("unrelated")},
        )


_REDDIT_LABELS = {"0": False, "0.0": False, "1": True, "1.0": True}


@reads("reddit_bias.csv", "text", "bias_pos", "label", "label_group")
def read_reddit_bias(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per comment; the phrase is a span where the comment is biased, and in ``extra`` always."""
    label, dimension = (
        row.choice("label", _REDDIT_LABELS),
        row.choice("label_group", dimension_map("reddit_bias")),
    )
    text, phrase = row.needed("text"), row.text("bias_pos")
    span = find_phrase(text, phrase)
    if span is None:
        yield row.problem("marked phrase not in its text")
    yield source.example(
        str(row.number),
        text,
        label=label,
        spans=(LabelledSpan(span),) if label and span else None if label else (),
        dimension=dimension,
        extra={"phrase": phrase, "group": row.text("label_group")},
    )


@reads("sentences.jsonl.gz", "text", "explicit", "implicit")
def read_stereotype(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    """Yield one example per sentence; ``extra`` says whether a stereotype is explicit, implicit or both (1 or 0)."""
    flags = {name: row.choice(name, (0, 1)) for name in ("explicit", "implicit")}
    label = any(flags.values())
    kinds = frozenset({"demographic"} if label else ())
    yield source.example(str(row.number), row.needed("text"), label=label, kinds=kinds, extra=flags)
