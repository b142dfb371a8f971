"""One self-contained HTML page: no script, nothing loaded from elsewhere, everything escaped.

Every HTML report has the same frame and one family of style sheets.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from itertools import pairwise
from tempfile import SpooledTemporaryFile
from typing import TextIO

from unslant.core.taxonomy import kind as kind_named
from unslant.core.taxonomy import kinds
from unslant.core.types import Finding, Report, Severity, Span
from unslant.report.messages import advice, label
from unslant.report.notes import notes_on
from unslant.report.outcome import Outcome, RenderSettings, RunSummary, Tally
from unslant.report.positions import LineIndex
from unslant.report.printable import clean
from unslant.report.terminal import closing, sentence_around, sentence_index

_THEME = ("unslant.report", "theme.css")
"""Colours and type, the same as those of the page that the server serves."""


@cache
def stylesheet(package: str = _THEME[0], name: str = _THEME[1]) -> str:
    """Return a style sheet of a package; by default the theme that all share."""
    return files(package).joinpath(name).read_text("utf-8")


def html_head(title: str, *sheets: tuple[str, str]) -> str:
    """Return everything up to the body: the theme, and these style sheets by package and name."""
    style = "\n".join(stylesheet(*sheet) for sheet in (_THEME, *sheets))
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
    )


def html_filters(shown: Mapping[str, str]) -> str:
    """Return switches, by the class of what they hide and their label; nothing where there is nothing to choose.

    The style sheet hides what they are named after; no script is needed.
    """
    if len(shown) < 2:
        return ""
    switches = "".join(
        f'<label><input type="checkbox" id="show-{name}" checked> {_text(title)}</label>\n'
        for name, title in shown.items()
    )
    return f'<fieldset class="filters">\n<legend>Show</legend>\n{switches}</fieldset>\n'


_IN_MEMORY = 8_000_000
_MANY_ROWS = 12
_LOOK_AHEAD = 200


def render(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write the page; sections are buffered in a temporary file, because the summary comes before them."""
    tally = Tally()
    page = _HtmlPage(settings)
    with SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8", newline="") as sections:
        for outcome in tally.watch(outcomes):
            sections.writelines(page.file(outcome))
        summary = tally.summary()
        stream.write(_head(summary))
        stream.writelines(page.summary(summary))
        sections.seek(0)
        while chunk := sections.read(1 << 20):
            stream.write(chunk)
    version = f" {settings.version}" if settings.version else ""
    stream.write(
        f"</main>\n<footer><p>Created by unslant{_text(version)}. It comments on wording, not on people, "
        "and can be wrong: you decide.</p></footer>\n</body>\n</html>\n"
    )
    return summary


def _text(text: str) -> str:
    """Return text escaped for HTML, without control characters."""
    return escape(clean(text))


def _lines(text: str) -> str:
    """Return escaped text with its line breaks."""
    return "\n".join(map(_text, text.replace("\r\n", "\n").replace("\r", "\n").split("\n")))


def _head(summary: RunSummary) -> str:
    return html_head(clean(f"Wording report: {closing(summary)}"), ("unslant.report", "page.css"))


def _kind_class(kind: str) -> str:
    return f"kind-{kind}" if kind in kinds() else "kind-other"


def _kind_tag(kind: str, text: str) -> str:
    return f'<span class="kind {_kind_class(kind)}">{_text(text)}</span>'


