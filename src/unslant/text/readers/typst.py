"""Typst: a document changes between markup, which is prose, and code, which holds markup in square brackets.

``Scanner`` follows these changes through the text, sign by sign.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from unslant.text.readers.line_markup import LineMarkup, lines_of
from unslant.text.readers.masking import ParsedMarkup, SingleParseReader

_IN_MARKUP = re.compile(
    r"//(?<!:..)|/\*|`+|\$|\\u\{[0-9a-fA-F]{1,6}\}|\\.|#|<[\w\-.:]{1,200}>|(?<!\w)@[\w\-.:]{0,200}[\w\-]"
    r"|[\[\]~]|(?<!\w)[*_]|[*_](?!\w)",
    re.DOTALL,
)
_IN_CODE = re.compile(r"//|/\*|`+|\\.|[\"()\[\]{};$\r\n]", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_STATEMENT = re.compile(r"#(?:let|set|show|import|include|if|else|for|while|context|return|break|continue)\b")
_CALL = re.compile(r"#?[A-Za-z_][\w\-]*(?:\.[A-Za-z_][\w\-]*)*")
_METHOD = re.compile(r"\.[A-Za-z_][\w\-]*(?=[(\[])")
_LINE_START = re.compile(r"[ \t]*(?:(=+)[ \t]+|([-+]|\d{1,9}\.)[ \t]+|(/)[ \t]+(?=[^:\r\n]{1,200}:))")
_LINE_END = re.compile(r"[\r\n]|\Z")
_CLOSING = {"(": ")", "{": "}"}


class _Frame(NamedTuple):
    """Something that is open."""

    closing: str
    """What ends it: a bracket, or ``line`` for a statement."""
    start: int
    function: str = ""
    """The function that a content block is given to."""
    inside_code: bool = False
    """Whether what surrounds it is code."""


class _Scanner:
    """Reads a source from start to end; ``out`` collects what it finds."""

    def __init__(self, source: str) -> None:
        self.out = LineMarkup(source)
        self.cuts: set[int] = {0, len(source)}
        """Where blocks begin or end."""
        self._source = source
        self._stack: list[_Frame] = []
        self._position = 0
        self._last = {sign: source.rfind(sign) for sign in ("*/", "$", "`", '"')}
        while self._position < len(source):
            if self._stack and self._stack[-1].closing != "]":
                self._code()
            else:
                self._markup()

    def _markup(self) -> None:
        source = self._source
        match = _IN_MARKUP.search(source, self._position)
        if match is None:
            self._position = len(source)
            return
        at, sign = match.start(), match[0]
        self._position = match.end()
        if sign == "#":
            self._expression(at)
        elif sign == "$":
            self._hide(at, self._after("$", at + 1))
        elif sign == "[":
            self._stack.append(_Frame("]", at))
        elif sign == "]":
            self._close(at)
        elif not self._is_skipped(match):
            self.out.hide(at, match.end())

    def _code(self) -> None:
        """Read on to the next sign of code; everything that is passed is hidden."""
        source, frame, start = self._source, self._stack[-1], self._position
        match = _IN_CODE.search(source, start)
        if match is None:
            self._hide(start, len(source))
            return
        at, sign = match.start(), match[0]
        self._hide(start, at)
        if frame.closing == "line" and sign in ")]};\r\n":
            # a bracket ends what surrounds the statement, too
            self._stack.pop()
            return
        if self._is_skipped(match):
            return
        if sign == '"':
            string = _STRING.match(source, at) if at < self._last['"'] else None
            self._hide(at, string.end() if string else at + 1)
            return
        self._hide(at, match.end())
        if sign == "$":
            self._hide(at, self._after("$", at + 1))
        elif sign in _CLOSING:
            self._stack.append(_Frame(_CLOSING[sign], at, inside_code=True))
        elif sign == "[":
            self.cuts.add(match.end())
            self._stack.append(_Frame("]", at, _function_before(source, at), inside_code=True))
        elif sign == frame.closing:
            self._stack.pop()
            if not frame.inside_code:
                self._arguments(frame.function)

    def _expression(self, at: int) -> None:
        """Read what follows a hash in markup: a statement, a call, code or content."""
        source = self._source
        statement = _STATEMENT.match(source, at)
        call = _CALL.match(source, at)
        if statement is not None:
            self._hide(at, statement.end())
            self._stack.append(_Frame("line", at))
        elif call is not None:
            self._hide(at, call.end())
            self._arguments(call[0].lstrip("#"))
        else:
            self._hide(at, at + 1)
            string = _STRING.match(source, at + 1) if at < self._last['"'] else None
            if string is not None:
                self._hide(at, string.end())
            else:
                self._arguments("")

    def _arguments(self, function: str) -> None:
        """Open the brackets that directly follow an expression in markup."""
        source = self._source
        method = _METHOD.match(source, self._position)
        if method is not None:
            self._hide(method.start(), method.end())
        at = self._position
        sign = source[at : at + 1]
        if sign in _CLOSING:
            self._hide(at, at + 1)
            self._stack.append(_Frame(_CLOSING[sign], at, function))
        elif sign == "[":
            self._hide(at, at + 1)
            self._stack.append(_Frame("]", at, function))
        elif sign == ";":
            self._hide(at, at + 1)

    def _close(self, at: int) -> None:
        """End a content block, or pass over a bracket that is text."""
        if not self._stack:
            return
        frame = self._stack.pop()
        if frame.function or frame.inside_code or self._source[frame.start - 1 : frame.start] == "#":
            self._hide(at, at + 1)
        if frame.function.rpartition(".")[2] == "quote":
            self.out.quotations.append((frame.start, at + 1))
        if frame.inside_code:
            self.cuts.add(at)
        elif frame.function:
            self._arguments(frame.function)

    def _is_skipped(self, match: re.Match[str]) -> bool:
        """Hide a comment or raw text that begins here; return False if none does."""
        source, (at, end) = self._source, match.span()
        if match[0] == "//":
            stop = _LINE_END.search(source, end)
            self._comment(at, stop.start() if stop else len(source))
        elif match[0] == "/*":
            self._comment(at, self._after("*/", end))
        elif match[0][0] == "`":
            size = end - at
            # two backticks are empty raw text
            self._hide(at, end if size == 2 else self._after(match[0] if size > 2 else "`", end))
        else:
            return False
        return True

    def _after(self, mark: str, start: int) -> int:
        """Return where a closing mark ends; without one, what it would close is text."""
        if self._last[mark[0] if mark[0] == "`" else mark] < start:
            return start
        found = self._source.find(mark, start)
        return start if found < 0 else found + len(mark)

    def _hide(self, start: int, end: int) -> None:
        self.out.hide(start, end)
        self._position = max(self._position, end)

    def _comment(self, start: int, end: int) -> None:
        self.out.comment(start, end)
        self._position = end


def _function_before(source: str, at: int) -> str:
    """Return the name that stands before a bracket in code, or before its arguments."""
    match = re.search(r"([A-Za-z_][\w\-]{0,50})(?:\([^()]{0,200}\))?\Z", source[max(0, at - 260) : at])
    return match[1] if match else ""


class TypstReader(SingleParseReader):
    """Reads Typst."""

    def parse(self, source: str) -> ParsedMarkup:
        """Return the markup as prose; blank lines, headings, items and content in code are blocks of their own."""
        scanner = _Scanner(source)
        out, cuts = scanner.out, scanner.cuts
        hidden_to = _Hidden(out)
        for line in lines_of(source):
            if not line.text.strip():
                cuts.add(line.start)
                continue
            match = _LINE_START.match(line.text)
            if match is None or hidden_to.covers(line.start + match.end() - 1):
                continue
            cuts.add(line.start)
            out.hide(line.start, line.start + match.end())
            if match[1]:
                cuts.add(line.end)
                out.sections.heading(
                    len(match[1]),
                    line.start,
                    line.end,
                    re.sub(r"<[\w\-.:]+>\s*$", "", line.text[match.end() :]),
                )
        out.blocks = list(pairwise(sorted(cuts)))
        return out.finish()


class _Hidden:
    """Says whether a place is hidden; it is asked in order."""

    def __init__(self, out: LineMarkup) -> None:
        self._ranges = sorted(out.hidden)
        self._at = 0
        self._end = 0

    def covers(self, position: int) -> bool:
        while self._at < len(self._ranges) and self._ranges[self._at][0] <= position:
            self._end = max(self._end, self._ranges[self._at][1])
            self._at += 1
        return position < self._end
