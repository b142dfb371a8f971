"""The language server: tracks documents, checks them in a worker thread, and drops outdated results."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from unslant.editor.checker import Checker, CheckResult, Key, is_long
from unslant.editor.diagnostics import diagnostics
from unslant.editor.documents import Configuration, Documents, OpenSettings
from unslant.version import VERSION

_PAUSE = 0.2
"""Seconds without a change before a document is checked again."""

R = TypeVar("R")


class _Protocol(LanguageServerProtocol):
    """Tracks documents with our own line counting: the library's treats form feeds and others as line ends."""

    _server: EditorServer

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(
        self, params: types.DidOpenTextDocumentParams
    ) -> Generator[Any, Any, None]:
        """Add a document and check it immediately."""
        self._server.documents.open(params.text_document)
        self._server.schedule(params.text_document.uri, 0)
        yield from ()

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Generator[Any, Any, None]:
        """Apply the changes, and check when the writer pauses."""
        named = params.text_document
        self._server.documents.change(named.uri, named.version, params.content_changes)
        self._server.schedule(named.uri, _PAUSE)
        yield from ()

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(
        self, params: types.DidCloseTextDocumentParams
    ) -> Generator[Any, Any, None]:
        """Remove the document and its diagnostics."""
        self._server.forget(params.text_document.uri)
        yield from ()


