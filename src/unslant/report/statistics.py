"""Counts instead of findings: which rules report most, and in which files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TextIO

from unslant.report.outcome import Outcome, RenderSettings, RunSummary, Tally
from unslant.report.printable import clean
from unslant.report.table import placed_findings
from unslant.report.terminal import closing
from unslant.report.wire import dumps


def render_text(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write a table of rules, a table of files and the summary, the highest counts first."""
    rules, files, summary = _count(outcomes, settings)
    for heading, counts in (("Findings by rule", rules), ("Findings by file", files)):
        if counts:
            stream.write(f"{heading}\n\n")
            width = len(f"{max(counts.values()):,}")
            stream.writelines(
                f"  {number:{width},}  {clean(name)}\n" for name, number in _most_common(counts)
            )
            stream.write("\n")
    stream.write(closing(summary) + "\n")
    return summary


def render_json(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write one object with the same counts."""
    rules, files, summary = _count(outcomes, settings)
    counts = {
        "rules": dict(_most_common(rules)),
        "files": dict(_most_common(files)),
        "summary": summary.to_dict(),
    }
    stream.write(dumps({"schema": "unslant/statistics/1", **counts}) + "\n")
    return summary


def _count(
    outcomes: Iterable[Outcome], settings: RenderSettings
) -> tuple[Counter[str], Counter[str], RunSummary]:
    tally = Tally()
    rules: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for outcome in tally.watch(outcomes):
        for place in placed_findings(outcome, settings):
            rules[place.rule] += 1
            files[outcome.path] += 1
    return rules, files, tally.summary()


def _most_common(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
