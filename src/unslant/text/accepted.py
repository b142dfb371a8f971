"""Words and phrases that the settings accept: they are never part of the reason for a finding.

A rule that matches one of them says nothing. A model that finds one of them judges the sentence again without it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from unslant.core.types import Finding, Sentence, Span, WordScore
from unslant.text.function_words import FUNCTION
from unslant.text.words import LETTERS

_JOIN = r"(?:[\s\-\u2010\u2011]+)"
_INK = re.compile(r"\S")
_APOSTROPHE = "['\u2019]"


@lru_cache(maxsize=16)
def _pattern(terms: tuple[str, ...]) -> re.Pattern[str]:
    """Match any of the terms as whole words; case, hyphens, apostrophes and line breaks make no difference."""
    written = []
    for term in sorted(set(terms), key=len, reverse=True):
        words = re.split(_JOIN, term.strip())
        written.append(
            _JOIN.join(re.escape(word.replace("\u2019", "'")).replace("'", _APOSTROPHE) for word in words)
        )
    return re.compile(rf"(?<!\w)(?:{'|'.join(written)})(?!\w)", re.IGNORECASE)


def find_accepted(text: str, terms: tuple[str, ...]) -> tuple[Span, ...]:
    """Return where a text has accepted words, in order."""
    wanted = tuple(term for term in terms if term.strip())
    return tuple(Span(*match.span()) for match in _pattern(wanted).finditer(text)) if wanted else ()


def accepted_in(sentence: Sentence, terms: tuple[str, ...]) -> tuple[Span, ...]:
    """Return where a sentence has accepted words, by positions of its document."""
    start = sentence.span.start
    return tuple(Span(start + span.start, start + span.end) for span in find_accepted(sentence.text, terms))


def mask_accepted(sentence: Sentence, terms: tuple[str, ...]) -> Sentence:
    """Return the sentence with accepted words blanked in the prose of its document."""
    prose, (start, end) = sentence.document.prose, (sentence.span.start, sentence.span.end)
    text = prose[start:end]
    for span in find_accepted(text, terms):
        text = f"{text[: span.start]}{_INK.sub(' ', text[span.start : span.end])}{text[span.end :]}"
    return Sentence(replace(sentence.document, prose=f"{prose[:start]}{text}{prose[end:]}"), sentence.span)


def without_accepted(
    finding: Finding, accepted: Sequence[Span], words: Sequence[WordScore]
) -> Finding | None:
    """Return a finding about the words that are not accepted; None if there are none.

    A rule's reason is all of its words, so nothing is left of it. A model has judged the others without the accepted
    ones: what is left is the side of them with the word that it marks most, or else the longer side.
    """
    found = [span for span in accepted if span.overlaps(finding.span)]
    if not found:
        return finding
    if finding.origin == "rules":
        return None
    start = finding.span.start
    end = finding.span.end
    borders = [start, *(border for span in found for border in (span.start, span.end)), end]
    between = zip(borders[::2], borders[1::2], strict=True)
    trimmed = (_letters(finding, Span(first, last)) for first, last in between if first < last)
    sides = [side for side in trimmed if side is not None]

    def weight(side: Span) -> tuple[float, int]:
        return max((word.probability for word in words if side.contains(word.span)), default=0.0), len(side)

    best = max(sides, key=weight, default=None)
    if best is None:
        return None
    text = finding.text[best.start - start : best.end - start]
    edits = tuple(edit for edit in finding.edits if best.start <= edit.start and edit.end <= best.end)
    return replace(finding, span=best, text=text, edits=edits)


def _letters(finding: Finding, side: Span) -> Span | None:
    """Return a stretch from its first word to its last, None if all of it are function words or marks."""
    start = finding.span.start
    text = finding.text[side.start - start : side.end - start]
    tokens = list(LETTERS.finditer(text))
    if all(token[0].lower() in FUNCTION for token in tokens):
        return None
    return Span(side.start + tokens[0].start(), side.start + tokens[-1].end())
