"""Subtitles (SubRip and WebVTT): what is said is prose; numbers, times, styles and speakers' tags are not."""

from __future__ import annotations

import re

from unslant.text.readers.line_markup import Line, LineMarkup, lines_of
from unslant.text.readers.masking import ParsedMarkup, SingleParseReader

_TIMES = re.compile(r"[ \t]*(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}[ \t]*-->")
_MARK = re.compile("[<{\u266a\u266b]")
_INLINE = re.compile(r"(<[^<>\n]{0,200}>)|(\{\\[^{}\n]{0,200}\})|([\u266a\u266b])")
_ENDS = re.compile("[.!?\u2026:][\"'\u201d\u2019)\\]]*[ \t]*(?:<[^<>\n]{0,99}>)*[ \t]*$")
_HEAD = ("WEBVTT", "STYLE", "REGION")


class SubtitleReader(SingleParseReader):
    """Reads subtitles; a sentence may run over several of them."""

    def parse(self, source: str) -> ParsedMarkup:
        """Return the prose and the structure."""
        out = LineMarkup(source)
        lines = list(lines_of(source))
        skipping = ""
        ended = True
        for number, line in enumerate(lines):
            text = line.text.strip()
            following = lines[number + 1].text if number + 1 < len(lines) else ""
            if not text:
                skipping = ""
                if ended:
                    out.close()
            elif skipping:
                (out.comment if skipping == "NOTE" else out.hide)(line.start, line.end)
            elif text.lstrip("\ufeff").startswith(_HEAD) or text.split(" ", 1)[0] == "NOTE":
                skipping = "NOTE" if text.startswith("NOTE") else "head"
                out.close()
                out.hide(line.start, line.end)
            elif _TIMES.match(line.text) or _TIMES.match(following):
                out.hide(line.start, line.end)
            else:
                self._say(out, line, ended)
                ended = _ENDS.search(line.text[-120:]) is not None
        out.hide_matches(_MARK, _INLINE)
        return out.finish()

    def _say(self, out: LineMarkup, line: Line, ended: bool) -> None:
        start = line.start
        if line.text.lstrip().startswith(("- ", "\u2013 ")):  # another speaker
            out.close()
            mark = line.indent + 2
            out.hide(start, start + mark)
            start += mark
        elif ended and out._open is None:
            out.close()
        out.text(start, line.end)
