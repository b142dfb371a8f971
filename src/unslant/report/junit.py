"""JUnit XML, for the test reports of continuous integration: a suite per file, a failed case per finding."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

from unslant.report.messages import label, message
from unslant.report.outcome import Outcome, RenderSettings, RunSummary, Tally
from unslant.report.places import Place, placed_findings, shown_path

__all__ = ["render"]

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 has no way to write."""


def render(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write one suite per file; a file without findings is a case that passes."""
    tally = Tally()
    # Everything beyond ASCII is written as a reference, so the encoding of the stream does not matter.
    stream.write('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="unslant">\n')
    for outcome in tally.watch(outcomes):
        stream.writelines(_ascii(line) for line in _suite(outcome, settings))
    stream.write("</testsuites>\n")
    return tally.summary()


def _suite(outcome: Outcome, settings: RenderSettings) -> Iterator[str]:
    path = _attribute(shown_path(outcome, settings))
    places = list(placed_findings(outcome, settings))
    failed = outcome.error is not None
    yield f'  <testsuite name={path} tests="{max(len(places), 1)}" failures="{len(places)}" errors="{failed:d}">\n'
    if outcome.error is not None:
        yield f'    <testcase name="not checked" classname={path}>\n'
        yield f'      <error message={_attribute(outcome.error)} type="not-checked"></error>\n'
        yield "    </testcase>\n"
    elif not places:
        yield f'    <testcase name="no findings" classname={path}></testcase>\n'
    for place in places:
        yield from _case(place)
    yield "  </testsuite>\n"


def _case(place: Place) -> Iterator[str]:
    finding = place.finding
    name = _attribute(f"{place.line}:{place.column} {place.rule}")
    where = f"{place.path}:{place.line}:{place.column}: {finding.severity.value}, {label(finding)}"
    text = escape(_printable(f"{where}\n{message(finding, place.source)}"))
    yield f"    <testcase name={name} classname={_attribute(place.path)}>\n"
    kind = _attribute(finding.severity.value)
    yield f"      <failure message={_attribute(message(finding, place.source))} type={kind}>{text}</failure>\n"
    yield "    </testcase>\n"


def _attribute(text: str) -> str:
    return quoteattr(_printable(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _printable(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _ascii(text: str) -> str:
    return text if text.isascii() else text.encode("ascii", "xmlcharrefreplace").decode()
