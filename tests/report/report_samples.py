"""Reports made by hand, for the tests of the formats."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any

from unslant.core.types import (
    Applicability,
    Document,
    Edit,
    Finding,
    Note,
    Report,
    SentenceVerdict,
    Severity,
    Span,
    fingerprint,
)
from unslant.report import Outcome, RenderSettings, render

PRAISE = "Praises the subject instead of saying what it did."
ROLE = "Names a role by one gender, though people of any gender hold it."
DOUBT = "Casts doubt on the statement without saying why."


@dataclass(frozen=True)
class Rule:
    id: str
    title: str
    kind: str
    dimension: str | None
    severity: Severity
    why: str
    source: str


RULES = {
    rule.id: rule
    for rule in (
        Rule(
            "framing/praise-adjective",
            "Peacock term",
            "framing",
            None,
            Severity.WARNING,
            PRAISE,
            "A style guide",
        ),
        Rule(
            "demographic/gendered-role",
            "Gendered role",
            "demographic",
            "gender",
            Severity.ERROR,
            ROLE,
            "A paper",
        ),
    )
}


def finding(source: str, words: str, *replacements: str, nth: int = 0, **fields: Any) -> Finding:
    """A finding on the nth occurrence of some words; by default a peacock term."""
    starts = [match.start() for match in re.finditer(re.escape(words), source)]
    span = Span(starts[nth], starts[nth] + len(words))
    known: dict[str, Any] = {
        "kind": "framing",
        "why": PRAISE,
        "origin": "rules",
        "rule": "framing/praise-adjective",
        "edits": tuple(Edit(span.start, span.end, new, Applicability.REVIEW) for new in replacements),
        "fingerprint": fingerprint("framing/praise-adjective", words, source, nth),
    }
    return Finding(span, words, **(known | fields))


def report(
    source: str,
    *findings: Finding,
    path: str = "text.txt",
    notes: tuple[Note, ...] = (),
    sentences: bool = True,
) -> Report:
    """A report whose sentences end with a full stop, question mark or blank line."""
    spans = [Span(*match.span()) for match in re.finditer(r"\S(?:[^.?\n]|\n(?!\n))*[.?]?", source)]
    verdicts = tuple(SentenceVerdict(span) for span in spans) if sentences else ()
    ordered = tuple(sorted(findings, key=lambda found: found.span))
    return Report(Document(source, source, path), verdicts, ordered, {"version": "0.1.0"}, notes)


def outcome(source: str, *findings: Finding, path: str = "text.txt", notes: tuple[Note, ...] = ()) -> Outcome:
    return Outcome(path, report(source, *findings, path=path, notes=notes))


def rendered(name: str, *outcomes: Outcome, **settings: Any) -> str:
    stream = io.StringIO()
    render(name, outcomes, stream, RenderSettings(**settings))
    return stream.getvalue()
