"""Wikitext to plain sentences.

The markup is read by the same reader that checks wikitext (``unslant.text.readers.wikitext``): it is linear in the size
of the text even where markup is broken, which general parsers of wikitext are not.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape

from unslant.spec import Spec
from unslant.text.reading import read
from unslant.text.sentences import NupunktSegmenter

__all__ = ["prose_of", "sentences_of"]

_SPACES = re.compile(r"&(?:nbsp|thinsp|ensp|emsp|#160|#x0*a0);|\u00a0", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
# what would turn into markup stays as it is until the markup is read
_ENTITY = re.compile(
    r"&(?!lt;|gt;|amp;|#60;|#62;|#38;|#91;|#93;|#12[35];)(?:[a-zA-Z]{2,20}|#\d{1,7}|#x[0-9a-fA-F]{1,6});"
)
_ESCAPED = re.compile(r"&(?:lt|gt|amp);")


def prose_of(wikitext: str) -> str:
    """Return the prose, a line a paragraph, without markup, templates, references and tables."""
    source = _ENTITY.sub(lambda match: unescape(match[0]), _SPACES.sub(" ", _BREAK.sub(" ", wikitext)))
    source = source.replace("\u00a0", " ")
    escaped = {match.start(): match for match in _ESCAPED.finditer(source)}
    masked = read(source, "wikitext").prose
    kept: list[str] = []
    for place, (seen, written) in enumerate(zip(masked, source, strict=True)):
        if place in escaped and _outside_markup(masked, escaped[place].end(), place):
            kept.append(unescape(escaped[place][0]))
        elif seen == written:
            kept.append(seen)
        # what was blanked goes without a trace: "[[bar|foo]]s" is one word
    lines = (" ".join(line.split()) for line in "".join(kept).split("\n"))
    return "\n".join(line for line in lines if line)


def _outside_markup(masked: str, end: int, start: int) -> bool:
    """Whether what stands around an escaped sign is prose; the reader blanks the sign itself in any case."""
    around = masked[max(0, start - 1) : start] + masked[end : end + 1]
    return bool(around.strip())


@lru_cache(maxsize=1)
def _segmenter() -> NupunktSegmenter:
    return NupunktSegmenter(Spec())


def sentences_of(prose: str) -> list[str]:
    """Return the sentences of prose; none goes over a line end."""
    document = read(prose.replace("\n", "\n\n"))
    found = (
        sentence.document.prose[sentence.span.start : sentence.span.end]
        for sentence in _segmenter().split(document)
    )
    return [" ".join(text.split()) for text in found]
