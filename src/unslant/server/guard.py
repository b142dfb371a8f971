"""What stands in front of every route: who may call, how much, how long; and that nothing is told to logs."""

from __future__ import annotations

import asyncio
import hmac
import json
import re
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs

from unslant.report.wire import dumps
from unslant.server import perspective
from unslant.server.monitoring import LOGGER, Metrics, log_failure
from unslant.server.requests import Refusal
from unslant.server.settings import Limits, ServerSettings

__all__ = [
    "ANSWER_HEADERS",
    "PAGE_HEADERS",
    "Disconnected",
    "Guard",
    "Room",
    "parse",
    "receive_body",
    "wire_error",
]

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
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
            extra = [(name.encode(), value.encode()) for name, value in ANSWER_HEADERS.items()]
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


# Possessive, and an unclosed string runs to the end: every byte is looked at once, whatever was sent.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z|\\\Z)|[\[{]|[\]}]|,', re.DOTALL)


class Disconnected(Exception):
    """The client is gone."""


class Room:
    """The bytes that all bodies together may take, from their first part until they are answered."""

    def __init__(self, limits: Limits) -> None:
        self._free = limits.held_bytes

    @contextmanager
    def share(self) -> Iterator[Callable[[int], None]]:
        """Yield what takes some of the room; it is given back at the end."""
        taken = 0

        def take(size: int) -> None:
            nonlocal taken
            if size > self._free:
                raise Refusal(503, "busy", "too many requests are being read; come back in a moment", 1)
            self._free -= size
            taken += size

        try:
            yield take
        finally:
            self._free += taken


async def receive_body(
    receive: Receive, declared: int | None, limits: Limits, take: Callable[[int], None]
) -> bytes:
    """Return the body; one that is too long or comes too slowly is refused without reading on."""
    if declared is not None and declared > limits.body_bytes:
        raise _too_large(limits)
    parts: list[bytes] = []
    held = 0
    try:
        async with asyncio.timeout(limits.body_seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Disconnected
                parts.append(message.get("body", b""))
                held += len(parts[-1])
                take(len(parts[-1]))
                if held > limits.body_bytes:
                    raise _too_large(limits)
                if not message.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        raise Refusal(408, "too_slow", "the body did not arrive in time") from None


def parse(body: bytes, limits: Limits) -> object:
    """Return what a body says in JSON; one that is nested too deeply or holds too much is not parsed at all."""
    if not body.strip():
        raise Refusal(400, "not_json", "the body is empty; send JSON")
    depth = 0
    for count, token in enumerate(_TOKEN.finditer(body)):
        if count > limits.values:
            raise Refusal(413, "too_many_values", f"a body may hold {limits.values:,} values")
        first = body[token.start()]
        if first in b"[{":
            depth += 1
            if depth > limits.depth:
                raise Refusal(400, "too_deep", f"JSON may be nested {limits.depth} levels deep")
        elif first in b"]}":
            depth -= 1
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Refusal(400, "not_json", "the body is not JSON in UTF-8") from None


def _too_large(limits: Limits) -> Refusal:
    return Refusal(413, "body_too_large", f"a body may hold {limits.body_bytes:,} bytes")


_ALWAYS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}

PAGE_HEADERS = _ALWAYS | {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'"
    ),
    "cache-control": "no-cache",
}
"""For the page: its own files and our own answers, nothing inline, nothing from elsewhere."""

ANSWER_HEADERS = _ALWAYS | {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
}
"""For everything else: what was found in a text is not to be kept by anybody on the way."""
