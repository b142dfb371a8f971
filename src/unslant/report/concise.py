"""One line per finding, for grep, editors and other tools: ``file:line:col: severity rule: message``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from unslant.report.messages import message
from unslant.report.outcome import Outcome, RenderSettings, RunSummary, Tally
from unslant.report.places import placed_findings
from unslant.report.printable import clean

__all__ = ["render"]


def render(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write one line per finding and nothing else; no finding is longer than its line."""
    tally = Tally()
    for outcome in tally.watch(outcomes):
        # as the user typed it, so that a click on the line in a terminal opens the file
        path = clean(outcome.path)
        for place in placed_findings(outcome, settings):
            text = clean(message(place.finding, place.source))
            head = f"{path}:{place.line}:{place.column}: {place.finding.severity.value} {clean(place.rule)}"
            stream.write(f"{head}: {text}\n")
    return tally.summary()
