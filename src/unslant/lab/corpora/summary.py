"""What annotations say together, ready to be shown: class shares, words, and the published figures beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unslant.core.errors import InputError
from unslant.lab.corpora import babe_agreement as babe
from unslant.lab.corpora.aggregate import Rule, class_shares, majority, word_figures, word_votes
from unslant.lab.corpora.annotation import Annotation
from unslant.lab.corpora.published import Compared

__all__ = ["Summary", "SummarySettings", "summarize"]


@dataclass(frozen=True, slots=True)
class SummarySettings:
    """How many become one."""

    rule: Rule = "most"
    least: int | None = None
    """Items with fewer judgements are left out, and counted; None: 2, since one person is no majority."""
    threshold: int | None = None
    """Votes from which a marked word counts; None: what the publication used, or 2."""
    mentions: bool = False
    """Count every mark of a word rather than every annotator once."""
    sentences: frozenset[str] = frozenset()
    """For a corpus with published figures, the ids of its sentences: then those figures stand beside ours."""


@dataclass(frozen=True, slots=True)
class Summary:
    """One task of one source."""

    task: str
    items: int
    left_out: int
    """Items with too few judgements."""
    figures: Mapping[str, float]
    """Shares of the labels; for marked words, counts."""
    compared: Sequence[Compared] = ()
    """Figures out of the very judgements that stand behind the published ones, beside those."""
    rows: Sequence[Mapping[str, Any]] = field(default_factory=list)
    """One for each item."""

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form, without the rows."""
        return {
            "task": self.task,
            "items": self.items,
            "left_out": self.left_out,
            "figures": dict(self.figures),
            "compared": [one.to_dict() for one in self.compared],
        }


def summarize(
    corpus: str, annotations: Sequence[Annotation], task: str, settings: SummarySettings
) -> Summary:
    """Aggregate one task: a majority and shares of labels, or the words that enough annotators marked."""
    chosen = [one for one in annotations if one.task == task]
    if any(one.span is not None for one in chosen):
        raise InputError(
            f"the task {task!r} marks spans, which have no majority; 'unslant agree' compares them"
        )
    if task == "words":
        return _words(corpus, chosen, settings)
    least = settings.least or (babe.LEAST_RATINGS if babe.is_known(corpus) else 2)
    every = majority(chosen, task, settings.rule)
    kept = [one for one in every if one.ratings >= least]
    if not kept:
        raise InputError(f"no item of {task!r} has {least} judgements or more; choose fewer with --least")
    compared: Sequence[Compared] = ()
    if settings.sentences:
        judged = babe.as_published(chosen, settings.sentences)
        compared = babe.compare_shares(corpus, task, majority(judged, task, settings.rule))
    rows = [{"task": task, **one.to_dict()} for one in kept]
    return Summary(task, len(kept), len(every) - len(kept), class_shares(kept), compared, rows)


def _words(corpus: str, annotations: Sequence[Annotation], settings: SummarySettings) -> Summary:
    known = babe.is_known(corpus)
    threshold = settings.threshold or (babe.THRESHOLDS[corpus.removeprefix("babe/")] if known else 2)
    marked = word_votes(annotations, threshold, mentions=settings.mentions)
    compared = babe.compare_words(corpus, word_votes(annotations, threshold, mentions=True)) if known else ()
    rows = [{"task": "words", **one.to_dict()} for one in marked]
    return Summary("words", len(marked), 0, word_figures(marked), compared, rows)
