"""BRAT standoff: a ``.txt`` with the text and a ``.ann`` with what was marked in it, a folder per annotator.

``alice/one.ann`` and ``bob/one.ann`` are two annotators' views of the item ``one``. Text-bound lines (``T``) become
spans; a discontinuous one becomes a span for each piece. Attributes, relations, events and notes say nothing of spans
and are left alone. Offsets are code points.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from unslant.core.types import Span
from unslant.lab.corpora.annotation import NOTHING, Annotation
from unslant.lab.corpora.annotation_files import Seen, span_in
from unslant.lab.corpora.problems import Problem

if TYPE_CHECKING:
    from unslant.lab.corpora.annotation_files import Reading

__all__ = ["read"]

_BOUND = re.compile(r"T\S*\t(?P<label>\S+) (?P<pieces>\d+ \d+(?:;\d+ \d+)*)\t(?P<quote>.*)")
_KNOWN = re.compile(r"[TREAMN#*]\S*\t|\*\t|#\S*\t")


def read(path: Path, _: Reading) -> Iterator[Annotation | Problem]:
    """Yield the annotations of a folder of annotators' folders, of one annotator's folder, or of one file."""
    seen = Seen()
    for file in sorted(path.rglob("*.ann")) if path.is_dir() else [path]:
        name = f"{file.parent.name}/{file.name}"
        try:
            text = file.with_suffix(".txt").read_text("utf-8")
            lines = file.read_text("utf-8").splitlines()
        except FileNotFoundError:
            yield Problem(name, None, "no text", f"{file.stem}.txt should stand beside it")
            continue
        except UnicodeDecodeError as error:
            yield Problem(name, None, "mixed encodings", f"{error.reason}; save the file as UTF-8")
            continue
        marked = False
        for number, line in enumerate(lines, 1):
            for one in _marks(line, text, name, number):
                if isinstance(one, Problem):
                    yield one
                    continue
                marked = True
                whole = Annotation(file.stem, file.parent.name, one[1], "spans", None, text, one[0])
                yield seen.again(whole, name, number) or whole
        if not marked:
            yield Annotation(file.stem, file.parent.name, NOTHING, "spans", None, text)


def _marks(line: str, text: str, file: str, number: int) -> Iterator[tuple[Span, str] | Problem]:
    if not line.strip() or (not line.startswith("T") and _KNOWN.match(line)):
        return
    match = _BOUND.fullmatch(line)
    if match is None:
        yield Problem(
            file, number, "not a line of BRAT", "a text-bound line is: T1<tab>Label start end<tab>text"
        )
        return
    spans: list[Span] = []
    for piece in match["pieces"].split(";"):
        span = span_in(text, *piece.split())
        if isinstance(span, str):
            yield Problem(file, number, "span outside the text", span)
            return
        spans.append(span)
    # BRAT writes the quoted text on one line, pieces joined by a space.
    quote = " ".join(text[span.start : span.end] for span in spans)
    if quote.split() != match["quote"].split():
        yield Problem(
            file, number, "span and quotation differ", "the text was changed after it was annotated"
        )
        return
    for span in spans:
        yield span, match["label"]
