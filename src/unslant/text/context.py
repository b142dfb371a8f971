"""Words that are not the writer's own wording: code, headlines, and speech that is attributed without marks."""
# ruff: noqa: RUF001 (marks and dashes as writers type them)

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from unslant.core.types import Finding, Sentence, Span, join_spans
from unslant.text.function_words import FUNCTION
from unslant.text.words import LETTERS

if TYPE_CHECKING:
    from unslant.profiles import Profile

_CODE = re.compile(
    r"(?<![\w/])--?[A-Za-z][\w-]*"  # --option, -x
    r"|\b\w+(?:(?:\.|::|->)\w+)*\(\)"  # function()
    r"|\b\w+(?:::|->)\w+\b"
    r"|\b[A-Za-z0-9]*_\w+\b|\b\w+_[A-Za-z0-9]*\b"  # snake_case
    r"|\b[a-z]+[a-z0-9]*[A-Z]\w*\b"  # camelCase
    r"|(?<![\w/])\$[A-Za-z_]\w*|\$\{\w+\}"  # $VARIABLE
    r"|(?<![\w/<])(?:~|\.{1,2})?/[\w.+-]+(?:/[\w.+-]*)*"  # /a/path
    r"|\b[\w-]+(?:/[\w-]+)*\.(?:py|js|ts|c|h|cc|cpp|hpp|rs|go|sh|pl|rb|toml|ya?ml|json|xml|conf|cfg|ini|html|css|md|"
    r"txt|exe|dll|so|deb|rpm|gz|zip|log)\b"  # file.py
)
_CODE_SIGNS = re.compile(r"[_(/$>:.-]\w|[a-z][A-Z]|\(\)")
_NAME = re.compile(r"(?:Mc|Mac|De|Le|La|Di|Van|i|e)[A-Z]")
"""*McConnell*, *iPhone*: mixed case that is no code."""

_SAID = (
    r"said|says|say|told|tells|argued|argues|argue|warned|warns|warn|alleged|alleges|allege|insisted|insists|insist|"
    r"stated|states|declared|declares|contended|contends|asserted|asserts|complained|complains|believed|believes|"
    r"believe|feared|fears|predicted|predicts|added|adds|wrote|writes|tweeted|testified|maintained|maintains"
)
_CALLED = (
    r"called|calls|calling|described|describes|describing|denounced|denounces|denouncing|dismissed|dismisses|"
    r"dismissing|labell?ed|labels|labell?ing|branded|brands|branding|dubbed|dubs|characteri[sz]ed|characteri[sz]es|"
    r"condemned|condemns|condemning|portrayed|portrays|portraying|derided|derides|decried|decries|hailed|hails|"
    r"accused|accuses|accusing|criticized|criticised|criticizes|blasted|slammed"
)
_OPENER = re.compile(rf"\b(?:(?P<said>{_SAID})|(?P<called>{_CALLED}))\b")
_CLAUSE_END = re.compile(r"[,;:()—–!?]|\s-+\s|\.\s")
_FINITE = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|will|would|can|could|may|might|shall|should|must|do|does|did|won't|"
    r"isn't|wasn't|don't|doesn't|didn't|can't)\b"
)
_THAT = re.compile(r"\s+(?:\w+\s+){0,3}that\b")
_LINK = re.compile(r"\b(?:as|of|an?)\b")
_FIRST_PERSON = re.compile(
    r"\b(?:I|we|you|to|let|me|us|one|not|never|must|should|will|can)\s+(?:\w+ly\s+)?$", re.IGNORECASE
)
_PAPERS = (
    r"(?!\s+(?:\w+\s+){0,3}(?:filings?|records?|data|figures|documents?|reports?|census|surveys?|polls?|stud(?:y|ies)|"
    r"statistics|estimates?)\b)"
)
"""Papers are sources of facts; the words are still the writer's."""
_ACCORDING = re.compile(
    rf"^\W*(?:according to|in the words of|in the view of)\b{_PAPERS}\s+(?:\w[^,]{{1,80}}),", re.IGNORECASE
)
_AFTERWARDS = re.compile(
    rf",\s*(?:according to\b{_PAPERS}|(?:said|says)\s+\w|"
    r"(?:[A-Z][\w.'’-]*|he|she|they|(?:the|a|an|one|some|many|his|her|their)\s+[\w'’-]+)(?:\s+[\w'’.-]+){0,4}\s+"
    r"(?:said|says|say|added|adds|argued|argues|wrote|writes|told|warned|claimed)\b)"
)
_EMPHASIS = re.compile(
    r"(?<![\w*])\*(?![\s*])[^*]{1,80}\*(?![\w*])|(?<![\w_])_(?![\s_])[^_]{1,80}_(?![\w_])"
    r"|<(em|i|q)>[^<]{1,80}</\1>"
)
_REACH = 100
"""How far from a finding emphasis is looked for."""
_LONGEST_CLAUSE = 400
_TITLE_WORDS = 4
_TITLE_SHARE = 0.8
_LONG_WORD = 4


