"""Org: paragraphs, headlines, lists and tables are prose; source blocks, drawers and keywords are not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unslant.text.readers.line_markup import Line, LineReader, LineScanner

_BEGIN = re.compile(r"[ \t]*#\+begin_(\w+)", re.IGNORECASE)
_KEYWORD = re.compile(r"[ \t]*#\+(title|caption|subtitle)?[\w\-]*(?:\[[^\]\n]*\])?:[ \t]*", re.IGNORECASE)
_HEADLINE = re.compile(
    r"(\*{1,20})[ \t]+(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]+)?(?:\[#[A-Z]\][ \t]+)?"
)
_TAGS = re.compile(r"[ \t]+:[\w@#%:]{1,200}:[ \t]*$")
_DRAWER = re.compile(r"[ \t]*:[\w\-]+:[ \t]*$")
_ITEM = re.compile(
    r"[ \t]*(?:[-+]|\d{1,9}[.)]|(?<=[ \t])\*)[ \t]+(?:\[@?\d{0,9}\][ \t]+)?(?:\[[ xX\-]\][ \t]+)?"
)
_TERM = re.compile(r"(?=.)([^\n]{0,300}?)[ \t]+::(?:[ \t]+|$)")
_TIMES = re.compile(r"[ \t]*(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):")
_QUOTES = frozenset(("quote", "verse"))
_PROSE = frozenset(("center", "abstract", "note", "warning", "tip"))
_MARK = re.compile(r"[\[<=~\\$*/_+]|\bsrc_|@@|\{\{\{")
# code and links may go on in the next line, but not in the next paragraph, item or row
_BREAK = r"\n(?![ \t]*(?:\r?\n|[-+*|#:][ \t]|\d{1,9}[.)][ \t]|#\+|\||\*))"
_INLINE = re.compile(
    rf"(\[\[[^\[\]\n]{{1,500}}\]\[)[^\[\]\n]{{1,300}}(?:{_BREAK}[^\[\]\n]{{1,300}})?(\]\])"
    rf"|(\[\[[^\[\]\n]{{1,500}}(?:{_BREAK}[^\[\]\n]{{1,300}})?\]\])"
    r"|((?<!\w)=[^=\s](?:[^\n]{0,300}?\S)??=(?!\w))"
    r"|((?<!\w)~[^~\s](?:[^\n]{0,300}?\S)??~(?!\w))"
    rf"|((?<!\w)=[^=\s][^=\n]{{0,300}}{_BREAK}[^=\n]{{0,300}}(?<=\S)=(?!\w))"
    rf"|((?<!\w)~[^~\s][^~\n]{{0,300}}{_BREAK}[^~\n]{{0,300}}(?<=\S)~(?!\w))"
    r"|(\[fn:[\w\-]{0,40}:)[^\[\]\n]{1,600}(\])"
    r"|(\[fn:[\w\-]{1,200}\])"
    r"|(\[fn:[\w\-]{0,40}:)"
    r"|(<<<?[^<>\n]{1,200}>>>?)"
    r"|(@@[\w\-]{1,20}:[^@\n]{0,300}@@)"
    r"|(\{\{\{[^{}\n]{1,200}\}\}\})"
    r"|([<\[]\d{4}-\d\d-\d\d[^>\]\n]{0,60}[>\]])"
    r"|(\\\([^\n]{1,300}?\\\))"
    r"|((?<![\w$])\$[^\s$](?:[^$\n]{0,200}[^\s$.,;])?\$(?!\w))"
    r"|(\\[A-Za-z]{2,30}(?:\{\})?)"
    r"|(src_\w{1,20}(?:\[[^\]\n]{0,100}\])?\{[^}\n]{0,300}\})"
    r"|((?<![\w*/_+])[*/_+])(?=[^\s*/_+])"
    r"|(?<=[^\s*/_+])([*/_+])(?![\w*/_+])"
)


class _OrgScanner(LineScanner):
    def __init__(self, source: str) -> None:
        super().__init__(source)
        self._until = ""
        """The line that ends what is hidden now."""
        self._quoted = 0

    def scan(self, lines: Iterator[Line]) -> None:
        """Read the lines in order."""
        for line in lines:
            self._line(line)

    def _line(self, line: Line) -> None:
        out, text = self.out, line.text.strip().casefold()
        if self._until:
            out.hide(line.start, line.end)
            if text == self._until:
                self._until = ""
            return
        if not text:
            out.close()
            return
        begin = _BEGIN.match(line.text)
        if begin is not None:
            self._begin(line, begin[1].casefold())
        elif text.startswith("#+end_"):
            out.close()
            out.hide(line.start, line.end)
            self._quoted = max(0, self._quoted - (text[6:] in _QUOTES))
        elif text == "#" or text.startswith("# "):
            out.close()
            out.comment(line.start, line.end)
        elif _DRAWER.match(line.text):
            out.close()
            out.hide(line.start, line.end)
            self._until = "" if text == ":end:" else ":end:"
        else:
            self._prose(line, text)

    def _begin(self, line: Line, name: str) -> None:
        self.out.close()
        self.out.hide(line.start, line.end)
        if name in _QUOTES:
            self._quoted += 1
        elif name not in _PROSE:
            self._until = f"#+end_{name}"

    def _prose(self, line: Line, text: str) -> None:
        out = self.out
        keyword = _KEYWORD.match(line.text) if text.startswith("#+") else None
        headline = _HEADLINE.match(line.text)
        if keyword is not None:
            titled = bool(keyword[1])
            out.hide(line.start, line.start + keyword.end() if titled else line.end)
            out.block(line.start + keyword.end(), line.end)
        elif headline is not None:
            tags = _TAGS.search(line.text)
            end = line.start + tags.start() if tags else line.end
            out.hide(line.start, line.start + headline.end())
            out.hide(end, line.end)
            out.heading(len(headline[1]), line.start + headline.end(), end)
        elif text == ":" or text.startswith(": ") or _TIMES.match(line.text) or set(text) <= {"-"}:
            out.close()
            out.hide(line.start, line.end)
        elif text.startswith("|"):
            self._cells(line, text)
        else:
            self._paragraph(line)

    def _paragraph(self, line: Line) -> None:
        if self._quoted:
            self.out.quotations.append((line.start, line.end))
        item = _ITEM.match(line.text)
        start = line.start
        if item is not None:
            self.out.close()
            self.out.hide(start, start + item.end())
            start += item.end()
            term = _TERM.match(line.text, item.end())
            if term is not None:
                self.out.block(start, line.start + term.end(1))
                self.out.hide(line.start + term.end(1), line.start + term.end())
                start = line.start + term.end()
        self.out.text(start, line.end)

    def _cells(self, line: Line, text: str) -> None:
        self.out.close()
        if set(text) <= set("|-+: "):
            self.out.hide(line.start, line.end)
            return
        self.out.cells(line, line.start)


class OrgReader(LineReader):
    """Reads Org files."""

    scanner = _OrgScanner
    mark = _MARK
    inline = _INLINE
