"""The language server: follows the client's texts, checks them in one worker thread, and drops what is out of date."""

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

from unslant.editor.checker import Checked, Checker, Key
from unslant.editor.configuration import Configuration, OpenSettings
from unslant.editor.diagnostics import diagnostics
from unslant.editor.documents import Documents
from unslant.version import VERSION

__all__ = ["EditorServer", "serve"]

_PAUSE = 0.2
"""Seconds without a change before a text is checked again."""

R = TypeVar("R")


class _Protocol(LanguageServerProtocol):
    """Keeps the texts by our own count of lines: the library's counts form feeds and others as line ends."""

    _server: EditorServer

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(
        self, params: types.DidOpenTextDocumentParams
    ) -> Generator[Any, Any, None]:
        """Take a text and check it at once."""
        self._server.documents.open(params.text_document)
        self._server.schedule(params.text_document.uri, 0)
        yield from ()

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Generator[Any, Any, None]:
        """Make the changes, and check when the writer pauses."""
        named = params.text_document
        self._server.documents.change(named.uri, named.version, params.content_changes)
        self._server.schedule(named.uri, _PAUSE)
        yield from ()

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(
        self, params: types.DidCloseTextDocumentParams
    ) -> Generator[Any, Any, None]:
        """Forget the text and take its marks away."""
        self._server.forget(params.text_document.uri)
        yield from ()


class EditorServer(LanguageServer):
    """One client's server."""

    def __init__(self, opened: OpenSettings) -> None:
        super().__init__("unslant", VERSION, protocol_cls=_Protocol)
        self.documents = Documents()
        self.configuration = Configuration(opened)
        self.checker = Checker(self.configuration)
        self._worker = ThreadPoolExecutor(1, "unslant-check")
        self._checked: dict[str, Checked] = {}
        self._running: dict[str, tuple[Key, asyncio.Future[Checked | None]]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._told: set[str] = set()
        self._waiting: set[int] = set()
        self._foremost = 0

    def schedule(self, uri: str, pause: float) -> None:
        """Check a text after a pause and send what is found; a newer change begins the pause anew."""
        if self.pulls or self.documents.get(uri) is None:
            return
        if timer := self._timers.pop(uri, None):
            timer.cancel()
        self._timers[uri] = asyncio.get_running_loop().call_later(pause, self._publish_soon, uri)

    def forget(self, uri: str) -> None:
        """Drop all that is known of a closed text."""
        self.documents.close(uri)
        self._checked.pop(uri, None)
        self._running.pop(uri, None)
        if timer := self._timers.pop(uri, None):
            timer.cancel()
        if not self.pulls:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def reload(self, options: object = None) -> None:
        """Read the configuration anew, and look at every open text again."""
        self.configuration.reload(options)
        self._told.clear()
        for uri in self.documents:
            self.schedule(uri, 0)
        workspace = self.client_capabilities.workspace
        if self.pulls and workspace and workspace.diagnostics and workspace.diagnostics.refresh_support:
            self.workspace_diagnostic_refresh(None)

    @property
    def pulls(self) -> bool:
        """Whether the client asks for diagnostics; if it were sent them too, it would show them twice."""
        text_document = self.client_capabilities.text_document
        return text_document is not None and text_document.diagnostic is not None

    async def checked(self, uri: str) -> Checked | None:
        """Return what is known of the text as it is now; None: it is not open."""
        while (key := self._key(uri)) is not None:
            checked = await self._once(uri, key)
            if checked is not None and checked.key == self._key(uri):
                return checked
        return None

    async def in_worker(self, work: Callable[..., R], *arguments: object) -> R:
        """Do something in the thread that may use the checker."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, work, *arguments)

    def tell(self, message: str) -> None:
        """Show the writer a message, once."""
        if message and message not in self._told:
            self._told.add(message)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"unslant: {message}"))

    def report_server_error(self, error: Exception, source: Any) -> None:  # noqa: ARG002
        """Tell of a failure without its words, which may be those of a text."""
        self.tell(f"a message of the editor could not be handled ({type(error).__name__})")

    def shutdown(self) -> None:
        """Stop; a check under way ends at its next sentence."""
        self.documents = Documents()
        self._worker.shutdown(wait=False, cancel_futures=True)
        super().shutdown()  # type: ignore[no-untyped-call]

    def _key(self, uri: str) -> Key | None:
        document = self.documents.get(uri)
        return None if document is None else (document.serial, self.configuration.generation)

    async def _once(self, uri: str, key: Key) -> Checked | None:
        """Return what is known of one state of a text, checked only once however many ask; None: ask again."""
        known = self._checked.get(uri)
        if known is not None and known.key == key:
            return known
        running = self._running.get(uri)
        if running is None or running[0] != key or running[1].done():
            running = (key, asyncio.ensure_future(self._check(uri, key)))
            self._running[uri] = running
        # one who asks may be cancelled; the others still wait
        return await asyncio.shield(running[1])

    async def _check(self, uri: str, key: Key) -> Checked | None:
        """Check a text; None: it has changed, or another that was touched later goes first."""
        document = self.documents.get(uri)
        if document is None:
            return None

        def stale() -> bool:
            return self._key(uri) != key or self._foremost > document.serial

        self._wait(document.serial, waits=True)
        try:
            checked = await self.in_worker(self.checker.check, document, self.documents.encoding, key, stale)
        finally:
            self._wait(document.serial, waits=False)
        if checked is not None and self._key(uri) == key:
            self._checked[uri] = checked
            self.tell(checked.problem)
        return checked

    def _wait(self, serial: int, *, waits: bool) -> None:
        (self._waiting.add if waits else self._waiting.discard)(serial)
        self._foremost = max(self._waiting, default=0)

    def _publish_soon(self, uri: str) -> None:
        task = asyncio.ensure_future(self._publish(uri))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _publish(self, uri: str) -> None:
        """Send what is found; if the text has changed meanwhile, its next check will."""
        key = self._key(uri)
        while key is not None and key == self._key(uri):
            checked = await self._once(uri, key)
            if checked is not None and key == self._key(uri):
                self.text_document_publish_diagnostics(
                    types.PublishDiagnosticsParams(uri, diagnostics(checked), checked.document.version)
                )
                return


def serve(opened: OpenSettings) -> None:
    """Serve one client over standard input and output until it is gone."""
    from unslant.editor.features import register

    for name in ("pygls", "asyncio"):
        # what they would log holds the writer's text
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
    server = EditorServer(opened)
    register(server)
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a stray word on standard output would break the protocol
    server.start_io(stdin, stdout)
