"""Edits in readable form: a word diff of each sentence, then what changes and what to look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from unslant.core.types import Applicability, Edit, Note, Span
from unslant.edits.result import Fixed, Suggestion
from unslant.report.positions import LineIndex
from unslant.report.printable import cells, clean, shorten, shorten_left
from unslant.text.edits import deleted_words

_INDENT = 10
_LONGEST = 400
"""How many cells of text to show at most before, between and after the edits of a sentence."""
_BOLD, _DIM, _UNDERLINED, _STRUCK, _RED, _YELLOW = "1", "2", "4", "9", "31", "33"
_COLORS = {Applicability.SAFE: "32", Applicability.REVIEW: "33", Applicability.DISPLAY: "2"}


@dataclass(frozen=True, slots=True)
class Look:
    """How the diff looks."""

    color: bool = False
    width: int = 80

    def style(self, text: str, *codes: str) -> str:
        """Return text with colour, if colour is on."""
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.color and text else text

    @property
    def room(self) -> int:
        """How many cells are left next to the margin."""
        return max(self.width, 40) - _INDENT


def file_lines(fixed: Fixed, look: Look) -> Iterator[str]:
    """Yield the lines for one file; nothing if it has neither edits nor notes."""
    if not fixed.edits and not fixed.notes:
        return
    lines = LineIndex(fixed.document.source)
    count = "  " + count_verdicts(fixed.edits) if fixed.edits else ""
    yield f"{look.style(clean(fixed.document.id), _BOLD)}{look.style(count, _DIM)}\n\n"
    for _, group in groupby(fixed.edits, key=lambda suggestion: suggestion.sentence):
        yield from sentence_lines(list(group), lines, look)
        yield "\n"
    for note in fixed.notes:
        yield _note(note, lines, look)
    if fixed.notes:
        yield "\n"


def sentence_lines(edits: Sequence[Suggestion], lines: LineIndex, look: Look) -> Iterator[str]:
    """Yield the diff of a sentence and a line or two for each of its edits."""
    line, column = lines.locate(edits[0].edit.start)
    head = look.style(f"  {line}:{column}".ljust(_INDENT - 1) + " ", _DIM)
    for number, row in enumerate(word_diff(edits, look)):
        yield (head if not number else " " * _INDENT) + row + "\n"
    for suggestion in edits:
        verdict = suggestion.edit.applicability
        rules = (
            ", ".join(dict.fromkeys(finding.rule or finding.kind for finding in suggestion.findings))
            or suggestion.edit.source
        )
        said = f"{wording(suggestion.before, suggestion.edit, suggestion.sentence.start)}"
        plain = f"{verdict.value:<8}{said}"
        gap = " " * max(2, look.room - cells(plain) - cells(rules))
        yield (
            f"{' ' * _INDENT}{look.style(f'{verdict.value:<8}', _BOLD, _COLORS[verdict])}{said}"
            f"{gap}{look.style(clean(rules), _DIM)}\n"
        )
        if suggestion.edit.note:
            yield f"{' ' * (_INDENT + 8)}{look.style(clean(suggestion.edit.note), _DIM)}\n"
        others = [
            wording(suggestion.before, other, suggestion.sentence.start) for other in suggestion.alternatives
        ]
        if others:
            yield f"{' ' * (_INDENT + 8)}{look.style('or: ' + '; '.join(others[:3]), _DIM)}\n"


def wording(sentence: str, edit: Edit, base: int) -> str:
    """Return an edit in a few words: *“slammed” → “criticized”*, *“iconic” → delete*."""
    local = edit.shift(-base)
    gone = deleted_words(sentence, local)
    if gone:
        return f"\u201c{_short(gone)}\u201d \u2192 delete"
    old, new = _short(sentence[local.start : local.end]), _short(edit.replacement)
    return f"\u201c{old}\u201d \u2192 \u201c{new}\u201d" if old else f"add \u201c{new}\u201d"


def _short(text: str) -> str:
    return shorten(" ".join(clean(text).split()), 60)


def word_diff(edits: Sequence[Suggestion], look: Look) -> list[str]:
    """Return the sentence of some edits with deletions and insertions marked, in lines that fit."""
    sentence, base = edits[0].before, edits[0].sentence.start
    words: list[tuple[str, tuple[str, ...]]] = []
    at = 0
    for suggestion in edits:
        start, end = suggestion.edit.start - base, suggestion.edit.end - base
        if start < at or (suggestion.edit.applicability is Applicability.DISPLAY and len(edits) > 1):
            continue
        _add(words, _shorten(sentence[at:start], first=at == 0, last=False), ())
        removed, added = sentence[start:end], suggestion.edit.replacement
        color = _COLORS[suggestion.edit.applicability]
        _add(words, _mark(removed, "[-", "-]", look), (_RED, _STRUCK))
        _add(words, _mark(added, "{+", "+}", look, glued=not look.color), (color,))
        if added[-1:].isspace() or (not added and removed[-1:].isspace()):
            _add(words, " ", ())
        at = end
    _add(words, _shorten(sentence[at:], first=at == 0, last=True), ())
    return _wrap(words, look)


def marked_lines(sentence: str, words: Sequence[Span], look: Look) -> list[str]:
    """Return a sentence with some of its words marked, in lines that fit; words are by offsets of the sentence."""
    parts: list[tuple[str, tuple[str, ...]]] = []
    at = 0
    for span in words:
        _add(parts, _shorten(sentence[at : span.start], first=at == 0, last=False), ())
        marked = " ".join(sentence[span.start : span.end].split())
        _add(parts, marked if look.color else f"\u00bb{marked}\u00ab", (_BOLD, _UNDERLINED, _YELLOW))
        at = span.end
    _add(parts, _shorten(sentence[at:], first=at == 0, last=True), ())
    return _wrap(parts, look)


def _mark(text: str, opening: str, closing_mark: str, look: Look, *, glued: bool = False) -> str:
    core = " ".join(text.split())
    if not core:
        return ""
    lead = " " if text[:1].isspace() or (look.color and not glued and opening == "{+") else ""
    return lead + (core if look.color else f"{opening}{core}{closing_mark}")


def _shorten(text: str, *, first: bool, last: bool) -> str:
    flat = clean(text)
    if cells(flat) <= _LONGEST:
        return flat
    if first:
        return shorten_left(flat, _LONGEST)
    if last:
        return shorten(flat, _LONGEST)
    return shorten(flat, _LONGEST // 2).rstrip() + shorten_left(flat, _LONGEST // 2)


def _add(words: list[tuple[str, tuple[str, ...]]], text: str, codes: tuple[str, ...]) -> None:
    """Add pieces of text; a piece that begins a new word begins with a space."""
    if not text:
        return
    parts = clean(text).split()
    for number, part in enumerate(parts):
        lead = " " if number or text[0].isspace() else ""
        words.append((lead + part, codes))
    if (parts and text[-1].isspace()) or not parts:
        words.append((" ", ()))


def _wrap(words: Sequence[tuple[str, tuple[str, ...]]], look: Look) -> list[str]:
    rows: list[str] = [""]
    used, space = 0, False
    for text, codes in words:
        word = text.lstrip(" ")
        space = space or text != word
        if not word:
            continue
        lead = " " if space and used else ""
        if lead and used + 1 + cells(word) > look.room:
            rows.append("")
            used, lead = 0, ""
        rows[-1] += lead + (look.style(word, *codes) if codes else word)
        used += len(lead) + cells(word)
        space = False
    return rows


def _note(note: Note, lines: LineIndex, look: Look) -> str:
    position = "  {}:{}".format(*lines.locate(note.span.start)) if note.span else "  "
    head = look.style(position.ljust(_INDENT - 1) + " ", _DIM)
    return f"{head}{look.style('note', _BOLD)}  {clean(note.message)}\n"


def count_verdicts(edits: Sequence[Suggestion]) -> str:
    """Return how many edits have each verdict, in words."""
    names = (
        (Applicability.SAFE, "safe"),
        (Applicability.REVIEW, "to review"),
        (Applicability.DISPLAY, "shown only"),
    )
    parts = []
    for verdict, name in names:
        number = sum(suggestion.edit.applicability is verdict for suggestion in edits)
        if number:
            parts.append(f"{number:,} {name}")
    total = f"{len(edits):,} edit" + ("" if len(edits) == 1 else "s")
    return f"{total}: {', '.join(parts)}"
