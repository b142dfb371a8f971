"""Where sentences begin and end.

The boundaries come from nupunkt, with a few corrections that docs/sentences.md measures; around it is
what makes any input safe: ranges that no sentence crosses, windows that bound time and memory, and
positions that are always exact.

nupunkt's own list of abbreviations was learned from legal papers and holds everyday words (*cold*, *hard*, *will*,
*bank*), after which it then misses the end of the sentence. The list here takes its place.
"""
# ruff: noqa: RUF001 (quotation marks and dashes are meant)

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from unslant.core.types import Document, Sentence, Span
from unslant.text.words import IN_WORD

if TYPE_CHECKING:
    from nupunkt import PunktSentenceTokenizer

    from unslant.spec import Spec

_TITLES = """
    mr mrs ms mx messrs mme mlle dr drs prof profs hon rev revd fr st ste sen sens rep reps gov govs
    pres gen lt col capt cpt cmdr cdr sgt cpl maj brig adm pvt ofc det insp supt supts atty asst dep
"""
_NAMES = "jr sr esq inc incs corp co cos ltd llc plc bros assn assoc dept univ inst mfg govt natl intl admin"
_PLACES = """
    ave blvd rd ln pkwy hwy sq apt bldg ft mt mts pt ala ariz ark calif colo conn del fla ga ill ind
    kan ky md mich minn miss mo mont neb nev okla pa penn tenn tex va vt wis wyo
"""
_DATES = "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun"
_NUMBERED = (
    "no nos art arts sec secs sect ch chap fig figs eq eqs vol vols p pp par para pt pts ex col cols app tab"
)
_MEASURES = "approx est min max hr hrs lb lbs oz kg km cm mm yd yds mi mph sq tbsp tsp gal qt bn mn"
_LATIN = "al ca cf cit et etc ibid viz vs v op loc seq sc fl ed eds trans repr rev resp incl excl"
_INITIALS = " ".join("abcdefghijklmnopqrstuvwxyz")

ABBREVIATIONS = frozenset(
    " ".join((_TITLES, _NAMES, _PLACES, _DATES, _NUMBERED, _MEASURES, _LATIN, _INITIALS)).split()
)
"""In lower case and without the last full stop; those with a full stop inside (*p.m.*) come from nupunkt."""

ONLY_BEFORE_NUMBERS = frozenset(
    (_NUMBERED + " jun jul mar dec sat sun wed mon fri ill miss ex par app tab max min yd mi").split()
)
"""Everyday words and references: abbreviations only where no capital follows (*No. 5*; *No. Ann has it.*)."""

NEVER_LAST = frozenset(_TITLES.split()) | {"v", "vs", "cf", "viz", "e.g", "i.e", "ca", "al", "et", "op"}
"""What always needs something after it, so that a capital there begins no sentence."""

_OPENERS = """
    A An The This That These Those He She It They We You His Her Its Their Our My Your There Here
    But And Or So Yet If When While Although Though Because Since Until Unless After Before As At By
    For From In On Then Later Both Each Every Many Most Some Several Few Nobody No None Nothing Not
    Neither However Meanwhile Moreover Instead What Who Why How Where Which Is Are Was Were Did Does
    Do
"""
OPENERS = frozenset(_OPENERS.split())
"""Capitalised words that begin a sentence even after an abbreviation: they are hardly ever part of a name."""


LONGEST = 1 << 12
"""A sentence with more code points is cut at white space, or else at a mark; only a single longer word exceeds it."""

_LONG_WORD = re.compile(r"(?<!\S)\S{300,}")
_LAST_SPACE = re.compile(r".*\s", re.DOTALL)
_MARK = re.compile(rf"[^{IN_WORD}]")
_LAST_MARK = re.compile(rf".*[^{IN_WORD}]", re.DOTALL)
# The atomic group keeps one CRLF from being read as two line ends.
_BLANK_LINE = re.compile(r"(?>\r\n?|\n)\s*[\r\n]")
_LINE = re.compile(r"[^\r\n]+")
_ITEM = re.compile(r"[^\S\r\n]*(?:[-*+•‣▪◦·]|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,4})\)|\d{1,3}\.)[^\S\r\n]+\S")
_FOOTNOTES = re.compile(r"(?:\[(?:\d{1,3}|[a-z])\])+\s+")
_AFTER_STOP = re.compile(r"""\.["'”’)\]]{0,3}\s+(?=([A-Z]\w*))""")
_HEADING_WORDS = 12
_LINE_GOES_ON = frozenset(".!?:;,…-–—\"'”’»)]")


