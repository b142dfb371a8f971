"""How good a candidate is: the slant it leaves, how it reads, what it keeps, how much it changes."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from unslant.core.types import Edit, Report, Severity
from unslant.rewrite.grammar import problems
from unslant.rewrite.result import Score
from unslant.text.edits import count_changed_words
from unslant.text.function_words import FUNCTION
from unslant.text.words import Words, split_words

__all__ = ["measure_slant", "score_edit", "stem", "weigh_findings"]

_WEIGHTS = {Severity.SUGGESTION: 0.5, Severity.WARNING: 1.0, Severity.ERROR: 1.5}
_ENDINGS = ("ations", "ation", "ingly", "edly", "ings", "ing", "ies", "ied", "ed", "es", "ly", "s", "e", "y")


def weigh_findings(report: Report) -> float:
    """Return what all findings weigh together, each by its severity and probability."""
    return sum(
        _WEIGHTS[finding.severity] * (1.0 if finding.probability is None else finding.probability)
        for finding in report.findings
    )


def measure_slant(report: Report) -> float:
    """Return the slant of a sentence from 0 to 1: the findings' weight, and the model's probability where there is one.

    The weight w counts as w / (w + 1), so that every finding matters and none alone is everything; where a model
    judges the sentence, the mean of both counts.
    """
    found = weigh_findings(report)
    by_findings = found / (found + 1)
    probability = report.sentences[0].probability if report.sentences else None
    return by_findings if probability is None else (by_findings + probability) / 2


@lru_cache(4096)
def stem(word: str) -> str:
    """Return a word without its ending, as far as needed to see that two words are forms of one."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@lru_cache(1024)
def content(text: str) -> Counter[str]:
    """Count the stems of the words that carry meaning."""
    words = split_words(text)
    return Counter(
        stem(word) for at, word in enumerate(words.plain) if words.is_word(at) and word not in FUNCTION
    )


def score_edit(text: str, edit: Edit, new: str, judged: Report, trust: float) -> Score:
    """Return the score of an edit of a sentence, given what the detector says of the new sentence."""
    before, after = split_words(text), split_words(new)
    return Score(
        slant=measure_slant(judged),
        fluency=fluency(text, edit, after),
        similarity=similarity(before, after),
        size=min(1.0, count_changed_words(text, [edit]) / max(before.count(), 1)),
        trust=trust,
    )


def similarity(before: Words, after: Words) -> float:
    """Return how much of what carries meaning both have: twice the shared stems over all of them (Dice)."""
    old, new = content(before.text), content(after.text)
    both = sum((old & new).values())
    total = sum(old.values()) + sum(new.values())
    return 2 * both / total if total else 1.0


def fluency(text: str, edit: Edit, after: Words) -> float:
    """Return 1 for words in the usual order and in the forms that stood there, less for each oddity."""
    odd = sum(problems(after.text).values())
    written = edit.replacement.strip()
    unlike = bool(written) and _ending(text[edit.start : edit.end]) != _ending(edit.replacement)
    return 1 / (1 + odd) * (0.9 if unlike else 1.0)


def _ending(text: str) -> str:
    """Return what tells the form of the last word: *-ed*, *-ing*, *-s*, *-ly* or nothing."""
    words = text.split()
    last = words[-1].lower() if words else ""
    return next((ending for ending in ("ed", "ing", "ly", "s") if last.endswith(ending)), "")
