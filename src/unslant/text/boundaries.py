"""Where findings may begin and end: at whole words, and never inside a name."""

from __future__ import annotations

import re
from dataclasses import replace

from unslant.core.taxonomy import PREFIX
from unslant.core.types import Document, Finding, Span
from unslant.text.function_words import FUNCTION
from unslant.text.words import TOKEN

_LONG = 3
"""Spans of so few words keep them all: *the fact that*."""
_LOOSE = frozenset(
    "the a an of for with by in on at from as and or but that which who whom whose to his her its their our he she "
    "they it is are was were be been has have had , ; : - \u2013 \u2014".split()
)

_JOINS = frozenset("-\u2010\u2011'\u2019_")
_LONGEST = 60
"""A longer run of letters is no word."""
_POSSESSIVE = re.compile(r"['\u2019]s?(?![\w-])")


def whole_words(document: Document, finding: Finding, sentence: Span) -> Finding | None:
    """Return a finding about whole words of its sentence; None where a model marks nothing but part of a name."""
    prose = document.prose
    whole = extend_to_words(prose, finding.span)
    # a word of thousands of letters is cut into several sentences
    span: Span | None = Span(max(whole.start, sentence.start), min(whole.end, sentence.end))
    if span is not None and (finding.rule is None or finding.rule.startswith(PREFIX)):
        span = trim_names(prose, span)
        span = trim_ends(prose, span) if span is not None else None
    if span is None:
        return None
    if span == finding.span:
        return finding
    return replace(finding, span=span, text=document.source[span.start : span.end])


def extend_to_words(prose: str, span: Span) -> Span:
    """Return the span up to the ends of hyphenated words and contractions; a possessive ending stays outside."""
    start, end = span.start, span.end
    first, last = max(0, start - _LONGEST), min(len(prose), end + _LONGEST)
    while start > first and _continues(prose, start - 1, start):
        start -= 1
    while end < last and _continues(prose, end, end - 1) and not _POSSESSIVE.match(prose, end):
        end += 1
    return Span(start, end)


def _continues(prose: str, outside: int, inside: int) -> bool:
    """Return whether the word at one offset goes on at the next one outside the span."""
    if not (prose[inside].isalnum() or prose[inside] in _JOINS):
        return False
    if prose[outside].isalnum():
        return True
    beyond = 2 * outside - inside
    return (
        prose[outside] in _JOINS
        and prose[inside].isalnum()
        and 0 <= beyond < len(prose)
        and prose[beyond].isalnum()
    )


def trim_names(prose: str, span: Span) -> Span | None:
    """Return a span without the part of a name at its ends (John *Boehner some time*); None where nothing is left."""
    words = [match.span() for match in TOKEN.finditer(prose, span.start, span.end)]
    if not words:
        return span
    first, last = 0, len(words)
    if _follows_name(prose, span.start):
        while first < last and _is_capitalized(prose, words[first]):
            first += 1
        while 0 < first < last and _minor(prose, words[first]):
            first += 1
    if last > first and _is_capitalized(prose, words[last - 1]) and _precedes_name(prose, span.end):
        begin = last
        while last > first and _is_capitalized(prose, words[last - 1]):
            last -= 1
        if last == 0 and not _inside_sentence(prose, words[0][0]):
            last = begin  # the first word of a sentence has a capital in any case
        while first < last < begin and _minor(prose, words[last - 1]):
            last -= 1
    if (first, last) == (0, len(words)):
        return span
    return Span(words[first][0], words[last - 1][1]) if first < last else None


def trim_ends(prose: str, span: Span) -> Span:
    """Return a long span without articles, prepositions and conjunctions at its ends, which slant nothing."""
    words = [match.span() for match in TOKEN.finditer(prose, span.start, span.end)]
    first, last = 0, len(words)
    while last - first > _LONG and prose[slice(*words[last - 1])].lower() in _LOOSE:
        last -= 1
    while last - first > _LONG and prose[slice(*words[first])].lower() in _LOOSE:
        first += 1
    return Span(words[first][0], words[last - 1][1]) if last - first < len(words) else span


def _is_capitalized(prose: str, word: tuple[int, int]) -> bool:
    written = prose[word[0] : word[1]]
    return written[0].isupper() and not (written.isupper() and len(written) > 1)


def _minor(prose: str, word: tuple[int, int]) -> bool:
    written = prose[word[0] : word[1]]
    return not written[0].isalnum() or written.lower() in FUNCTION


_NAME_BEFORE = re.compile(r"(?P<word>[A-Z][a-z][\w.\u2019'-]*) \Z")
_NAME_AFTER = re.compile(r" [A-Z][a-z]")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\"\u201c\u2018(\n*\u2022]\s*|\s[-\u2013\u2014]\s*)\Z")
_REACH = 40


def _follows_name(prose: str, at: int) -> bool:
    window = prose[max(0, at - _REACH) : at]
    match = _NAME_BEFORE.search(window)
    if match is None or not prose[at].isupper() or match["word"].lower() in FUNCTION:
        return False
    return not _SENTENCE_START.search(window[: match.start()])


def _precedes_name(prose: str, at: int) -> bool:
    return _NAME_AFTER.match(prose, at) is not None


def _inside_sentence(prose: str, at: int) -> bool:
    return not _SENTENCE_START.search(prose[max(0, at - _REACH) : at])
