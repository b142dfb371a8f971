"""What the readers of line-oriented markup share: walking over lines, joining them to blocks, hiding the rest."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar, NamedTuple

from unslant.text.readers.masking import (
    ParsedMarkup,
    Ranges,
    Sections,
    SingleParseReader,
    finish_parse,
    to_hidden,
)

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_DIRECTIVE = re.compile(r"<!--\s*unslant:")


class Line(NamedTuple):
    """One line of a source."""

    start: int
    end: int
    """Before the line end."""
    next: int
    """Where the next line begins."""
    text: str

    @property
    def indent(self) -> int:
        """How many blanks it begins with."""
        return len(self.text) - len(self.text.lstrip(" \t"))

    @property
    def blank(self) -> bool:
        """Whether there is nothing on it."""
        return not self.text.strip()


def lines_of(source: str) -> Iterator[Line]:
    """Yield the lines of a source."""
    at = 0
    while at < len(source):
        match = _LINE.match(source, at)
        assert match is not None  # noqa: S101 - the pattern matches everywhere
        yield Line(at, match.end(1), match.end(), match[1])
        at = match.end()


class LineMarkup:
    """Collects what a reader finds in a source."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.hidden: Ranges = []
        self.blocks: Ranges = []
        self.quotations: Ranges = []
        self.comments: Ranges = []
        self.sections = Sections()
        self._open: tuple[int, int] | None = None

    def hide(self, start: int, end: int) -> None:
        """Hide a range of the source."""
        if end > start:
            self.hidden.append((start, end))

    def comment(self, start: int, end: int) -> None:
        """Hide a comment; inline ignores may stand in it."""
        if end > start:
            self.comments.append((start, end))
            self.hide(start, end)

    def text(self, start: int, end: int) -> None:
        """Add a line to the current block, or begin one."""
        self._open = (self._open[0], end) if self._open else (start, end)

    def close(self) -> None:
        """End the current block."""
        if self._open:
            self.blocks.append(self._open)
            self._open = None

    def block(self, start: int, end: int) -> None:
        """Add a block of its own, such as a heading or a cell."""
        self.close()
        if end > start:
            self.blocks.append((start, end))

    def cells(self, line: Line, at: int) -> None:
        """Add the cells of a row of a table, from a place on its line; the bars between them are hidden."""
        for part in line.text[at - line.start :].split("|"):
            self.block(at, at + len(part))
            self.hide(at + len(part), min(at + len(part) + 1, line.end))
            at += len(part) + 1

    def heading(self, level: int, start: int, end: int) -> None:
        """Add a heading; a list of references below it is not prose."""
        self.block(start, end)
        self.sections.heading(level, start, end, self.source[start:end])

    def hide_matches(self, trigger: re.Pattern[str], pattern: re.Pattern[str]) -> None:
        """Hide what the groups of a pattern match; it is tried only where the trigger, a fast pattern, matches."""
        position = 0
        while found := trigger.search(self.source, position):
            match = pattern.match(self.source, found.start())
            position = found.start() + 1
            if match is None:
                continue
            for start, end in (match.span(group) for group in range(1, pattern.groups + 1)):
                if end > start:
                    self.hidden.append((start, end))
            position = max(position, match.end())

    def finish(self) -> ParsedMarkup:
        """Return the result."""
        self.close()
        self.sections.close(len(self.source))
        for start, end in hide_between(self.source, _DIRECTIVE, "-->"):
            self.comment(start, end)
        prose = to_hidden(sorted(self.hidden)).blank(self.source)
        return finish_parse(
            prose, sorted(self.sections.hidden), _disjoint(self.blocks), self.quotations, self.comments
        )


class LineScanner(ABC):
    """Reads a source line by line into a :class:`LineMarkup`."""

    def __init__(self, source: str) -> None:
        self.out = LineMarkup(source)

    @abstractmethod
    def scan(self, lines: Iterator[Line]) -> None:
        """Read the lines in order."""


class LineReader(SingleParseReader):
    """A reader that scans the lines of a source, then hides inline markup."""

    scanner: ClassVar[type[LineScanner]]
    mark: ClassVar[re.Pattern[str]]
    """A fast pattern that matches wherever inline markup may begin."""
    inline: ClassVar[re.Pattern[str]]
    """Inline markup; what its groups match is hidden."""

    def parse(self, source: str) -> ParsedMarkup:
        """Return the prose and the structure."""
        scanner = self.scanner(source)
        scanner.scan(lines_of(source))
        scanner.out.hide_matches(self.mark, self.inline)
        return scanner.out.finish()


def _disjoint(blocks: Ranges) -> Ranges:
    out: Ranges = []
    for start, end in sorted(blocks):
        first = max(start, out[-1][1]) if out else start
        if end > first:
            out.append((first, end))
    return out


def hide_between(source: str, opening: re.Pattern[str], closing: str) -> Ranges:
    """Return the ranges from each opening to the next closing."""
    found: Ranges = []
    position = 0
    while match := opening.search(source, position):
        end = source.find(closing, match.end())
        if end < 0:
            break
        position = end + len(closing)
        found.append((match.start(), position))
    return found
