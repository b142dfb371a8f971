"""RedditBias: comments about a group, biased or not, with the phrase that decides (Barikeri et al. 2021)."""

from __future__ import annotations

from collections.abc import Iterator

from unslant.core.example import Example, LabelledSpan
from unslant.lab.corpora.catalogue import dimension_map
from unslant.lab.corpora.dataset import Source
from unslant.lab.corpora.phrases import find_phrase
from unslant.lab.corpora.problems import Problem
from unslant.lab.corpora.tables import csv_rows

__all__ = ["rows"]

_LABELS = {"0": False, "0.0": False, "1": True, "1.0": True}


def rows(source: Source) -> Iterator[Example | Problem]:
    """Yield one example per comment; the phrase is a span where the comment is biased, and in ``extra`` always."""
    dimensions = dimension_map("reddit_bias")
    for row in csv_rows(source.path("reddit_bias.csv"), ("text", "bias_pos", "label", "label_group")):
        if isinstance(row, Problem):
            yield row
            continue
        text, phrase = row.text("text"), row.text("bias_pos")
        label = _LABELS.get(row.text("label"))
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
