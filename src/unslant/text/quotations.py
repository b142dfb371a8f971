"""Direct quotations, by their marks.

Every sort of mark is paired on its own, inside one paragraph; then the outermost pairs are kept. An opening mark that
is never closed quotes the rest of its sentence, or of its paragraph if the next paragraph opens with the same mark
again: that is how a quotation of several paragraphs is written. A closing mark that was never opened quotes what stands
before it in its sentence: an excerpt can begin inside a quotation. Typewriter quotations (two backquotes, two
apostrophes) are read like the others. A post on a social network that ends with its author, handle and date (*— Ada
Roe (@adaroe) May 4, 2021*) is a quotation without marks; what names its author before it introduces it.
"""
# ruff: noqa: RUF001 (the marks are what this file is about)

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from unslant.core.types import Span, join_spans
from unslant.text.sentences import paragraphs

_MARKS = re.compile("``|''|[\"“”„‟«»‹›'‘’]")
_CLOSES = {"“": "”", "‟": "”", "«": "»", "‹": "›", "``": "''"}
_FEET_AND_INCHES = re.compile(r"\d['’′]\s?\d{1,2}(?:\.\d+)?$")
_ELIDED = re.compile(
    r"['‘’](?:\d0s\b|\d\d\b|(?:tis|twas|twere|twill|em|cause|til|till|n|round|bout|cos|nuff|ere)\b)",
    re.IGNORECASE,
)
_BEFORE_OPENING = frozenset("([{<-–—/\"“„‘'«…")
_SIGNED = re.compile(
    r"[—–-] ?[^\n()@—–]{0,48}?(?P<surname>\w[\w'’.-]{0,30}) \( ?@ ?\w{1,30} ?\),? "
    r"(?:January|February|March|April|May|June|July|August|September"
    r"|October|November|December) \d{1,2}(?:, \d{4})?"
)
"""The author, handle and date below a post: *— Ada Roe (@adaroe) May 4, 2021*."""
_POST = 320
"""How many characters a post and its link may have."""
_HALF = 600
"""How far half a quotation may reach."""
_NEXT_SENTENCE = re.compile(r"[.!?]['’)]*\s+(?=[A-Z“\"‘«])")
_STEP = re.compile(r"[.!?:]['’)]*\s+(?=[A-Z“\"‘«])|:\s*\n|\n")
"""Where a sentence, a line or an introduction ends."""
_SINGLE_REACH = 500
"""Single marks that stand further apart than this are taken for apostrophes."""


def find_quotations(prose: str, blocks: tuple[Span, ...] | None) -> tuple[Span, ...]:
    """Return the direct quotations with their marks, in order, none overlapping another.

    Quotations inside quotations belong to the outer one. Time is linear in the length of the text.
    """
    ranges = paragraphs(prose) if blocks is None else ((block.start, block.end) for block in blocks)
    found: list[Span] = []
    unclosed: tuple[int, int] | None = None
    for start, end in ranges:
        end = min(end, len(prose))
        start = _skip_space(prose, start, end)
        if start == end:
            continue
        if unclosed and prose[start] == prose[unclosed[0]]:
            opening, stop = unclosed
            while found and found[-1].start >= opening:
                found.pop()
            found.append(Span(opening, opening + len(prose[opening:stop].rstrip())))
        pairs, halves, opening_left = _double(prose, start, end)
        unclosed = None if opening_left is None else (opening_left, end)
        pairs.sort()
        pairs = _outermost(pairs)
        # half a quotation counts only where no whole one stands
        pairs = sorted(pairs + [half for half in halves if not _meets(half, pairs)])
        singles = [pair for pair in _single(prose, start, end) if not _crosses(pair, pairs)]
        outer = _outermost(sorted(pairs + singles))
        quoted = [Span(*pair) for pair in outer if pair[1] - pair[0] > 2]
        found.extend(join_spans([*quoted, *_posts(prose, start, end)]))
    return tuple(found)