class _HtmlPage:
    """Formats one file after another and counts what the summary needs."""

    def __init__(self, settings: RenderSettings) -> None:
        self._settings = settings
        self._rules: Counter[str] = Counter()
        self._files: list[tuple[str, int]] = []
        self._errors: list[tuple[str, str]] = []
        self._number = 0

    def file(self, outcome: Outcome) -> Iterator[str]:
        """Yield the section of one file; nothing if nothing was found."""
        report = outcome.report
        if report is None:
            self._errors.append((outcome.path, outcome.error or ""))
            return
        notes = notes_on(outcome, self._settings)
        if not report.findings and not notes:
            return
        self._files.append((outcome.path, len(report.findings)))
        lines = LineIndex(report.document.source)
        place = len(self._files)
        yield f'<section class="file" aria-labelledby="file-{place}">\n'
        yield f'<h2 id="file-{place}">{_text(outcome.path)}</h2>\n'
        for passage in passages(report, lines):
            yield from self._passage(report.document.source, passage, lines)
        if notes:
            yield '<h3 class="notes">Notes</h3>\n<ul class="notes">\n'
        for note in notes:
            where = f"{_where(note.span.start, lines)}: " if note.span else ""
            yield f"<li>{where}{_text(note.message)}</li>\n"
        yield "</ul>\n</section>\n" if notes else "</section>\n"

    def _passage(self, source: str, passage: Passage, lines: LineIndex) -> Iterator[str]:
        numbers = {id(finding): self._number + place for place, finding in enumerate(passage.findings, 1)}
        first, _ = lines.locate(passage.span.start)
        last, _ = lines.locate(passage.span.end - 1)
        where = f"Line {first:,}" if first == last else f"Lines {first:,} to {last:,}"
        yield f'<div class="passage">\n<div class="quoted">\n<h3>{where}</h3>\n<blockquote dir="auto">'
        if passage.span.start > 0:
            yield '<span class="cut">… </span>'
        for segment in segments(passage):
            text = _lines(source[segment.span.start : segment.span.end])
            yield (
                f'<mark class="{_kind_class(segment.findings[0].kind)}">{text}</mark>'
                if segment.findings
                else text
            )
            for finding in segment.closes:
                yield _reference(numbers[id(finding)], finding)
        if source[passage.span.end : passage.span.end + _LOOK_AHEAD].strip():
            yield '<span class="cut"> …</span>'
        yield '</blockquote>\n</div>\n<ol class="cards">\n'
        for finding in passage.findings:
            yield from self._card(finding, source, lines)
        yield "</ol>\n</div>\n"

    def _card(self, finding: Finding, source: str, lines: LineIndex) -> Iterator[str]:
        self._number += 1
        self._rules[finding.id] += 1
        number = self._number
        classes = f"card {_kind_class(finding.kind)} severity-{finding.severity.value}"
        yield f'<li class="{classes}" id="finding-{number}">\n'
        yield f'<h4><a class="number" href="#words-{number}">{number}</a> “{_text(finding.text)}”</h4>\n'
        yield f'<p class="facts">{_kind_tag(finding.kind, label(finding))} '
        yield f'<span class="severity">{finding.severity.value}</span> '
        yield f"<span>{_where(finding.span.start, lines)}</span> "
        yield f"<code>{_text(finding.id)}</code></p>\n"
        yield f"<p>{_text(finding.why)}</p>\n"
        wording = advice(finding, source, shown=len(finding.edits))
        if wording:
            yield f'<p class="try"><strong>Try:</strong> {_text(wording)}</p>\n'
        rule = self._settings.rules.get(finding.rule) if finding.rule else None
        if rule is not None:
            yield f'<p class="source">Source: {_text(rule.source)}</p>\n'
        yield "</li>\n"

    def _filters(self, summary: RunSummary) -> Iterator[str]:
        """Yield switches that hide kinds and severities."""
        shown = [(_kind_class(kind), kind) for kind in sorted(summary.kinds)]
        shown += [
            (f"severity-{name.value}", f"{name.value}s") for name in Severity if summary.severities[name]
        ]
        yield html_filters(dict(shown))

    def summary(self, summary: RunSummary) -> Iterator[str]:
        """Yield the top of the page: the summary in words and the tables."""
        yield f"<header>\n<h1>Wording report</h1>\n<p>{_text(closing(summary))}</p>\n</header>\n<main>\n"
        if self._errors:
            yield '<section aria-labelledby="errors">\n<h2 id="errors">Not checked</h2>\n'
            yield '<ul class="errors">\n'
            for path, error in self._errors:
                yield f"<li><strong>{_text(path)}</strong>: {_text(error)}</li>\n"
            yield "</ul>\n</section>\n"
        if not summary.findings:
            return
        yield '<section class="summary" aria-labelledby="summary">\n<h2 id="summary">Summary</h2>\n'
        yield from _table("By kind", ("Kind", "Meaning"), self._kind_rows(summary))
        yield from _table("By rule", ("Rule", "Title"), self._rule_rows())
        yield from _table("By file", ("File",), self._file_rows())
        yield from self._filters(summary)
        yield "</section>\n"

    def _kind_rows(self, summary: RunSummary) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = []
        for kind, count in sorted(summary.kinds.items(), key=lambda item: (-item[1], item[0])):
            meaning = kind_named(kind).meaning if kind in kinds() else ""
            rows.append((_kind_tag(kind, kind), _text(meaning), f"{count:,}"))
        return rows

    def _rule_rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = []
        for name, count in sorted(self._rules.items(), key=lambda item: (-item[1], item[0])):
            rule = self._settings.rules.get(name)
            rows.append((f"<code>{_text(name)}</code>", _text(rule.title) if rule else "", f"{count:,}"))
        return rows

    def _file_rows(self) -> list[tuple[str, ...]]:
        return [
            (f'<a href="#file-{place}">{_text(path)}</a>', f"{count:,}")
            for place, (path, count) in enumerate(self._files, 1)
        ]


