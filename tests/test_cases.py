"""Golden cases: a file is an input, a line ``# findings``, and what must be found in it.

The name is ``what.format.txt``. Each expected line is ``line:column rule | words``, then ``| =>`` and the
line after the first edit, if there is one. A new case is a new file.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import unslant
from unslant.report.positions import LineIndex

RULES = unslant.Spec(analyzers=("rules",))
CASES = sorted(Path(__file__).with_name("cases").glob("*.txt"))


def found(source: str, name: str) -> list[str]:
    lines = LineIndex(source)
    rows = []
    for finding in unslant.check(source, format=name, spec=RULES).findings:
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


def test_there_are_cases() -> None:
    assert len(CASES) >= 10


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    source, marker, expected = path.read_text("utf-8").partition("# findings\n")
    assert marker
    assert found(source, path.suffixes[-2].removeprefix(".")) == expected.splitlines()
