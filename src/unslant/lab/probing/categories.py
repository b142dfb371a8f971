"""Sorts rephrasings into the categories of Bauer et al. 2023, Table 10, by a rule; the authors sorted them by hand.

The slanted words of a text are those that none of its reference rephrasings has, function words apart. What the rule
cannot see is whether a text without these words still says the same biased thing: the category "only a word" of the
form for readers (``unslant annotate export categories``) is part of "correct" here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from unslant.lab.stats.text_overlap import bag_f1, tokens
from unslant.text.function_words import FUNCTION

REPHRASING_CATEGORIES = {
    "copy": "the text itself",
    "keeps the bias": "has a slanted word of the text",
    "correct": "has none, and at least half of its words in common with a reference",
    "another text": "has none, and less in common with every reference",
    "an example of its own": "goes on with another task, question or answer",
    "nothing": "no words at all",
}
"""The categories and their rules, in the order of a report."""

_EXAMPLE = re.compile(r"^\W*(?:task|question|prompt|answer|text|document)\s*:", re.IGNORECASE | re.MULTILINE)
_SHARED = 0.5
_WORD = re.compile(r"\w")


def rephrasing_category(text: str, answer: str, references: Sequence[str]) -> str | None:
    """Return the category of an answer; None where the references have all its content words."""
    kept = {word for reference in references for word in tokens(reference)}
    slanted = {word for word in tokens(text) if _WORD.search(word)} - kept - FUNCTION
    if not slanted:
        return None
    own = tokens(answer)
    if not any(_WORD.search(word) for word in own):
        return "nothing"
    if _EXAMPLE.search(answer):
        return "an example of its own"
    if own == tokens(text):
        return "copy"
    if slanted.intersection(own):
        return "keeps the bias"
    return "correct" if bag_f1(answer, references) >= _SHARED else "another text"
