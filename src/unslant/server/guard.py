"""What stands in front of every route: who may call, how much, how long; and that nothing is told to logs."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from unslant.report.wire import dumps
from unslant.server import headers, perspective
from unslant.server.body import Disconnected, Receive, Room, parse, receive_body
from unslant.server.logs import LOGGER, log_failure
from unslant.server.metrics import Metrics
from unslant.server.refusal import Refusal
from unslant.server.settings import ServerSettings

__all__ = ["Guard", "wire_error"]

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_GUARDED = ("/v1/", "/v1alpha1/", "/metrics")
"""What is shown only to those who have the token; the page and the state of health are for all."""


def wire_error(path: str, refusal: Refusal) -> dict[str, Any]:
    """Return a refusal in the shape that callers of this path know."""
    if path.startswith(perspective.PREFIX):
        return perspective.error(refusal)
    return {"error": refusal.to_dict()}


class Guard:
    """Wraps the application, outside everything that a framework puts around it."""

    def __init__(
        self, app: App, settings: ServerSettings, metrics: Metrics, paths: Collection[str] = ()
    ) -> None:
        """Wrap an application; ``paths`` are those that may be named in counts and logs."""
        self._app = app
        self._paths = frozenset(paths)
        self._settings = settings
        self._room = Room(settings.limits)
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass on what is none."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(send, scope)
        try:
            await self._admitted(scope, receive, answer)
        except Disconnected:
            answer.status = 499
        except Refusal as refusal:
            await answer.refuse(refusal)
        except Exception as error:
            log_failure(f"{scope['method']} failed", error)
            await answer.refuse(
                Refusal(500, "internal", "a bug in unslant: the request could not be answered")
            )
        self._count(scope, answer)

    async def _admitted(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        asked = dict(scope["headers"])
        self._authorize(scope, asked)
        if scope["method"] != "POST":
            await self._app(scope, receive, answer.send)
            return
        declared = asked.get(b"content-length", b"")
        limits = self._settings.limits
        with self._room.share() as take:
            body = await receive_body(receive, int(declared) if declared.isdigit() else None, limits, take)
            scope.setdefault("state", {})["payload"] = parse(body, limits)
            await self._in_time(scope, receive, answer)

    async def _in_time(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        """Run the application, but no longer than somebody waits and than a request may take."""
        work = asyncio.ensure_future(self._app(scope, receive, answer.send))
        gone = asyncio.ensure_future(receive())
        seconds = self._settings.limits.seconds
        try:
            await asyncio.wait({work, gone}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                work.result()
            elif gone.done():
                raise Disconnected
            elif answer.status:
                await work
            else:
                self._metrics.refused.labels("timeout").inc()
                raise Refusal(504, "timeout", f"the answer took longer than {seconds:g} seconds")
        finally:
            for task in (work, gone):
                task.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)

    def _authorize(self, scope: Scope, asked: dict[bytes, bytes]) -> None:
        token = self._settings.token
        if not token or not scope["path"].startswith(_GUARDED) or scope["method"] == "OPTIONS":
            return
        sort, _, shown = asked.get(b"authorization", b"").partition(b" ")
        if sort.lower() != b"bearer":
            shown = b""
            if scope["path"].startswith(perspective.PREFIX):
                query = parse_qs(scope["query_string"].decode("latin-1"))
                shown = query.get("key", [""])[0].encode()
        if not hmac.compare_digest(shown.strip(), token.encode()):
            self._metrics.refused.labels("token").inc()
            raise Refusal(401, "unauthorized", "this server asks for a token: Authorization: Bearer TOKEN")

    def _count(self, scope: Scope, answer: _Answer) -> None:
        # what a client makes up must not become a label or a line in a log
        known = scope["path"] if scope["path"] in self._paths else "other"
        route = getattr(scope.get("route"), "path", known)
        seconds = time.perf_counter() - answer.began
        self._metrics.requests.labels(route, str(answer.status)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        LOGGER.info("%s %s %d %.1f ms", scope["method"], route, answer.status, 1_000 * seconds)


class _Answer:
    """What is sent back, with the headers that every answer has."""

    def __init__(self, send: Send, scope: Scope) -> None:
        self._send = send
        self._scope = scope
        self.began = time.perf_counter()
        self.status = 0
        """0: nothing has been sent yet."""

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Pass on a part of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = {name for name, _ in message["headers"]}
            extra = [(name.encode(), value.encode()) for name, value in headers.ANSWER.items()]
            message["headers"] = [*message["headers"], *(one for one in extra if one[0] not in given)]
        await self._send(message)

    async def refuse(self, refusal: Refusal) -> None:
        """Say why there is no answer, unless one has begun."""
        if self.status:
            return
        body = dumps(wire_error(self._scope["path"], refusal)).encode("ascii")
        head = {
            "content-type": "application/json",
            "content-length": str(len(body)),
            **({"www-authenticate": "Bearer"} if refusal.status == 401 else {}),
            **refusal.headers,
        }
        await self.send(
            {
                "type": "http.response.start",
                "status": refusal.status,
                "headers": [(name.encode(), value.encode()) for name, value in head.items()],
            }
        )
        await self.send({"type": "http.response.body", "body": body})
