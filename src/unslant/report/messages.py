"""The wording of a finding, the same in every format that people read."""

from __future__ import annotations

from unslant.core.types import Edit, Finding
from unslant.report.printable import shorten
from unslant.text.edits import deleted_words

_SHOWN = 4
_LONG = 120


def label(finding: Finding) -> str:
    """Return the kind, and the dimension if there is one."""
    return f"{finding.kind} ({finding.dimension})" if finding.dimension else finding.kind


def advice(finding: Finding, source: str, shown: int = _SHOWN) -> str:
    """Return the suggested wordings on one line, or an empty string."""
    wordings: list[str] = []
    deletes = False
    for edit in finding.edits:
        if _only_deletes(edit, finding, source):
            deletes = True
        else:
            wordings.append(_wording(edit, finding, source))
    wordings = list(dict.fromkeys(wordings))
    text = ", ".join(wordings[:shown])
    if len(wordings) > shown:
        text += ", …"
    if deletes:
        text += ", or leave it out" if text else "leave it out"
    return text


def without_wording(finding: Finding) -> str:
    """Return what a writer can do about a finding for which no wording is offered."""
    first = "leave it out, " if finding.deletable else ""
    return f"no wording offered: {first}reword it, quote it, say who says so, or keep it"


def message(finding: Finding, source: str, separator: str = " ") -> str:
    """Return the words, the reason and the suggestions, for formats with a single message per finding."""
    text = f"“{_one_line(finding.text)}”: {_one_line(finding.why)}"
    wording = advice(finding, source)
    return f"{text}{separator}Try: {wording}." if wording else text


def _only_deletes(edit: Edit, finding: Finding, source: str) -> bool:
    """Return whether the edit deletes the words and otherwise changes only an article, a comma or a capital."""
    start, end = edit.span.start, edit.span.end
    before, after = source[start : finding.span.start], source[finding.span.end : end]
    if start > finding.span.start or finding.span.end > end:
        return False
    return _bare(before + after) == _bare(edit.replacement)


def _bare(text: str) -> list[str]:
    return ["a" if word == "an" else word for word in text.lower().replace(",", " ").split()]


def _same_words(edit: Edit, finding: Finding, source: str) -> bool:
    return source[edit.span.start : edit.span.end].strip() == finding.text.strip()


def _wording(edit: Edit, finding: Finding, source: str) -> str:
    gone = deleted_words(source, edit)
    if gone:
        return f"leave out “{_one_line(gone)}”"
    new = _one_line(edit.replacement)
    if _same_words(edit, finding, source):
        return f"“{new}”"
    old = _one_line(source[edit.span.start : edit.span.end])
    return f"“{new}” for “{old}”"


def _one_line(text: str) -> str:
    return shorten(" ".join(text.split()), _LONG)
