"""From bytes to what they say."""

from __future__ import annotations

import asyncio
import json
from collections.abc import MutableMapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.server.guard import BodyMemory, Disconnected, parse_body, receive_body
from unslant.server.requests import RequestError
from unslant.server.settings import Limits

LIMITS = Limits(depth=5, values=50, body_bytes=100, held_bytes=150, body_seconds=0.2)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def _depth(value: object) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(_depth, inner), default=0)


@settings(max_examples=150, deadline=None)
@given(VALUES, st.booleans())
def test_what_is_within_the_bounds_is_parsed_and_what_is_not_is_not(value: object, ascii_only: bool) -> None:
    body = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    if _depth(value) > LIMITS.depth:
        with pytest.raises(RequestError, match="nested 5 levels"):
            parse_body(body, LIMITS)
    else:
        assert parse_body(body, Limits(depth=5)) == value


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=60) | st.text(alphabet='[]{}",\\a:1 ', max_size=60).map(str.encode))
def test_any_bytes_are_parsed_or_refused(body: bytes) -> None:
    try:
        expected = json.loads(body.decode("utf-8-sig", "surrogatepass"))
    except (ValueError, RecursionError):
        with pytest.raises(RequestError):
            parse_body(body, LIMITS)
    else:
        if _depth(expected) <= LIMITS.depth:
            assert repr(parse_body(body, LIMITS)) == repr(expected)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-32-be"])
def test_another_encoding_does_not_get_round_the_limits(encoding: str) -> None:
    many = json.dumps([[0] * 100])
    with pytest.raises(RequestError, match="at most 50 values"):
        parse_body(many.encode(), LIMITS)
    with pytest.raises(RequestError):
        parse_body(many.encode(encoding), LIMITS)


def _receive(*parts: bytes | None, stall: bool = False) -> Any:
    messages = iter(parts)

    async def receive() -> MutableMapping[str, Any]:
        part = next(messages, None)
        if part is None:
            if stall:
                await asyncio.Event().wait()
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": part, "more_body": part != b"end"}

    return receive


def _body(receive: Any, declared: int | None = None, room: BodyMemory | None = None) -> bytes:
    with (room or BodyMemory(LIMITS)).share() as take:
        return asyncio.run(receive_body(receive, declared, LIMITS, take))


def test_a_body_comes_in_parts() -> None:
    assert _body(_receive(b"a", b"", b"b", b"end")) == b"abend"


def test_a_body_that_is_too_long_is_refused_when_it_says_so_or_gets_there() -> None:
    for declared in (101, None):
        with pytest.raises(RequestError, match="100 bytes"):
            _body(_receive(b"a" * 60, b"a" * 60, b"end"), declared)


def test_a_body_that_stalls_or_ends_early_is_given_up() -> None:
    with pytest.raises(RequestError, match="in time"):
        _body(_receive(b"a", stall=True))
    with pytest.raises(Disconnected):
        _body(_receive(b"a"))


def test_all_bodies_together_have_only_so_much_room() -> None:
    room = BodyMemory(LIMITS)
    with room.share() as take:
        take(100)
        with pytest.raises(RequestError, match="try again") as caught:
            _body(_receive(b"a" * 60, b"end"), room=room)
        assert (caught.value.status, caught.value.headers) == (503, {"retry-after": "1"})
        assert _body(_receive(b"end"), room=room) == b"end"
    assert _body(_receive(b"a" * 60, b"end"), room=room).startswith(b"aaa")