def _where(offset: int, lines: LineIndex) -> str:
    line, column = lines.locate(offset)
    return f"line {line:,}, column {column:,}"


def _reference(number: int, finding: Finding) -> str:
    label_text = _text(f"finding {number}: {finding.kind}")
    target = f'id="words-{number}" href="#finding-{number}"'
    return f'<a class="number" {target} aria-label="{label_text}">{number}</a>'


def _table(caption: str, headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Yield a table of escaped cells with counts in the last column; a long table is collapsible."""
    folded = len(rows) > _MANY_ROWS
    if folded:
        yield f"<details>\n<summary>{caption}: {len(rows):,} rows</summary>\n"
    yield f"<table>\n<caption>{caption}</caption>\n<thead><tr>"
    yield "".join(f'<th scope="col">{heading}</th>' for heading in headings)
    yield '<th scope="col" class="count">Findings</th></tr></thead>\n<tbody>\n'
    for first, *middle, count in rows:
        cells = "".join(f"<td>{cell}</td>" for cell in middle)
        yield f'<tr><th scope="row">{first}</th>{cells}<td class="count">{count}</td></tr>\n'
    yield "</tbody>\n</table>\n"
    if folded:
        yield "</details>\n"


_MOST_FINDINGS = 6  # with more, readers lose track of the words while reading the cards
_REACH = 400  # the most code points of context on either side of a finding
_GAP = 2  # passages this close to each other are joined


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of the source with the findings inside it."""

    span: Span
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a passage inside which no finding starts or ends."""

    span: Span
    findings: tuple[Finding, ...]
    """The findings that cover it."""
    closes: tuple[Finding, ...]
    """The findings that end with it."""


def passages(report: Report, lines: LineIndex) -> Iterator[Passage]:
    """Yield the passages in order; each finding is in exactly one of them."""
    start = end = covered = 0
    inside: list[Finding] = []
    for finding in report.findings:
        sentence = sentence_around(report, lines, finding.span)
        context = _context(report, sentence, finding.span)
        border = max(covered, sentence.start, finding.span.start - _REACH)
        if not inside:
            start = context.start
        elif context.start > end + _GAP:
            yield Passage(Span(start, end), tuple(inside))
            start, end, inside = context.start, 0, []
        elif border <= finding.span.start and _full(inside, sentence.start >= covered):
            yield Passage(Span(start, min(end, border)), tuple(inside))
            start, end, inside = border, 0, []
        inside.append(finding)
        end = max(end, context.end)
        covered = max(covered, finding.span.end)
    if inside:
        yield Passage(Span(start, end), tuple(inside))


def _full(inside: list[Finding], between_sentences: bool) -> bool:
    return len(inside) >= (_MOST_FINDINGS if between_sentences else 4 * _MOST_FINDINGS)


def _context(report: Report, sentence: Span, span: Span) -> Span:
    """Return the sentence of a finding with its neighbours, limited to a readable length."""
    start, end = sentence.start, sentence.end
    place = sentence_index(report, span.start)
    if place >= 1:
        start = min(start, report.sentences[place - 1].span.start)
    if 0 <= place < len(report.sentences) - 1:
        end = max(end, report.sentences[place + 1].span.end)
    return Span(max(start, span.start - _REACH), min(end, span.end + _REACH))


def segments(passage: Passage) -> Iterator[Segment]:
    """Yield the passage in segments, in order and without gaps, so that overlapping findings can be marked."""
    cuts = {passage.span.start, passage.span.end}
    for finding in passage.findings:
        cuts |= {finding.span.start, finding.span.end}
    places = sorted(cuts)
    waiting = list(reversed(passage.findings))
    covering: list[Finding] = []
    for start, end in pairwise(places):
        covering = [finding for finding in covering if finding.span.end > start]
        while waiting and waiting[-1].span.start <= start:
            covering.append(waiting.pop())
        closes = tuple(finding for finding in covering if finding.span.end == end)
        yield Segment(Span(start, end), tuple(covering), closes)
