"""What an editor offers for a finding, with a wording and without, and the commands of the server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from lsprotocol import types

import unslant
from tests.editor.conftest import Editor, position

TEXT = "# News\n\nThe 😀 police fired back at the gunman near the bridge. Ask the mailman.\n"


@pytest.fixture(scope="module")
def editor(start: Callable[..., Editor]) -> Editor:
    return start(options={"analyzers": ["rules"], "profile": "news"}, shows=True)


def test_all_wordings_are_offered_in_the_order_of_check(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("order.md", TEXT)
    report = unslant.check(TEXT, format="markdown", spec=unslant.Spec(analyzers=("rules",), profile="news"))
    (finding,) = (each for each in report.findings if each.text == "mailman")
    wordings = [edit.replacement for edit in finding.edits]
    assert len(wordings) > 1
    offered = loop.run(editor.actions(uri, "mailman", ["quickfix"]))
    taken = [
        editor.after(uri, item).partition("Ask the ")[2] for item in offered.values() if item.edit is not None
    ]
    assert taken[: len(wordings)] == [f"{wording}.\n" for wording in wordings]


def test_words_without_a_wording_can_be_acted_on(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("without.md", TEXT)
    offered = loop.run(editor.actions(uri, "fired back", ["quickfix"]))
    assert list(offered)[:4] == [
        "Mark “fired back at” as quoted, according to [who?]",
        "Attribute the sentence: according to [who?]",
        "Write something else for “fired back at”",
        "Keep “fired back at”: list it in .unslant-ignore",
    ]
    quoted, attributed, write, _ = list(offered.values())[:4]
    assert 'police "fired back at" the gunman near the bridge, according to [who?]. Ask' in editor.after(
        uri, quoted
    )
    assert "police fired back at the gunman near the bridge, according to [who?]. Ask" in editor.after(
        uri, attributed
    )
    assert write.command is not None
    loop.run(editor.execute(write.command.command, *(write.command.arguments or ())))
    selected = loop.run(asyncio.wait_for(editor.selected.get(), 60))
    start = TEXT.index("fired")
    assert selected.selection == types.Range(
        position(TEXT, start), position(TEXT, start + len("fired back at"))
    )


def test_words_can_be_left_out_where_the_sentence_stands_without_them(
    editor: Editor, loop: asyncio.Runner
) -> None:
    uri = editor.open("stands.md", "The legendary singer came.\n")
    offered = loop.run(editor.actions(uri, "legendary", ["quickfix"]))
    assert [title for title in offered if title.startswith("Delete")] == ["Delete “legendary”"]
    assert editor.after(uri, offered["Delete “legendary”"]) == "The singer came.\n"


def test_what_is_kept_is_listed_beside_the_text_and_no_longer_marked(
    editor: Editor, loop: asyncio.Runner
) -> None:
    uri = editor.open("kept.md", TEXT)
    assert loop.run(editor.words(uri)) == ["fired back at", "mailman"]
    action = loop.run(editor.actions(uri, "fired", ["quickfix"]))[
        "Keep “fired back at”: list it in .unslant-ignore"
    ]
    assert action.edit is None
    assert action.command is not None
    loop.run(editor.execute(action.command.command, *(action.command.arguments or ())))
    assert loop.run(editor.words(uri)) == ["mailman"]
    file = editor.folder / ".unslant-ignore"
    entry: dict[str, Any] = json.loads(file.read_text("utf-8").splitlines()[-1])
    assert (entry["file"], entry["words"]) == ("kept.md", "fired back at")
    assert "workspace/didChangeWatchedFiles" in editor.registered
    # the list counts as soon as the editor says that it has changed
    file.unlink()
    changed = types.FileEvent(file.as_uri(), types.FileChangeType.Deleted)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([changed]))
    assert loop.run(editor.words(uri)) == ["fired back at", "mailman"]


def test_the_profile_is_set_by_options_and_by_a_command(editor: Editor, loop: asyncio.Runner) -> None:
    text = "The chairman of the board left.\n"
    uri = editor.open("profile.md", text)
    assert loop.run(editor.words(uri)) == []
    loop.run(editor.execute("unslant.setProfile", "people"))
    assert loop.run(editor.words(uri)) == ["chairman"]
    loop.run(editor.execute("unslant.setProfile", "news"))
    assert loop.run(editor.words(uri)) == []
    loop.run(editor.execute("unslant.setProfile", "poetry"))
    assert "there is no profile 'poetry'; choose one of auto, " in loop.run(editor.message())
    commands = editor.initialized.capabilities.execute_command_provider
    assert commands is not None
    assert "unslant.setProfile" in commands.commands