class EditorServer(LanguageServer):
    """The server of one client."""

    def __init__(self, open_settings: OpenSettings) -> None:
        super().__init__("unslant", VERSION, protocol_cls=_Protocol)
        self.documents = Documents()
        self.configuration = Configuration(open_settings)
        self.checker = Checker(self.configuration)
        self._worker = ThreadPoolExecutor(1, "unslant-check")
        self._checked: dict[str, CheckResult] = {}
        self._running: dict[str, tuple[Key, asyncio.Future[CheckResult | None]]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._shown: set[str] = set()
        self._waiting: set[int] = set()
        self._foremost = 0

    def schedule(self, uri: str, pause: float) -> None:
        """Check a document after a pause and publish its diagnostics; another change restarts the pause."""
        if self.pulls or self.documents.get(uri) is None:
            return
        if timer := self._timers.pop(uri, None):
            timer.cancel()
        self._timers[uri] = asyncio.get_running_loop().call_later(pause, self._publish_soon, uri)

    def forget(self, uri: str) -> None:
        """Drop everything about a closed document."""
        self.documents.close(uri)
        self._checked.pop(uri, None)
        self._running.pop(uri, None)
        if timer := self._timers.pop(uri, None):
            timer.cancel()
        if not self.pulls:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def reload(self, options: object = None) -> None:
        """Reload the configuration, and check all open documents again."""
        self.configuration.reload(options)
        self._shown.clear()
        for uri in self.documents:
            self.schedule(uri, 0)
        if self.pulls and self.refreshes:
            self.workspace_diagnostic_refresh(None)

    @property
    def pulls(self) -> bool:
        """Whether the client pulls diagnostics; if they were pushed as well, it would show them twice."""
        text_document = self.client_capabilities.text_document
        return text_document is not None and text_document.diagnostic is not None

    async def result_of(self, uri: str) -> CheckResult | None:
        """Return the result for the current state of a document, or None if it is not open."""
        while (key := self._key(uri)) is not None:
            checked = await self._once(uri, key)
            if checked is not None and checked.key == self._key(uri):
                return checked
        return None

    async def glance(self, uri: str) -> CheckResult | None:
        """Return a first look at a long document that is not checked yet; None if there is no need for one."""
        document, key = self.documents.get(uri), self._key(uri)
        known = self._checked.get(uri)
        if document is None or key is None or not is_long(document.text) or (known and known.key == key):
            return None

        serial = document.serial

        def stale() -> bool:
            return self._key(uri) != key or self._foremost > serial

        found = await self.run_in_worker(
            self.checker.glance, document, self.documents.encoding, key, stale, known
        )
        return found if found is not None and not stale() else None

    def finish_later(self, uri: str) -> None:
        """Check all of a document, then ask the client to pull its diagnostics again."""
        task = asyncio.ensure_future(self._finish(uri))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _finish(self, uri: str) -> None:
        key = self._key(uri)
        if await self.result_of(uri) is not None and key == self._key(uri):
            self.workspace_diagnostic_refresh(None)

    @property
    def refreshes(self) -> bool:
        """Whether the client can be asked to pull diagnostics again."""
        workspace = self.client_capabilities.workspace
        return bool(workspace and workspace.diagnostics and workspace.diagnostics.refresh_support)

    async def run_in_worker(self, work: Callable[..., R], *arguments: object) -> R:
        """Run a function in the thread that owns the checker."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, work, *arguments)

    def show_error(self, message: str) -> None:
        """Show an error message, once."""
        if message and message not in self._shown:
            self._shown.add(message)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"unslant: {message}"))

    def report_server_error(self, error: Exception, source: Any) -> None:  # noqa: ARG002
        """Report a failure without its message, which might quote a text."""
        self.show_error(f"a message from the editor could not be handled ({type(error).__name__})")

    def shutdown(self) -> None:
        """Stop; a running check ends at its next sentence."""
        self.documents = Documents()
        self._worker.shutdown(wait=False, cancel_futures=True)
        super().shutdown()  # type: ignore[no-untyped-call]

    def _key(self, uri: str) -> Key | None:
        document = self.documents.get(uri)
        return None if document is None else (document.serial, self.configuration.generation)

    async def _once(self, uri: str, key: Key) -> CheckResult | None:
        """Return the result for one state of a document, checking it only once; None if it must be checked again."""
        known = self._checked.get(uri)
        if known is not None and known.key == key:
            return known
        running = self._running.get(uri)
        if running is None or running[0] != key or running[1].done():
            running = (key, asyncio.ensure_future(self._check(uri, key)))
            self._running[uri] = running
        # one request may be cancelled while others still wait
        return await asyncio.shield(running[1])

    async def _check(self, uri: str, key: Key) -> CheckResult | None:
        """Check a document; return None if it has changed, or if a document that was changed later goes first."""
        document = self.documents.get(uri)
        if document is None:
            return None

        def stale() -> bool:
            return self._key(uri) != key or self._foremost > document.serial

        self._wait(document.serial, waits=True)
        try:
            checked = await self.run_in_worker(
                self.checker.check, document, self.documents.encoding, key, stale
            )
        finally:
            self._wait(document.serial, waits=False)
        if checked is not None and self._key(uri) == key:
            self._checked[uri] = checked
            self.show_error(checked.problem)
        return checked

    def _wait(self, serial: int, *, waits: bool) -> None:
        (self._waiting.add if waits else self._waiting.discard)(serial)
        self._foremost = max(self._waiting, default=0)

    def _publish_soon(self, uri: str) -> None:
        task = asyncio.ensure_future(self._publish(uri))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _publish(self, uri: str) -> None:
        """Publish the diagnostics, unless the document has changed in the meantime."""
        key = self._key(uri)
        first = await self.glance(uri)
        if first is not None and first.report is not None and key == self._key(uri):
            self._send(uri, first)
        while key is not None and key == self._key(uri):
            checked = await self._once(uri, key)
            if checked is not None and key == self._key(uri):
                self._send(uri, checked)
                return

    def _send(self, uri: str, checked: CheckResult) -> None:
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics(checked), checked.document.version)
        )


def serve(open_settings: OpenSettings) -> None:
    """Serve one client over standard input and output until it disconnects."""
    from unslant.editor.features import register

    for name in ("pygls", "asyncio"):
        # their logs would contain the writer's text
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
    server = EditorServer(open_settings)
    register(server)
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a stray print to standard output would break the protocol
    server.start_io(stdin, stdout)
