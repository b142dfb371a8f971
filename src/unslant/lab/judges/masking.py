"""Hides the names of the political sides from a judge.

Outlets write about their opponents, so a judge that reads names learns that *Democrats* is a word of the right, and a
text that only names a side looks like one of the other side. Both sides' names become the same placeholder: that a
side is named can still be seen, but not which one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["PLACEHOLDER", "mask_sides", "mask_words"]

PLACEHOLDER = "someside"
"""Stands for a name of either side; no text has this word."""

_NAMES = frozenset(
    "democrat democrats democratic dem dems republican republicans gop rino rinos "
    "liberal liberals liberalism conservative conservatives conservatism "
    "progressive progressives progressivism leftist leftists rightist rightists "
    "leftwing rightwing lefty lefties righty righties "
    "socialist socialists nationalist nationalists libertarian libertarians".split()
)
"""Words that name a side wherever they stand, both sides alike; persons are not among them."""
_FORMS = frozenset(f"{name}{ending}" for name in _NAMES for ending in ("", "'s"))
_TEXT = re.compile(
    r"\b(?:(?:far|alt|hard)[- ])?(?:left|right)[- ]wing(?:ers?)?\b"
    r"|\b(?:the|far|alt|hard)[- ](?:left|right)(?=['\u2019.,;:!? ]|$)"
    rf"|\b(?:{'|'.join(sorted(_NAMES, key=len, reverse=True))})\b",
    re.IGNORECASE,
)
_SIDES = frozenset(("left", "right", "left's", "right's"))
_BEFORE = frozenset(("the", "far", "alt", "hard"))
_AFTER = frozenset(("wing", "winger", "wingers"))


def mask_words(words: Sequence[str]) -> list[str]:
    """Return words in lower case with the names of sides replaced, including *the left* and *right wing*."""
    found = [PLACEHOLDER if word in _FORMS else word for word in words]
    for at, word in enumerate(words):
        before, after = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
        if word in _SIDES and (before in _BEFORE or after in _AFTER):
            found[at] = PLACEHOLDER
    return found


def mask_sides(text: str) -> str:
    """Return a text with the names of sides replaced, for a model that reads case and punctuation."""
    return _TEXT.sub(PLACEHOLDER, text)
