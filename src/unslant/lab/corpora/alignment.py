"""Positions of tokens and phrases in natural text.

Two tokenisations are undone: that of the Penn Treebank (``ptb``: ``do n't``, quotation marks as back-ticks, brackets
as ``-LRB-``) and that of subword models (``subwords``: every mark alone, ``on - air``, ``75 , 000``).

The libraries that join tokens (sacremoses, nltk) return a string only; the place of each token is lost, and with it
the spans that annotators marked. Here the alignment is the point: nothing but spaces is added or removed between
tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from unslant.core.example import LabelledSpan
from unslant.core.types import Span, join_spans

Tokenization = Literal["ptb", "subwords"]

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_DOUBLED = re.compile(r"'{2,}|`{2,}")
_CURLY = "\u2019"
_OPEN_SINGLE = "\u2018"
_SINGLE = frozenset({"'", _CURLY})
_CLITICS = frozenset(
    form for clitic in "n't 's 're 've 'll 'd 'm".split() for form in (clitic, clitic.replace("'", _CURLY))
)
_CLITIC_TAILS = frozenset("s t re ve ll d m".split())
_SPLIT_WORDS = frozenset({("gon", "na"), ("wan", "na"), ("got", "ta"), ("gim", "me"), ("lem", "me")})
_SPLIT_TAILS = frozenset(tail for _, tail in _SPLIT_WORDS)
_CLOSERS = frozenset(",.;:?!)]}%…”»")
_OPENERS = frozenset(f"([{{$£€#@“{_OPEN_SINGLE}«")
_ENDINGS = re.compile(r"[,.;:?!)\]}%…”]+(?:[^\w\s].*)?")
_JOINTS = frozenset("-/_")


@dataclass(frozen=True, slots=True)
class Detokenized:
    """Natural text and the position of each token in it."""

    text: str
    spans: tuple[Span, ...]
    """One per token, in order; between two of them there is nothing or one space."""

    def tokens(self) -> list[str]:
        """Return the text of each token, as :func:`surface` writes it."""
        return [self.text[span.start : span.end] for span in self.spans]

    def cover(self, first: int, last: int) -> Span:
        """Return the span from the first token to the last, both included."""
        return Span(self.spans[first].start, self.spans[last].end)


def surface(token: str) -> str:
    """Return the surface form of a treebank token."""
    token = _BRACKETS.get(token, token).replace("\\/", "/").replace("\\*", "*")
    return _DOUBLED.sub('"', token)


def detokenize(tokens: Sequence[str], style: Tokenization = "ptb") -> Detokenized:
    """Join tokens into natural text and record the position of each; empty tokens are not allowed."""
    parts = _space_tokens(tokens, style)
    spans: list[Span] = []
    at = 0
    for part in parts:
        start = at + part.startswith(" ")
        at += len(part)
        spans.append(Span(start, at))
    return Detokenized("".join(parts), tuple(spans))


def join_tokens(tokens: Sequence[str], style: Tokenization = "ptb") -> str:
    """Return only the text, for callers without spans."""
    return "".join(_space_tokens(tokens, style))


def _space_tokens(tokens: Sequence[str], style: Tokenization) -> list[str]:
    """Return each token in its surface form, with the space before it if there is one."""
    left, right = _glue(tokens, style)
    parts: list[str] = []
    for index, token in enumerate(tokens):
        written = token if token.isalnum() else surface(token)
        # Two single marks side by side would read as a treebank's quotation mark.
        doubled = index > 0 and written[:1] in ("'", "`") and written[:1] == parts[-1][-1:]
        apart = index > 0 and (doubled or not (left[index] or right[index - 1]))
        parts.append(f" {written}" if apart else written)
    return parts


def _glue(tokens: Sequence[str], style: Tokenization) -> tuple[list[bool], list[bool]]:
    """Return for each token whether it is attached to its left and to its right neighbour."""
    left, right = [False] * len(tokens), [False] * len(tokens)
    inside: dict[str, bool] = {}
    for index, token in enumerate(tokens):
        if token.isalnum() and token.lower() not in _SPLIT_TAILS:
            continue
        before = tokens[index - 1] if index else ""
        after = tokens[index + 1] if index + 1 < len(tokens) else ""
        written = surface(token)
        if token in _CLITICS or token.lower() in _CLITICS or (before.lower(), token.lower()) in _SPLIT_WORDS:
            left[index] = True
        elif written == '"':
            left[index], right[index] = _quote(token, after, inside)
        elif written in _SINGLE and after.lower() in _CLITIC_TAILS and before[-1:].isalnum():
            left[index] = right[index] = True
        elif written in _SINGLE or written == "`":
            left[index], right[index] = _apostrophe(tokens, index, inside)
        elif written in _OPENERS:
            right[index] = True
        elif written == "://":
            left[index] = right[index] = True
        elif written in _CLOSERS or _ENDINGS.fullmatch(written):
            left[index] = True
            right[index] = style == "subwords" and _inside_number(before, written, after)
        elif style == "subwords" and written in _JOINTS and before[-1:].isalnum() and after[:1].isalnum():
            left[index] = right[index] = True
        if written == _OPEN_SINGLE:
            inside["'"] = True
    return left, right


def _quote(token: str, after: str, inside: dict[str, bool]) -> tuple[bool, bool]:
    """A double quotation mark opens if none is open, and closes otherwise; back-ticks always open."""
    always = token.startswith("`")
    opens = always or not inside.get('"')
    if opens and not always and (not after or surface(after)[:1] in _CLOSERS):
        opens = False
    inside['"'] = opens
    return not opens, opens


def _apostrophe(tokens: Sequence[str], index: int, inside: dict[str, bool]) -> tuple[bool, bool]:
    """A single mark closes what is open, marks a plural's possession, or opens if its like follows."""
    before = tokens[index - 1] if index else ""
    if inside.get("'"):
        inside["'"] = False
        return True, False
    follows = any(token in _SINGLE for token in tokens[index + 1 :])
    if (
        tokens[index] == "`"
        or (not before and index + 1 < len(tokens))
        or (follows and before[-1:] not in ("s", "S"))
    ):
        inside["'"] = True
        return False, True
    return True, False


