"""The settings of a harvest, as plain data, and its filters."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from unslant.core.errors import ConfigError, UnknownName
from unslant.lab.wiki.edits import SentenceWords, find_edits, is_misspelling, labeller_data, reason_to_ignore

LEAST_DISTANCE = 4
"""The minimum number of characters that must differ."""

_ENDINGS = frozenset(("", "s", "es", "ed", "d", "ing", "e", "'s", "ied", "ies", "y", "n", "en"))
_MEANT = frozenset("not no he him his she her they them their".split())
"""Function words whose exchange may concern neutrality: negation, gender."""

FILTERS: Mapping[str, str] = {
    "bot": "made by a bot, by its name or its comment",
    "revert": "restores an earlier text, by its comment or its digest",
    "self-revert": "undone by its own author within 15 revisions",
    "one-block": "changes more than one block of text",
    "table": "changes a table or the parameters of a template",
    "references": "adds or changes only references",
    "punctuation": "changes only punctuation, quotation marks or spaces",
    "grammar": "corrects only spelling, case or grammar",
    "half-changed": "changes more than half of the words",
    "levenshtein": f"changes fewer than {LEAST_DISTANCE} characters",
    "duplicate": "the same pair was found before",
    "superseded": "the same source was changed again later",
}
"""Every filter that can be switched off, and what it leaves out."""


def _plain_words(sentence: SentenceWords) -> list[str]:
    return [word for word in sentence.forms if word[0].isalnum()]


def _only_grammar(source: SentenceWords, target: SentenceWords) -> bool:
    """Whether every change is a correction: spelling or case, or function words or endings of the same type."""
    for edit in find_edits(source, target):
        if reason_to_ignore(edit, source, target):
            continue
        before = [word.lower() for word in source.forms[slice(*edit.before)] if word[0].isalnum()]
        after = [word.lower() for word in target.forms[slice(*edit.after)] if word[0].isalnum()]
        if not _is_inflection(before, after):
            return False
    return True


def _is_inflection(before: list[str], after: list[str]) -> bool:
    function = labeller_data().function - _MEANT
    content = [[word for word in words if word not in function] for words in (before, after)]
    if len(content[0]) != len(content[1]):
        return False
    return all(_same_word(word, other) for word, other in zip(*content, strict=True))


def _same_word(word: str, other: str) -> bool:
    shared = next(
        (place for place, (a, b) in enumerate(zip(word, other, strict=False)) if a != b),
        min(len(word), len(other)),
    )
    inflected = shared >= 3 and word[shared:] in _ENDINGS and other[shared:] in _ENDINGS
    return word == other or inflected or is_misspelling(word, other)


def _half_changed(source: SentenceWords, target: SentenceWords) -> bool:
    edits = find_edits(source, target)
    changed = sum(edit.before[1] - edit.before[0] + edit.after[1] - edit.after[0] for edit in edits)
    return 2 * changed > len(source.forms) + len(target.forms)


_PAIR_FILTERS: Mapping[str, Callable[[SentenceWords, SentenceWords], bool]] = {
    "punctuation": lambda source, target: _plain_words(source) == _plain_words(target),
    "levenshtein": lambda source, target: distance_below(source.text, target.text, LEAST_DISTANCE),
    "half-changed": _half_changed,
    "grammar": _only_grammar,
}


def filter_pair(source: str, target: str, without: frozenset[str]) -> str | None:
    """Return the name of the first filter that leaves the pair out, or None."""
    before, after = SentenceWords.of(source), SentenceWords.of(target)
    for name, leaves_out in _PAIR_FILTERS.items():
        if name not in without and leaves_out(before, after):
            return name
    return None


def distance_below(word: str, other: str, limit: int) -> bool:
    """Whether the Levenshtein distance is below a small limit; looks only at a band around the diagonal."""
    if abs(len(word) - len(other)) >= limit:
        return False
    width = limit - 1
    row = {place: place for place in range(width + 1)}
    for i, sign in enumerate(word, 1):
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


LICENCE = "CC BY-SA 4.0"
"""The licence of the text of Wikipedia and its sister projects."""
_OUTPUT = 2
"""Incremented whenever the same settings would give other pairs, so that old and new parts are not mixed."""


@dataclass(frozen=True)
class HarvestSettings:
    """Settings that determine which pairs are found, not how fast or where."""

    comments: str = "en"
    """The language of the list of comments, or a file with one."""
    namespaces: tuple[int, ...] = (0,)
    without: frozenset[str] = frozenset()
    """Filters that are switched off."""
    splits: Mapping[str, float] = field(default_factory=lambda: {"train": 0.8, "dev": 0.1, "test": 0.1})
    licence: str = LICENCE

    def __post_init__(self) -> None:
        for name in sorted(self.without):
            if name not in FILTERS:
                raise UnknownName("filter", name, FILTERS)
        if not self.splits or any(share <= 0 for share in self.splits.values()):
            raise ConfigError("--splits: the shares must be positive, such as train=0.8,dev=0.1,test=0.1")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, with the version of the list of comments."""
        from unslant.lab.wiki.revisions import comment_list

        listed = comment_list(self.comments)
        return {
            "comments": self.comments,
            "comments_version": listed.version,
            "namespaces": list(self.namespaces),
            "without": sorted(self.without),
            "splits": dict(self.splits),
            "licence": self.licence,
            "output": _OUTPUT,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from the JSON form."""
        return cls(
            comments=data["comments"],
            namespaces=tuple(data["namespaces"]),
            without=frozenset(data["without"]),
            splits=data["splits"],
            licence=data["licence"],
        )

    def digest(self) -> str:
        """Return a digest: the same settings, the same digest."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()

    def split_of(self, page: str) -> str:
        """Return the split of a page; it depends on nothing but the page."""
        place = int.from_bytes(hashlib.sha256(page.encode()).digest()[:8]) / 2**64 * sum(self.splits.values())
        for name, share in self.splits.items():
            place -= share
            if place < 0:
                return name
        return list(self.splits)[-1]
