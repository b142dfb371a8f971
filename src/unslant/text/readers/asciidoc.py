"""AsciiDoc: paragraphs, headings, lists, tables and admonitions are prose; listings, macros and attributes are not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unslant.text.readers.line_markup import Line, LineReader, LineScanner

_VERBATIM = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,})[^`\n]*$")
_QUOTE = re.compile(r"_{4,}[ \t]*$")
_DELIMITER = re.compile(r"(?:={4,}|\*{4,}|--|[|,:!]===|'{3,}|<<<|-{3}|\*{3})[ \t]*$")
_TITLE = re.compile(r"(={1,6}|#{1,6})[ \t]+(?=\S)")
_ATTRIBUTE = re.compile(r":!?[\w][\w\-]*!?:(?:[ \t].*)?$")
_ATTRIBUTES = re.compile(r"\[(?!\[\[)([^\]\n]*(?:\][^\]\n]*)*)\][ \t]*$")
_MACRO = re.compile(r"[a-z_][\w]*::\S*\[[^\]\n]*\][ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:\*{1,5}|-|\.{1,5}|\d{1,4}\.|<\d{1,3}>)[ \t]+(?:\[[ xX*]\][ \t]+)?(?=\S)")
_TERM = re.compile(r"\S[^\n]{0,200}?(::{1,3}|;;)(?=[ \t]|$)")
_CELL = re.compile(r"(?:\d{1,3}[*+]|\.\d{1,3}\+)?[<^>.]{0,3}[adehlmsv]?\|")
_HIDDEN_STYLES = ("source", "listing", "literal", "stem", "latexmath", "asciimath", "pass", "comment")
_MARK = re.compile(
    r"[`+{<\[*_#]|\(\(|(?:image|icon|kbd|btn|menu|stem|latexmath|asciimath|pass|footnote|anchor|indexterm2?|https?|link|xref|mailto):"
)
_INLINE = re.compile(
    r"(`[^`\n]{1,300}`)"
    r"|(\+\+\+[^\n]{0,300}?\+\+\+)"
    r"|(?<![\w+])(\+[^\s+](?:[^+\n]{0,200}[^\s+])?\+)(?![\w+])"
    r"|(footnote:[^\s\[\]]{0,100}\[)[^\]\n]{0,600}(\])"
    r"|(\(\(\([^()\n]{1,200}\)\)\))"
    r"|(\(\()[^()\n]{1,200}(\)\))"
    r"|((?:image|icon|kbd|btn|menu|stem|latexmath|asciimath|pass|anchor|indexterm2?):[^\s\[\]]{0,300}\[[^\]\n]{0,300}\])"
    r"|((?:https?://|link:|xref:|mailto:)[^\s\[\]]{1,500}\[)[^\]\n]{0,300}(\])"
    r"|(<<[^<>,\n]{1,200},)[^<>\n]{1,300}(>>)"
    r"|(<<[^<>\n]{1,200}>>)"
    r"|(\{[\w\-]{1,60}\})"
    r"|(\[\[[^\]\n]{1,200}\]\])"
    r"|((?:\[[.#][\w.#\-]{1,60}\])?(?<![\w])[*_#]{1,2})(?=\S)"
    r"|(?<=\S)([*_#]{1,2})(?![\w])"
)


class _AsciiDocScanner(LineScanner):
    def __init__(self, source: str) -> None:
        super().__init__(source)
        self._fence = ""
        self._quoted = False
        self._header = False
        """Whether the title of the document stands above, without a blank line: authors and revisions follow."""
        self._style = ""
        """What the attributes above say about the next paragraph."""
        self._paragraph = ""
        """The style of the current paragraph."""

    def scan(self, lines: Iterator[Line]) -> None:
        """Read the lines in order."""
        for line in lines:
            self._line(line)

    def _line(self, line: Line) -> None:
        out, text = self.out, line.text.rstrip()
        if self._fence:
            self._verbatim(line, text)
            return
        if not text:
            out.close()
            self._paragraph = ""
            self._header = False
            return
        fence = _VERBATIM.match(text)
        if fence is not None:
            out.close()
            self._fence = fence[1]
            self._verbatim(line, "")
            return
        if text.startswith("//"):
            out.close()
            out.comment(line.start, line.end)
        elif _QUOTE.match(text):
            out.close()
            out.hide(line.start, line.end)
            self._quoted = not self._quoted
            self._style = ""
        elif _DELIMITER.match(text) or _ATTRIBUTE.match(text) or _MACRO.match(text):
            out.close()
            out.hide(line.start, line.end)
            self._style = "" if not text.startswith(":") else self._style
        elif _ATTRIBUTES.match(text):
            out.close()
            out.hide(line.start, line.end)
            self._style = text[1:].split(",")[0].split("%")[0].strip("]").casefold()
        elif self._header:
            out.hide(line.start, line.end)
        else:
            self._prose(line, text)

    def _verbatim(self, line: Line, text: str) -> None:
        """Hide a line of a listing, a literal or a comment."""
        if self._fence.startswith("/"):
            self.out.comment(line.start, line.end)
        else:
            self.out.hide(line.start, line.end)
        if text == self._fence:
            self._fence = ""
            self._style = ""

    def _prose(self, line: Line, text: str) -> None:
        out = self.out
        title = _TITLE.match(text)
        if title is not None:
            out.hide(line.start, line.start + title.end())
            out.heading(len(title[1]), line.start + title.end(), line.end)
            self._header = len(title[1]) == 1
            return
        if self._style:
            self._paragraph, self._style = self._style, ""
        item = _ITEM.match(line.text)
        if self._paragraph.startswith(_HIDDEN_STYLES) or (line.indent and item is None and out._open is None):
            self._paragraph = self._paragraph or "literal"
            out.hide(line.start, line.end)
            return
        start = line.start
        if item is not None:
            out.close()
            out.hide(line.start, line.start + item.end())
            start += item.end()
        elif text.startswith(".") and len(text) > 1 and text[1] not in ". ":
            out.hide(line.start, line.start + 1)
            out.block(line.start + 1, line.end)
            return
        elif _CELL.match(text):
            self._cells(line)
            return
        self._mark(line, start)

    def _mark(self, line: Line, start: int) -> None:
        out = self.out
        if self._quoted or self._paragraph.startswith(("quote", "verse")):
            out.quotations.append((line.start, line.end))
        term = _TERM.match(line.text, start - line.start)
        if term is not None:
            out.hide(line.start + term.start(1), line.start + term.end(1))
            out.block(start, line.start + term.end(1))
            start = line.start + term.end(1)
        if line.text.strip() == "+":
            out.close()
            out.hide(line.start, line.end)
            return
        out.text(start, line.end)

    def _cells(self, line: Line) -> None:
        self.out.close()
        at = line.start + line.text.index("|")
        self.out.hide(line.start, at)  # how the first cell looks
        self.out.cells(line, at)


class AsciiDocReader(LineReader):
    """Reads AsciiDoc."""

    scanner = _AsciiDocScanner
    mark = _MARK
    inline = _INLINE
