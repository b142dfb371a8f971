"""A real editor's side of the protocol: the server runs as its own process, over standard input and output."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Union

import pytest
from cattrs import Converter
from lsprotocol import types
from pygls.lsp.client import LanguageClient
from pygls.protocol import default_converter

SOURCE = Path(__file__).parents[2] / "src"
WAIT = 300.0
RULES = {"analyzers": ["rules"]}


def position(text: str, offset: int) -> types.Position:
    """Count as editors do, written apart from the code under test."""
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    line = before.rpartition("\n")[2]
    return types.Position(before.count("\n"), len(line.encode("utf-16-le", "surrogatepass")) // 2)


def offset(text: str, place: types.Position) -> int:
    """Undo ``position``, by trying every place."""
    return next(at for at in range(len(text) + 1) if position(text, at) == place)


def made(text: str, edit: types.WorkspaceEdit | None) -> str:
    """Return the text as an editor leaves it after an edit."""
    assert edit is not None
    if edit.changes is not None:
        (changes,) = edit.changes.values()
    else:
        assert edit.document_changes is not None
        (change,) = edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        changes = [edit for edit in change.edits if isinstance(edit, types.TextEdit)]
    for item in sorted(changes, key=lambda item: offset(text, item.range.start), reverse=True):
        text = text[: offset(text, item.range.start)] + item.new_text + text[offset(text, item.range.end) :]
    return text


class Editor:
    """What a test does in the editor."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.messages: asyncio.Queue[str] = asyncio.Queue()
        self.selected: asyncio.Queue[types.ShowDocumentParams] = asyncio.Queue()
        self.registered: list[str] = []
        self.refreshed = asyncio.Event()
        self.options: Any = None
        self.initialized: types.InitializeResult
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str, language: str = "markdown", uri: str = "") -> str:
        uri = uri or self.uri(name)
        self.texts[uri], self.versions[uri] = text, 1
        item = types.TextDocumentItem(uri, language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def replace(self, uri: str, old: str, new: str) -> None:
        """Change the first place where ``old`` stands, as typing does."""
        text = self.texts[uri]
        start = text.index(old)
        changed_range = types.Range(position(text, start), position(text, start + len(old)))
        self.change(uri, types.TextDocumentContentChangePartial(changed_range, new))
        self.texts[uri] = text.replace(old, new, 1)

    def change(self, uri: str, *changes: types.TextDocumentContentChangeEvent) -> None:
        self.versions[uri] += 1
        named = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(named, list(changes)))

    async def sent(self, *uris: str) -> types.PublishDiagnosticsParams:
        """Wait for the next marks of any of these texts."""
        while True:
            sent = await asyncio.wait_for(self.published.get(), WAIT)
            if sent.uri in uris:
                return sent

    async def marks(self, uri: str) -> list[types.Diagnostic]:
        """Wait for the marks that are sent for the newest version."""
        while (sent := await self.sent(uri)).version != self.versions[uri]:
            pass
        return list(sent.diagnostics)

    async def words(self, uri: str) -> list[str]:
        return self.covered(uri, await self.marks(uri))

    def covered(self, uri: str, marks: list[types.Diagnostic]) -> list[str]:
        text = self.texts[uri]
        return [text[offset(text, mark.range.start) : offset(text, mark.range.end)] for mark in marks]

    async def pull(self, uri: str, previous: str | None = None) -> Any:
        named = types.TextDocumentIdentifier(uri)
        params = types.DocumentDiagnosticParams(named, previous_result_id=previous)
        return await asyncio.wait_for(self.client.text_document_diagnostic_async(params), WAIT)

    async def hover(self, uri: str, word: str) -> str | None:
        place = position(self.texts[uri], self.texts[uri].index(word) + 1)
        params = types.HoverParams(types.TextDocumentIdentifier(uri), place)
        answer = await asyncio.wait_for(self.client.text_document_hover_async(params), WAIT)
        if answer is None:
            return None
        assert isinstance(answer.contents, types.MarkupContent)
        return answer.contents.value

    async def actions(
        self, uri: str, word: str, only: list[str] | None = None
    ) -> dict[str, types.CodeAction]:
        place = position(self.texts[uri], self.texts[uri].index(word) + 1)
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(uri),
            types.Range(place, place),
            types.CodeActionContext([], only=only),
        )
        answer = await asyncio.wait_for(self.client.text_document_code_action_async(params), WAIT)
        return {item.title: item for item in answer or () if isinstance(item, types.CodeAction)}

    async def execute(self, command: str, *arguments: str) -> None:
        params = types.ExecuteCommandParams(command, list(arguments))
        await asyncio.wait_for(self.client.workspace_execute_command_async(params), WAIT)

    def after(self, uri: str, action: types.CodeAction) -> str:
        return made(self.texts[uri], action.edit)

    async def message(self) -> str:
        return await asyncio.wait_for(self.messages.get(), WAIT)


