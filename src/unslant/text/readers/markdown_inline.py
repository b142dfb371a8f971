"""Inline markup of Markdown: code, escapes, links, images, emphasis. Each pass is linear in the block."""

from __future__ import annotations

import re

from unslant.text.readers.markdown_lines import label_of
from unslant.text.readers.masking import Hidden
from unslant.text.readers.tags import TagScanner

__all__ = ["hide_code", "hide_links_and_emphasis"]

_CODE_OR_TAG = re.compile(r"`+|<|\\(?=[^\w\s]|[\r\n])")
_TICKS = re.compile(r"`+")
_AUTOLINK = re.compile(r"<(?:[A-Za-z][A-Za-z0-9+.\-]{1,31}:[^\s<>]*|[\w.+%\-]{1,64}@[\w.\-]{1,253})>")
# A character after a backslash is also blanked if it would otherwise be read as markup.
_MARKUP_SIGNS = "*_`[]<~|&\\{$"
_SIGN = re.compile(r"!?\[|\]|\*+|_+|~~+|==+|\{[#:.%][^{}\r\n]{0,200}\}")
_CITED = re.compile(r"\[(?:\^[^\[\]\s]{1,100}|-?@[^\[\]\r\n]{1,200})\]")
_LABEL = re.compile(r"\[([^\[\]]{0,999})\]")
_GAP = re.compile(r"[ \t]*(?:\r\n|\r|\n)?[ \t]*")
_TARGET_PIECE = re.compile(r"[^\s()\\]*")
_NESTED = 8


def hide_code(text: str, start: int, stop: int, hidden: Hidden) -> None:
    """Hide code, automatic links and backslashes; tags are skipped, because they are parsed later."""
    tags: TagScanner | None = None
    last: dict[int, int] | None = None
    position = start
    while match := _CODE_OR_TAG.search(text, position, stop):
        at, position = match.span()
        if text[at] == "`":
            last = _last_runs(text, at, stop) if last is None else last
            end = _code_end(text, match, stop, last)
            if end:
                hidden.add(at, end)
                position = end
        elif text[at] == "<":
            link = _AUTOLINK.match(text, at, stop)
            if link is not None:
                hidden.add(*link.span())
                position = link.end()
                continue
            tags = tags or TagScanner(text, start, stop)
            tag = tags.at(at)
            position = tag.end if tag is not None else position
        else:
            position = min(at + 2, stop)
            hidden.add(at, at + 1 + (text[at + 1 : at + 2] in _MARKUP_SIGNS and at + 1 < stop))


def _last_runs(text: str, start: int, stop: int) -> dict[int, int]:
    """Return the last position of each length of backtick run, beyond which a search cannot succeed."""
    return {match.end() - match.start(): match.start() for match in _TICKS.finditer(text, start, stop)}


def _code_end(text: str, opening: re.Match[str], stop: int, last: dict[int, int]) -> int:
    length = opening.end() - opening.start()
    if last.get(length, -1) < opening.end():
        return 0
    for run in _TICKS.finditer(text, opening.end(), stop):
        if run.end() - run.start() == length:
            return run.end()
    return 0


def hide_links_and_emphasis(text: str, start: int, stop: int, labels: set[str]) -> list[tuple[int, int]]:
    """Return the ranges to blank: targets, titles, labels and the markers themselves, in order."""
    found: list[tuple[int, int]] = []
    openings: list[int] = []
    closers = {sign: text.rfind(sign, start, stop) for sign in ")\"'>"}
    position = start
    while match := _SIGN.search(text, position, stop):
        at, position = match.span()
        sign = text[at]
        if sign in "![":
            cited = _CITED.match(text, at, stop) if sign == "[" else None
            if cited:
                found.append(cited.span())
                position = cited.end()
            else:
                openings.append(at)
        elif sign == "]":
            if openings:
                opening = openings.pop()
                end = _link_end(text, (opening, at), stop, (labels, closers))
                if end:
                    found += [(opening, text.index("[", opening) + 1), (at, end)]
                    position = end
        elif sign == "{" or _is_emphasis(text, match, start, stop):
            found.append(match.span())
    found.sort()
    return found


def _is_emphasis(text: str, run: re.Match[str], start: int, stop: int) -> bool:
    """Return whether a run can open or close emphasis: text touches it, and ``_`` is not inside a word."""
    before = text[run.start() - 1] if run.start() > start else " "
    after = text[run.end()] if run.end() < stop else " "
    if before.isspace() and after.isspace():
        return False
    return run.group()[0] != "_" or not (before.isalnum() and after.isalnum())


def _link_end(
    text: str, brackets: tuple[int, int], stop: int, document: tuple[set[str], dict[str, int]]
) -> int:
    """Return where the link with this text in brackets ends; 0 if it is not a link."""
    opening, at = brackets
    labels, closers = document
    following = text[at + 1 : at + 2] if at + 1 < stop else ""
    if following == "(":
        end = _target_end(text, at + 2, stop, closers)
        if end:
            return end
    if following == "[":
        label = _LABEL.match(text, at + 1, stop)
        if label is not None and label_of(label.group(1)) in labels:
            return label.end()
        if label is not None and label.group(1):
            return 0
        at = label.end() - 1 if label is not None else at
    inner = text.index("[", opening) + 1
    words = text[inner : brackets[1]] if brackets[1] - inner < 1000 else ""
    return at + 1 if labels and words and label_of(words) in labels else 0


def _target_end(text: str, position: int, stop: int, closers: dict[str, int]) -> int:
    """Return where ``(target "title")`` ends, starting inside the bracket; 0 if it is not a target."""
    position = _gap(text, position, stop)
    if text.startswith("<", position, stop):
        if closers[">"] < position:
            return 0
        position = text.index(">", position) + 1
    else:
        position = _bare_target(text, position, stop)
    after = _gap(text, position, stop)
    quote = text[after : after + 1] if after < stop else ""
    if after > position and quote and quote in "\"'(":
        closing = ")" if quote == "(" else quote
        if closers[closing] <= after:
            return 0
        after = _gap(text, text.index(closing, after + 1) + 1, stop)
    return after + 1 if text.startswith(")", after, stop) else 0


def _bare_target(text: str, position: int, stop: int) -> int:
    """Return where a target without angle brackets ends; its brackets must be balanced, to a fixed depth."""
    depth = 0
    while True:
        piece = _TARGET_PIECE.match(text, position, stop)
        position = piece.end() if piece else position
        sign = text[position] if position < stop else ""
        if sign == "\\":
            position += not text[position + 1 : position + 2].isspace()
        elif sign == "(" and depth < _NESTED:
            depth += 1
        elif sign == ")" and depth:
            depth -= 1
        else:
            return position
        position = min(position + 1, stop)


def _gap(text: str, position: int, stop: int) -> int:
    match = _GAP.match(text, position, stop)
    return match.end() if match else position
