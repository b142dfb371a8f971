"""The filters: each has a name, is counted, and can be switched off."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unslant.lab.wiki.edits import Words, find_edits
from unslant.lab.wiki.evidence import misspelt, set_aside
from unslant.lab.wiki.knowledge import knowledge

__all__ = ["FILTERS", "LEAST_DISTANCE", "distance_below", "pair_filter"]

LEAST_DISTANCE = 4
"""Characters that must differ."""

_ENDINGS = frozenset(("", "s", "es", "ed", "d", "ing", "e", "'s", "ied", "ies", "y", "n", "en"))
_MEANT = frozenset("not no he him his she her they them their".split())
"""Function words whose exchange may well be about neutrality: a denial, a gender."""

FILTERS: Mapping[str, str] = {
    "bot": "made by a bot, by its name or its comment",
    "revert": "brings back an earlier text, by its comment or its digest",
    "self-revert": "taken back by its own author within 15 revisions",
    "one-block": "changes more than one block of text",
    "table": "changes a table or the parameters of a template",
    "references": "adds or changes nothing but references",
    "punctuation": "changes nothing but punctuation, quotation marks or spaces",
    "grammar": "mends nothing but spelling, case or grammar",
    "half-changed": "changes more than half of the words",
    "levenshtein": f"changes fewer than {LEAST_DISTANCE} characters",
    "duplicate": "the same pair was found before",
    "superseded": "the same source was changed again later",
}
"""Every filter that can be switched off, and what it leaves out."""


def _punctuation(source: Words, target: Words) -> bool:
    return [word for word in source.forms if word[0].isalnum()] == [
        word for word in target.forms if word[0].isalnum()
    ]


def _grammar(source: Words, target: Words) -> bool:
    """Every change is a correction: set aside as such, or function words or endings exchanged for like ones."""
    for edit in find_edits(source, target):
        if set_aside(edit, source, target):
            continue
        before = [word.lower() for word in source.forms[slice(*edit.before)] if word[0].isalnum()]
        after = [word.lower() for word in target.forms[slice(*edit.after)] if word[0].isalnum()]
        if not _inflected(before, after):
            return False
    return True


def _inflected(before: list[str], after: list[str]) -> bool:
    function = knowledge().function - _MEANT
    content = [[word for word in words if word not in function] for words in (before, after)]
    if len(content[0]) != len(content[1]):
        return False
    return all(_same_word(one, other) for one, other in zip(*content, strict=True))


def _same_word(one: str, other: str) -> bool:
    shared = next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    inflected = shared >= 3 and one[shared:] in _ENDINGS and other[shared:] in _ENDINGS
    return one == other or inflected or misspelt(one, other)


def _half_changed(source: Words, target: Words) -> bool:
    edits = find_edits(source, target)
    changed = sum(edit.before[1] - edit.before[0] + edit.after[1] - edit.after[0] for edit in edits)
    return 2 * changed > len(source.forms) + len(target.forms)


def _levenshtein(source: Words, target: Words) -> bool:
    return distance_below(source.text, target.text, LEAST_DISTANCE)


_OF_PAIRS: Mapping[str, Callable[[Words, Words], bool]] = {
    "punctuation": _punctuation,
    "levenshtein": _levenshtein,
    "half-changed": _half_changed,
    "grammar": _grammar,
}


def pair_filter(source: str, target: str, without: frozenset[str]) -> str | None:
    """Return the name of the first filter that leaves the pair out, or None."""
    before, after = Words.of(source), Words.of(target)
    for name, leaves_out in _OF_PAIRS.items():
        if name not in without and leaves_out(before, after):
            return name
    return None


def distance_below(one: str, other: str, limit: int) -> bool:
    """Whether the Levenshtein distance is below a small limit; looks only at a band around the diagonal."""
    if abs(len(one) - len(other)) >= limit:
        return False
    width = limit - 1
    row = {place: place for place in range(width + 1)}
    for i, sign in enumerate(one, 1):
        following = {}
        for j in range(max(0, i - width), min(len(other), i + width) + 1):
            if j == 0:
                following[j] = i
                continue
            following[j] = min(
                row.get(j - 1, limit) + (sign != other[j - 1]),
                row.get(j, limit) + 1,
                following.get(j - 1, limit) + 1,
            )
        if min(following.values(), default=limit) >= limit:
            return False
        row = following
    return row.get(len(other), limit) < limit