def capabilities(**given: Any) -> types.ClientCapabilities:
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=given.get("encodings")),
        text_document=types.TextDocumentClientCapabilities(
            hover=types.HoverClientCapabilities(content_format=given.get("hover")),
            diagnostic=types.DiagnosticClientCapabilities() if given.get("pulls") else None,
            code_action=types.CodeActionClientCapabilities(
                resolve_support=types.ClientCodeActionResolveOptions(["edit"])
                if given.get("resolves")
                else None
            ),
        ),
        workspace=types.WorkspaceClientCapabilities(
            configuration=given.get("configuration"),
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=given.get("versioned")),
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True),
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
        ),
        window=types.WindowClientCapabilities(
            show_document=types.ShowDocumentClientCapabilities(support=bool(given.get("shows")))
        ),
    )


def _client(editor: Editor) -> None:
    client = editor.client

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def published(params: types.PublishDiagnosticsParams) -> None:
        editor.published.put_nowait(params)

    @client.feature(types.WINDOW_SHOW_MESSAGE)
    def shown(params: types.ShowMessageParams) -> None:
        editor.messages.put_nowait(params.message)

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def registered(params: types.RegistrationParams) -> None:
        editor.registered += [registration.method for registration in params.registrations]

    @client.feature(types.WORKSPACE_CONFIGURATION)
    def configuration(params: types.ConfigurationParams) -> list[Any]:
        return [editor.options for _ in params.items]

    @client.feature(types.WINDOW_SHOW_DOCUMENT)
    def show(params: types.ShowDocumentParams) -> types.ShowDocumentResult:
        editor.selected.put_nowait(params)
        return types.ShowDocumentResult(success=True)

    @client.feature(types.WORKSPACE_DIAGNOSTIC_REFRESH)
    def refresh(_: None) -> None:
        editor.refreshed.set()


def _converter() -> Converter:
    """Tell actions from commands by the type of ``command``, as editors do; the library takes both for commands."""
    converter = default_converter()

    def action(value: Any, _: type) -> types.Command | types.CodeAction:
        command = isinstance(value.get("command"), str)
        return converter.structure(value, types.Command if command else types.CodeAction)

    converter.register_structure_hook(Union[types.Command, types.CodeAction], action)  # noqa: UP007 - its key
    return converter


@asynccontextmanager
async def editing(
    folder: Path,
    *arguments: str,
    options: Any = RULES,
    client_settings: Any = None,
    said: str = "",
    **given: Any,
) -> AsyncIterator[Editor]:
    """Start a server, and see to it that it ends in order and writes to standard error what is expected."""
    editor = Editor(LanguageClient("test-editor", "1", converter_factory=_converter), folder)
    editor.options = client_settings
    _client(editor)
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    client = editor.client
    await client.start_io(
        sys.executable, "-m", "unslant", "lsp", *arguments, cwd=str(folder), env=environment
    )
    process = client._server
    assert process is not None
    assert process.stderr is not None
    editor.initialized = await client.initialize_async(
        types.InitializeParams(
            capabilities(**given), initialization_options=options, root_uri=folder.as_uri()
        )
    )
    client.initialized(types.InitializedParams())
    try:
        yield editor
        if process.returncode is None:
            await asyncio.wait_for(client.shutdown_async(None), WAIT)
            client.exit(None)
        assert await asyncio.wait_for(process.stderr.read(), WAIT) == said.encode()
        assert await asyncio.wait_for(process.wait(), WAIT) == 0
    finally:
        if process.returncode is None:
            process.kill()
        await asyncio.wait_for(client.stop(), WAIT)


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    """One event loop for all tests of a file, as they share a server: starting one takes a second."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def start(loop: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Editor]]:
    """Start a server in an empty folder; it is ended, and looked after, when the file is done."""
    stack = AsyncExitStack()

    def started(*arguments: str, **given: Any) -> Editor:
        folder = tmp_path_factory.mktemp("work").resolve()
        return loop.run(stack.enter_async_context(editing(folder, *arguments, **given)))

    yield started
    loop.run(stack.aclose())
