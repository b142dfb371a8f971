"""From the bytes of a body to what they say, with every bound kept before memory or time is spent."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

from unslant.server.refusal import Refusal
from unslant.server.settings import Limits

__all__ = ["Disconnected", "Room", "parse", "receive_body"]

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

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
