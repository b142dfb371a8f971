"""What editors did to a sentence, edit by edit, and the edits worth learning.

The comparison of two sentences ignores case, and ``a`` against ``an``: which of these is right depends on the next
word, not on slant.

Edits that the rules suggest serve as hints where an editor's own wording is too rare to learn.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from unslant.core.types import Edit
from unslant.lab.detector.rows import rule_findings
from unslant.neural.checkpoint import DELETE, KEEP, edit_label
from unslant.text.diff import diff_words
from unslant.text.edits import apply_edits
from unslant.text.words import LETTERS, PART

CHANGED = -1
"""The index of an edit that is not in the vocabulary."""

_LEARNED = re.compile(rf"{LETTERS.pattern}(?:[ '\u2019-]{LETTERS.pattern})*,?|,")
_AN = re.compile(r"\ban\b")
_LONGEST = 4


def fold_words(text: str) -> tuple[str, ...]:
    """Return the words of a text for comparison, ignoring case, white space, and ``a`` against ``an``."""
    return tuple(_AN.sub("a", match[0].lower()) for match in PART.finditer(text))


@lru_cache(maxsize=20_000)
def token_edits(source: str, target: str) -> tuple[Edit, ...]:
    """Return the edits from one sentence to another, in order; an insertion is placed right before the next word."""
    old, new = ([match.span() for match in PART.finditer(text)] for text in (source, target))
    found = []
    for (first, last), (begin, end) in diff_words(fold_words(source), fold_words(target)):
        wording = target[new[begin][0] : new[end - 1][1]] if begin < end else ""
        start = old[first][0] if first < len(old) else len(source)
        found.append(Edit(start, old[last - 1][1] if first < last else start, " ".join(wording.split())))
    return tuple(found)


Hints = Callable[[str], Sequence[Edit]]
"""Returns other possible edits of a sentence."""


def no_hints(text: str) -> Sequence[Edit]:  # noqa: ARG001
    """Return no hints."""
    return ()


def vocabulary(
    pairs: Iterable[tuple[str, str]], size: int, least: int, hints: Hints = no_hints
) -> tuple[str, ...]:
    """Return the labels of the edits that occur at least ``least`` times, most frequent first.

    Hints count where an editor changed the same words. Names and numbers are never learned: an edit that inserts one
    adds information. There are at most ``size`` labels, and the first two are to keep and to delete.
    """
    pairs = list(pairs)
    lowercase = _find_lowercase(text for pair in pairs for text in pair)
    counts: Counter[str] = Counter()
    for source, target in pairs:
        changed = token_edits(source, target)
        hinted = [hint for edit in changed for hint in _inside(edit, hints(source))]
        for edit in (*changed, *hinted):
            if _is_learnable(edit, lowercase):
                counts[_label(edit)] += 1
    common = sorted(
        (label for label, count in counts.items() if count >= least),
        key=lambda label: (-counts[label], label),
    )
    return tuple(dict.fromkeys((KEEP, DELETE, *common)))[:size]


def _find_lowercase(texts: Iterable[str]) -> Mapping[str, bool]:
    """Return for each word whether it is mostly lower case.

    The first word of a text does not count, nor does a text without capitals.
    """
    capitalized: Counter[str] = Counter()
    lowercase: Counter[str] = Counter()
    for text in texts:
        if text.islower():
            continue
        for match in list(PART.finditer(text))[1:]:
            (capitalized if match[0][0].isupper() else lowercase)[match[0].lower()] += 1
    return {word: lowercase[word] >= capitalized[word] for word in {*capitalized, *lowercase}}


def _is_learnable(edit: Edit, lowercase: Mapping[str, bool]) -> bool:
    if not _LEARNED.fullmatch(edit.replacement):
        return False
    words = fold_words(edit.replacement)
    return len(words) <= _LONGEST and all(lowercase.get(word, True) for word in words)


def _inside(edit: Edit, hints: Sequence[Edit]) -> list[Edit]:
    return [hint for hint in hints if edit.start <= hint.start < hint.end <= edit.end]


class KnownEdit(NamedTuple):
    """An edit of a span of words, as indices."""

    first: int
    """The index of its first word, or of the word after an insertion."""
    more: int
    """The number of further words in the span."""
    edit: int
    """Its index in the vocabulary, 0 for no change, :data:`CHANGED` if the vocabulary lacks it."""


def known_edits(
    source: str,
    target: str,
    places: Mapping[str, int],
    numbers: Mapping[int, int],
    hints: Hints = no_hints,
) -> list[KnownEdit]:
    """Return the edits of an editor; for an unchanged sentence, the one that changes nothing.

    ``places`` maps labels to indices, ``numbers`` the start offsets of words to their indices. If the vocabulary lacks
    an edit, the hints for its words are returned as well; an insertion that it lacks is left out.
    """
    found: list[KnownEdit] = []
    changed = token_edits(source, target)
    for edit in changed:
        own = [edit, *_inside(edit, hints(source))] if _label(edit) not in places else [edit]
        for each in own:
            place = places.get(_label(each), CHANGED)
            if each.start in numbers and (each.start < each.end or place != CHANGED):
                words = len(PART.findall(source[each.start : each.end]))
                found.append(KnownEdit(numbers[each.start], max(words - 1, 0), place))
    return found if changed else [KnownEdit(0, 0, 0)]


def _label(edit: Edit) -> str:
    return edit_label(replace(edit, replacement=_AN.sub("a", edit.replacement.lower())))


def coverage(pairs: Iterable[tuple[str, str]], names: Sequence[str]) -> dict[str, float]:
    """Return the share of edits, and of sentences with all their edits, that a vocabulary can express."""
    known = set(names)
    edits = inside = sentences = whole = 0
    for source, target in pairs:
        # an insertion at the very end has no word after it
        found = [_label(edit) in known and edit.start < len(source) for edit in token_edits(source, target)]
        edits, inside = edits + len(found), inside + sum(found)
        sentences, whole = sentences + 1, whole + all(found)
    return {"edits": inside / max(edits, 1), "sentences": whole / max(sentences, 1)}


@lru_cache(maxsize=20_000)
def rule_hints(text: str) -> tuple[Edit, ...]:
    """Return the best alternative of every rule that finds something in a sentence, in order."""
    found: list[Edit] = []
    for finding in rule_findings(text):
        for edit in finding.edits[:1]:
            after = apply_edits(text, [edit])
            found += [each for each in token_edits(text, after) if each.start < each.end]
    return tuple(sorted(found, key=lambda edit: edit.change))
