"""What editors did to a sentence, stretch by stretch, and the edits worth learning.

Two sentences are compared without regard to case and to ``a`` against ``an``: which of the two stands there follows
from the next word, and is no matter of slant.

Edits that the rules suggest serve as hints where an editor's own wording is too rare to learn.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache
from typing import NamedTuple

from unslant.core.types import Document, Sentence, Span
from unslant.neural.edits import DELETE, KEEP, Change, Op, label
from unslant.rules.analyzer import RuleAnalyzer
from unslant.spec import Spec

__all__ = [
    "CHANGED",
    "Hints",
    "Known",
    "Stretch",
    "coverage",
    "folded",
    "known_edits",
    "no_hints",
    "rule_spans",
    "stretches",
    "vocabulary",
]

CHANGED = -1
"""The place of an edit that the vocabulary does not have."""

_TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")
_LEARNED = re.compile(r"[^\W\d_]+(?:[ '\u2019-][^\W\d_]+)*,?|,")
_AN = re.compile(r"\ban\b")
_LONGEST = 4


@dataclass(frozen=True, slots=True)
class Stretch:
    """Words of a sentence that an edit touched, and what they became."""

    words: tuple[Span, ...]
    """The words that are gone; none where something was put in."""
    before: int | None
    """Where the next word begins; None at the end."""
    text: str
    """What stands there instead; empty where words were deleted."""

    @property
    def op(self) -> Op:
        """The edit of its first word, or of the next word where something was put in."""
        if not self.text:
            return Op("delete")
        return Op("replace" if self.words else "before", self.text)

    @property
    def change(self) -> Change | None:
        """The same as a change of the text."""
        if self.words:
            return Change(self.words[0].start, self.words[-1].end, self.text)
        return None if self.before is None else Change(self.before, self.before, self.text)


def _tokens(text: str) -> list[Span]:
    return [Span(*match.span()) for match in _TOKEN.finditer(text)]


def _key(word: str) -> str:
    small = word.lower()
    return "a" if small == "an" else small


def _phrase(text: str) -> str:
    return _AN.sub("a", text.lower())


def folded(text: str) -> tuple[str, ...]:
    """Return the words of a text as they are compared: case, white space and ``a`` against ``an`` aside."""
    return tuple(_key(match[0]) for match in _TOKEN.finditer(text))


@lru_cache(maxsize=20_000)
def stretches(source: str, target: str) -> tuple[Stretch, ...]:
    """Return what was changed between two sentences, in order."""
    old, new = _tokens(source), _tokens(target)
    matcher = SequenceMatcher(None, folded(source), folded(target), autojunk=False)
    found = []
    for tag, first, last, begin, end in matcher.get_opcodes():
        if tag == "equal":
            continue
        wording = target[new[begin].start : new[end - 1].end] if end > begin else ""
        following = old[last].start if last < len(old) else None
        found.append(Stretch(tuple(old[first:last]), following, " ".join(wording.split())))
    return tuple(found)


Hints = Callable[[str], Sequence[Stretch]]
"""What else could be done about the words of a sentence."""


def no_hints(text: str) -> Sequence[Stretch]:  # noqa: ARG001
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
    counts: Counter[tuple[str, str]] = Counter()
    for source, target in pairs:
        changed = stretches(source, target)
        hinted = [hint for stretch in changed for hint in _inside(stretch, hints(source))]
        for stretch in (*changed, *hinted):
            if _learnable(stretch.op, small):
                counts[stretch.op.kind, _phrase(stretch.op.text)] += 1
    common = sorted(
        (key for key, count in counts.items() if count >= least), key=lambda key: (-counts[key], key)
    )
    names = dict.fromkeys([KEEP, DELETE])
    for kind, text in common:
        names[label(Op("replace" if kind == "replace" else "before", text))] = None
    return tuple(names)[:size]


def _usually_small(texts: Iterable[str]) -> Mapping[str, bool]:
    """Say of each word whether it is mostly written small.

    The first word of a text says nothing, and neither does a text without any capital.
    """
    big: Counter[str] = Counter()
    small: Counter[str] = Counter()
    for text in texts:
        if text.islower():
            continue
        for match in list(_TOKEN.finditer(text))[1:]:
            (big if match[0][0].isupper() else small)[match[0].lower()] += 1
    return {word: small[word] >= big[word] for word in {*big, *small}}


def _learnable(op: Op, small: Mapping[str, bool]) -> bool:
    if op.kind not in ("replace", "before") or not _LEARNED.fullmatch(op.text):
        return False
    tokens = folded(op.text)
    return len(tokens) <= _LONGEST and all(small.get(token, True) for token in tokens)


def _inside(changed: Stretch, hints: Sequence[Stretch]) -> list[Stretch]:
    return [hint for hint in hints if hint.words and set(hint.words) <= set(changed.words)]


class Known(NamedTuple):
    """An edit of a stretch of words, as numbers."""

    first: int
    """The number of its first word, or of the word that something is put before."""
    more: int
    """How many words follow in the stretch."""
    edit: int
    """Its place in the vocabulary, 0 for leaving everything alone, :data:`CHANGED` for one that is not there."""


def known_edits(
    source: str,
    target: str,
    places: Mapping[str, int],
    numbers: Mapping[int, int],
    hints: Hints = no_hints,
) -> list[Known]:
    """Return what an editor did, stretch by stretch; for an unchanged sentence, that nothing was done.

    ``places`` numbers the vocabulary, ``numbers`` the words by where they begin. Where the vocabulary lacks what an
    editor wrote, hints for these words are there as well; what is put in and not in the vocabulary teaches nothing.
    """
    found: list[Known] = []
    changed = stretches(source, target)
    for edited in changed:
        own = [edited, *_inside(edited, hints(source))] if _name(edited) not in places else [edited]
        for stretch in own:
            place = places.get(_name(stretch), CHANGED)
            first = stretch.words[0].start if stretch.words else stretch.before
            if first is not None and first in numbers and (stretch.words or place != CHANGED):
                found.append(Known(numbers[first], max(len(stretch.words) - 1, 0), place))
    return found if changed else [Known(0, 0, 0)]


def _name(stretch: Stretch) -> str:
    return label(Op(stretch.op.kind, _phrase(stretch.op.text)))


def coverage(pairs: Iterable[tuple[str, str]], names: Sequence[str]) -> dict[str, float]:
    """Return the share of edits, and of sentences with all their edits, that a vocabulary can express."""
    known = set(names)
    edits = inside = sentences = whole = 0
    for source, target in pairs:
        # what is put in at the very end has no word to stand before
        found = [
            _name(stretch) in known and stretch.change is not None for stretch in stretches(source, target)
        ]
        edits, inside = edits + len(found), inside + sum(found)
        sentences, whole = sentences + 1, whole + all(found)
    return {"edits": inside / max(edits, 1), "sentences": whole / max(sentences, 1)}


@cache
def _analyzer() -> RuleAnalyzer:
    return RuleAnalyzer(Spec())


@lru_cache(maxsize=20_000)
def rule_spans(text: str) -> tuple[Stretch, ...]:
    """Return the best alternative of every rule that finds something in a sentence, in order."""
    if not text.strip():
        return ()
    (analysis,) = _analyzer().analyze([Sentence(Document(text, text), Span(0, len(text)))])
    found: list[Stretch] = []
    for finding in analysis.findings:
        for edit in finding.edits[:1]:
            after = text[: edit.span.start] + edit.replacement + text[edit.span.end :]
            found += [stretch for stretch in stretches(text, after) if stretch.words]
    return tuple(sorted(found, key=lambda stretch: stretch.words))
