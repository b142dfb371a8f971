"""Figures for rewrites, each with its definition.

Both sides are put into the same form first (:func:`plain`): the quotation marks and brackets of a treebank, which the
corpus has on one side only, would otherwise count as edits.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from unslant.lab.corpora.alignment import surface
from unslant.lab.stats.metrics import Metric, mean
from unslant.lab.stats.text_overlap import BLEU_COLUMNS, bleu_counts, bleu_from_counts
from unslant.text.diff import diff_words
from unslant.text.words import CHARACTERS, PART

__all__ = ["bleu", "changed_words", "exact", "facts_changed", "plain", "words_of"]

_CURLY = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'"})


def plain(text: str) -> str:
    """Return a sentence with plain quotation marks and brackets and single spaces."""
    return " ".join(surface(word) for word in text.translate(_CURLY).split())


def words_of(text: str) -> list[str]:
    """Return the words and marks of a sentence; spacing does not count."""
    return PART.findall(plain(text))


def bleu(outputs: Sequence[str], references: Sequence[str]) -> Metric:
    """Corpus BLEU, from 0 to 1: how many runs of one to four words the outputs share with the references.

    Formula: brevity penalty · exp(mean of the logs of the four precisions), counts summed over all sentences, with
    sacrebleu's tokenizer, counts and smoothing. 0: no word in common; 1: the same.
    """
    import numpy as np

    rows = [
        bleu_counts(plain(output), [plain(reference)])
        for output, reference in zip(outputs, references, strict=True)
    ]
    return Metric(np.array(rows, dtype=float).reshape(len(rows), BLEU_COLUMNS), bleu_from_counts)


def exact(outputs: Sequence[str], references: Sequence[str]) -> Metric:
    """The share of outputs with the same words and marks as the reference; 0 none, 1 all."""
    return mean(
        [
            float(words_of(output) == words_of(reference))
            for output, reference in zip(outputs, references, strict=True)
        ]
    )


def changed_words(source: str, output: str) -> int:
    """Return how many words and marks an edit touches: for each change, those before or after, whichever are more."""
    return sum(
        max(last - first, end - begin)
        for (first, last), (begin, end) in diff_words(words_of(source), words_of(output))
    )


_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_LINK = re.compile(r"(?:https?://|www\.)\S+")
_QUOTATION = re.compile(r'"([^"]*)"')
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
    before, after = plain(source), plain(output)
    found = []
    for name, pattern in _FACTS.items():
        if Counter(pattern.findall(before.lower() if name in _LOWER else before)) != Counter(
            pattern.findall(after.lower() if name in _LOWER else after)
        ):
            found.append(name)
    if not _names_kept(before, after) or not _names_kept(after, before):
        found.append("names")
    return tuple(found)


_LOWER = ("denials", "modal verbs")
_FACTS = {
    "numbers": _NUMBER,
    "links": _LINK,
    "quotations": _QUOTATION,
    "denials": _DENIAL,
    "modal verbs": _MODAL,
}


def _names_kept(before: str, after: str) -> bool:
    there = Counter(CHARACTERS.findall(after.lower()))
    return not Counter(name.lower() for name in _NAME.findall(before)) - there
