"""The text format: for people, on a terminal or in a pipe.

With colour, a finding is coloured and underlined in its sentence. Without, a line of carets below marks it,
aligned by terminal cells. Terminals reorder right-to-left sentences, so nothing can be aligned below them;
there, the words are put between ``»`` and ``«``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TextIO

from unslant.core.types import Finding, Note, Report, Severity, Span
from unslant.core.verdicts import Verdicts
from unslant.report.messages import advice, label, without_wording
from unslant.report.notes import notes_on
from unslant.report.outcome import Outcome, RenderSettings, RunSummary, Tally
from unslant.report.positions import LineIndex
from unslant.report.printable import cells, clean, plural, runs_right_to_left, shorten, shorten_left, wrap

_INDENT = 10
_NARROW, _WIDE = 40, 110  # nothing fits into less; longer lines are hard to read
_COLORS = {Severity.SUGGESTION: "36", Severity.WARNING: "33", Severity.ERROR: "31"}
_BOLD, _DIM, _GREEN = "1", "2", "32"


def render(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write the findings of each file as soon as it is checked, then a summary.

    Errors are only counted here; the caller prints them to standard error.
    """
    tally = Tally()
    page = _TextPage(settings)
    example: str | None = None
    for outcome in tally.watch(outcomes):
        if outcome.report and outcome.report.findings and example is None:
            example = next((finding.rule for finding in outcome.report.findings if finding.rule), None)
        stream.writelines(page.file(outcome))
    summary = tally.summary()
    stream.writelines(page.end(summary, example))
    return summary


def closing(summary: RunSummary) -> str:
    """Return the summary in one line."""
    parts = []
    checked = summary.files - summary.foreign
    if checked:
        found = _found(summary) if summary.findings else "no slanted wording found"
        parts.append(f"{plural(checked, 'file')} checked, {found}")
    if summary.accepted:
        parts.append(f"{plural(summary.accepted, 'finding')} accepted by the baseline")
    if summary.kept:
        parts.append(f"{plural(summary.kept, 'finding')} kept by .unslant-ignore")
    if summary.foreign:
        parts.append(f"{plural(summary.foreign, 'file')} not checked: not in English")
    if summary.failed:
        parts.append(f"{plural(summary.failed, 'file')} could not be checked")
    if summary.interrupted:
        parts.append("interrupted" if parts else "Interrupted before any file was checked")
    return "; ".join(parts or ["No files to check"]) + "."


def _found(summary: RunSummary) -> str:
    severities = sorted(summary.severities.items(), key=lambda item: -item[0].rank)
    parts = ", ".join(plural(count, severity.value) for severity, count in severities if count)
    return f"{plural(summary.findings, 'finding')}: {parts}"