def left_alone(finding: Finding, sentence: Sentence, profile: Profile) -> bool:
    """Return whether the words of a finding are not the writer's own wording.

    In a headline, where capitals say nothing about names, only a rule that is sure is heard.
    """
    text = sentence.text
    local = Span(finding.span.start - sentence.span.start, finding.span.end - sentence.span.start)
    if _overlaps_any(code_in_prose(text), local):
        return True
    if len(finding.span) == len(sentence.span):
        # in documentation, an item of one word is a name, such as that of a package
        return profile.name == "docs" and text.islower() and not any(map(str.isspace, text))
    unsure = finding.probability is not None and finding.probability < profile.warning
    if is_title(text) and (finding.origin == "model" or unsure):
        return True
    if profile.name == "docs" and _is_mentioned(sentence.document.source, finding.span):
        return True
    # documentation rarely reports speech: there, "says" is what a manual or a message does
    return profile.name != "docs" and _lies_in_any(attributed_speech(text), local)


def _overlaps_any(spans: Sequence[Span], span: Span) -> bool:
    """Return whether a span overlaps one of others, which are in order and disjoint."""
    at = bisect_right(spans, span.start, key=lambda other: other.end)
    return at < len(spans) and spans[at].start < span.end


def _lies_in_any(spans: Sequence[Span], span: Span) -> bool:
    at = bisect_right(spans, span.start, key=lambda other: other.end)
    return at < len(spans) and spans[at].contains(span)


def _is_mentioned(source: str, span: Span) -> bool:
    """Return whether words stand mostly in emphasis, as documentation sets words that it speaks about."""
    start, end = max(0, span.start - _REACH), min(len(source), span.end + _REACH)
    emphasized = sum(
        max(0, min(match.end(), span.end) - max(match.start(), span.start))
        for match in _EMPHASIS.finditer(source, start, end)
    )
    return 2 * emphasized > len(span)


@lru_cache(maxsize=256)
def code_in_prose(text: str) -> tuple[Span, ...]:
    """Return the identifiers, paths, file names and options in a sentence."""
    if not _CODE_SIGNS.search(text):
        return ()
    return tuple(
        Span(*match.span())
        for match in _CODE.finditer(text)
        if len(match[0]) > 1 and not _NAME.match(match[0])
    )


@lru_cache(maxsize=256)
def is_title(text: str) -> bool:
    """Return whether a sentence is a headline or a title: its long words are capitalized, and no full stop follows."""
    if text.rstrip(" \n\r\t\"'”’)").endswith((".", "?", "!", ":")):
        return False
    words = [
        word for word in LETTERS.findall(text) if len(word) >= _LONG_WORD and word.lower() not in FUNCTION
    ]
    capitalized = sum(word[0].isupper() and not word.isupper() for word in words)
    return len(words) >= _TITLE_WORDS and capitalized >= _TITLE_SHARE * len(words)


@lru_cache(maxsize=256)
def attributed_speech(text: str) -> tuple[Span, ...]:
    """Return the parts of a sentence that report what somebody else said, without quotation marks."""
    return join_spans(_reported_speech(text), touching=True)


def _reported_speech(text: str) -> Iterator[Span]:
    for match in _OPENER.finditer(text):
        if _FIRST_PERSON.search(text, max(0, match.start() - 30), match.start()):
            continue
        limit = min(len(text), match.end() + _LONGEST_CLAUSE)
        closing = _CLAUSE_END.search(text, match.end(), limit)
        end = closing.start() if closing else limit
        start = _complement(text, match, end)
        if start is not None and start < end:
            yield Span(start, end)
    if before := _ACCORDING.match(text):
        yield from _rest(before.end(), text)
    if behind := _AFTERWARDS.search(text):
        yield from _rest(0, text[: behind.start()])


def _rest(start: int, text: str) -> Iterator[Span]:
    if start < len(text):
        yield Span(start, len(text))


def _complement(text: str, match: re.Match[str], end: int) -> int | None:
    """Return where the reported words begin; None where the verb reports none."""
    after = match.end()
    if match["called"]:
        link = _LINK.search(text, after, end)
        return link.end() if link else None
    that = _THAT.match(text, after, end)
    if that:
        return that.end()
    finite = _FINITE.search(text, after, end)
    return finite.end() if finite else None
