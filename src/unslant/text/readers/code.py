"""Source files: comments and docstrings are prose; everything else is code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unslant.text.readers.line_markup import LineMarkup, lines_of
from unslant.text.readers.masking import ParsedMarkup, SingleParseReader

_C = re.compile(r"//|/\*|[\"'`]")
_PYTHON = re.compile(r"#|\"\"\"|'''|[\"']")
_HASH = re.compile(r"(?:(?<=\s)|\A)#|[\"']")
_LINE_END = re.compile(r"[\r\n]|\Z")
_STRING_END = {
    '"': re.compile(r'(?:[^"\\\r\n]|\\.)*+"'),
    "'": re.compile(r"(?:[^'\\\r\n]|\\.)*+'"),
    "`": re.compile(r"(?:[^`\\]|\\.)*+`", re.DOTALL),
    '"""': re.compile(r'(?:[^"\\]|\\.|"(?!""))*+"""', re.DOTALL),
    "'''": re.compile(r"(?:[^'\\]|\\.|'(?!''))*+'''", re.DOTALL),
}
"""What ends a string, by what begins it."""
_BEFORE = re.compile(r"(?:\A|[\r\n])[ \t]*[rRuU]?\Z")
_AFTER = re.compile(r"[ \t]*(?=[\r\n]|\Z)")
_REACH = 200
_LEAD = re.compile(r"[ \t]*(?:#+!?|//+!?|/\*+|\*+/|\*+|[rRuU]?(?:\"\"\"|'''|\"|'))?[ \t]*")
_PRAGMA = re.compile(
    r"(?:noqa|type:|mypy:|pylint|fmt:|ruff|isort|pragma|eslint|prettier|@ts-|tslint|NOLINT|clang-format|nolint|go:|"
    r"-\*-|vim?:|shellcheck|SPDX|Copyright|coding[:=])",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"(?:@\w+(?:[ \t]+\{[^}\n]{0,99}\})?(?:[ \t]+\w+)?|:\w+[^:\n]{0,60}:|\.\. [\w\-]+::.*)[ \t]*"
)
_MARK = re.compile(r"`")
_INLINE = re.compile(r"(``[^`\n]{1,300}``|`[^`\n]{1,300}`_{0,2})")


class CodeReader(SingleParseReader):
    """Reads the comments of languages that write them as C does: ``//`` and ``/* */``."""

    _openings = _C
    _docstrings = False

    def parse(self, source: str) -> ParsedMarkup:
        """Return the comments as prose."""
        out = LineMarkup(source)
        done = 0
        for start, end in self._prose(source):
            out.hide(done, start)
            _read_comment(out, start, end)
            done = end
        out.hide(done, len(source))
        out.hide_matches(_MARK, _INLINE)
        return out.finish()

    def _prose(self, source: str) -> Iterator[tuple[int, int]]:
        """Yield where comments and docstrings are.

        What is never closed is code up to the end of its line or of the file, so that nothing is searched twice.
        """
        position = 0
        while found := self._openings.search(source, position):
            start, sign = found.start(), found[0]
            if sign in ("//", "#"):
                position = _line_end(source, start)
                yield start, position
                continue
            if sign == "/*":
                position = source.find("*/", start + 2) + 2
                if position < 2:
                    return
                yield start, position
                continue
            string = _STRING_END[sign].match(source, found.end())
            if string is None and sign not in "\"'":
                return
            position = string.end() if string else _line_end(source, start)
            if string and self._docstrings and _stands_alone(source, start, position):
                yield start, position


class PythonReader(CodeReader):
    """Reads the comments and docstrings of Python."""

    _openings = _PYTHON
    _docstrings = True


class HashCodeReader(CodeReader):
    """Reads the comments of languages that begin them with ``#``: shell, Ruby, YAML, TOML, R, Perl."""

    _openings = _HASH


def _line_end(source: str, position: int) -> int:
    match = _LINE_END.search(source, position)
    return match.start() if match else len(source)


def _stands_alone(source: str, start: int, end: int) -> bool:
    """Return whether there is nothing but a string on its lines, which makes it a docstring."""
    before = source[max(0, start - _REACH) : start]
    return _AFTER.match(source, end) is not None and _BEFORE.search(before) is not None


def _read_comment(out: LineMarkup, start: int, end: int) -> None:
    """Add the lines of a comment; a comment on the next line goes on with the same block."""
    text = out.source[start:end]
    if re.match(r"[#/*\s]*unslant:", text):
        out.close()
        out.comment(start, end)
        return
    if out._open and out.source[out._open[1] : start].strip():
        out.close()
    examples = False
    for line in lines_of(text):
        lead = _LEAD.match(line.text)
        skip = lead.end() if lead else 0
        body = line.text[skip:]
        at = start + line.start
        out.hide(at, at + skip)
        if not body.strip() or (examples and not body.startswith(">>>")):
            examples = examples and bool(body.strip())
            out.close()
            out.hide(at, start + line.end)
        elif _PRAGMA.match(body) or body.startswith((">>>", "---", "===")) or line.text.startswith("#!/"):
            examples = body.startswith(">>>")
            out.close()
            out.hide(at, start + line.end)
        else:
            _read_line(out, at, at + skip, start + line.end)


def _read_line(out: LineMarkup, at: int, first: int, end: int) -> None:
    tag = _TAG.match(out.source, first, end)
    if tag is not None and tag.end() > first:
        out.close()
        out.hide(first, tag.end())
        first = tag.end()
    tail = end
    for closing in ("*/", '"""', "'''", '"', "'"):
        if out.source[first:end].rstrip().endswith(closing) and closing != "'":
            tail = first + len(out.source[first:end].rstrip()) - len(closing)
            out.hide(tail, end)
            break
    out.text(at, max(tail, at))
