"""Annotations, read back the way the runner reads them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings

from tests.report.report_samples import PRAISE, finding, outcome, rendered
from tests.report.report_strategies import runs
from unslant.core.types import Note, Severity, Span
from unslant.report import Outcome

SOURCE = "Fine.\nA legendary show.\n"


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Undo the escaping: command, properties and message of every line but the summary."""

    def plain(value: str) -> str:
        for code, char in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
            value = value.replace(code, char)
        return value

    read = []
    for line in text.split("\n")[:-2]:
        match = re.fullmatch("::([a-z]+) (.*?)::(.*)", line)
        assert match, line
        pairs = [pair.partition("=") for pair in match[2].split(",")]
        read.append((match[1], {key: plain(value) for key, _, value in pairs}, plain(match[3])))
    return read


def test_a_finding_is_one_command() -> None:
    text = rendered("github", outcome(SOURCE, finding(SOURCE, "legendary", "noted"), path="docs/a.md"))
    assert text == (
        "::warning file=docs/a.md,line=2,endLine=2,col=3,endColumn=12,title=framing%3A framing/praise-adjective::"
        f"“legendary”: {PRAISE}%0ATry: “noted”.\n"
        "1 file checked, 1 finding: 1 warning.\n"
    )


@pytest.mark.parametrize(
    ("severity", "command"),
    [(Severity.SUGGESTION, "notice"), (Severity.WARNING, "warning"), (Severity.ERROR, "error")],
)
def test_each_severity_has_its_command(severity: Severity, command: str) -> None:
    text = rendered("github", outcome(SOURCE, finding(SOURCE, "legendary", severity=severity)))
    assert commands(text)[0][0] == command


def test_names_and_messages_are_escaped() -> None:
    found = finding(SOURCE, "legendary", why="100% sure::yes")
    ((_, properties, message),) = commands(rendered("github", outcome(SOURCE, found, path="a:b,c%2C.md")))
    assert properties["file"] == "a:b,c%2C.md"
    assert message == "“legendary”: 100% sure::yes"
    assert "file=a%3Ab%2Cc%252C.md," in rendered("github", outcome(SOURCE, found, path="a:b,c%2C.md"))


def test_text_cannot_start_a_command_of_its_own() -> None:
    source = "A legendary\n::error::gotcha show.\n"
    evil = outcome(source, finding(source, "legendary\n::error::gotcha", why="x\r\n::stop-commands::y"))
    lines = rendered("github", evil).splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("::warning ")


def test_words_over_several_lines_have_no_columns() -> None:
    source = "A truly\nlegendary show."
    ((_, properties, message),) = commands(
        rendered("github", outcome(source, finding(source, "truly\nlegendary")))
    )
    assert (properties["line"], properties["endLine"]) == ("1", "2")
    assert not {"col", "endColumn"} & set(properties)
    assert message.startswith("“truly legendary”: ")


def test_failures_and_notes_are_annotations_too() -> None:
    text = rendered(
        "github",
        outcome(SOURCE, notes=(Note("Unused.", Span(6, 7)), Note("Odd.", None))),
        Outcome("gone.txt", error="gone.txt does not exist."),
    )
    first, second, third = commands(text)
    assert (first[0], first[1]["line"], first[2]) == ("notice", "2", "Unused.")
    assert (second[0], second[2]) == ("notice", "Odd.")
    assert "line" not in second[1]
    assert (third[0], third[1]["file"], third[2]) == ("error", "gone.txt", "gone.txt does not exist.")


def test_files_are_named_from_the_root(tmp_path: Path) -> None:
    path = str(tmp_path / "docs" / "a.md")
    ((_, properties, _),) = commands(
        rendered("github", outcome(SOURCE, finding(SOURCE, "legendary"), path=path), root=tmp_path)
    )
    assert properties["file"] == "docs/a.md"


@settings(max_examples=60)
@given(runs)
def test_any_run_is_one_readable_command_a_line(run: list[Outcome]) -> None:
    read = commands(rendered("github", *run))
    expected = sum(len(item.report.findings) if item.report else 1 for item in run) + sum(
        len(item.notes) for item in run
    )
    assert len(read) == expected
