"""An editor that asks for its marks, counts in code points and reads Markdown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from lsprotocol import types

from tests.editor.conftest import RULES, Editor

TEXT = "😀😀 The fireman came.\n"


@pytest.fixture(scope="module")
def editor(start: Callable[..., Editor]) -> Editor:
    return start(
        "--tier",
        "rules",
        options=None,
        client_settings={"ignore": ["framing"]},
        configuration=True,
        encodings=["utf-32", "utf-16"],
        hover=[types.MarkupKind.Markdown],
        pulls=True,
        versioned=True,
    )


def test_what_is_announced(editor: Editor) -> None:
    able = editor.initialized.capabilities
    assert able.position_encoding == "utf-32"
    assert able.diagnostic_provider is not None
    assert able.diagnostic_provider.identifier == "unslant"
    assert able.hover_provider
    assert isinstance(able.code_action_provider, types.CodeActionOptions)
    assert able.code_action_provider.code_action_kinds == ("quickfix", "source.fixAll.unslant")
    sync: Any = able.text_document_sync
    assert sync.change == types.TextDocumentSyncKind.Incremental
    assert sync.open_close


def test_marks_are_given_on_request(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("a.md", TEXT)
    answer = loop.run(editor.pull(uri))
    (mark,) = answer.items
    assert mark.range == types.Range(types.Position(0, 7), types.Position(0, 14))
    again = loop.run(editor.pull(uri, answer.result_id))
    assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)

    # code points this time, and asked for at once
    changed_range = types.Range(types.Position(0, 7), types.Position(0, 14))
    editor.change(uri, types.TextDocumentContentChangePartial(changed_range, "😀 mailman"))
    (mark,) = loop.run(editor.pull(uri, answer.result_id)).items
    assert mark.range == types.Range(types.Position(0, 9), types.Position(0, 16))
    assert editor.published.empty(), "who asks is not sent the same again"


def test_a_question_amid_changes_is_answered_for_the_newest_text(
    editor: Editor, loop: asyncio.Runner
) -> None:
    uri = editor.open("race.md", "The fireman came.\n" * 2000)

    async def race() -> Any:
        first = asyncio.ensure_future(editor.pull(uri))
        await asyncio.sleep(0)  # so that the question is sent before the change
        editor.change(uri, types.TextDocumentContentChangeWholeDocument("The mailman came.\n"))
        return await first, await editor.pull(uri)

    early, late = loop.run(race())
    assert [item.message.split("”")[0] for item in late.items] == ["“mailman"]
    # The first answer may be a first look at part of the long text, but never a mixture of the two texts.
    words = {item.message.split("”")[0] for item in early.items}
    assert words in ({"“fireman"}, {"“mailman"}), "marks of one text only"
    if words == {"“mailman"}:
        assert len(early.items) == 1


def test_edits_name_the_version_that_they_are_for(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("v.md", TEXT)
    offered = loop.run(editor.actions(uri, "fireman"))
    edit = offered["Replace “fireman” with “firefighter”"].edit
    assert edit is not None
    (change,) = edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.version == 1
    (one,) = change.edits
    assert one.range == types.Range(types.Position(0, 7), types.Position(0, 14))
    assert "Apply all safe edits of unslant" not in offered, "this editor cannot resolve edits later"


def test_hover_is_markdown_in_which_nothing_is_markup_by_chance(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("h.md", TEXT)
    text = loop.run(editor.hover(uri, "fireman"))
    assert text is not None
    assert text.startswith("**demographic \\(gender\\): demographic/gendered\\-role**\n\n")


def test_the_settings_of_the_editor_are_requested(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("s.md", "The legendary fireman came.\n")
    assert [item.code for item in loop.run(editor.pull(uri)).items] == ["demographic/gendered-role"]
    editor.options = {**RULES, "ignore": ["gender"]}
    editor.refreshed.clear()
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    loop.run(asyncio.wait_for(editor.refreshed.wait(), 60))
    assert [item.code for item in loop.run(editor.pull(uri)).items] == ["framing/praise-adjective"]
