"""The server says what ``unslant check`` says, the model's word included."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.editor.conftest import SOURCE, Editor, position

TEXT = """---
title: The fireman
---

# A 🎉 legendary evening

The *world-famous* singer 🎤 obviously passed away in 1990. “The mailman lied,” she said.
The reckless council rammed its shameful plan through, and `the fireman` left.

<!-- unslant: ignore framing -- the word of the family -->
Sadly, the mailman spoke.
Rates rose by 3 percent in May. <!-- unslant: ignore gender -- nothing here -->
"""


@pytest.fixture(scope="module")
def editor(start: Callable[..., Editor]) -> Editor:
    return start(options=None, pulls=True)


def _by_check(editor: Editor, name: str) -> Any:
    command = [sys.executable, "-m", "unslant", "check", "--no-cache", "--output-format", "json", name]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    ended = subprocess.run(command, cwd=editor.folder, env=environment, capture_output=True, check=False)
    return json.loads(ended.stdout)


def _compare(editor: Editor, marks: Any, text: str) -> Any:
    (editor.folder / "a.md").write_text(text, "utf-8")
    (report,) = _by_check(editor, "a.md")["reports"]
    expected = [
        (
            position(text, finding["span"]["start"]),
            position(text, finding["span"]["end"]),
            finding["rule"] or f"{finding['origin']}/{finding['kind']}",
            finding["fingerprint"],
        )
        for finding in report["findings"]
    ]
    found = [mark for mark in marks if mark.code != "note"]
    assert [
        (diagnostic.range.start, diagnostic.range.end, diagnostic.code, diagnostic.data["fingerprint"])
        for diagnostic in found
    ] == expected
    notes = [mark.message for mark in marks if mark.code == "note"]
    assert notes == [note["message"] for note in report["notes"]]
    return report


def test_the_diagnostics_are_those_of_check(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("a.md", TEXT)
    report = _compare(editor, loop.run(editor.pull(uri)).items, TEXT)
    assert any("model" in finding["origin"] for finding in report["findings"])
    assert len(report["findings"]) > 4
    assert len(report["notes"]) == 1

    # most sentences are remembered now, and stand elsewhere
    editor.replace(uri, "# A 🎉 legendary", "The stubborn 🐴 mayor smirked.\n\n# A 🎉🎉 legendary")
    editor.replace(uri, "shameful plan", "plan")
    again = _compare(editor, loop.run(editor.pull(uri)).items, editor.texts[uri])
    assert again["findings"] != report["findings"]


def test_hover_says_how_sure_the_model_is(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("b.md", TEXT)
    text = loop.run(editor.hover(uri, "shameful"))
    assert text is not None
    assert "Probability: " in text


def test_words_that_only_the_model_marks_can_be_answered(editor: Editor, loop: asyncio.Runner) -> None:
    text = "# Council\n\n😀 It met in May. In the tenants' naive proposal, landlords would register on their own.\n"
    uri = editor.open("c.md", text)
    marks = loop.run(editor.pull(uri)).items
    answered = 0
    for mine in [mark for mark in marks if str(mark.code).startswith("model/")]:
        (words,) = editor.covered(uri, [mine])
        offered = loop.run(editor.actions(uri, words, ["quickfix"]))
        assert [item for item in offered if item.startswith("Ignore ")]
        edits = [item for title, item in offered.items() if title.startswith(("Replace ", "Delete "))]
        results = [editor.after(uri, edit) for edit in edits]
        assert all(words not in result and "It met in May." in result for result in results)
        answered += bool(results)
    assert answered