class NupunktSegmenter:
    """Splits with nupunkt; its model is loaded on the first use."""

    def __init__(self, _spec: Spec) -> None:
        self._tokenizer: PunktSentenceTokenizer | None = None

    def split(self, document: Document) -> Iterator[Sentence]:
        """Yield the sentences in order, without surrounding white space; blank ranges yield none."""
        for start, end in _ranges(document):
            for span in self._spans(document.prose, start, end):
                yield Sentence(document, span)

    def forget(self) -> None:
        """Forget which words ended a sentence; the model stays loaded."""
        if self._tokenizer is not None:
            self._tokenizer.clear_decision_cache()

    def _spans(self, prose: str, start: int, end: int) -> Iterator[Span]:
        """Yield the sentences of one range, looking at no more than a window at a time."""
        while start < end:
            stop = _window_end(prose, start, end)
            window = prose[start:stop]
            if window.isspace():
                start = stop
                continue
            starts = self._starts(window)
            if stop < end and len(starts) > 1:
                # The last sentence of a window may go on behind it, so it opens the next one.
                stop = start + starts.pop()
            for first, last in pairwise((*starts, stop - start)):
                text = window[first:last]
                begin = start + last - len(text.lstrip())
                text = text.strip()
                if text:
                    yield Span(begin, begin + len(text))
            start = stop

    def _starts(self, text: str) -> list[int]:
        """Return where the sentences of a text begin, in order, the first at 0."""
        if self._tokenizer is None:
            from nupunkt import load_default_model

            tokenizer = load_default_model()
            dotted = {entry for entry in tokenizer.parameters.abbrev_types if "." in entry}
            tokenizer.parameters.abbrev_types = dotted | ABBREVIATIONS
            # Edited prose: "the Yahoo! office", "he asked why? and left".
            tokenizer.EXCL_QUEST_LOWERCASE_CONTINUES = True
            self._tokenizer = tokenizer
        # Long words are URLs, data or noise. Looking for boundaries in them is quadratic, and there are none.
        text = _LONG_WORD.sub(lambda word: "x" * (len(word[0]) - 1) + word[0][-1], text)
        starts = {_behind_footnotes(text, start) for start, _ in self._tokenizer.span_tokenize(text)}
        for match in _AFTER_STOP.finditer(text):
            if match.end() not in starts and _opens(text, match):
                starts.add(match.end())
        starts.discard(0)
        starts.discard(len(text))
        return [0, *sorted(starts)]


def paragraphs(prose: str) -> Iterator[tuple[int, int]]:
    """Yield the paragraphs between blank lines, as half-open pairs."""
    start = 0
    for gap in _BLANK_LINE.finditer(prose):
        if start < gap.start():
            yield start, gap.start()
        start = gap.end()
    if start < len(prose):
        yield start, len(prose)


def _ranges(document: Document) -> Iterator[tuple[int, int]]:
    """Yield what no sentence crosses: the blocks, or else paragraphs, list items and headings."""
    if document.blocks is not None:
        for block in document.blocks:
            yield block.start, min(block.end, len(document.prose))
        return
    for start, end in paragraphs(document.prose):
        yield from _items_and_headings(document.prose, start, end)


def _items_and_headings(prose: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a paragraph before the lines that begin a list item and after those that are a heading."""
    for line, following in pairwise(_LINE.finditer(prose, start, end)):
        if _ITEM.match(prose, following.start(), following.end()) or _is_heading(line, following):
            yield start, line.end()
            start = following.start()
    yield start, end


def _is_heading(line: re.Match[str], following: re.Match[str]) -> bool:
    """Return whether a line stands alone: short, unfinished, and broken long before the width of the text.

    Wrapped prose breaks a line only where the next word no longer fits, so a line far shorter than the one
    after it was ended on purpose.
    """
    if 5 * (line.end() - line.start()) > 3 * (following.end() - following.start()):
        return False
    text = line[0].rstrip()
    if not text or text[-1] in _LINE_GOES_ON or text.count(" ") >= _HEADING_WORDS:
        return False
    first = following[0].lstrip()[:1]
    return first.isupper() or first.isdigit() or first in "\"“‘'("


def _window_end(prose: str, start: int, end: int) -> int:
    """Return where the window that begins here ends: at white space, never inside a word."""
    stop = start + LONGEST
    if stop >= end:
        return end
    if inside := _LAST_SPACE.match(prose, start, stop) or _LAST_MARK.match(prose, start, stop):
        return inside.end()
    behind = _MARK.search(prose, stop, end)
    return behind.end() if behind else end


def _behind_footnotes(text: str, start: int) -> int:
    """Leave footnote numbers that are glued to a full stop with the sentence they belong to."""
    if start and text[start] == "[" and not text[start - 1].isspace():
        notes = _FOOTNOTES.match(text, start)
        return notes.end() if notes else start
    return start


def _opens(text: str, match: re.Match[str]) -> bool:
    """Return whether a capitalised word begins a sentence although an abbreviation stands before it."""
    stop = match.start()
    before = text[max(0, stop - 40) : stop].split()
    if not before or text[stop - 1].isspace():
        return False
    last = before[-1].lstrip("(\"'“‘[")
    if last.lower() in ONLY_BEFORE_NUMBERS:
        return True
    if match[1] not in OPENERS or last.lower() in NEVER_LAST:
        return False
    # "vitamin C. It", but not "J. A. An" and not "Mary A. The": initials follow a name or another initial.
    return len(last) > 1 or (len(before) > 1 and before[-2].islower())
