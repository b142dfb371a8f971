"""LaTeX: the text of a document is prose; the preamble, commands, mathematics, listings and references are not.

Commands are hidden with their names and braces; the arguments of those that format text are prose, the arguments of
those that name a file, a key or an address are not.
"""

from __future__ import annotations

import re

from unslant.text.readers.line_markup import LineMarkup
from unslant.text.readers.masking import ParsedMarkup, SingleParseReader

_HIDDEN_ENVIRONMENTS = frozenset(
    "align alignat comment displaymath eqnarray equation filecontents flalign gather lstlisting math minted multline "
    "picture pgfpicture tabbing thebibliography tikzpicture verbatim Verbatim".split()
)
_WITH_ARGUMENTS = frozenset(
    "adjustbox array longtable minipage multicols supertabular tabular tabularx tabulary wrapfigure wraptable".split()
)
"""Environments that begin with arguments, such as widths and columns."""
_QUOTES = frozenset(("quote", "quotation", "displayquote", "displaycquote", "verse", "blockquote"))
_NOT_PROSE = frozenset(
    "addbibresource autocite autocites autoref author bibliography bibliographystyle cite citeauthor citealp "
    "citealt citep citet citeyear cites color cref Cref date def definecolor documentclass DeclareMathOperator "
    "eqref fontsize footcite geometry glsdesc graphicspath hspace hypersetup include includegraphics "
    "includepdf index input inputminted label let lstinline lstinputlisting lstset mathrm nameref newcommand "
    "newcounter newenvironment newlength newtheorem nocite pageref pagestyle parencite path providecommand ref "
    "renewcommand RequirePackage setcounter setlength setmainfont texttt textcite thispagestyle tikz url "
    "usepackage usetheme usetikzlibrary vref vspace".split()
)
_FIRST_HIDDEN = frozenset(("href", "textcolor", "colorbox", "rule", "parbox", "resizebox", "multicolumn"))
"""Commands whose last argument alone is prose."""
_LEVELS = {
    "part": 1,
    "chapter": 2,
    "section": 3,
    "subsection": 4,
    "subsubsection": 5,
    "paragraph": 6,
    "subparagraph": 7,
    "title": 2,
    "subtitle": 3,
    "caption": 7,
    "frametitle": 4,
}
_BREAKS = frozenset(
    ("item", "par", "newline", "newpage", "clearpage", "maketitle", "tableofcontents", "bigskip")
)
_SIGN = re.compile(r"[%\\$`{}~&\n]")
"""Where a token may begin; looking for these first is many times faster."""
_TOKEN = re.compile(
    r"(?P<comment>%[^\r\n]*)"
    r"|\\(?P<env>begin|end)[ \t]*\{(?P<name>[A-Za-z]{1,40})\*?\}"
    r"|\\verb\*?(?P<verb>[^A-Za-z*\s])"
    r"|\\(?:lstinline|mintinline[ \t]*\{[^{}\n]{1,40}\})(?:\[[^\[\]\n]{0,200}\])?(?P<inline>[^A-Za-z*\s{\[])"
    r"|(?P<math>\$\$?|\\\(|\\\[)"
    r"|(?P<accent>\\(?:['`^\"~=.]\{?|[cvuHkrbdt]\{)\\?[A-Za-z]\}?)"
    r"|\\(?P<command>[A-Za-z@]{1,60})\*?"
    r"|(?P<escape>\\[^A-Za-z])"
    r"|(?P<quote>``)"
    r"|(?P<mark>[{}~&])"
    r"|(?P<gap>\n[ \t\r]*\n)"
)
_MATH_END = {"$": "$", "$$": "$$", "\\(": "\\)", "\\[": "\\]"}
_LONGEST = 10_000
"""An argument, a formula or a quotation that does not end within this many characters is left as it is."""
_OPTION = re.compile(r"[ \t]*\[[^\[\]]{0,500}\]")
_ARGUMENT = re.compile(r"[ \t]*\{")
_TITLE = re.compile(r"^[^%\r\n]*?\\title[ \t]*(?:\[[^\]]{0,500}\][ \t]*)?(?=\{)", re.MULTILINE)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


class LatexReader(SingleParseReader):
    """Reads LaTeX."""

    def parse(self, source: str) -> ParsedMarkup:
        """Return the prose and the structure."""
        scanner = _LatexScanner(source)
        scanner.run()
        return scanner.out.finish()