def _posts(prose: str, start: int, end: int) -> Iterator[Span]:
    """Yield posts on a social network, each with its author: at most as many characters as a post may have."""
    if "@" not in prose[start:end]:
        return
    for signed in _SIGNED.finditer(prose, start, end):
        opening = max(start, signed.start() - _POST)
        if opening > start:
            # the post begins with a sentence
            sentence = _NEXT_SENTENCE.search(prose, opening, signed.start())
            opening = sentence.end() if sentence else opening
        opening = _skip_space(prose, _behind_introduction(prose, opening, signed), signed.start())
        if opening < signed.start():
            yield Span(opening, signed.end())
        start = signed.end()


def _behind_introduction(prose: str, start: int, signed: re.Match[str]) -> int:
    """Return where a post begins behind what the writer says of it: what names its author, or ends with a colon."""
    begin = start
    for end in [match.end() for match in _STEP.finditer(prose, start, signed.start())]:
        said = prose[begin:end].strip()
        if said.endswith(":") or signed["surname"] in said:
            start = end
        begin = end
    return start


def _skip_space(prose: str, start: int, end: int) -> int:
    while start < end and prose[start].isspace():
        start += 1
    return start


def _meets(half: tuple[int, int], pairs: list[tuple[int, int]]) -> bool:
    """Return whether any of the pairs, disjoint and in order, overlaps half a quotation."""
    at = bisect_right(pairs, half[0], key=lambda pair: pair[1])
    return at < len(pairs) and pairs[at][0] < half[1]


