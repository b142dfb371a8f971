"""XML for continuous integration: JUnit test reports (a suite per file, a failed case per finding) and Checkstyle.

What XML 1.0 cannot write is replaced, and everything beyond ASCII is a character reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

from unslant.core.types import Severity
from unslant.report.messages import label, message
from unslant.report.outcome import Outcome, RenderSettings, RunSummary, Tally
from unslant.report.table import Place, placed_findings, shown_path

__all__ = ["DECLARATION", "ascii_only", "attribute", "content", "render_checkstyle", "render_junit"]

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 has no way to write."""


def attribute(text: str) -> str:
    """Return a text in quotation marks, as the value of an attribute."""
    return quoteattr(_printable(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def content(text: str) -> str:
    """Return a text as the content of an element."""
    return escape(_printable(text))


def ascii_only(xml: str) -> str:
    """Return XML in ASCII, so that the encoding of the stream does not matter."""
    return xml if xml.isascii() else xml.encode("ascii", "xmlcharrefreplace").decode()


def _printable(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def render_junit(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
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


_CHECKSTYLE_SEVERITIES = {Severity.SUGGESTION: "info", Severity.WARNING: "warning", Severity.ERROR: "error"}
_CHECKSTYLE_VERSION = "8.0"
"""The version of Checkstyle whose form this is; readers expect a number."""


def render_checkstyle(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write one element per file; a file without findings has none in it."""
    tally = Tally()
    stream.write(f'{DECLARATION}<checkstyle version="{_CHECKSTYLE_VERSION}">\n')
    for outcome in tally.watch(outcomes):
        stream.writelines(ascii_only(line) for line in _checkstyle_file(outcome, settings))
    stream.write("</checkstyle>\n")
    return tally.summary()


def _checkstyle_file(outcome: Outcome, settings: RenderSettings) -> Iterator[str]:
    yield f"  <file name={attribute(shown_path(outcome, settings))}>\n"
    if outcome.error is not None:
        text = attribute(outcome.error)
        yield f'    <error line="1" severity="error" message={text} source="unslant.not-checked"/>\n'
    for place in placed_findings(outcome, settings):
        yield _checkstyle_error(place)
    yield "  </file>\n"


def _checkstyle_error(place: Place) -> str:
    severity = _CHECKSTYLE_SEVERITIES[place.finding.severity]
    text = attribute(message(place.finding, place.source))
    source = attribute(f"unslant.{place.rule}")
    at = f'line="{place.line}" column="{place.column}"'
    return f'    <error {at} severity="{severity}" message={text} source={source}/>\n'
