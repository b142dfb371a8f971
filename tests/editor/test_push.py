"""An editor that is sent its marks, through a real client over standard input and output."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from lsprotocol import types

from tests.editor.conftest import Editor

FIRE = "Ask the 🔥 fireman 🚒 or the mailman.\n"
SAD = "Unfortunately, the 🔥 engine of the town broke down 🚒 on the way to the old mill.\n"


@pytest.fixture(scope="module")
def editor(start: Callable[..., Editor]) -> Editor:
    return start(resolves=True)


def test_words_are_marked_where_they_stand(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("a.md", "Intro.\r\n\r\n😀👩‍👩‍👧 The legendary singer came.\r\n")
    (mark,) = loop.run(editor.marks(uri))
    assert mark.range == types.Range(types.Position(2, 15), types.Position(2, 24))
    assert (mark.source, mark.code) == ("unslant", "framing/praise-adjective")
    assert mark.severity == types.DiagnosticSeverity.Warning
    assert "legendary" in mark.message


def test_edits_amid_emoji_keep_the_marks_in_place(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("emoji.md", FIRE)
    assert loop.run(editor.words(uri)) == ["fireman", "mailman"]
    editor.replace(uri, "🔥 f", "🔥🔥👨‍🚒 f")
    assert loop.run(editor.words(uri)) == ["fireman", "mailman"]
    editor.replace(uri, "🚒 or the mailman", "🚒🚒 or a 😀 mailman")
    editor.replace(uri, "🔥", "")
    editor.replace(uri, "fireman", "firefighter")
    assert loop.run(editor.words(uri)) == ["mailman"]


def test_only_line_ends_end_lines(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("odd.md", "One\x0c two\u2028three \x85 four 😀.\nThe fireman came.\n")
    assert loop.run(editor.words(uri)) == ["fireman"]
    editor.replace(uri, "😀", "💬 a mailman")
    assert loop.run(editor.words(uri)) == ["mailman", "fireman"]


def test_several_changes_at_once_and_the_whole_text(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("many.md", "ab\n")
    assert loop.run(editor.words(uri)) == []
    start = types.Position(0, 0)
    editor.change(
        uri,
        types.TextDocumentContentChangePartial(types.Range(start, types.Position(7, 99)), "😀 man came."),
        types.TextDocumentContentChangePartial(
            types.Range(types.Position(0, 3), types.Position(0, 3)), "The fire"
        ),
    )
    editor.texts[uri] = "😀 The fireman came."
    assert loop.run(editor.words(uri)) == ["fireman"]
    editor.texts[uri] = "The mailman came."
    editor.change(uri, types.TextDocumentContentChangeWholeDocument(editor.texts[uri]))
    assert loop.run(editor.words(uri)) == ["mailman"]


def test_typing_fast_is_answered_for_the_newest_text_only(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("fast.md", "The man came.\n")
    loop.run(editor.marks(uri))
    letters = "fire" * 10
    for at in range(len(letters)):
        editor.replace(uri, f"{letters[:at]}man", f"{letters[: at + 1]}man")
    editor.replace(uri, letters, "fire")
    versions = [loop.run(editor.sent(uri)).version]
    while versions[-1] != editor.versions[uri]:
        versions.append(loop.run(editor.sent(uri)).version)
    assert len(versions) < len(letters), "what lies between is left out"
    assert editor.covered(uri, list(loop.run(editor.pull(uri)).items)) == ["fireman"]


def test_a_long_text_does_not_hold_up_a_short_one(editor: Editor, loop: asyncio.Runner) -> None:
    long = editor.open("long.md", "The road was dry and 3 km long.\n\n" * 40_000)
    # the rest of the text is being checked when the first look at it is there
    loop.run(editor.sent(long))
    short = editor.open("short.md", FIRE)
    assert [loop.run(editor.sent(long, short)).uri for _ in range(2)] == [short, long]


def test_half_a_character_does_no_harm(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("half.md", "\ud83d The fireman came.\n")
    (mark,) = loop.run(editor.marks(uri))
    assert mark.range.start == types.Position(0, 6)


def test_quick_fixes_are_the_edits_of_the_finding(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("quick.md", FIRE)
    offered = loop.run(editor.actions(uri, "fireman", ["quickfix"]))
    fixes = {title: item for title, item in offered.items() if title.startswith("Replace")}
    assert list(fixes) == ["Replace “fireman” with “firefighter”"]
    after = editor.after(uri, fixes["Replace “fireman” with “firefighter”"])
    assert after == "Ask the 🔥 firefighter 🚒 or the mailman.\n"
    assert {item.kind for item in offered.values()} == {"quickfix"}
    assert [
        diagnostic.code for diagnostic in fixes["Replace “fireman” with “firefighter”"].diagnostics or ()
    ] == ["demographic/gendered-role"]


def test_a_finding_without_wordings_of_its_own_can_be_left_out(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("praise.md", "# Songs\n\nIt rained. The 😀 legendary singer came. It was May.\n")
    offered = loop.run(editor.actions(uri, "legendary", ["quickfix"]))
    (fix,) = (item for title, item in offered.items() if title.startswith("Delete"))
    assert editor.after(uri, fix) == "# Songs\n\nIt rained. The 😀 singer came. It was May.\n"


def test_only_what_fix_makes_without_review_is_preferred(editor: Editor, loop: asyncio.Runner) -> None:
    text = "Unfortunately, the plan to widen the road failed. The union slammed the owners of the plant.\n"
    uri = editor.open("preferred.md", text)
    preferred = {
        item.title: bool(item.is_preferred)
        for word in ("Unfortunately", "slammed")
        for item in loop.run(editor.actions(uri, word, ["quickfix"])).values()
        if item.title.startswith(("Replace", "Delete"))
    }
    assert preferred == {
        "Delete “Unfortunately”": True,
        "Replace “slammed” with “criticized”": False,
    }


def test_words_without_a_finding_have_no_quick_fix(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("none.md", FIRE)
    assert loop.run(editor.actions(uri, "Ask", ["quickfix"])) == {}


def test_a_finding_has_one_entry_to_ignore_it(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("ignore.md", "The fireman came. 😀  \nSo did others.\n")
    loop.run(editor.marks(uri))
    offered = loop.run(editor.actions(uri, "fireman"))
    (title,) = (title for title in offered if title.startswith("Ignore"))
    assert title == "Ignore demographic/gendered-role here…"
    ignored = editor.after(uri, offered[title])
    comment = "<!-- unslant: ignore demographic/gendered-role -- kept by the author -->"
    assert ignored == f"The fireman came. 😀 {comment}  \nSo did others.\n"
    editor.change(uri, types.TextDocumentContentChangeWholeDocument(ignored))
    assert loop.run(editor.marks(uri)) == []


def test_fix_all_makes_what_fix_would_make(editor: Editor, loop: asyncio.Runner) -> None:
    import unslant

    uri = editor.open("all.md", SAD)
    (action,) = loop.run(editor.actions(uri, "engine", ["source.fixAll"])).values()
    assert action.kind == "source.fixAll.unslant"
    spec = unslant.Spec(analyzers=("rules",))
    assert editor.after(uri, action) == unslant.fix(SAD, spec=spec, format="markdown").text
    assert editor.after(uri, action).startswith("The 🔥 engine")


def test_fix_all_in_the_menu_is_worked_out_when_chosen(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("menu.md", SAD)
    action = loop.run(editor.actions(uri, "Unfortunately"))["Apply all safe edits of unslant"]
    assert action.edit is None
    resolved = loop.run(editor.client.code_action_resolve_async(action))
    assert editor.after(uri, resolved).startswith("The 🔥 engine")


def test_hover_says_why_and_by_whose_guidance(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("hover.md", FIRE)
    text = loop.run(editor.hover(uri, "fireman"))
    assert text is not None
    assert "demographic (gender): demographic/gendered-role" in text
    assert "Try: “firefighter”." in text
    assert "Source: " in text
    assert "**" not in text
    assert loop.run(editor.hover(uri, "Ask")) is None


def test_closing_takes_the_marks_away(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("close.md", FIRE)
    assert loop.run(editor.marks(uri))
    named = types.TextDocumentIdentifier(uri)
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(named))
    assert list(loop.run(editor.sent(uri)).diagnostics) == []
    assert loop.run(editor.hover(uri, "fireman")) is None


def test_the_format_comes_from_the_name_or_the_editor(editor: Editor, loop: asyncio.Runner) -> None:
    text = "`mailman` <b title='fireman'>policeman</b>\n"
    assert loop.run(editor.words(editor.open("f.md", text, "plaintext"))) == ["policeman"]
    html = editor.open("", text, "html", uri="untitled:Untitled-1")
    assert loop.run(editor.words(html)) == ["mailman", "policeman"]
    unknown = editor.open("COMMIT_EDITMSG", "The fireman came.\n", "gitcommit")
    assert loop.run(editor.words(unknown)) == ["fireman"]


def test_an_invalid_configuration_is_reported_until_corrected(editor: Editor, loop: asyncio.Runner) -> None:
    folder = editor.folder / "part"
    folder.mkdir()
    (folder / "unslant.toml").write_text('selct = ["framing"]\n', "utf-8")
    uri = editor.open("part/a.md", FIRE)
    assert loop.run(editor.marks(uri)) == []
    text = loop.run(editor.message())
    assert "unknown key 'selct'. Did you mean 'select'?" in text
    elsewhere = editor.open("b.md", FIRE)
    assert loop.run(editor.words(elsewhere)) == ["fireman", "mailman"]

    assert types.WORKSPACE_DID_CHANGE_WATCHED_FILES in editor.registered
    (folder / "unslant.toml").write_text('[vocabulary]\naccept = ["fireman"]\n', "utf-8")
    event = types.FileEvent((folder / "unslant.toml").as_uri(), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
    assert loop.run(editor.words(uri)) == ["mailman"]
    assert editor.messages.empty()


def test_what_the_configuration_leaves_out_is_not_marked(editor: Editor, loop: asyncio.Runner) -> None:
    folder = editor.folder / "left"
    folder.mkdir()
    (folder / "unslant.toml").write_text(
        'exclude = ["drafts/"]\n[per-file-ignores]\n"old/*" = ["gender"]\n', "utf-8"
    )
    assert loop.run(editor.marks(editor.open("left/drafts/deep/a.md", FIRE))) == []
    assert loop.run(editor.marks(editor.open("left/old/a.md", FIRE))) == []
    assert loop.run(editor.words(editor.open("left/new/a.md", FIRE))) == ["fireman", "mailman"]


def test_settings_of_the_editor_can_change(editor: Editor, loop: asyncio.Runner) -> None:
    uri = editor.open("settings.md", FIRE)
    loop.run(editor.marks(uri))

    def change(settings: object) -> None:
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))

    change({"unslant": {"analyzers": ["rules"], "ignore": ["gender"]}})
    assert loop.run(editor.marks(uri)) == []
    change({"unslant": {"analyzers": ["rules"], "ignore": ["gendr"]}})
    assert "gendr" in loop.run(editor.message())
    change({"unslant": ["not", "a", "table"]})
    assert "table" in loop.run(editor.message())
    change({"unslant": {"analyzers": ["rules"]}})
    while loop.run(editor.words(uri)) != ["fireman", "mailman"]:
        pass


def test_strange_messages_are_survived(editor: Editor, loop: asyncio.Runner) -> None:
    named = types.VersionedTextDocumentIdentifier(3, editor.uri("never-opened.md"))
    change = types.TextDocumentContentChangeWholeDocument("The secret fireman.")
    editor.client.text_document_did_change(types.DidChangeTextDocumentParams(named, [change]))
    assert list(loop.run(editor.pull(named.uri)).items) == []
    uri = editor.open("after.md", FIRE)
    assert loop.run(editor.words(uri)) == ["fireman", "mailman"]
