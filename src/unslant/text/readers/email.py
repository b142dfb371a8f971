"""E-mail: the subject and the text parts are prose; headers, quoted replies, signatures and attachments are not."""

from __future__ import annotations

import re

from unslant.text.readers.line_markup import Line, LineMarkup, lines_of
from unslant.text.readers.masking import ParsedMarkup, SingleParseReader

_HEADER = re.compile(r"([!-9;-~]+):")
_BOUNDARY = re.compile(r"boundary=\"?([^\";\s]{1,200})", re.IGNORECASE)
_QUOTED_PRINTABLE = re.compile(r"(=(?:[0-9A-F]{2})|=[ \t]*$)", re.MULTILINE)
_WROTE = re.compile(r"On .{0,200} wrote:[ \t]*$")


class EmailReader(SingleParseReader):
    """Reads one message, as mail programs save it (.eml)."""

    def parse(self, source: str) -> ParsedMarkup:
        """Return the prose and the structure."""
        scanner = _EmailScanner(source)
        for line in lines_of(source):
            scanner.line(line)
        return scanner.out.finish()


class _EmailScanner:
    def __init__(self, source: str) -> None:
        self.out = LineMarkup(source)
        self._in_headers = True
        self._header = ""
        self._headers: dict[str, str] = {}
        self._boundaries: set[str] = set()
        self._first = True
        self._signed = False

    def line(self, line: Line) -> None:
        text = line.text.rstrip()
        if text.startswith("--") and text.removeprefix("--").removesuffix("--") in self._boundaries:
            self.out.close()
            self.out.hide(line.start, line.end)
            self._in_headers, self._headers, self._signed = not text.endswith("--"), {}, text.endswith("--")
        elif self._in_headers:
            self._head(line, text)
        elif not text:
            self.out.close()
        else:
            self._body(line, text)

    def _head(self, line: Line, text: str) -> None:
        if not text:
            self._in_headers = self._first = False
            self.out.close()
            for boundary in _BOUNDARY.findall(self._headers.get("content-type", "")):
                self._boundaries.add(boundary)
            return
        start = line.start
        match = _HEADER.match(text)
        if match is None and not self._headers and self._first:  # a text without headers
            self._in_headers = self._first = False
            self._body(line, text)
            return
        if match is not None and not line.indent:
            self.out.close()
            self._header = match[1].casefold()
            self._headers[self._header] = text[match.end() :]
            start += match.end()
        else:
            self._headers[self._header] = (self._headers.get(self._header, "") + " " + text)[:2_000]
        if self._first and self._header == "subject" and "=?" not in text:
            self.out.hide(line.start, start)
            self.out.text(start, line.end)
        else:
            self.out.hide(line.start, line.end)

    def _body(self, line: Line, text: str) -> None:
        out = self.out
        encoding = self._headers.get("content-transfer-encoding", "").strip().casefold()
        kind = self._headers.get("content-type", "text/plain").strip().casefold()
        attached = self._headers.get("content-disposition", "").strip().casefold().startswith("attachment")
        if text == "--" or line.text == "-- ":
            self._signed = True
        if self._signed or attached or encoding == "base64" or not kind.startswith("text/plain"):
            out.close()
            out.hide(line.start, line.end)
        elif text.startswith((">", "|>")) or _WROTE.match(text):
            out.close()
            out.hide(line.start, line.end)
            out.quotations.append((line.start, line.end))
        else:
            if encoding == "quoted-printable":
                for match in _QUOTED_PRINTABLE.finditer(text):
                    out.hide(line.start + match.start(), line.start + match.end())
            out.text(line.start, line.end)
