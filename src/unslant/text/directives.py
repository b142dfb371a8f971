"""Inline ignores: comments in which a writer says why a finding is fine here.

``unslant: ignore SELECTOR, SELECTOR -- reason`` covers a line, ``unslant: ignore-block ... -- reason``
everything up to ``unslant: end-ignore``, ``unslant: ignore-file ... -- reason`` the whole source.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from unslant.core.types import Directive, Document, Edit, Note, Span

_SIGN = "unslant:"
_ACTIONS = ("ignore", "ignore-block", "end-ignore", "ignore-file")
_OPENING = re.compile(
    r"\s*(?:<!--+|\[[^\[\]]{1,99}\]:[ \t]*<?#?>?[ \t]*[(\"']|\{?/\*+|#+|/{2,}|%+|;+|\.\.[ \t])\s*unslant:"
)
_CLOSINGS = {"<": ("-->",), "[": (")", '"', "'"), "{": ("*/}",), "/": ("*/",)}
"""What may end a comment, by its first character."""
_OWN_COMMENTS = {"mdx": ("{/*", "*/}"), "typst": ("/*", "*/")}
"""Formats that a comment of HTML would break or would stay visible in."""
_REASON = re.compile(r"(?:^|\s)(?:--|\u2014|\u2013)(?=\s|$)")
_TEXT = re.compile(r"\S")
_LINE_END = re.compile(r"[\r\n]|\Z")
_MOST_AT_ONCE = 20
"""How many inline ignores may cover the same text; nobody needs more, and every finding is compared with each."""


@dataclass(frozen=True, slots=True)
class _Command:
    span: Span
    action: str
    selectors: tuple[str, ...]
    reason: str


def find_directives(
    source: str, comments: Sequence[Span], prose: str | None = None
) -> tuple[tuple[Directive, ...], tuple[Note, ...]]:
    """Return the inline ignores in the comments of a source, and what is wrong with others; both in order.

    ``prose`` tells which lines hold prose; without it every line does that holds more than comments.
    """
    if not comments or _SIGN not in source:
        return (), ()
    commands: list[_Command] = []
    problems: list[Note] = []
    for comment in comments:
        body = _body(source[comment.start : comment.end])
        if body is not None:
            command = _parse(comment, body)
            if isinstance(command, Note):
                problems.append(command)
            else:
                commands.append(command)
    lines = _Lines(source, comments, prose)
    directives = _limit_overlaps(_add_scopes(commands, lines, problems), problems)
    return tuple(sorted(directives, key=_start)), tuple(sorted(problems, key=_start))


def _start(item: Directive | Note) -> int:
    return item.span.start if item.span else 0


def _body(comment: str) -> str | None:
    """Return what follows ``unslant:`` in a comment that begins with it, without the comment's end."""
    opening = _OPENING.match(comment)
    if opening is None:
        return None
    body = comment[opening.end() :].rstrip()
    for closing in _CLOSINGS.get(comment.lstrip()[0], ()):
        if body.endswith(closing):
            return body.removesuffix(closing).strip()
    return body.strip()


def _parse(comment: Span, body: str) -> _Command | Note:
    action, _, rest = body.replace("\r", " ").replace("\n", " ").partition(" ")
    if action not in _ACTIONS:
        return Note(_explain_unknown(action), comment)
    if action == "end-ignore":
        return _Command(comment, action, (), "")
    separator = _REASON.search(rest)
    listed = rest[: separator.start()] if separator else rest
    reason = rest[separator.end() :].strip() if separator else ""
    selectors = tuple(selector.strip() for selector in listed.split(",") if selector.strip())
    if not selectors:
        return Note(
            f"Say what to ignore, as in 'unslant: {action} framing/praise-adjective -- reason'.", comment
        )
    if not reason:
        return Note(
            f"Give a reason after ' -- ', as in 'unslant: {action} {selectors[0]} -- reason'.", comment
        )
    return _Command(comment, action, selectors, reason)


def _explain_unknown(action: str) -> str:
    from difflib import get_close_matches

    nearest = get_close_matches(action[:40], _ACTIONS, 1)
    hint = f"Did you mean '{nearest[0]}'?" if nearest else f"Known are {', '.join(_ACTIONS)}."
    return f"There is no 'unslant: {action[:40]}'. {hint}" if action else f"Say what to do. {hint}"


