"""What web pages and slow clients try, against the guard, the engine and the protocol themselves, on loopback only."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest

from unslant.server.engine import BatchEngine, EngineRequest, SentText, TextJob
from unslant.server.guard import Guard, is_loopback_name, receive_body
from unslant.server.monitoring import Metrics
from unslant.server.requests import RequestError
from unslant.server.run import timed_protocol
from unslant.server.settings import Limits, ServerSettings
from unslant.spec import Spec

RULES = Spec(analyzers=("rules",))


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:80",
        "a.localhost",
        "a.localhost:1",
        "127.0.0.1",
        "127.9.9.9:80",
        "[::1]",
        "[::1]:80",
    ],
)
def test_names_of_this_machine(host: str) -> None:
    assert is_loopback_name(host)


@pytest.mark.parametrize(
    "host",
    [
        "evillocalhost",
        "evillocalhost:80",
        "localhost.evil.example",
        "localhost.",
        "127.0.0.1.evil.example",
        "127.0.0.1@evil.example",
        "evil.example:127",
        "10.0.0.1",
        "0.0.0.0:80",
        "[::]:80",
        "[::ffff:10.0.0.1]",
        "localhost:evil",
        ":80",
        "",
    ],
)
def test_names_that_only_look_like_it(host: str) -> None:
    assert not is_loopback_name(host)


def answer(
    settings: ServerSettings,
    headers: dict[str, str],
    *,
    path: str = "/v1/check",
    method: str = "POST",
    body: bytes = b"{}",
    query: bytes = b"",
) -> int:
    """Send one request through the guard; return the status, 200 if it came through."""
    statuses: list[int] = []

    async def app(_: MutableMapping[str, Any], __: object, send: Callable[[Any], Awaitable[None]]) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def receive() -> MutableMapping[str, Any]:
        if statuses == [] and not given:
            given.append(1)
            return {"type": "http.request", "body": body}
        await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    given: list[int] = []
    named = {"host": "localhost:8000", "content-type": "application/json"} | headers
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query,
        "headers": [(name.encode(), value.encode()) for name, value in named.items() if value],
    }
    asyncio.run(Guard(app, settings, Metrics())(scope, receive, send))
    return statuses[0]


LOCAL = ServerSettings(spec=RULES, local=True)
LOCKED = ServerSettings(spec=RULES, token="sesame")  # noqa: S106


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://evillocalhost:8000",
        "http://xlocalhost:8000",
        "http://localhost:8000.evil.example",
        "http://localhost:80",
        "http://localhost",
        "http://localhost:8000/",
        "http://evil.example://localhost:8000",
        "null",
        "file://",
        "chrome-extension://localhost",
        "moz-extension://abc",
    ],
)
@pytest.mark.parametrize("path", ["/v1/check", "/v2/check"])
def test_no_page_of_another_origin_comes_through(origin: str, path: str) -> None:
    kind = "application/json" if path == "/v1/check" else "application/x-www-form-urlencoded"
    body = b"{}" if path == "/v1/check" else urlencode({"language": "en", "text": "a"}).encode()
    sent = {"origin": origin, "content-type": kind}
    assert answer(LOCAL, sent, path=path, body=body) == 403
    allowed = replace(LOCAL, origins=("http://good.example",))
    assert answer(allowed, sent, path=path, body=body) == 403
    assert answer(LOCAL, sent, path=path, method="GET") == 403
    assert answer(LOCAL, sent, path=path, method="OPTIONS") == 403


def test_our_own_page_and_allowed_ones_come_through() -> None:
    assert answer(LOCAL, {"origin": "http://localhost:8000"}) == 200
    assert answer(LOCAL, {}) == 200
    allowed = replace(LOCAL, origins=("http://good.example",))
    assert answer(allowed, {"origin": "http://good.example"}) == 200
    for near in ("http://good.example.evil", "http://evilgood.example", "https://good.example"):
        assert answer(allowed, {"origin": near}) == 403
    # as people write it; a browser sends lower case, and no slash
    written = replace(LOCAL, origins=("HTTP://Good.example/",))
    assert answer(written, {"origin": "http://good.example"}) == 200


def test_a_name_of_another_machine_is_refused_here_whatever_the_origin() -> None:
    for host in ("evil.example", "evillocalhost:8000", "localhost.evil.example"):
        assert answer(LOCAL, {"host": host}) == 421
        assert answer(LOCAL, {"host": host, "origin": f"http://{host}"}) == 421


@pytest.mark.parametrize(
    ("shown", "status"),
    [
        ("Bearer sesame", 200),
        ("bearer sesame", 200),
        ("Bearer  sesame ", 200),
        ("Bearer sesam", 401),
        ("Bearer sesames", 401),
        ("Bearer ", 401),
        ("Basic sesame", 401),
        ("sesame", 401),
        ("", 401),
    ],
)
def test_only_the_token_itself_opens(shown: str, status: int) -> None:
    assert answer(LOCKED, {"authorization": shown}) == status
    extension = {"authorization": shown, "origin": "chrome-extension://abc"}
    assert answer(LOCKED, extension) == status, "an extension needs it as well"


def test_the_key_of_a_query_counts_only_where_clients_send_it() -> None:
    assert answer(LOCKED, {}, query=b"key=sesame") == 401
    assert answer(LOCKED, {}, path="/v2/check", query=b"key=sesame&apiKey=sesame") == 401


@pytest.mark.parametrize(
    ("path", "kind", "status"),
    [
        ("/v1/check", "application/json; charset=utf-8", 200),
        ("/v1/check", "text/plain", 415),
        ("/v1/check", "TEXT/PLAIN;x=application/json", 415),
        ("/v1/check", "application/x-www-form-urlencoded", 415),
        ("/v1/check", "", 415),
        ("/v2/check", "application/x-www-form-urlencoded; charset=utf-8", 200),
        ("/v2/check", "multipart/form-data", 415),
        ("/v2/check", "application/json", 415),
        ("/v2/check", "text/plain", 415),
        ("/v2/check", "", 415),
    ],
)
def test_each_path_takes_only_its_own_kind_of_body(path: str, kind: str, status: int) -> None:
    body = b"{}" if path == "/v1/check" else b"language=en&text=a"
    assert answer(LOCAL, {"content-type": kind}, path=path, body=body) == status


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_form_of_a_page_without_an_origin_is_refused(site: str) -> None:
    sent = {"content-type": "application/x-www-form-urlencoded", "sec-fetch-site": site}
    assert answer(LOCAL, sent, path="/v2/check", body=b"language=en&text=a") == 403


@pytest.mark.parametrize(
    "body",
    [
        b"&".join(b"a%d=1" % number for number in range(51)),
        b"text=%ff",
        b"text=\xff",
        b"data=" + b"[" * 1_000,
        b"data=nothing",
        b"data=" + b"[1," * 100_000 + b"1" + b"]" * 100_000,
    ],
)
def test_forms_made_to_hurt_are_refused(body: bytes) -> None:
    sent = {"content-type": "application/x-www-form-urlencoded"}
    began = time.process_time()
    assert answer(LOCAL, sent, path="/v2/check", body=body) in (400, 413)
    assert time.process_time() - began < 5


def request(text: str, done: list[str], name: str, task: str = "check") -> EngineRequest:
    def build(_: object) -> dict[str, Any]:
        done.append(name)
        return {}

    return EngineRequest(TextJob(RULES, task), [SentText(text)], build)  # type: ignore[arg-type]


def engine(**limits: Any) -> BatchEngine:
    return BatchEngine(ServerSettings(spec=RULES, limits=replace(Limits(), **limits)), Metrics())


def test_room_for_waiting_text_is_given_back() -> None:
    """Ten requests after each other, of which two would not fit at once."""

    async def run() -> None:
        one = engine(waiting_length=50)
        one.start()
        for _ in range(10):
            await asyncio.wait_for(one.answer(request("It rained on the plain." * 2, [], "")), 60)
        await one.close()

    asyncio.run(run())


@pytest.mark.parametrize("length", [1, 100])
def test_who_asked_first_is_answered_first(length: int) -> None:
    """Short requests and long ones, each kind in its order."""

    async def run() -> list[str]:
        done: list[str] = []
        one = engine(batch=1)
        text = "It rained on the plain. " * length
        asked = [asyncio.ensure_future(one.answer(request(text, done, f"{number}"))) for number in range(6)]
        await asyncio.sleep(0)
        one.start()
        await asyncio.wait_for(asyncio.gather(*asked), 120)
        await one.close()
        return done

    assert asyncio.run(run()) == list("012345")


def test_nobody_waits_for_what_was_given_up() -> None:
    async def run() -> list[str]:
        done: list[str] = []
        one = engine(batch=1)
        asked = [
            asyncio.ensure_future(one.answer(request("Rain.", done, f"{number}"))) for number in range(4)
        ]
        await asyncio.sleep(0)
        asked[1].cancel()
        await asyncio.sleep(0)
        one.start()
        await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 120)
        await one.close()
        return done

    assert asyncio.run(run()) == ["0", "2", "3"]


class Transport(asyncio.Transport):
    """A connection that only says whether it was cut off."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 2)})
        self.aborted = asyncio.Event()
        self.written = b""

    def abort(self) -> None:
        self.aborted.set()

    def write(self, data: object) -> None:
        self.written += bytes(data)  # type: ignore[call-overload]

    def close(self) -> None:
        self.aborted.set()

    def is_closing(self) -> bool:
        return self.aborted.is_set()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Nothing is buffered."""

    def pause_reading(self) -> None:
        """Nothing comes by itself."""

    def resume_reading(self) -> None:
        """Nothing comes by itself."""


@pytest.mark.parametrize("phase", ["silent", "head", "body", "reader"])
def test_every_wait_of_a_connection_ends(phase: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that says nothing, half a head, half a body, or does not read is cut off, and not before its time."""
    import uvicorn
    from uvicorn.server import ServerState

    from unslant.server import run as run_module

    monkeypatch.setattr(run_module, "_GRACE", 0.1)
    limits = replace(Limits(), header_seconds=0.4, body_seconds=0.3)

    async def app(_: object, receive: Callable[[], Awaitable[Any]], __: object) -> None:
        await receive()
        await asyncio.sleep(60)

    async def run() -> float:
        config = uvicorn.Config(app, ws="none", log_config=None, http=timed_protocol(limits))
        config.load()
        transport = Transport()
        connection = timed_protocol(limits)(config=config, server_state=ServerState(), app_state={})
        began = time.monotonic()
        connection.connection_made(transport)
        size = 100 if phase == "reader" else 60_000
        head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n" % size
        if phase == "head":
            connection.data_received(head)
        if phase in ("body", "reader"):
            connection.data_received(head + b"\r\nhalf" + b"a" * 96 * (phase == "reader"))
        if phase == "reader":
            connection.pause_writing()
        dribble = asyncio.ensure_future(_dribble(connection)) if phase in ("head", "body") else None
        await asyncio.wait_for(transport.aborted.wait(), 20)
        if dribble is not None:
            dribble.cancel()
        connection.connection_lost(None)
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        return time.monotonic() - began

    async def _dribble(connection: Any) -> None:
        # another byte now and then does not win time, however often
        while True:
            await asyncio.sleep(0.05)
            connection.data_received(b"a")

    assert asyncio.run(run()) > 0.25


def test_more_connections_than_allowed_are_turned_away() -> None:
    import uvicorn
    from uvicorn.server import ServerState

    limits = replace(Limits(), connections=2)

    async def run() -> list[bytes]:
        config = uvicorn.Config(lambda *_: None, ws="none", log_config=None)  # type: ignore[arg-type, return-value]
        config.load()
        state = ServerState()
        transports = [Transport() for _ in range(3)]
        for transport in transports:
            timed_protocol(limits)(config=config, server_state=state, app_state={}).connection_made(transport)
        return [transport.written[:12] for transport in transports]

    assert asyncio.run(run()) == [b"", b"", b"HTTP/1.1 503"]


def test_a_body_has_only_so_much_time() -> None:
    async def never() -> MutableMapping[str, Any]:
        await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    limits = replace(Limits(), body_seconds=0.1)
    with pytest.raises(RequestError, match="did not arrive in time"):
        asyncio.run(asyncio.wait_for(receive_body(never, None, limits, lambda _: None), 20))
