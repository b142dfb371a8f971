"""Abusive posts with the words that make them so, and neutral rewrites: HateXplain, Toxic Spans, ParaDetox."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span, join_spans
from unslant.lab.corpora.alignment import find_phrase
from unslant.lab.corpora.catalogue import dimension_map
from unslant.lab.corpora.dataset import CorpusSource
from unslant.lab.corpora.problems import DataProblem
from unslant.lab.corpora.tables import CsvDialect, TableRow, read_csv

__all__ = ["join_positions", "read_hatexplain", "read_paradetox", "read_toxic_spans"]

_LABELS = {"0": "normal", "1": "offensive", "2": "hatespeech"}
_GROUPS = ("gender", "religion", "race", "economic", "minority")
_HATEXPLAIN_COLUMNS = ("text", "rationale_pos", "label", *(f"label_{group}" for group in _GROUPS))


def read_hatexplain(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per post; it has a dimension where exactly one group was named."""
    dimensions = dimension_map("hatexplain")
    for row in read_csv(source.path("preprocessed.csv"), _HATEXPLAIN_COLUMNS):
        if isinstance(row, DataProblem):
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
            spans=tuple(LabelledSpan(span) for span in join_spans(found)) if marked else None,
            dimension=dimensions[groups[0]] if len(groups) == 1 else None,
            extra={"class": label, "groups": ",".join(groups)},
        )


_TOXIC_FILES = {"train": "tsd_train.csv", "dev": "tsd_trial.csv", "test": "tsd_test.csv"}


def read_toxic_spans(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per post; where annotators marked nothing there is no label, for the post was toxic to some."""
    for split, name in _TOXIC_FILES.items():
        for row in read_csv(source.path(name), ("spans", "text")):
            yield row if isinstance(row, DataProblem) else _toxic_example(row, split, source)


def _toxic_example(row: TableRow, split: str, source: CorpusSource) -> Example | DataProblem:
    text = row.text("text")
    try:
        marked = sorted(set(ast.literal_eval(row.text("spans"))))
    except (ValueError, SyntaxError, TypeError):
        return row.problem("spans is not a list of positions")
    if not text.strip():
        return row.problem("empty text")
    if marked and not 0 <= marked[0] <= marked[-1] < len(text):
        return row.problem("span outside the text", f"{marked[-1]} in a text of {len(text)}")
    return Example(
        id=f"{split}-{row.number}",
        text=text,
        source=source.name,
        licence=source.licence,
        split=split,
        label=True if marked else None,
        spans=tuple(LabelledSpan(span) for span in join_positions(marked)),
    )


def join_positions(positions: Sequence[int]) -> list[Span]:
    """Join positions that follow one another into spans."""
    found: list[tuple[int, int]] = []
    for position in positions:
        if found and found[-1][1] == position:
            found[-1] = (found[-1][0], position + 1)
        else:
            found.append((position, position + 1))
    return [Span(start, end) for start, end in found]


_REWRITES = ("neutral1", "neutral2", "neutral3")


def read_paradetox(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield the toxic sentence and each of its rewrites, one pair for all."""
    for row in read_csv(source.path("paradetox.tsv"), ("toxic", *_REWRITES), CsvDialect("\t")):
        if isinstance(row, DataProblem):
            yield row
            continue
        rewrites = [row.text(column).strip() for column in _REWRITES if row.text(column).strip()]
        if not row.text("toxic").strip() or not rewrites:
            yield row.problem("empty text")
            continue
        for number, text in enumerate((row.text("toxic").strip(), *rewrites)):
            yield Example(
                id=f"{row.number}-{number}",
                text=text,
                source=source.name,
                licence=source.licence,
                label=number == 0,
                pair=str(row.number),
                side="target" if number else "source",
            )