def _add_scopes(commands: list[_Command], lines: _Lines, problems: list[Note]) -> list[Directive]:
    found: list[Directive] = []
    blocks: list[_Command] = []
    for command in commands:
        scope = None
        if command.action == "ignore":
            scope = lines.covered_by(command.span)
        elif command.action == "ignore-file":
            scope = Span(0, lines.length)
        elif command.action == "ignore-block":
            blocks.append(command)
        elif blocks:
            opened = blocks.pop()
            found.append(_directive(opened, Span(opened.span.start, command.span.end)))
        else:
            problems.append(Note("Nothing to end: no 'unslant: ignore-block' is open here.", command.span))
        if scope is not None:
            found.append(_directive(command, scope))
    for opened in blocks:
        message = "This block is never ended with 'unslant: end-ignore', so it covers the rest of the file."
        problems.append(Note(message, opened.span))
        found.append(_directive(opened, Span(opened.span.start, lines.length)))
    return found


def _limit_overlaps(directives: list[Directive], problems: list[Note]) -> list[Directive]:
    """Drop what covers text that too many others cover already."""
    kept: list[Directive] = []
    active: list[int] = []
    for directive in sorted(directives, key=lambda each: (each.scope, each.span)):
        active = [end for end in active if end > directive.scope.start]
        if len(active) < _MOST_AT_ONCE:
            active.append(directive.scope.end)
            kept.append(directive)
        else:
            message = f"More than {_MOST_AT_ONCE} inline ignores cover this text, so this one is not used."
            problems.append(Note(message, directive.span))
    return kept


def directives_over(document: Document, span: Span) -> tuple[int, ...]:
    """Return the numbers of the document's inline ignores whose scope overlaps a span, in order."""
    if not document.directives:
        return ()
    borders, active = _index(document)
    first = max(bisect_right(borders, span.start) - 1, 0)
    found: set[int] = set()
    for at in range(first, len(borders)):
        if borders[at] >= span.end:
            break
        found.update(active[at])
    return tuple(sorted(found))


@lru_cache(maxsize=8)
def _index(document: Document) -> tuple[list[int], list[frozenset[int]]]:
    """Return where inline ignores begin or end to count, in order, and which of them count from there on."""
    changes: dict[int, list[int]] = {}
    for number, directive in enumerate(document.directives):
        changes.setdefault(directive.scope.start, []).append(number)
        changes.setdefault(directive.scope.end, []).append(number)
    borders = sorted(changes)
    active: list[frozenset[int]] = []
    current: frozenset[int] = frozenset()
    for border in borders:
        current = current.symmetric_difference(changes[border])
        active.append(current)
    return borders, active


def _directive(command: _Command, scope: Span) -> Directive:
    return Directive(command.span, scope, command.selectors, command.reason)


class _Lines:
    """Finds the lines that comments refer to; it only moves forward, so one endless line costs no more."""

    def __init__(self, source: str, comments: Sequence[Span], prose: str | None) -> None:
        from unslant.text.readers.masking import to_hidden

        self.length = len(source)
        self._text = to_hidden((span.start, span.end) for span in comments).blank(
            source if prose is None else prose
        )
        self._known = (0, -1)
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(source))]

    def covered_by(self, comment: Span) -> Span:
        """Return the comment's own lines if there is prose on them, else the next line with prose.

        Where nothing follows, the comment covers only itself, and so nothing.
        """
        start, end = self._line(comment.start)[0], self._line(comment.end - 1)[1]
        if self._next_text(start) < end:
            return Span(start, end)
        following = self._next_text(end)
        return Span(*self._line(following)) if following < self.length else comment

    def _next_text(self, position: int) -> int:
        """Return where prose stands from here on; the last answer is kept, so nothing is searched twice."""
        start, found = self._known
        if not start <= position <= found:
            match = _TEXT.search(self._text, position)
            self._known = (position, match.start() if match else self.length)
        return self._known[1]

    def _line(self, position: int) -> tuple[int, int]:
        number = bisect_right(self._starts, position) - 1
        end = self._starts[number + 1] if number + 1 < len(self._starts) else self.length
        return self._starts[number], end


def ignore_comment(document: Document, span: Span, selectors: Sequence[str], reason: str) -> Edit:
    """Return the edit that adds an inline ignore with its reason at the end of the line on which the span begins.

    Nearly every format reads the same form of comment; in plain text it is visible.
    """
    source = document.source
    reason = " ".join(reason.replace("--", "\u2013").replace(">", "").replace("*/", "").split())
    opening, closing = _OWN_COMMENTS.get(document.format, ("<!--", "-->"))
    comment = f" {opening} unslant: ignore {', '.join(selectors)} -- {reason} {closing}"
    line_end = _LINE_END.search(source, span.start)
    end = line_end.start() if line_end else len(source)
    # trailing spaces mean something in Markdown, so they stay at the end
    while end > span.start and source[end - 1] in " \t":
        end -= 1
    return Edit(end - 1, end, source[end - 1] + comment)
