"""Two versions of texts: which findings a change introduces, which it resolves, and which stay.

A finding is introduced if any of its words is new, and resolved if any of its words is gone; words that only moved,
within a file or between files, are neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TextIO

from unslant.core.types import Finding, Report
from unslant.report.messages import message
from unslant.report.outcome import Outcome
from unslant.report.positions import LineIndex
from unslant.report.printable import clean
from unslant.report.terminal import excerpt, sentence_around
from unslant.report.wire import dumps
from unslant.workspace.changes import Introduced, find_introduced_by_file

SCHEMA = "unslant/comparison/1"
"""The name and version of the JSON form."""


_ROOM = 100
"""How many cells of a sentence are shown."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """What a change did to the findings of one file."""

    path: str
    old: Report | None
    """None for a new file."""
    new: Report | None
    """None for a deleted file."""
    introduced: tuple[Finding, ...]
    """Findings of the new version."""
    resolved: tuple[Finding, ...]
    """Findings of the old version."""
    unchanged: tuple[Finding, ...]
    """Findings of the new version that were there before."""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; spans of resolved findings are into the old version, the others into the new one."""
        return {
            "path": self.path,
            "introduced": [finding.to_dict() for finding in self.introduced],
            "resolved": [finding.to_dict() for finding in self.resolved],
            "unchanged": [finding.to_dict() for finding in self.unchanged],
        }


def compare_reports(old: Mapping[str, Report], new: Mapping[str, Report]) -> list[Comparison]:
    """Compare two versions of some files, by their names; a name in one of them only was added or deleted."""
    before = {name: report.document.source for name, report in old.items()}
    after = {name: report.document.source for name, report in new.items()}
    added = _changed_words(before, after)
    removed = _changed_words(after, before)
    names = [*new, *(name for name in old if name not in new)]
    return [
        _compare(name, old.get(name), new.get(name), added.get(name), removed.get(name)) for name in names
    ]


def _changed_words(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, Introduced]:
    gone = [text for name, text in before.items() if name not in after]
    return find_introduced_by_file(before, after, gone)


def _compare(
    name: str, old: Report | None, new: Report | None, added: Introduced | None, removed: Introduced | None
) -> Comparison:
    introduced, unchanged = _split(new, added)
    resolved, _ = _split(old, removed)
    return Comparison(name, old, new, introduced, resolved, unchanged)


def _split(
    report: Report | None, words: Introduced | None
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Return the findings with words that only this version has, and the others."""
    if report is None or words is None:
        return (), ()
    changed = tuple(finding for finding in report.findings if words.overlaps(finding.span))
    ids = set(map(id, changed))
    return changed, tuple(finding for finding in report.findings if id(finding) not in ids)


def comparisons_to_dict(
    comparisons: Sequence[Comparison], errors: Iterable[Mapping[str, str]] = ()
) -> dict[str, Any]:
    """Return the JSON form of a whole comparison."""
    return {
        "schema": SCHEMA,
        "files": [comparison.to_dict() for comparison in comparisons],
        "errors": [dict(error) for error in errors],
        "summary": {
            "introduced": sum(len(each.introduced) for each in comparisons),
            "resolved": sum(len(each.resolved) for each in comparisons),
            "unchanged": sum(len(each.unchanged) for each in comparisons),
        },
    }


def introduced_outcomes(comparisons: Iterable[Comparison]) -> Iterator[Outcome]:
    """Yield the new version of each file with the findings that the change introduces, for every output format."""
    for comparison in comparisons:
        if comparison.new is not None:
            report = replace(comparison.new, findings=comparison.introduced)
            yield Outcome(comparison.path, report)


def write_text(comparisons: Sequence[Comparison], stream: TextIO) -> None:
    """Write the introduced (``+``) and resolved (``-``) findings, each with its sentence, then the totals."""
    for comparison in comparisons:
        if comparison.introduced or comparison.resolved:
            stream.write(f"{clean(comparison.path)}\n")
            stream.writelines(_lines("+", comparison.introduced, comparison.new))
            stream.writelines(_lines("-", comparison.resolved, comparison.old))
            stream.write("\n")
    total = comparisons_to_dict(comparisons)["summary"]
    counts = ", ".join(f"{number:,} {name}" for name, number in total.items())
    stream.write(f"Findings: {counts}.\n")


def _lines(sign: str, findings: Sequence[Finding], report: Report | None) -> Iterator[str]:
    if report is None:
        return
    source = report.document.source
    lines = LineIndex(source)
    for finding in findings:
        line, column = lines.locate(finding.span.start)
        what = finding.rule or f"{finding.origin}/{finding.kind}"
        text = clean(message(finding, source))
        yield f"  {sign} {line}:{column} {finding.severity.value} {clean(what)}: {text}\n"
        before, words, after = excerpt(
            source, sentence_around(report, lines, finding.span), finding.span, _ROOM
        )
        yield f"      {before}»{words}«{after}\n"


def write_json(
    comparisons: Sequence[Comparison], stream: TextIO, errors: Iterable[Mapping[str, str]] = ()
) -> None:
    """Write one object."""
    stream.write(dumps(comparisons_to_dict(comparisons, errors)) + "\n")
