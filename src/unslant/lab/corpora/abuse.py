"""Abusive posts with the words that make them so, and neutral rewrites: HateXplain, Toxic Spans, ParaDetox and CAD.

The Contextual Abuse Dataset (Vidgen et al. 2021) comes with the evaluation sets that Bauer et al. (2023) built from it.
``cad`` reads the official splits with primary categories; ``cad/full`` the publisher's full file with targets,
rationales and context.

The filters of Bauer et al.: an entry has a rationale; the rationale is a part of the entry; it concerns one of the
eleven dimensions; an entry of the training split has at most 150 words. Development and test split together are for
evaluation. The paper does not state how the neutral half of ``diagnosis`` was drawn, nor how an entry with several
dimensions or rationales was counted: here the neutral half is drawn with a seed, as large as the other;
``identification`` takes entries with one dimension, ``extraction`` and ``rephrasing`` those that also have one
rationale. The authors collected the rephrased texts themselves; they are not part of CAD, so ``rephrasing`` holds the
texts to be rephrased.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span, join_spans
from unslant.lab.corpora.alignment import find_phrase
from unslant.lab.corpora.catalogue import dimension_map
from unslant.lab.corpora.dataset import CorpusSource, reads
from unslant.lab.corpora.tables import (
    CsvDialect,
    DataProblem,
    TableRow,
    UnusableRow,
    convert_rows,
    read_csv,
)

ABUSE = ("IdentityDirectedAbuse", "AffiliationDirectedAbuse", "PersonDirectedAbuse")
CATEGORIES = ("Neutral", *ABUSE, "CounterSpeech", "Slur")
_FULL = ("cad_v1_1.tsv", "cad_v1.tsv")
_TSV = CsvDialect("\t", quoting=False)
_NONE = ("", "NA", '"NA"', "na")
_SPLITS = ("train", "dev", "test")
_TARGET = "annotation_Target_top.level.category"
_JUDGED = ("annotation_Primary", "annotation_Secondary", "annotation_Context", "annotation_Target", _TARGET)
_FULL_COLUMNS = ("info_id", "info_thread.id", *_JUDGED, "annotation_highlighted", "split", "meta_text")


def full_file(folder: Path) -> Path | None:
    """Return the publisher's full file, if it is there; the corrected version before the first."""
    return next((folder / name for name in _FULL if (folder / name).is_file()), None)


def clean(text: str) -> str:
    """Write line breaks as line breaks."""
    return re.sub(r" *\n *", "\n", text.replace("[linebreak]", "\n")).strip()


def entry_id(name: str) -> str:
    """Return what a post's title and body share."""
    return name.removesuffix("-post").removesuffix("-title")


