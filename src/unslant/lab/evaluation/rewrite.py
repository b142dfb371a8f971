"""Compare rewrites with those of editors, on the test or development pairs of WIKIBIAS.

Quotation marks and brackets are normalized first (:func:`normalize_marks`). The corpus writes them in treebank style on
one side only, so they would otherwise count as edits.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unslant.core.errors import ConfigError
from unslant.lab.corpora.alignment import surface
from unslant.lab.evaluation.held_out import Setting, load_part
from unslant.lab.evaluation.models import SentenceModel, measured_model, open_models
from unslant.lab.evaluation.result import Section, figures
from unslant.lab.stats.metrics import Metric, mean
from unslant.lab.stats.text_overlap import BLEU_COLUMNS, bleu_counts, bleu_from_counts, bleu_signature
from unslant.neural.checkpoint import shipped_model
from unslant.text.diff import diff_words
from unslant.text.words import CHARACTERS, PART

if TYPE_CHECKING:
    from unslant.lab.evaluation.rewrite_systems import Output, RewriteSystem
    from unslant.neural.decoder import Prediction

_CURLY = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'"})


def normalize_marks(text: str) -> str:
    """Return a sentence with plain quotation marks and brackets and single spaces."""
    return " ".join(surface(word) for word in text.translate(_CURLY).split())


def words_of(text: str) -> list[str]:
    """Return the words and marks of a sentence; spacing does not count."""
    return PART.findall(normalize_marks(text))


def bleu(outputs: Sequence[str], references: Sequence[str]) -> Metric:
    """Corpus BLEU, from 0 to 1: how many runs of one to four words the outputs share with the references.

    Formula: brevity penalty · exp(mean of the logs of the four precisions), counts summed over all sentences, with
    sacrebleu's tokenizer, counts and smoothing. 0: no word in common; 1: the same.
    """
    rows = [
        bleu_counts(normalize_marks(output), [normalize_marks(reference)])
        for output, reference in zip(outputs, references, strict=True)
    ]
    return Metric(np.array(rows, dtype=float).reshape(len(rows), BLEU_COLUMNS), bleu_from_counts)


def exact(outputs: Sequence[str], references: Sequence[str]) -> Metric:
    """The share of outputs with the same words and marks as the reference; 0 none, 1 all."""
    pairs = zip(map(words_of, outputs), map(words_of, references), strict=True)
    return mean([float(output == reference) for output, reference in pairs])


def changed_words(source: str, output: str) -> int:
    """Return how many words and marks an edit touches: for each change, those before or after, whichever are more."""
    return sum(
        max(last - first, end - begin)
        for (first, last), (begin, end) in diff_words(words_of(source), words_of(output))
    )


_DENIAL = re.compile(
    r"\b(?:not|no|never|nor|neither|none|nobody|nothing|nowhere|without|cannot)\b|n't\b", re.IGNORECASE
)
_MODAL = re.compile(r"\b(?:may|might|must|shall|should|can|could|will|would)\b", re.IGNORECASE)
_NAME = re.compile(r"(?<!^)(?<![.!?] )(?<!\")\b[A-Z]\w*")


def facts_changed(source: str, output: str) -> tuple[str, ...]:
    """Return which sorts of facts differ between two sentences, by plain patterns.

    The patterns are independent of the gates of the fixer, so that the gates are not measured by themselves. They find
    numbers, links, quotations, denials, modal verbs, and names (capitalised words that do not begin a sentence; a name
    that moves to the beginning or away from it counts as kept).
    """
    before, after = normalize_marks(source), normalize_marks(output)
    found = []
    for name, pattern in _FACTS.items():
        texts = (before.lower(), after.lower()) if name in _LOWER else (before, after)
        if Counter(pattern.findall(texts[0])) != Counter(pattern.findall(texts[1])):
            found.append(name)
    if not _names_kept(before, after) or not _names_kept(after, before):
        found.append("names")
    return tuple(found)


_LOWER = ("denials", "modal verbs")
_FACTS = {
    "numbers": re.compile(r"\d+(?:[.,:/]\d+)*"),
    "links": re.compile(r"(?:https?://|www\.)\S+"),
    "quotations": re.compile(r'"([^"]*)"'),
    "denials": _DENIAL,
    "modal verbs": _MODAL,
}


def _names_kept(before: str, after: str) -> bool:
    there = Counter(CHARACTERS.findall(after.lower()))
    return not Counter(name.lower() for name in _NAME.findall(before)) - there


CORPUS = "wikibias"
_STEP = 128
MARGIN = 0.01
"""A sentence became more slanted if the judge's probability rose by more than this."""
LOWER = ("more slanted", "turned slanted", "words changed", "facts changed", "safe edits that change facts")


@dataclass(frozen=True, slots=True)
class Item:
    """A pair of the test part."""

    pair: str
    source: str
    target: str
    biased: bool
    """Whether annotators called the source biased."""


@dataclass(frozen=True, slots=True)
class DetectorJudge:
    """A detector that predicts each text only once, since most rewrites leave most sentences unchanged."""

    model: SentenceModel
    _predictions: dict[str, Prediction] = field(default_factory=dict)

    def ask(self, texts: Sequence[str], setting: Setting) -> list[Prediction]:
        """Return its prediction for each text, in order."""
        new = [text for text in dict.fromkeys(texts) if text not in self._predictions]
        for start in range(0, len(new), _STEP):
            some = new[start : start + _STEP]
            self._predictions.update(zip(some, self.model.predict(some, CORPUS), strict=True))
            setting.progress(f"{self.model.name}, judging", min(start + _STEP, len(new)), len(new))
        return [self._predictions[text] for text in texts]


