"""Source files: comments and docstrings are prose; everything else is code."""

from __future__ import annotations

import re

from unslant.text.readers.line_markup import LineMarkup, lines_of
from unslant.text.readers.masking import ParsedMarkup, SingleParseReader

__all__ = ["CodeReader", "HashCodeReader", "PythonReader"]

_STRING = r"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'"
_PYTHON = re.compile(
    r"(?P<hash>#[^\r\n]*)"
    r"|(?P<doc>(?:(?<=\n)|\A)[ \t]*[rRuU]?(?P<fence>\"\"\"|''')(?:[^\\\"']|\\.|(?!(?P=fence))[\"'])*+(?P=fence))"
    r"|[rRbBfFuU]{0,2}(?P<triple>\"\"\"|''')(?:[^\\\"']|\\.|(?!(?P=triple))[\"'])*+(?P=triple)"
    rf"|(?P<line>(?:(?<=\n)|\A)[ \t]*(?:{_STRING})(?=[ \t]*(?:\r?\n|\Z)))"
    rf"|{_STRING}",
    re.DOTALL,
)
_C = re.compile(
    rf"(?P<hash>//[^\r\n]*)|(?P<block>/\*(?:[^*]|\*(?!/))*+\*/)|{_STRING}|`(?:[^`\\]|\\.)*+`", re.DOTALL
)
_HASH = re.compile(rf"(?P<hash>(?:(?<=\s)|\A)#[^\r\n]*)|{_STRING}", re.DOTALL)
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

    _tokens = _C

    def parse(self, source: str) -> ParsedMarkup:
        """Return the comments as prose."""
        out = LineMarkup(source)
        done = 0
        for match in self._tokens.finditer(source):
            if not self._is_prose(match):
                continue
            out.hide(done, match.start())
            _read_comment(out, match.start(), match.end())
            done = match.end()
        out.hide(done, len(source))
        out.hide_matches(_MARK, _INLINE)
        return out.finish()

    def _is_prose(self, match: re.Match[str]) -> bool:
        return any(match.groupdict().get(name) for name in ("hash", "block", "doc", "line"))


class PythonReader(CodeReader):
    """Reads the comments and docstrings of Python."""

    _tokens = _PYTHON


class HashCodeReader(CodeReader):
    """Reads the comments of languages that begin them with ``#``: shell, Ruby, YAML, TOML, R, Perl."""

    _tokens = _HASH


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
        elif _PRAGMA.match(body) or body.startswith((">>>", "!/", "---", "===")):
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