def read_cad(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per entry."""
    return _read_full(source) if source.card.variant == "full" else _read_primary(source)


def _label(categories: list[str]) -> bool | None:
    if any(name in ABUSE or name == "Slur" for name in categories):
        return True
    # Counter speech answers abuse: it was judged neither abusive nor neutral.
    return False if categories == ["Neutral"] else None


def _read_primary(source: CorpusSource) -> Iterator[Example | DataProblem]:
    for split in _SPLITS:
        rows = read_csv(source.path(f"cad_v1_1_{split}.tsv"), ("id", "text", "labels"), _TSV)
        yield from convert_rows(rows, partial(_primary, split=split, source=source))


def _primary(row: TableRow, split: str, source: CorpusSource) -> Iterator[Example]:
    categories = row.text("labels").split(",")
    if unknown := [name for name in categories if name not in CATEGORIES]:
        raise UnusableRow("unknown label", unknown[0])
    yield source.example(
        row.text("id"),
        _cleaned(row, "text"),
        split=split,
        label=_label(categories),
        document=entry_id(row.text("id")),
        extra={"categories": ",".join(categories)},
    )


def _cleaned(row: TableRow, column: str) -> str:
    text = clean(row.text(column))
    if not text:
        raise UnusableRow("empty text")
    return text


@dataclass(frozen=True, slots=True)
class AbuseJudgement:
    """One row of the full file: the judgement of one target in one entry."""

    entry: str
    thread: str
    split: str
    text: str
    category: str
    context: str | None
    """``CurrentContent`` or ``PreviousContent``: what the judgement rests on."""
    target: str | None
    dimension: str | None
    rationale: str | None
    span: Span | None
    """The place of the rationale; None if it is not part of the text."""


def read_judgements(path: Path) -> Iterator[AbuseJudgement | DataProblem]:
    """Yield the rows of the full file; entries that the publisher left out of the splits are named as problems."""
    return convert_rows(read_csv(path, _FULL_COLUMNS, _TSV), _read_judgement)


def _read_judgement(row: TableRow) -> Iterator[AbuseJudgement | DataProblem]:
    if row.text("split") not in _SPLITS:
        raise UnusableRow("left out by the publisher", row.text("split"))
    row.choice("annotation_Primary", CATEGORIES)
    text = _cleaned(row, "meta_text")
    rationale = _value(row, "annotation_highlighted")
    span = find_phrase(text, clean(rationale)) if rationale else None
    if rationale and span is None:
        yield row.problem("rationale not in its text")
    category = (_value(row, _TARGET) or "").strip().lower()
    dimensions = dimension_map("cad")
    if category and category not in dimensions:
        yield row.problem("unknown target category", category)
    yield AbuseJudgement(
        entry=row.text("info_id"),
        thread=row.text("info_thread.id"),
        split=row.text("split"),
        text=text,
        category=row.text("annotation_Primary"),
        context=_value(row, "annotation_Context"),
        target=_value(row, "annotation_Target"),
        dimension=dimensions.get(category),
        rationale=rationale,
        span=span,
    )


def _value(row: TableRow, column: str) -> str | None:
    value = row.text(column)
    return None if value in _NONE else value.strip('"')


def _read_full(source: CorpusSource) -> Iterator[Example | DataProblem]:
    path = full_file(source.folder)
    assert path is not None, "found before it was opened"  # noqa: S101
    entries: dict[str, list[AbuseJudgement]] = {}
    for row in read_judgements(path):
        if isinstance(row, DataProblem):
            yield row
        else:
            # The judgements of one entry need not be neighbours in the file.
            entries.setdefault(row.entry, []).append(row)
    for found in entries.values():
        yield _entry(found, source)


def _entry(found: list[AbuseJudgement], source: CorpusSource) -> Example:
    first = found[0]
    categories = sorted({judgement.category for judgement in found})
    dimensions = sorted({judgement.dimension for judgement in found if judgement.dimension})
    spans = join_spans([judgement.span for judgement in found if judgement.span])
    marked = bool(spans) or categories == ["Neutral"]
    return source.example(
        first.entry,
        first.text,
        split=first.split,
        label=_label(categories),
        spans=tuple(LabelledSpan(span) for span in spans) if marked else None,
        dimension=dimensions[0] if len(dimensions) == 1 else None,
        document=first.thread,
        extra={
            "categories": ",".join(categories),
            "dimensions": ",".join(dimensions),
            "targets": ",".join(sorted({judgement.target for judgement in found if judgement.target})),
            "context": first.context,
        },
    )


EVALUATION_SPLITS = ("dev", "test")
TRAIN_WORDS = 150
_GROUPS = {
    "IdentityDirectedAbuse": "identity",
    "AffiliationDirectedAbuse": "affiliation",
    "PersonDirectedAbuse": "person",
}


def build_cad_sets(
    examples: Iterable[Example], *, part: str = "evaluation", seed: int = 0
) -> Mapping[str, tuple[Example, ...]]:
    """Build the sets from ``cad/full``; from ``cad``, ``diagnosis`` and ``group``.

    ``part`` is ``evaluation`` (development and test) or ``train``. In ``diagnosis`` the label is the answer, in
    ``identification`` the dimension, in ``extraction`` the span; in ``group`` the answer is ``extra["group"]``.
    """
    splits = EVALUATION_SPLITS if part == "evaluation" else ("train",)
    kept = [
        example
        for example in examples
        if example.split in splits and (part == "evaluation" or len(example.text.split()) <= TRAIN_WORDS)
    ]
    neutral = [example for example in kept if example.label is False]
    full = any("dimensions" in example.extra for example in kept)
    directed = [example for example in kept if any(name in ABUSE[:2] for name in _categories(example))]
    biased = [
        example
        for example in directed
        if not full or (example.label and example.spans and example.extra.get("dimensions"))
    ]
    drawn = random.Random(seed).sample(neutral, min(len(biased), len(neutral)))  # noqa: S311
    sets = {"diagnosis": (*(replace(example, label=True) for example in biased), *drawn)}
    if full:
        single = [example for example in biased if example.dimension]
        spans = [example for example in single if len(example.spans or ()) == 1]
        sets |= {"identification": tuple(single), "extraction": tuple(spans), "rephrasing": tuple(spans)}
    else:
        sets["group"] = tuple(_keep_one_group(kept))
    return sets


def _categories(example: Example) -> list[str]:
    return str(example.extra.get("categories") or "").split(",")


def _keep_one_group(examples: Iterable[Example]) -> Iterable[Example]:
    for example in examples:
        groups = [_GROUPS[name] for name in _categories(example) if name in _GROUPS]
        if len(groups) == 1:
            yield replace(example, extra={**example.extra, "group": groups[0]})


_HATEXPLAIN_LABELS = {"0": "normal", "1": "offensive", "2": "hatespeech"}
_HATEXPLAIN_GROUPS = ("gender", "religion", "race", "economic", "minority")


@reads(
    "preprocessed.csv", "text", "rationale_pos", "label", *(f"label_{group}" for group in _HATEXPLAIN_GROUPS)
)
def read_hatexplain(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per post; it has a dimension where exactly one group was named."""
    label, text = row.choice("label", _HATEXPLAIN_LABELS), row.needed("text")
    found: list[Span] = []
    for phrase in filter(None, row.text("rationale_pos").split(";")):
        if span := find_phrase(text, phrase):
            found.append(span)
        else:
            yield row.problem("marked phrase not in its text")
    groups = [group for group in _HATEXPLAIN_GROUPS if row.text(f"label_{group}") == "1"]
    marked = label == "normal" or bool(row.text("rationale_pos"))
    yield source.example(
        str(row.number),
        text,
        label=label != "normal",
        # An abusive post without a rationale was not marked; that is not the same as nothing to mark.
        spans=tuple(LabelledSpan(span) for span in join_spans(found)) if marked else None,
        dimension=dimension_map("hatexplain")[groups[0]] if len(groups) == 1 else None,
        extra={"class": label, "groups": ",".join(groups)},
    )


_TOXIC_FILES = {"train": "tsd_train.csv", "dev": "tsd_trial.csv", "test": "tsd_test.csv"}


def read_toxic_spans(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per post; where annotators marked nothing there is no label, for the post was toxic to some."""
    for split, name in _TOXIC_FILES.items():
        rows = read_csv(source.path(name), ("spans", "text"))
        yield from convert_rows(rows, partial(_toxic_post, split=split, source=source))


def _toxic_post(row: TableRow, split: str, source: CorpusSource) -> Iterator[Example]:
    try:
        marked = sorted(set(ast.literal_eval(row.text("spans"))))
    except (ValueError, SyntaxError, TypeError):
        raise UnusableRow("spans is not a list of positions") from None
    text = row.needed("text")
    if marked and not 0 <= marked[0] <= marked[-1] < len(text):
        raise UnusableRow("span outside the text", f"{marked[-1]} in a text of {len(text)}")
    spans = tuple(LabelledSpan(span) for span in join_positions(marked))
    yield source.example(
        f"{split}-{row.number}", text, split=split, label=True if marked else None, spans=spans
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


@reads("paradetox.tsv", "toxic", *_REWRITES)
def read_paradetox(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    """Yield the toxic sentence and each of its rewrites, one pair for all."""
    rewrites = [row.text(column).strip() for column in _REWRITES if row.text(column).strip()]
    texts = [row.needed("toxic").strip(), *rewrites]
    if not rewrites:
        raise UnusableRow("empty text")
    for number, text in enumerate(texts):
        yield source.example(
            f"{row.number}-{number}",
            text,
            label=number == 0,
            pair=str(row.number),
            side="target" if number else "source",
        )