class _LatexScanner:
    def __init__(self, source: str) -> None:
        self.out = LineMarkup(source)
        self._source = source
        self._begin = 0
        self._quotes: list[int] = []
        self._ends: dict[str, int] = {}
        self._absent: dict[str, tuple[int, int]] = {}

    def run(self) -> None:
        source = self._source
        position = self._preamble()
        stop = source.find("\\end{document}", position)
        stop = len(source) if stop < 0 else stop
        self._begin = position
        self._scan(position, stop)
        self._cut(stop, stop)
        self.out.hide(stop, len(source))
        for start in self._quotes:
            self.out.quotations.append((start, stop))

    def _scan(self, position: int, stop: int) -> None:
        """Read the tokens of a range."""
        while found := _SIGN.search(self._source, position, stop):
            match = _TOKEN.match(self._source, found.start(), stop)
            position = max(self._token(match), match.end()) if match else found.end()

    def _preamble(self) -> int:
        """Hide everything before the document but its title; return where the document begins."""
        body = self._source.find("\\begin{document}")
        if body < 0:
            return 0
        for match in re.finditer(r"%[^\r\n]*", self._source[:body]):
            self.out.comment(*match.span())
        title = _TITLE.search(self._source, 0, body)
        close = self._close(title.end()) if title else -1
        if title is None or close < 0:
            self.out.hide(0, body + 16)
            return body + 16
        self.out.hide(0, title.end() + 1)
        self._scan(title.end() + 1, close - 1)
        self.out.heading(_LEVELS["title"], title.end() + 1, close - 1)
        self.out.hide(close - 1, body + 16)
        return body + 16

    def _cut(self, end: int, following: int) -> None:
        """End the block here, and begin the next one there."""
        self.out.block(self._begin, end)
        self._begin = following

    def _token(self, match: re.Match[str]) -> int:
        """Hide what a token stands for; return where to go on."""
        out, (start, end) = self.out, match.span()
        kind = match.lastgroup
        if match["comment"]:
            out.comment(start, end)
        elif match["env"]:
            return self._environment(match)
        elif delimiter := match["verb"] or match["inline"]:
            return self._until(start, end, delimiter)
        elif match["math"]:
            return self._until(start, end, _MATH_END[match["math"]])
        elif match["accent"]:
            return self._accent(start, end)
        elif match["command"]:
            return self._command(match)
        elif kind == "escape":
            if match[0] == "\\\\":
                out.hide(start, end)
            else:
                out.hide(start, start + (1 if match[0][1] in "&%$#_{}" else 2))
        elif kind == "quote":
            close = self._find("''", end)
            if close >= 0 and "\n\n" not in self._source[end:close]:
                out.quotations.append((start, close + 2))
        elif kind == "mark":
            out.hide(start, end)
        else:
            self._cut(start, end)
        return end

    def _accent(self, start: int, end: int) -> int:
        """Hide a word with a letter that is written as a command; its other letters are no words."""
        while start > self._begin and self._source[start - 1].isalpha():
            start -= 1
        while end < len(self._source) and self._source[end].isalpha():
            end += 1
        self.out.hide(start, end)
        return end

    def _until(self, start: int, end: int, closing: str) -> int:
        close = self._find(closing, end)
        if close < 0 or (closing == "$" and "\n\n" in self._source[end:close]):
            return end
        self.out.hide(start, close + len(closing))
        return close + len(closing)

    def _find(self, closing: str, position: int) -> int:
        """Return where a mark closes what begins here, or -1; where it was not found once, it is not searched again."""
        first, last = self._absent.get(closing, (0, 0))
        if not first <= position < last:
            first = last = position
        stop = position + _LONGEST
        close = self._source.find(closing, max(position, last - len(closing) + 1), stop)
        if close < 0:
            self._absent[closing] = first, stop
        return close

    def _environment(self, match: re.Match[str]) -> int:
        start, end = match.span()
        name = match["name"]
        self._cut(start, end)
        if match["env"] == "end":
            self.out.hide(start, end)
            if name in _QUOTES and self._quotes:
                self.out.quotations.append((self._quotes.pop(), start))
            return end
        if name in _HIDDEN_ENVIRONMENTS:
            close = self._end_of(name, end)
            if close >= 0:
                self.out.hide(start, close)
                self._begin = close
                return close
        end = self._arguments(end, options=name not in _WITH_ARGUMENTS)
        self.out.hide(start, end)
        self._begin = end
        if name in _QUOTES and len(self._quotes) < 50:
            self._quotes.append(end)
        return end

    def _end_of(self, name: str, position: int) -> int:
        """Return where an environment ends; what is not found once is not searched again."""
        for spelled in (f"\\end{{{name}}}", f"\\end{{{name}*}}"):
            if self._ends.get(spelled) == -1:
                continue
            at = self._source.find(spelled, position)
            self._ends[spelled] = at
            if at >= 0:
                return at + len(spelled)
        return -1

    def _command(self, match: re.Match[str]) -> int:
        start, end = match.span()
        name = match["command"]
        out = self.out
        if name in _NOT_PROSE:
            end = self._arguments(end)
        elif name in _LEVELS:
            return self._heading(start, end, _LEVELS[name])
        elif name in _BREAKS:
            option = _OPTION.match(self._source, end)
            end = option.end() if option else end
            self._cut(start, end)
        else:
            option = _OPTION.match(self._source, end)
            if option and not self._source[option.start() : option.end()].isspace():
                end = option.end()
            if name in _FIRST_HIDDEN:
                end = self._first_arguments(end)
            elif name in ("enquote", "textquote", "blockquote"):
                close = self._close(end)
                if close >= 0:
                    out.quotations.append((start, close))
        out.hide(start, end)
        return end

    def _heading(self, start: int, end: int, level: int) -> int:
        option = _OPTION.match(self._source, end)
        end = option.end() if option else end
        close = self._close(end)
        self.out.hide(start, end)
        if close < 0:
            return end
        self._cut(start, close)
        opening = self._source.index("{", end)
        self.out.hide(opening, opening + 1)
        self.out.hide(close - 1, close)
        self.out.heading(level, opening + 1, close - 1)
        return opening + 1

    def _first_arguments(self, position: int) -> int:
        """Return where the last of several arguments begins."""
        close = self._close(position)
        while close >= 0:
            following = self._close(close)
            if following < 0:
                return position
            position, close = close, following
        return position

    def _arguments(self, position: int, options: bool = False) -> int:
        """Return where the arguments end that follow a command."""
        while True:
            option = _OPTION.match(self._source, position)
            if option:
                position = option.end()
                continue
            close = -1 if options else self._close(position)
            if close < 0:
                return position
            position = close

    def _close(self, position: int) -> int:
        """Return where the argument that begins here ends, or -1."""
        opening = _ARGUMENT.match(self._source, position)
        if opening is None:
            return -1
        depth = 1
        for match in _BRACE.finditer(self._source, opening.end(), opening.end() + 2_000):
            depth += {"{": 1, "}": -1}.get(match[0], 0)
            if not depth:
                return match.end()
        return -1