def _inside_number(before: str, mark: str, after: str) -> bool:
    """Return whether a mark is inside a number or an abbreviation: ``75 , 000``, ``3 . 5``, ``u . s .``."""
    if mark == ",":
        return before[-1:].isdigit() and len(after) == 3 and after.isdigit()
    if mark in ".:" and before[-1:].isdigit() and after[:1].isdigit():
        return True
    return mark == "." and len(before) == 1 == len(after) and before.isalpha() and after.isalpha()


_MARKS = " \"',.;\u2018\u2019\u201c\u201d"


def find_phrase(text: str, phrase: str) -> Span | None:
    """Return the first occurrence of a phrase; white space and case may differ."""
    words = phrase.split()
    if not words:
        return None
    start = text.find(phrase.strip())
    if start >= 0:
        return Span(start, start + len(phrase.strip()))
    match = re.search(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE)
    return Span(*match.span()) if match else None


def find_words(text: str, words: Iterable[str]) -> tuple[tuple[LabelledSpan, ...], list[str]]:
    """Return every occurrence of these words as whole words, and the words that do not occur."""
    found: list[Span] = []
    lost: list[str] = []
    for word in words:
        pattern = r"\s+".join(map(re.escape, word.strip(_MARKS).split()))
        places = [Span(*match.span()) for match in _whole(pattern).finditer(text)] if pattern else []
        found += places
        if not places:
            lost.append(word)
    return tuple(LabelledSpan(span) for span in join_spans(found)), lost


def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){pattern}(?!\w)", re.IGNORECASE)