class _TextPage:
    """Formats findings."""

    def __init__(self, settings: RenderSettings) -> None:
        self._settings = settings
        self._width = min(max(settings.width, _NARROW), _WIDE)
        self._room = self._width - _INDENT
        self._margin = " " * _INDENT

    def _style(self, text: str, *codes: str) -> str:
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self._settings.color and text else text

    def file(self, outcome: Outcome) -> Iterator[str]:
        """Yield the output for one file; nothing if nothing was found."""
        report = outcome.report
        if report is None:
            return
        notes = notes_on(outcome, self._settings, self._room // 2)
        if not (report.findings or notes):
            return
        lines = LineIndex(report.document.source)
        heading = self._style(clean(outcome.path), _BOLD)
        count = f"  {plural(len(report.findings), 'finding')}" if report.findings else ""
        yield f"{heading}{self._style(count, _DIM)}\n\n"
        for finding in report.findings:
            yield self._header(finding, lines)
            if self._settings.source:
                sentence = sentence_around(report, lines, finding.span)
                cut = excerpt(report.document.source, sentence, finding.span, self._room)
                yield from self._mark_finding(cut, finding.severity)
            yield from self._reasons(finding, report.document.source)
            yield "\n"
        for note in notes:
            yield self._note(note, lines)
        if notes:
            yield "\n"

    def _header(self, finding: Finding, lines: LineIndex) -> str:
        line, column = lines.locate(finding.span.start)
        position = f"  {line}:{column}".ljust(_INDENT - 1) + " "
        name = clean(finding.id)
        kind = f"  {label(finding)}"
        used = len(position) + len(finding.severity) + len(kind) + cells(name)
        gap = " " * max(self._width - used, 2)
        severity = self._style(finding.severity.value, _BOLD, _COLORS[finding.severity])
        return f"{self._style(position, _DIM)}{severity}{kind}{gap}{self._style(name, _DIM)}\n"

    def _mark_finding(self, cut: Excerpt, severity: Severity) -> Iterator[str]:
        before, words, after = cut
        if self._settings.color:
            yield f"{self._margin}{before}{self._style(words, _BOLD, '4', _COLORS[severity])}{after}\n"
        elif runs_right_to_left(before + words + after):
            yield f"{self._margin}{before}»{words}«{after}\n"
        else:
            yield f"{self._margin}{before}{words}{after}\n"
            yield f"{self._margin}{' ' * cells(before)}{'^' * max(cells(words), 1)}\n"

    def _reasons(self, finding: Finding, source: str) -> Iterator[str]:
        yield from self._wrap(finding.why)
        wording = advice(finding, source)
        if wording:
            yield from self._wrap(f"try: {wording}", _GREEN)
        else:
            yield from self._wrap(without_wording(finding), _DIM)
        if self._settings.verbose:
            rule = self._settings.rules.get(finding.rule) if finding.rule else None
            if rule is not None:
                yield from self._wrap(f"source: {rule.source}", _DIM)
            if finding.probability is not None:
                yield from self._wrap(f"probability: {finding.probability:.0%} ({finding.origin})", _DIM)

    def _wrap(self, text: str, *codes: str) -> Iterator[str]:
        for line in wrap(clean(text), self._room):
            yield f"{self._margin}{self._style(line, *codes) if codes else line}\n"

    def _note(self, note: Note, lines: LineIndex) -> str:
        position = "  {}:{}".format(*lines.locate(note.span.start)) if note.span else "  "
        first, *rest = wrap(clean(note.message), self._room - len("note  "))
        text = "".join(f"{self._margin}      {line}\n" for line in rest)
        position = self._style(position.ljust(_INDENT - 1) + " ", _DIM)
        return f"{position}{self._style('note', _BOLD)}  {first}\n{text}"

    def end(self, summary: RunSummary, example: str | None) -> Iterator[str]:
        """Yield the summary, and a hint where to find more."""
        clean_run = not (summary.findings or summary.failed or summary.interrupted)
        codes = (_BOLD, _GREEN) if clean_run else (_BOLD,)
        for line in wrap(closing(summary), self._width):
            yield self._style(line, *codes) + "\n"
        if example:
            yield self._style(f"More about a rule: unslant explain {clean(example)}", _DIM) + "\n"
        if summary.findings:
            yield self._style("Decide about each finding: unslant fix --interactive FILE", _DIM) + "\n"


class Excerpt(NamedTuple):
    """The words of a finding with their context, on one line and safe to print."""

    before: str
    words: str
    after: str


def sentence_index(report: Report, offset: int) -> int:
    """Return the index of the last sentence that starts at or before an offset, or -1."""
    if isinstance(report.sentences, Verdicts):
        return report.sentences.place_of(offset)
    return bisect_right(report.sentences, offset, key=lambda sentence: sentence.span.start) - 1


def sentence_around(report: Report, lines: LineIndex, span: Span) -> Span:
    """Return the sentence that contains the span, or its line if there is none."""
    place = sentence_index(report, span.start)
    if place >= 0:
        sentence = report.sentences[place].span
        if span.start < sentence.end:
            return Span(sentence.start, max(sentence.end, span.end))
    line, _ = lines.locate(span.start)
    last, _ = lines.locate(span.end)
    end = lines.start(last + 1) if last < len(lines) else len(report.document.source)
    return Span(lines.start(line), max(end, span.end))


def excerpt(source: str, sentence: Span, span: Span, room: int) -> Excerpt:
    """Return the finding in as much of its sentence as fits into ``room`` cells, with ``…`` where it is cut.

    Only the surroundings of the finding are looked at, so that many findings in one endless sentence stay fast.
    """
    reach = 4 * room
    start, end = max(sentence.start, span.start - reach), min(sentence.end, span.end + reach)
    words = shorten(_one_line(source[span.start : min(span.end, span.start + reach)]), room)
    before = _one_line(source[start : span.start]).lstrip()
    after = _one_line(source[span.end : end]).rstrip()
    spare = room - cells(words)
    need_before, need_after = cells(before), cells(after)
    if need_before + need_after > spare:
        room_after = max(spare // 2, spare - need_before)
        after = shorten(after, room_after)
        before = shorten_left(before, spare - cells(after))
    return Excerpt(before, words, after)


def _one_line(text: str) -> str:
    cleaned = clean(text)
    return re.sub(r"\s\s+", " ", cleaned) if "  " in cleaned else cleaned
