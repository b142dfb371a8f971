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
# escaped signs pass the reader as letters that nobody uses: they are text, and must not be read as markup
_VEIL = {"&lt;": "\ue000", "&gt;": "\ue001", "&amp;": "\ue002"}
_UNVEIL = str.maketrans({"\ue000": "<", "\ue001": ">", "\ue002": "&"})
_ESCAPED = re.compile("|".join(_VEIL))


def prose_of(wikitext: str) -> str:
    """Return the prose, a line a paragraph, without markup, templates, references and tables."""
    source = _ENTITY.sub(lambda match: unescape(match[0]), _SPACES.sub(" ", _BREAK.sub(" ", wikitext)))
    source = _ESCAPED.sub(lambda match: _VEIL[match[0]], source.replace("\u00a0", " "))
    masked = read(source, "wikitext").prose
    # what was blanked goes without a trace: "[[bar|foo]]s" is one word
    kept = "".join(seen for seen, written in zip(masked, source, strict=True) if seen == written)
    lines = (" ".join(line.split()) for line in kept.translate(_UNVEIL).split("\n"))
    return "\n".join(line for line in lines if line)


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
