"""HateXplain: posts with the words that make them abusive and the group they aim at (Mathew et al. 2021)."""

from __future__ import annotations

from collections.abc import Iterator

from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span
from unslant.lab.corpora.catalogue import dimension_map
from unslant.lab.corpora.dataset import Source
from unslant.lab.corpora.phrases import find_phrase, merged
from unslant.lab.corpora.problems import Problem
from unslant.lab.corpora.tables import csv_rows

__all__ = ["rows"]

_LABELS = {"0": "normal", "1": "offensive", "2": "hatespeech"}
_GROUPS = ("gender", "religion", "race", "economic", "minority")
_COLUMNS = ("text", "rationale_pos", "label", *(f"label_{group}" for group in _GROUPS))


def rows(source: Source) -> Iterator[Example | Problem]:
    """Yield one example per post; it has a dimension where exactly one group was named."""
    dimensions = dimension_map("hatexplain")
    for row in csv_rows(source.path("preprocessed.csv"), _COLUMNS):
        if isinstance(row, Problem):
            yield row
            continue
        text, label = row.text("text"), _LABELS.get(row.text("label"))
        if label is None:
            yield row.problem("unknown label", row.text("label"))
            continue
        if not text.strip():
            yield row.problem("empty text")
            continue
        found: list[Span] = []
        for phrase in filter(None, row.text("rationale_pos").split(";")):
            if span := find_phrase(text, phrase):
                found.append(span)
            else:
                yield row.problem("marked phrase not in its text")
        groups = [group for group in _GROUPS if row.text(f"label_{group}") == "1"]
        marked = label == "normal" or bool(row.text("rationale_pos"))
        yield Example(
            id=str(row.number),
            text=text,
            source=source.name,
            licence=source.licence,
            label=label != "normal",
            # An abusive post without a rationale was not marked; that is not the same as nothing to mark.
            spans=tuple(LabelledSpan(span) for span in merged(found)) if marked else None,
            dimension=dimensions[groups[0]] if len(groups) == 1 else None,
            extra={"class": label, "groups": ",".join(groups)},
        )
