"""A long document shows the marks where the writer is first, and all marks soon after."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

import pytest
from lsprotocol import types

from tests.editor.conftest import Editor
from unslant.core.types import Document, Finding, Report, Span
from unslant.editor.checker import is_long, part_around, with_former
from unslant.editor.documents import common_start
from unslant.text.reading import narrow_to_spans

PARAGRAPH = "The committee met on day {0}. It talked about the plan.\n\n"
FILE = "".join(PARAGRAPH.format(number) for number in range(1_000))
"""2,000 lines."""


def words(editor: Editor, uri: str, marks: Iterable[types.Diagnostic]) -> list[str]:
    """Return the marked words, by lines: the text is long, and each of its letters is one unit."""
    lines = editor.texts[uri].split("\n")
    return [lines[one.range.start.line][one.range.start.character : one.range.end.character] for one in marks]


def test_the_part_where_the_writer_is_comes_first(start: Callable[..., Editor], loop: asyncio.Runner) -> None:
    editor = start()
    text = FILE.replace("day 1.", "day 1, a legendary day.").replace("day 990.", "day 990, an amazing day.")
    uri = editor.open("long.md", text)
    first = loop.run(editor.sent(uri))
    assert words(editor, uri, first.diagnostics) == ["legendary"]
    assert words(editor, uri, loop.run(editor.marks(uri))) == ["legendary", "amazing"]

    # the change is in the middle: its marks come first, together with those that are known
    editor.replace(uri, "day 500.", "day 500, a brilliant day.")
    first = loop.run(editor.sent(uri))
    assert first.version == editor.versions[uri]
    assert words(editor, uri, first.diagnostics) == ["legendary", "brilliant", "amazing"]
    assert words(editor, uri, loop.run(editor.marks(uri))) == ["legendary", "brilliant", "amazing"]


def test_clients_that_pull_get_the_part_first_and_are_told_of_the_rest(
    start: Callable[..., Editor], loop: asyncio.Runner
) -> None:
    editor = start(pulls=True)
    text = FILE.replace("day 1.", "day 1, a legendary day.").replace("day 990.", "day 990, an amazing day.")
    uri = editor.open("long.md", text)
    first = loop.run(editor.pull(uri))
    assert words(editor, uri, first.items) == ["legendary"]
    loop.run(asyncio.wait_for(editor.refreshed.wait(), 120))
    assert words(editor, uri, loop.run(editor.pull(uri)).items) == ["legendary", "amazing"]


def test_the_part_is_made_of_whole_paragraphs() -> None:
    assert is_long(FILE)
    for focus in (0, len(FILE) // 2, len(FILE)):
        part = part_around(FILE, focus)
        assert part.start <= focus <= part.end
        assert len(part) < 12_000
        assert FILE[part.start :].startswith("The committee")
        narrowed = narrow_to_spans(Document(FILE, FILE), [part])
        assert narrowed.prose[part.start : part.end] == FILE[part.start : part.end]
        assert not narrowed.prose[: part.start].strip()
        assert narrowed.prose.count("\n") == FILE.count("\n")


@pytest.mark.parametrize(
    ("now", "kept"),
    [
        ("aa bb cc dd", ["aa", "bb", "cc", "dd"]),
        ("xx aa bb cc dd", ["aa", "bb", "cc", "dd"]),
        ("aa bb xx cc dd", ["aa", "bb", "cc", "dd"]),
        ("aa bxb cc dd", ["aa", "cc", "dd"]),
        ("aa cc dd", ["aa", "cc", "dd"]),
        ("", []),
    ],
)
def test_findings_of_the_former_check_move_with_their_words(now: str, kept: list[str]) -> None:
    before = "aa bb cc dd"
    found = tuple(
        Finding(Span(at, at + 2), before[at : at + 2], "framing", "why", "rules") for at in (0, 3, 6, 9)
    )
    former = Report(Document(before, before), findings=found)
    report = with_former(Report(Document(now, now)), Span(len(now), len(now) + 1), former)
    assert [finding.text for finding in report.findings] == kept


def test_the_common_start_of_two_texts() -> None:
    for one, other, length in (
        ("", "", 0),
        ("abc", "abd", 2),
        ("abc", "abc", 3),
        ("abc", "abcd", 3),
        ("x", "y", 0),
    ):
        assert common_start(one, other) == length
