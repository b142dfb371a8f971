"""Everything that is checked before a request reaches the application: origin, token, size, depth and time."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import re
import time
import uuid
from collections.abc import Awaitable, Callable, Collection, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs

from unslant.report.wire import dumps
from unslant.server import languagetool, perspective
from unslant.server.monitoring import LOGGER, Metrics, log_failure
from unslant.server.requests import RequestError
from unslant.server.settings import Limits, ServerSettings

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_OPEN = ("/", "/docs", "/healthz", "/readyz")
_OPEN_FOLDER = "/page/"
"""Paths that do not require the token: the page, the reference and the health endpoints."""
_EXTENSIONS = ("chrome-extension://", "moz-extension://")
"""How the origins of browser extensions begin; a web page cannot have such an origin."""


def error_body(path: str, error: RequestError) -> dict[str, Any]:
    """Return an error in the format that callers of this path expect."""
    if path.startswith(perspective.PREFIX):
        return perspective.error(error)
    return {"error": error.to_dict()}


class Guard:
    """Wraps the application, outside of all middleware of the framework."""

    def __init__(
        self, app: App, settings: ServerSettings, metrics: Metrics, paths: Collection[str] = ()
    ) -> None:
        """Wrap an application; ``paths`` are those that may appear in metrics and logs."""
        self._app = app
        self._paths = frozenset(paths)
        self._settings = settings
        self._room = BodyMemory(settings.limits)
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass on anything else."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(send, scope)
        try:
            await self._admit(scope, receive, answer)
        except Disconnected:
            answer.status = 499
        except RequestError as error:
            await answer.send_error(error)
        except Exception as error:
            log_failure(f"{scope['method']} failed", error)
            await answer.send_error(RequestError(500, "internal", "internal error: this is a bug in unslant"))
        self._count(scope, answer)

    async def _admit(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        headers = dict(scope["headers"])
        self._require_known_origin(headers)
        self._authorize(scope, headers)
        if b"content-length" in headers and b"transfer-encoding" in headers:
            # a proxy in front might believe the other one
            raise RequestError(
                400, "ambiguous_length", "send either Content-Length or Transfer-Encoding, not both"
            )
        if scope["method"] != "POST":
            await self._app(scope, receive, answer.send)
            return
        is_form = scope["path"] == languagetool.CHECK
        if is_form:
            _require_form(headers)
        else:
            _refuse_simple(headers)
        declared = headers.get(b"content-length", b"")
        limits = self._settings.limits
        with self._room.share() as take:
            body = await receive_body(receive, int(declared) if declared.isdigit() else None, limits, take)
            payload = (
                languagetool.parse_form(body, lambda data: parse_body(data, limits))
                if is_form
                else parse_body(body, limits)
            )
            scope.setdefault("state", {})["payload"] = payload
            await self._in_time(scope, receive, answer)

    async def _in_time(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        """Run the application until it is done, the client disconnects or the time is up."""
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
                self._metrics.rejected.labels("timeout").inc()
                raise RequestError(504, "timeout", f"the request took longer than {seconds:g} seconds")
        finally:
            for task in (work, gone):
                task.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)

    def _require_known_origin(self, headers: dict[bytes, bytes]) -> None:
        """Refuse what a web page of somebody else sends through the user's browser.

        Such a page names itself in ``Origin``, or reaches this machine under a name of its own (DNS rebinding).
        """
        host = headers.get(b"host", b"").decode("latin-1").lower()
        origin = headers.get(b"origin", b"").decode("latin-1").lower()
        allowed = {name.lower().rstrip("/") for name in self._settings.origins}
        own = {name.partition("://")[2] for name in allowed}
        if self._settings.local and host and not is_loopback_name(host) and host not in own:
            self._metrics.rejected.labels("host").inc()
            raise RequestError(
                421,
                "unknown_host",
                "this server answers only under the name localhost; set a token, or allow the page's address with "
                "--allow-origin",
            )
        # A browser extension is no web page: the token, which only its owner can have given it, tells who it is.
        paired = origin.startswith(_EXTENSIONS) and bool(self._settings.token)
        if origin and origin.partition("://")[2] != host and not {origin, "*"} & allowed and not paired:
            self._metrics.rejected.labels("origin").inc()
            raise RequestError(
                403, "unknown_origin", "web pages of this origin may not call the server; see --allow-origin"
            )

    def _authorize(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        token, path = self._settings.token, scope["path"]
        if not token or path in _OPEN or path.startswith(_OPEN_FOLDER) or scope["method"] == "OPTIONS":
            return
        sort, _, shown = headers.get(b"authorization", b"").partition(b" ")
        if sort.lower() != b"bearer":
            shown = b""
            if scope["path"].startswith(perspective.PREFIX):
                query = parse_qs(scope["query_string"].decode("latin-1"))
                shown = query.get("key", [""])[0].encode()
        if not hmac.compare_digest(shown.strip(), token.encode()):
            self._metrics.rejected.labels("token").inc()
            raise RequestError(
                401, "unauthorized", "this server requires a token; send 'Authorization: Bearer TOKEN'"
            )

    def _count(self, scope: Scope, answer: _Answer) -> None:
        # text from a client must not end up in a metric label or a log
        known = scope["path"] if scope["path"] in self._paths else "other"
        route = getattr(scope.get("route"), "path", known)
        seconds = time.perf_counter() - answer.began
        self._metrics.requests.labels(route, str(answer.status)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        request = {
            "request_id": answer.request_id,
            "method": scope["method"],
            "route": route,
            "status": answer.status,
            "milliseconds": round(1_000 * seconds, 1),
        }
        LOGGER.info(
            "%s %s %d %.1f ms %s",
            scope["method"],
            route,
            answer.status,
            1_000 * seconds,
            answer.request_id,
            extra={"request": request},
        )


def is_loopback_name(host: str) -> bool:
    """Return whether a ``Host`` header names this machine from the inside."""
    name, colon, port = host.rpartition(":")
    if not colon or not port.isdigit() or name.endswith(":"):
        name = host
    name = name.removeprefix("[").removesuffix("]")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


_SIMPLE = (b"", b"application/x-www-form-urlencoded", b"multipart/form-data", b"text/plain")
"""The types of bodies that a browser lets every page send anywhere, without asking the server first."""


def _refuse_simple(headers: dict[bytes, bytes]) -> None:
    if headers.get(b"content-type", b"").partition(b";")[0].strip().lower() in _SIMPLE:
        raise RequestError(415, "not_json", "send JSON, with the header 'Content-Type: application/json'")


def _require_form(headers: dict[bytes, bytes]) -> None:
    """Take only a form, and from a page only with its origin, because a browser may send a form without asking."""
    if headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != languagetool.FORM.encode():
        raise RequestError(
            415, "not_a_form", f"send a form, with the header 'Content-Type: {languagetool.FORM}'"
        )
    if headers.get(b"sec-fetch-site") in (b"cross-site", b"same-site") and b"origin" not in headers:
        raise RequestError(
            403, "unknown_origin", "web pages may call the server only with the header 'Origin'"
        )


_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")


def _request_id(scope: Scope) -> str:
    """Return the id that the client or a proxy gave the request, or a new one; nothing else gets into the log."""
    given = dict(scope["headers"]).get(b"x-request-id", b"")
    return given.decode("ascii") if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex


class _Answer:
    """A response, with the headers that every response has."""

    def __init__(self, send: Send, scope: Scope) -> None:
        self._send = send
        self._scope = scope
        self.began = time.perf_counter()
        self.status = 0
        """0 until a response has started."""
        self.request_id = _request_id(scope)

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Send a part of the response."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = {name for name, _ in message["headers"]}
            own = {**ANSWER_HEADERS, "x-request-id": self.request_id}
            extra = [(name.encode(), value.encode()) for name, value in own.items()]
            message["headers"] = [
                *message["headers"],
                *(header for header in extra if header[0] not in given),
            ]
        await self._send(message)

    async def send_error(self, error: RequestError) -> None:
        """Send an error, unless a response has already started."""
        if self.status:
            return
        body = dumps(error_body(self._scope["path"], error)).encode("ascii")
        head = {
            "content-type": "application/json",
            "content-length": str(len(body)),
            **({"www-authenticate": "Bearer"} if error.status == 401 else {}),
            **error.headers,
        }
        await self.send(
            {
                "type": "http.response.start",
                "status": error.status,
                "headers": [(name.encode(), value.encode()) for name, value in head.items()],
            }
        )
        await self.send({"type": "http.response.body", "body": body})


# Possessive, and an unclosed string runs to the end: every byte is looked at once, whatever the input.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z|\\\Z)|[\[{]|[\]}]|,', re.DOTALL)


class Disconnected(Exception):
    """The client has disconnected."""


class BodyMemory:
    """The memory that all bodies together may use until they are answered."""

    def __init__(self, limits: Limits) -> None:
        self._free = limits.held_bytes

    @contextmanager
    def share(self) -> Iterator[Callable[[int], None]]:
        """Yield a function that reserves bytes; they are released at the end."""
        taken = 0

        def take(size: int) -> None:
            nonlocal taken
            if size > self._free:
                raise RequestError(503, "busy", "too many requests are being read; try again in a moment", 1)
            self._free -= size
            taken += size

        try:
            yield take
        finally:
            self._free += taken


async def receive_body(
    receive: Receive, declared: int | None, limits: Limits, take: Callable[[int], None]
) -> bytes:
    """Return the body; stop reading and raise an error if it is too long or too slow."""
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
        raise RequestError(408, "too_slow", "the body did not arrive in time") from None


def parse_body(body: bytes, limits: Limits) -> object:
    """Parse a body as JSON; a body that is nested too deeply or has too many values is not parsed at all."""
    if not body.strip():
        raise RequestError(400, "not_json", "the body is empty; send JSON")
    depth = 0
    for count, token in enumerate(_TOKEN.finditer(body)):
        if count > limits.values:
            raise RequestError(413, "too_many_values", f"a body can contain at most {limits.values:,} values")
        first = body[token.start()]
        if first in b"[{":
            depth += 1
            if depth > limits.depth:
                raise RequestError(400, "too_deep", f"JSON can be nested at most {limits.depth} levels deep")
        elif first in b"]}":
            depth -= 1
    try:
        # the bounds above hold for UTF-8 only, so no other encoding is guessed
        return json.loads(body.decode("utf-8-sig", "surrogatepass"))
    except (ValueError, RecursionError):
        raise RequestError(400, "not_json", "the body is not valid JSON in UTF-8") from None


def _too_large(limits: Limits) -> RequestError:
    return RequestError(413, "body_too_large", f"a body can have at most {limits.body_bytes:,} bytes")


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
"""Headers of the page: it can load its own files and nothing else, and nothing inline."""

ANSWER_HEADERS = _ALWAYS | {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
}
"""Headers of everything else: findings must not be cached by anyone."""
