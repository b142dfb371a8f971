"""MDX: Markdown with components, expressions in braces, and imports and exports.

``{/* … */}`` is a comment. There is no indented code, because the content of components is indented.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from unslant.text.readers.markdown import MarkdownReader
from unslant.text.readers.masking import Hidden, ParsedMarkup, Ranges, SingleParseReader, merge_ranges

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\r\n]*", re.MULTILINE)
_SIGN = re.compile(r"`+|[{}\"']|/\*|\\.", re.DOTALL)
_TICKS = re.compile("`+")
_PARAGRAPH_END = re.compile(r"\n[ \t]*\r?\n")
_STRINGS = {'"': re.compile(r'"(?:[^"\\\r\n]|\\.)*+"'), "'": re.compile(r"'(?:[^'\\\r\n]|\\.)*+'")}
_MODULE = re.compile(
    r"(?:\A|\n[ \t]*\r?\n|\n---[ \t]*\r?\n)((?:import|export)[ \t{*\"'][^\r\n]*(?:\r?\n(?![ \t]*\r?\n)[^\r\n]+)*)"
)


class MdxReader(SingleParseReader):
    """Reads MDX."""

    def parse(self, source: str) -> ParsedMarkup:
        """Parse the markup; expressions are blanked first, so that tags look like those of HTML."""
        braces = Hidden()
        comments: Ranges = []
        for span in merge_ranges(_expressions(source)):
            braces.add(span.start, span.end)
            if source.startswith("{/*", span.start):
                comments.append((span.start, span.end))
        text = braces.blank(source)
        modules = Hidden()
        for match in _MODULE.finditer(text):
            modules.add(*match.span(1))
        reading = MarkdownReader(indented_code=False).parse(modules.blank(text))
        inside = (*((span.start, span.end) for span in reading.comments), *comments)
        return reading._replace(comments=merge_ranges(inside))


def _expressions(source: str) -> Iterator[tuple[int, int]]:
    """Yield each pair of braces outside of code; a brace that is never closed is text.

    Every sign is looked at once: code is skipped, and inside of braces strings and comments are.
    """
    code = _code_blocks(source)
    block = next(code, None)
    ticks = _Ticks(source)
    last_comment_end = source.rfind("*/")
    opened: list[int] = []
    position = 0
    while match := _SIGN.search(source, position):
        at, position = match.span()
        sign = match[0]
        while block is not None and block[1] <= at:
            block = next(code, None)
        if block is not None and block[0] <= at:
            position = block[1]
        elif sign == "{":
            opened.append(at)
        elif sign == "}":
            if opened:
                yield opened.pop(), at + 1
        elif sign[0] == "`":
            position = ticks.end(match)
        elif opened and sign in _STRINGS:
            string = _STRINGS[sign].match(source, at)
            position = string.end() if string else position
        elif opened and sign == "/*" and position <= last_comment_end:
            position = source.index("*/", position) + 2


class _Ticks:
    """Finds the ends of code and templates; it only moves forward, so that nothing is searched twice."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._last = {len(match[0]): match.start() for match in _TICKS.finditer(source)}
        self._paragraph_end = -1

    def end(self, opening: re.Match[str]) -> int:
        """Return what follows as many backticks as it begins with, in the same paragraph."""
        size = len(opening[0])
        if self._last[size] <= opening.start():
            return opening.end()
        if self._paragraph_end < opening.end():
            found = _PARAGRAPH_END.search(self._source, opening.end())
            self._paragraph_end = found.start() if found else len(self._source)
        for run in _TICKS.finditer(self._source, opening.end(), self._paragraph_end):
            if len(run[0]) == size:
                return run.end()
        return opening.end()


def _code_blocks(source: str) -> Iterator[tuple[int, int]]:
    """Yield where fenced code is; without a closing fence it goes to the end."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(source):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]) and fence[0].strip() == fence[1]:
            yield opened.start(), fence.end()
            opened = None
    if opened is not None:
        yield opened.start(), len(source)
