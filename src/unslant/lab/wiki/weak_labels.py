"""Labels for sentence pairs without annotators: the words that a neutrality edit removed were probably slanted."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unslant.core.errors import MissingExtra
from unslant.core.types import Span
from unslant.lab.corpora.tables import CorpusMissing, DataProblem, TableRow, read_rows
from unslant.lab.wiki.dump import HarvestError
from unslant.lab.wiki.edits import (
    ConstituentParser,
    SentenceWords,
    find_edits,
    find_parser,
    labeller_data,
    reason_to_ignore,
    similarity,
)
from unslant.lab.wiki.parts import write_atomically
from unslant.text.diff import Hunk

_NEGATIONS = frozenset(("not", "no", "never", "n't"))
_ALIKE = 0.8


def edit_features(
    edit: Hunk, edits: Sequence[Hunk], source: SentenceWords, target: SentenceWords
) -> dict[str, float]:
    """Return the features of an edit that removed words from the source; every value is between about -1 and 2."""
    before, after = source.forms[slice(*edit.before)], target.forms[slice(*edit.after)]
    content = _content_words(before)
    sizes = [edit.before[1] - edit.before[0] for edit in edits]
    changed, own = sum(sizes), len(before)
    alike = similarity(before, after) if after else 0.0
    inside = before if edit.before[0] > 0 else before[1:]  # the first word of a sentence is always capital
    return {
        "deletion": float(not after),
        "length": math.log(own),
        "length after": math.log1p(len(after)),
        "much longer": float(len(after) > 2 * own + 2),
        "grows": math.log((len(after) + 1) / (own + 1)),
        "alike": alike,
        "very alike": float(alike > _ALIKE),
        "only function words": float(not content),
        "to function words": float(bool(after) and not _content_words(after)),
        "moved": float(bool(content) and all(word in target.forms for word in content)),
        "has marks": float(any(not word[0].isalnum() for word in before)),
        "capitals": sum(word[0].isupper() for word in inside) / len(inside) if inside else 0.0,
        "capitals after": sum(word[0].isupper() for word in after) / len(after) if after else 0.0,
        "digits": float(any(any(map(str.isdigit, word)) for word in before)),
        "digits after": float(any(any(map(str.isdigit, word)) for word in after)),
        "adverb": float(any(word.endswith("ly") for word in content)),
        "quotation mark": float('"' in before),
        "parenthesis": float("(" in before or ")" in before),
        "negation": float(_negates(before) != _negates(after)),
        "many edits": math.log(len(edits)),
        "own share": own / max(changed, 1),
        "largest": float(own == max(sizes)),
        "share of sentence": changed / max(len(source.forms), 1),
        "at the end": float(edit.before[1] >= len(source.forms) - 1),
    }


def slant_probability(values: Mapping[str, float], weights: Mapping[str, float] | None = None) -> float:
    """Return the probability that annotators would call the words slanted; features without a weight are ignored."""
    weights = labeller_data().weights if weights is None else weights
    total = weights.get("bias", 0.0) + sum(weights.get(name, 0.0) * value for name, value in values.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def _content_words(words: Sequence[str]) -> list[str]:
    return [word for word in words if word[0].isalnum() and word.lower() not in labeller_data().function]


def _negates(words: Sequence[str]) -> bool:
    return any(word.lower() in _NEGATIONS or word.lower().endswith("n't") for word in words)


@dataclass(frozen=True, slots=True)
class LabelledEdit:
    """One changed phrase with its weak label."""

    kind: str
    """``substitution``, ``deletion`` or ``addition``."""
    source: Span | None
    target: Span | None
    confidence: float
    """The probability that the words of the source are slanted; 0 where there are none."""
    set_aside: str | None = None
    """Why the edit is clearly not about neutrality, if so: marks, case, spelling."""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "kind": self.kind,
            "source": self.source.to_dict() if self.source else None,
            "target": self.target.to_dict() if self.target else None,
            "confidence": round(self.confidence, 4),
            "set_aside": self.set_aside,
        }


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A sentence before and after an edit, with its weak labels."""

    source: str
    target: str
    edits: tuple[LabelledEdit, ...]
    spans: tuple[Span, ...]
    """The words of the source that count as slanted, in order."""
    confidence: float
    """The labeller's confidence in the best span, or in there being none."""

    @property
    def label(self) -> bool:
        """Whether the source counts as slanted; the target never does."""
        return bool(self.spans)


def label_pair(
    source: str, target: str, threshold: float | None = None, parser: ConstituentParser | None = None
) -> LabelledPair:
    """Label a pair; every span of the result was changed by the edit."""
    threshold = labeller_data().threshold if threshold is None else threshold
    before, after = SentenceWords.of(source), SentenceWords.of(target)
    found = find_edits(before, after, parser=parser)
    taking = [edit for edit in found if edit.kind != "addition"]
    edits: list[LabelledEdit] = []
    for edit in found:
        aside = reason_to_ignore(edit, before, after)
        score = 0.0
        if aside is None and edit.kind != "addition":
            score = slant_probability(edit_features(edit, taking, before, after))
        edits.append(
            LabelledEdit(edit.kind, before.cover(*edit.before), after.cover(*edit.after), score, aside)
        )
    spans = tuple(edit.source for edit in edits if edit.source and edit.confidence >= threshold)
    best = max((edit.confidence for edit in edits), default=0.0)
    return LabelledPair(source, target, tuple(edits), spans, best if spans else 1 - best)