@dataclass(frozen=True, slots=True)
class Sentences:
    """What systems are measured on."""

    items: Sequence[Item]
    judge: DetectorJudge | None = None
    part: str = "test"


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A system's rewrites, and the figures over all pairs and over those with a biased source."""

    system: str
    outputs: Sequence[Output]
    everything: Section
    biased: Section
    details: dict[str, Any]
    notes: tuple[str, ...] = ()


def pairs_to_rewrite(setting: Setting, limit: int | None = None, part: str = "test") -> list[Item]:
    """Return the pairs of a part, biased or not, as in the publication; ``limit`` draws a random sample."""
    sides: dict[str, dict[str, Any]] = {}
    for example in load_part(CORPUS, setting, part):
        if example.pair is not None and example.side is not None:
            sides.setdefault(example.pair, {})[example.side] = example
    found = [
        Item(name, pair["source"].text, pair["target"].text, bool(pair["source"].label))
        for name, pair in sides.items()
        if len(pair) == 2
    ]
    if limit is not None and limit < len(found):
        places = random.Random(setting.resampling.seed).sample(range(len(found)), limit)  # noqa: S311
        found = [found[at] for at in sorted(places)]
    return found


def judge_of(name: str | None, systems: Sequence[RewriteSystem]) -> DetectorJudge | None:
    """Return the judge; None if no judge is named and no detector is impartial.

    Refuses a detector that influenced the wordings of one of the systems.
    """
    taken = {detector for system in systems for detector in system.ranked_by}
    if name is None:
        impartial = ("default", "rules") if shipped_model() is not None else ("rules",)
        name = next((detector for detector in impartial if detector not in taken), None)
        if name is None:
            return None
    path = str(Path(name).resolve())
    for system in systems:
        if name in system.ranked_by or path in system.ranked_by:
            raise ConfigError(
                f"--judge {name}: took part in the rewrites of {system.name!r}, so it cannot judge them; "
                "name the folder of another model"
            )
    return DetectorJudge(measured_model(open_models(name, "corpus"), "rewrite", "sentence", CORPUS))


def measure(system: RewriteSystem, sentences: Sentences, setting: Setting) -> Rewritten:
    """Let a system rewrite the sources and measure the rewrites; refuse a system that has seen the test text."""
    system.lineage.check(system.name, CORPUS)
    items = sentences.items
    outputs: list[Output] = []
    for output in system.rewrite([item.source for item in items]):
        outputs.append(output)
        setting.progress(f"{system.name}, rewriting", len(outputs), len(items))
    verdicts: Iterable[tuple[Prediction | None, Prediction | None]] = [(None, None)] * len(items)
    if judge := sentences.judge:
        asked = ([item.source for item in items], [output.text for output in outputs])
        verdicts = zip(*(judge.ask(texts, setting) for texts in asked), strict=True)
    rows = [_Row.of(item, output, *both) for item, output, both in zip(items, outputs, verdicts, strict=True)]
    some = [row for row, item in zip(rows, items, strict=True) if item.biased]
    reported = outputs and outputs[0].edits is not None
    details = {
        "signature": bleu_signature(),
        "editors_words_changed": mean([float(row.editors) for row in rows]).value,
        "facts_changed": dict(Counter(sort for row in rows for sort in row.sorts)),
        "edits": sum(len(output.edits or ()) for output in outputs) if reported else None,
    }
    return Rewritten(
        system.name,
        outputs,
        _section(f"all {sentences.part} pairs ({len(items):,})", "rewrite", rows, setting),
        _section(f"biased sources ({len(some):,})", "rewrite/biased", some, setting),
        details,
        tuple(system.lineage.notes(CORPUS)),
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """Everything that is counted for one sentence."""

    output: str
    target: str
    unchanged: bool
    words: int
    editors: int
    sorts: tuple[str, ...]
    unsafe: bool | None
    before: Prediction | None
    after: Prediction | None

    @classmethod
    def of(cls, item: Item, output: Output, before: Prediction | None, after: Prediction | None) -> _Row:
        safe = output.safe(item.source)
        return cls(
            output.text,
            item.target,
            words_of(item.source) == words_of(output.text),
            changed_words(item.source, output.text),
            changed_words(item.source, item.target),
            facts_changed(item.source, output.text),
            None if safe is None else bool(facts_changed(item.source, safe)),
            before,
            after,
        )


def _section(title: str, task: str, rows: Sequence[_Row], setting: Setting) -> Section:
    outputs, targets = [row.output for row in rows], [row.target for row in rows]
    counted: dict[str, list[float]] = {
        **_judged(rows),
        "unchanged": [row.unchanged for row in rows],
        "words changed": [row.words for row in rows],
        "words changed by editors": [row.editors for row in rows],
        "facts changed": [bool(row.sorts) for row in rows],
    }
    if rows and rows[0].unsafe is not None:
        counted["safe edits that change facts"] = [bool(row.unsafe) for row in rows]
    measures = {"BLEU": bleu(outputs, targets), "exact match": exact(outputs, targets)}
    measures |= {name: mean(values) for name, values in counted.items()}
    return Section(title, figures(task, measures, setting.resampling, LOWER))


def _judged(rows: Sequence[_Row]) -> dict[str, list[float]]:
    both = [(row, row.before, row.after) for row in rows if row.before is not None and row.after is not None]
    if not both:
        return {}
    return {
        "called neutral": [not after.slanted for _, _, after in both],
        "more slanted": [after.score > before.score + MARGIN for _, before, after in both],
        "turned slanted": [after.slanted and not before.slanted for _, before, after in both],
        "neutral, unlike the editor's": [
            not after.slanted and not row.unchanged and row.output != row.target for row, _, after in both
        ],
    }
