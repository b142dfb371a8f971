"""What editors did to a sentence, edit by edit, and the edits worth learning.

Two sentences are compared without regard to case and to ``a`` against ``an``: which of the two stands there follows
from the next word, and is no matter of slant.

Edits that the rules suggest serve as hints where an editor's own wording is too rare to learn.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import NamedTuple

from unslant.core.types import Document, Edit, Sentence, Span
from unslant.neural.checkpoint import DELETE, KEEP, edit_label
from unslant.rules.analyzer import RuleAnalyzer
from unslant.spec import Spec
from unslant.text.diff import diff_words
from unslant.text.edits import apply_edits
from unslant.text.words import LETTERS, PART

__all__ = [
    "CHANGED",
    "Hints",
    "Known",
    "coverage",
    "fold_words",
    "known_edits",
    "no_hints",
    "rule_hints",
    "token_edits",
    "vocabulary",
]

CHANGED = -1
"""The place of an edit that the vocabulary does not have."""

_LEARNED = re.compile(rf"{LETTERS.pattern}(?:[ '\u2019-]{LETTERS.pattern})*,?|,")
_AN = re.compile(r"\ban\b")
_LONGEST = 4


def _phrase(text: str) -> str:
    return _AN.sub("a", text.lower())


def fold_words(text: str) -> tuple[str, ...]:
    """Return the words of a text as they are compared: case, white space and ``a`` against ``an`` aside."""
    return tuple(_AN.sub("a", match[0].lower()) for match in PART.finditer(text))


@lru_cache(maxsize=20_000)
def token_edits(source: str, target: str) -> tuple[Edit, ...]:
    """Return what was changed between two sentences, in order; an insertion stands right before the next word."""
    old, new = ([match.span() for match in PART.finditer(text)] for text in (source, target))
    found = []
    for (first, last), (begin, end) in diff_words(fold_words(source), fold_words(target)):
        wording = target[new[begin][0] : new[end - 1][1]] if begin < end else ""
        start = old[first][0] if first < len(old) else len(source)
        found.append(Edit(start, old[last - 1][1] if first < last else start, " ".join(wording.split())))
    return tuple(found)


Hints = Callable[[str], Sequence[Edit]]
"""What else could be done about the words of a sentence."""


def no_hints(text: str) -> Sequence[Edit]:  # noqa: ARG001
    """Know nothing."""
    return ()


def vocabulary(
    pairs: Iterable[tuple[str, str]], size: int, least: int, hints: Hints = no_hints
) -> tuple[str, ...]:
    """Return the labels of the edits that occur at least ``least`` times, the commonest first.

    Hints count where an editor changed the same words. Names and numbers are never learned: an edit that puts one in
    tells something new. At most ``size`` labels, of which the first two are to keep and to delete.
    """
    pairs = list(pairs)
    small = _usually_small(text for pair in pairs for text in pair)
    counts: Counter[str] = Counter()
    for source, target in pairs:
        changed = token_edits(source, target)
        hinted = [hint for edit in changed for hint in _inside(edit, hints(source))]
        for edit in (*changed, *hinted):
            if _is_learnable(edit, small):
                counts[_label(edit)] += 1
    common = sorted(
        (label for label, count in counts.items() if count >= least),
        key=lambda label: (-counts[label], label),
    )
    return tuple(dict.fromkeys((KEEP, DELETE, *common)))[:size]


def _usually_small(texts: Iterable[str]) -> Mapping[str, bool]:
    """Say of each word whether it is mostly written small.

    The first word of a text says nothing, and neither does a text without any capital.
    """
    big: Counter[str] = Counter()
    small: Counter[str] = Counter()
    for text in texts:
        if text.islower():
            continue
        for match in list(PART.finditer(text))[1:]:
            (big if match[0][0].isupper() else small)[match[0].lower()] += 1
    return {word: small[word] >= big[word] for word in {*big, *small}}


def _is_learnable(edit: Edit, small: Mapping[str, bool]) -> bool:
    if not _LEARNED.fullmatch(edit.replacement):
        return False
    words = fold_words(edit.replacement)
    return len(words) <= _LONGEST and all(small.get(word, True) for word in words)


def _inside(edit: Edit, hints: Sequence[Edit]) -> list[Edit]:
    return [hint for hint in hints if edit.start <= hint.start < hint.end <= edit.end]


class Known(NamedTuple):
    """An edit of a span of words, as numbers."""

    first: int
    """The number of its first word, or of the word that something is put before."""
    more: int
    """How many words follow in the span."""
    edit: int
    """Its place in the vocabulary, 0 for leaving everything alone, :data:`CHANGED` for one that is not there."""


def known_edits(
    source: str,
    target: str,
    places: Mapping[str, int],
    numbers: Mapping[int, int],
    hints: Hints = no_hints,
) -> list[Known]:
    """Return what an editor did, edit by edit; for an unchanged sentence, that nothing was done.

    ``places`` numbers the vocabulary, ``numbers`` the words by where they begin. Where the vocabulary lacks what an
    editor wrote, hints for these words are there as well; what is put in and not in the vocabulary teaches nothing.
    """
    found: list[Known] = []
    changed = token_edits(source, target)
    for edit in changed:
        own = [edit, *_inside(edit, hints(source))] if _label(edit) not in places else [edit]
        for each in own:
            place = places.get(_label(each), CHANGED)
            if each.start in numbers and (each.start < each.end or place != CHANGED):
                words = len(PART.findall(source[each.start : each.end]))
                found.append(Known(numbers[each.start], max(words - 1, 0), place))
    return found if changed else [Known(0, 0, 0)]


def _label(edit: Edit) -> str:
    return edit_label(replace(edit, replacement=_phrase(edit.replacement)))


def coverage(pairs: Iterable[tuple[str, str]], names: Sequence[str]) -> dict[str, float]:
    """Return the share of edits, and of sentences with all their edits, that a vocabulary can express."""
    known = set(names)
    edits = inside = sentences = whole = 0
    for source, target in pairs:
        # an insertion at the very end has no word to stand before
        found = [_label(edit) in known and edit.start < len(source) for edit in token_edits(source, target)]
        edits, inside = edits + len(found), inside + sum(found)
        sentences, whole = sentences + 1, whole + all(found)
    return {"edits": inside / max(edits, 1), "sentences": whole / max(sentences, 1)}


@cache
def _analyzer() -> RuleAnalyzer:
    return RuleAnalyzer(Spec())


@lru_cache(maxsize=20_000)
def rule_hints(text: str) -> tuple[Edit, ...]:
    """Return the best alternative of every rule that finds something in a sentence, in order."""
    if not text.strip():
        return ()
    (analysis,) = _analyzer().analyze([Sentence(Document(text, text), Span(0, len(text)))])
    found: list[Edit] = []
    for finding in analysis.findings:
        for edit in finding.edits[:1]:
            after = apply_edits(text, [edit])
            found += [each for each in token_edits(text, after) if each.start < each.end]
    return tuple(sorted(found, key=lambda edit: edit.change))