def _outermost(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Keep of sorted pairs those that begin outside all that were kept before."""
    kept: list[tuple[int, int]] = []
    for pair in pairs:
        if not kept or pair[0] >= kept[-1][1]:
            kept.append(pair)
    return kept


def _crosses(pair: tuple[int, int], others: list[tuple[int, int]]) -> bool:
    """Return whether a pair only partly overlaps one of the others, which are sorted and disjoint."""
    first = bisect_right(others, (pair[0], pair[0])) - 1
    last = bisect_right(others, (pair[1], pair[1])) - 1
    starts_inside = first >= 0 and others[first][1] > pair[0]
    ends_inside = last >= 0 and others[last][1] > pair[1]
    return starts_inside != ends_inside or (starts_inside and first != last)


def _double(
    prose: str, start: int, end: int
) -> tuple[list[tuple[int, int]], list[tuple[int, int]], int | None]:
    """Pair all marks but single ones.

    Return the pairs, the halves of quotations whose other mark is missing, and the first mark left open at the end.
    """
    pairs: list[tuple[int, int]] = []
    halves: list[tuple[int, int]] = []
    open_marks: list[tuple[str, int]] = []
    straight: int | None = None
    for match in _MARKS.finditer(prose, start, end):
        mark, at = match[0], match.start()
        if mark in "'‘’":
            continue
        if mark == '"':
            if straight is None and not pairs and not halves and _closes_half(prose, start, end, at):
                halves.append((_sentence_start(prose, start, at), at + 1))
            else:
                straight = _straight(prose, (start, end), at, straight, pairs)
        elif open_marks and (mark == open_marks[-1][0] or (mark == "”" and open_marks[-1][0] == "“")):
            pairs.append((open_marks.pop()[1], match.end()))
        elif mark == "„":
            open_marks.append(("“", at))
        elif mark in _CLOSES:
            open_marks.append((_CLOSES[mark], at))
        elif mark in ("»", "›", "''") and _opening(prose, start, end, match.end() - 1, at):
            open_marks.append(({"»": "«", "›": "‹", "''": "''"}[mark], at))
        elif mark == "”" and not open_marks and not pairs and not halves:
            halves.append((_sentence_start(prose, start, at), at + 1))
    left = [at for _, at in open_marks] + ([straight] if straight is not None else [])
    halves += [(at, _sentence_end(prose, at, end)) for at in left]
    return pairs, halves, min(left, default=None)


def _closes_half(prose: str, start: int, end: int, at: int) -> bool:
    """Return whether a straight mark closes a quotation that began before the text does."""
    before = prose[at - 1] if at > start else " "
    after = prose[at + 1] if at + 1 < end else " "
    return (before in ".,!?…" or before.isalpha()) and (after.isspace() or after in ",.;:!?)—")


def _sentence_start(prose: str, start: int, at: int) -> int:
    start = max(start, at - _HALF)
    return max(
        (match.end() for match in _NEXT_SENTENCE.finditer(prose, start, max(start, at - 1))), default=start
    )


def _sentence_end(prose: str, at: int, end: int) -> int:
    end = min(end, at + _HALF)
    match = _NEXT_SENTENCE.search(prose, at + 1, end)
    return match.start() + 1 if match else at + len(prose[at:end].rstrip())


def _opening(prose: str, start: int, end: int, at: int, first: int | None = None) -> bool:
    """Return whether a mark stands where a quotation may open: no word before, a word after.

    ``at`` is the mark's last sign, ``first`` its first one if it has several.
    """
    first = at if first is None else first
    before = prose[first - 1] if first > start else " "
    after = prose[at + 1] if at + 1 < end else " "
    return (before.isspace() or before in _BEFORE_OPENING) and not after.isspace()


def _straight(
    prose: str, bounds: tuple[int, int], at: int, opened: int | None, pairs: list[tuple[int, int]]
) -> int | None:
    """Read one straight double mark; return where the quotation that is open after it began."""
    start, end = bounds
    if _FEET_AND_INCHES.search(prose, max(start, at - 8), at):
        return opened
    before = prose[at - 1] if at > start else " "
    after = prose[at + 1] if at + 1 < end else " "
    if opened is None:
        # A mark glued to what stands before is an inch or a closing mark without its opening one.
        glued = not (before.isspace() or before in _BEFORE_OPENING)
        return None if glued else at
    if before.isspace() and not after.isspace():
        # Opens again though nothing was closed: the earlier mark stands alone.
        return at
    pairs.append((opened, at + 1))
    return None


def _single(prose: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Pair single marks, telling them from apostrophes by what stands around them."""
    opened: int | None = None
    doubtful: int | None = None
    for match in _MARKS.finditer(prose, start, end):
        mark, at = match[0], match.start()
        if mark not in "'‘’":
            continue
        if opened is not None and at - opened > _SINGLE_REACH:
            if doubtful is not None:
                yield opened, doubtful + 1
            opened = doubtful = None
        if _opens_single(prose, start, end, at):
            # A curly opening mark is certain; it can be nested only in doubles, which are read elsewhere.
            if opened is not None and doubtful is not None:
                yield opened, doubtful + 1
            opened, doubtful = at, None
        elif opened is not None and _closes_single(prose, end, opened, at):
            if not _may_be_possessive(prose, end, at):
                yield opened, at + 1
                opened = doubtful = None
            elif doubtful is None:
                doubtful = at
    if opened is not None and doubtful is not None:
        yield opened, doubtful + 1


def _opens_single(prose: str, start: int, end: int, at: int) -> bool:
    if prose[at] == "’" or _ELIDED.match(prose, at, end):
        return False
    return _opening(prose, start, end, at) and (prose[at] == "‘" or prose[at + 1].isalnum())


def _closes_single(prose: str, end: int, opened: int, at: int) -> bool:
    expected = "'" if prose[opened] == "'" else "’"
    if prose[at] != expected or at == opened + 1 or prose[at - 1].isspace():
        return False
    return at + 1 == end or not prose[at + 1].isalnum()


def _may_be_possessive(prose: str, end: int, at: int) -> bool:
    """Return whether this could be *the dogs' bowls* as well as the end of a quotation."""
    return prose[at - 1] in "sS" and at + 2 < end and prose[at + 1] == " " and prose[at + 2].isalpha()