def drop_least_likely(pairs: Sequence[LabelledPair], share: float) -> list[LabelledPair]:
    """Leave out the given share of pairs, those with the least confidence; the order stays, ties go to the earlier."""
    order = sorted(range(len(pairs)), key=lambda place: (-pairs[place].confidence, place))
    kept = set(order[: len(pairs) - int(len(pairs) * share)])
    return [pair for place, pair in enumerate(pairs) if place in kept]


def relabel(
    pairs: Iterable[LabelledPair], judge: Callable[[list[str]], list[float]], threshold: float = 0.5
) -> Iterator[LabelledPair]:
    """Let a model remove labels that it does not confirm: below the threshold, a source loses its spans.

    The model never marks words that the edit left alone.
    """
    for pair in pairs:
        (score,) = judge([pair.source])
        yield pair if not pair.spans or score >= threshold else replace(pair, spans=(), confidence=1 - score)


_CARRIED = {"split": "split", "page": "document", "licence": "licence", "attribution": "attribution"}
"""Columns of the pairs that are kept in the examples, with their names there."""


@dataclass(frozen=True, slots=True)
class LabelSettings:
    """How pairs are labelled."""

    threshold: float | None = None
    """The probability from which words count as slanted; None: the fitted one."""
    drop: float = 0.0
    """The share of pairs to leave out, those with the least confidence."""
    relabel: bool = False
    """Whether the detector may remove labels."""
    parser: str = "none"
    """How to decide whether two phrases are one constituent: ``auto``, ``none`` or ``spacy:MODEL``."""


def label_file(path: Path, settings: LabelSettings) -> tuple[Iterator[dict[str, Any]], dict[str, Any]]:
    """Return the examples, two a pair, and a summary; a row without source and target is counted and left out."""
    if not path.is_file():
        raise CorpusMissing(f"there is no file {path}; check the path")
    parser = find_parser(settings.parser)
    kept: list[LabelledPair] = []
    origin: dict[int, TableRow] = {}
    unusable = 0
    for row in read_rows(path, ("source", "target")):
        if isinstance(row, DataProblem):
            if row.fatal:
                raise HarvestError(f"{row}; pairs need the columns source and target")
            unusable += 1
        elif not row.text("source").strip() or not row.text("target").strip():
            unusable += 1
        else:
            pair = label_pair(row.text("source"), row.text("target"), settings.threshold, parser)
            origin[id(pair)] = row
            kept.append(pair)
    total = len(kept)
    likely = drop_least_likely(kept, settings.drop)
    rows = [origin[id(pair)] for pair in likely]
    final = list(relabel(likely, _judge_by_check())) if settings.relabel else likely
    summary = {
        "pairs": len(final),
        "slanted": sum(pair.label for pair in final),
        "spans": sum(len(pair.spans) for pair in final),
        "dropped": total - len(final),
        "unusable": unusable,
        "parser": parser.name if parser else "none",
    }
    return _example_rows(final, rows), summary


def _judge_by_check() -> Any:
    """Return a function that scores texts: by probability, or without a model by whether a rule matches."""
    from unslant.api import check

    def judge(texts: list[str]) -> list[float]:
        reports = [check(text) for text in texts]
        given = [
            [sentence.probability for sentence in report.sentences if sentence.probability is not None]
            for report in reports
        ]
        return [
            max(known, default=float(bool(report.findings)))
            for known, report in zip(given, reports, strict=True)
        ]

    return judge


def _example_rows(pairs: Sequence[LabelledPair], rows: Sequence[TableRow]) -> Iterator[dict[str, Any]]:
    for pair, row in zip(pairs, rows, strict=True):
        name = row.text("id") or str(row.number)
        shared = {
            "pair": name,
            **{name: row.text(column) for column, name in _CARRIED.items() if row.text(column)},
        }
        spans = [{"start": span.start, "end": span.end} for span in pair.spans]
        yield {
            "id": f"{name}:source",
            "text": pair.source,
            "label": int(pair.label),
            "spans": spans,
            "side": "source",
            **shared,
            "confidence": round(pair.confidence, 4),
            "edits": [edit.to_dict() for edit in pair.edits],
        }
        yield {
            "id": f"{name}:target",
            "text": pair.target,
            "label": 0,
            "spans": [],
            "side": "target",
            **shared,
            "confidence": round(pair.confidence, 4),
            "edits": [],
        }


def write_examples(rows: Iterator[dict[str, Any]], out: Path) -> None:
    """Write examples as JSON lines or Parquet, as the name of the file says."""
    if out.suffix == ".jsonl":
        write_atomically(
            out,
            lambda file: file.writelines(
                json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows
            ),
        )
        return
    if out.suffix != ".parquet":
        raise HarvestError(f"{out}: name it .jsonl or .parquet")
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise MissingExtra("writing Parquet", "pyarrow", "corpora") from None
    # spans and edits as JSON text, which the reader of own files accepts; empty lists then need no type
    flat = [{**row, "spans": json.dumps(row["spans"]), "edits": json.dumps(row["edits"])} for row in rows]
    write_atomically(out, lambda file: pq.write_table(pa.Table.from_pylist(flat), file))
