"""JUnit XML, for the test reports of continuous integration: a suite per file, a failed case per finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO

from unslant.report.messages import label, message
from unslant.report.outcome import Outcome, RenderSettings, RunSummary, Tally
from unslant.report.places import Place, placed_findings, shown_path
from unslant.report.xml import DECLARATION, ascii_only, attribute, content

__all__ = ["render"]


def render(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write one suite per file; a file without findings is a case that passes."""
    tally = Tally()
    stream.write(f'{DECLARATION}<testsuites name="unslant">\n')
    for outcome in tally.watch(outcomes):
        stream.writelines(ascii_only(line) for line in _suite(outcome, settings))
    stream.write("</testsuites>\n")
    return tally.summary()


def _suite(outcome: Outcome, settings: RenderSettings) -> Iterator[str]:
    path = attribute(shown_path(outcome, settings))
    places = list(placed_findings(outcome, settings))
    failed = outcome.error is not None
    yield f'  <testsuite name={path} tests="{max(len(places), 1)}" failures="{len(places)}" errors="{failed:d}">\n'
    if outcome.error is not None:
        yield f'    <testcase name="not checked" classname={path}>\n'
        yield f'      <error message={attribute(outcome.error)} type="not-checked"></error>\n'
        yield "    </testcase>\n"
    elif not places:
        yield f'    <testcase name="no findings" classname={path}></testcase>\n'
    for place in places:
        yield from _case(place)
    yield "  </testsuite>\n"


def _case(place: Place) -> Iterator[str]:
    finding = place.finding
    name = attribute(f"{place.line}:{place.column} {place.rule}")
    where = f"{place.path}:{place.line}:{place.column}: {finding.severity.value}, {label(finding)}"
    text = content(f"{where}\n{message(finding, place.source)}")
    yield f"    <testcase name={name} classname={attribute(place.path)}>\n"
    kind = attribute(finding.severity.value)
    yield f"      <failure message={attribute(message(finding, place.source))} type={kind}>{text}</failure>\n"
    yield "    </testcase>\n"
