"""Golden cases: one file per case, with an input and what the rules must find in it.

A file is named ``what.format.txt``. It holds the input, a line ``# findings``, and one line per expected finding:
``line:column rule | words``, followed by ``| =>`` and the edited line if the finding offers an edit. Two more sections
may follow: ``# fixed`` is the text after all safe edits, ``# fixed unsafe`` the text after the review edits as well.

The model and the records of the rules are off, so neither a new model nor new records change a case. A case named
``…-left`` has a mirror named ``…-right``, and both must get the same findings. To add a case, add a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import unslant
from unslant import acceptance, api, selection
from unslant.core.types import Severity
from unslant.records import Records
from unslant.report.positions import LineIndex
from unslant.rules.analyzer import rules_for
from unslant.text.formats import FORMATS

RULES = unslant.Spec(analyzers=("rules",), profile="news")
SECTION = re.compile(r"^# (findings|fixed unsafe|fixed)\n", re.MULTILINE)


@pytest.fixture(autouse=True, scope="module")
def _without_records() -> Iterator[None]:
    """Let every rule speak, whatever its record."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (acceptance, selection):
            patch.setattr(module, "shipped_records", Records)
        api._pipeline.cache_clear()
        api._fixer.cache_clear()
        yield
    api._pipeline.cache_clear()
    api._fixer.cache_clear()


@dataclass(frozen=True, slots=True)
class Case:
    """One golden case."""

    name: str
    format: str
    source: str
    findings: list[str]
    fixed: dict[str, str]
    """The expected text after fixing, by the heading of its section."""

    @classmethod
    def load(cls, path: Path) -> Case:
        """Read a case file; line ends stay as they are in the file."""
        source, *sections = SECTION.split(path.read_bytes().decode())
        bodies = dict(zip(sections[::2], sections[1::2], strict=True))
        name, format_name, _ = path.name.rsplit(".", 2)
        return cls(name, format_name, source, bodies.pop("findings").splitlines(), bodies)


CASES = [Case.load(path) for path in sorted(Path(__file__).with_name("cases").glob("*.txt"))]
SIDES = {case.name: case for case in CASES if case.name.endswith(("-left", "-right"))}


def describe_findings(case: Case) -> list[str]:
    source, lines = case.source, LineIndex(case.source)
    rows = []
    for finding in unslant.check(source, format=case.format, spec=RULES).findings:
        line, column = lines.locate(finding.span.start)
        row = f"{line}:{column} {finding.rule} | {' '.join(finding.text.split())}"
        if finding.edits:
            edit = finding.edits[0]
            start = source.rfind("\n", 0, edit.span.start) + 1
            end = source.find("\n", edit.span.end)
            after = source[start : edit.span.start] + edit.replacement + source[edit.span.end : end]
            row += f" | => {' '.join(after.split())}"
        rows.append(row)
    return rows


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}.{case.format}")
def test_findings(case: Case) -> None:
    assert describe_findings(case) == case.findings


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.fixed], ids=lambda case: f"{case.name}.{case.format}"
)
def test_fixed(case: Case) -> None:
    for section, expected in case.fixed.items():
        fixed = unslant.fix(case.source, format=case.format, spec=RULES, unsafe=section == "fixed unsafe")
        assert fixed.text == expected, section


@pytest.mark.parametrize("name", sorted(name for name in SIDES if name.endswith("-left")))
def test_both_sides_are_treated_alike(name: str) -> None:
    left, right = SIDES[name], SIDES[name.removesuffix("left") + "right"]
    assert left.format == right.format
    assert [(row.split(":")[0], row.split()[1]) for row in left.findings] == [
        (row.split(":")[0], row.split()[1]) for row in right.findings
    ]
    assert ["=>" in row for row in left.findings] == ["=>" in row for row in right.findings]
    assert left.fixed.keys() == right.fixed.keys()


def test_every_rule_that_warns_has_a_case() -> None:
    """Suggestions may need the model beside them, so that rules alone stay silent."""
    reported = {row.split()[1] for case in CASES for row in case.findings}
    loud = {rule.id for rule in rules_for(RULES) if rule.severity is not Severity.SUGGESTION}
    assert loud - reported == set()


def test_the_cases_cover_the_formats_and_both_sides() -> None:
    assert len(CASES) >= 300
    for format_name in ("text", "markdown", "html", "wikitext"):
        assert sum(case.format == format_name for case in CASES) >= 8, format_name
    for format_name in FORMATS:
        assert sum(case.format == format_name for case in CASES) >= 3, format_name
        assert any(case.format == format_name for case in SIDES.values()), format_name
    assert 2 * sum(name.endswith("-left") for name in SIDES) == len(SIDES) >= 30
    assert sum(not case.findings for case in CASES) >= 15
    assert sum(bool(case.fixed) for case in CASES) >= 15
