"""Clients that misbehave, and everybody else who must not notice."""

from __future__ import annotations

import json
import re
import select
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from .conftest import Server, Start, running

TEXT = {"text": "The legendary singer slammed the plan."}


def _connect(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=120)


def _head(length: int | None, path: str = "/v1/check") -> bytes:
    how = b"Transfer-Encoding: chunked" if length is None else b"Content-Length: %d" % length
    return b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s\r\n\r\n" % (
        path.encode(),
        how,
    )


def _sample(server: Server, name: str) -> float:
    return _samples(server, name)[0]


def _samples(server: Server, *names: str) -> list[float]:
    """Return these numbers as they were at one moment."""
    text = server.client.get("/metrics").text
    found = [re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE) for name in names]
    return [float(match[1]) if match else 0.0 for match in found]


def _memory(server: Server) -> float:
    return _sample(server, "process_resident_memory_bytes")


def _healthy(server: Server) -> None:
    answer = server.post("/v1/check", TEXT)
    assert answer.status_code == 200
    assert len(answer.json()["findings"]) == 2
    assert server.client.get("/readyz").status_code == 200


@pytest.mark.parametrize("declared", [True, False])
def test_a_hundred_megabytes_are_refused_and_not_held(server: Server, declared: bool) -> None:
    before = _memory(server)
    chunk = b"a" * 65_536 if declared else b"10000\r\n" + b"a" * 65_536 + b"\r\n"
    sent = 0
    with closing(_connect(server)) as raw:
        raw.sendall(_head(100_000_000 if declared else None))
        while sent < 100_000_000 and not select.select([raw], [], [], 0)[0]:
            raw.sendall(chunk)
            sent += 65_536
        answer = raw.recv(4096)
    assert b" 413 " in answer.splitlines()[0]
    assert sent < 50_000_000
    assert _memory(server) - before < 40_000_000
    _healthy(server)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b'{"items": [' + b"{}," * 1_000_000 + b"{}]}", 413, "too_many_values"),
        (b'{"items": [' + b'"",' * 1_000_000 + b'""]}', 413, "too_many_values"),
        (b"[" * 1_000_000, 400, "too_deep"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, 400, "too_deep"),
        (b'{"text": "' + b'\\"' * 1_000_000, 400, "not_json"),
        (b'{"text": ' + b"9" * 10_000 + b"}", 400, "not_json"),
        (b'{"text": "\xff"}', 400, "not_json"),
        (b"", 400, "not_json"),
        (b"nonsense", 400, "not_json"),
    ],
)
def test_json_that_is_made_to_hurt_is_refused_at_once(
    server: Server, body: bytes, status: int, code: str
) -> None:
    began = time.perf_counter()
    answer = server.client.post("/v1/check", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert time.perf_counter() - began < 60
    _healthy(server)


def test_brackets_and_quotes_inside_a_text_are_text(server: Server) -> None:
    text = '[{"\\' * 20_000 + " The legendary plan."
    answer = server.post("/v1/check", {"text": text})
    assert answer.status_code == 200
    assert answer.json()["findings"][-1]["text"] == "legendary"


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory, plugins: Path) -> Iterator[Server]:
    """A slow server with little patience and little room."""
    limits = ["header-seconds=0.5", "body-seconds=0.5", "waiting=2", "batch=1"]
    options = [part for limit in limits for part in ("--limit", limit)]
    with running(tmp_path_factory.mktemp("strict"), plugins, options, ["rules", "slow"], {}) as server:
        yield server


def test_slow_senders_are_cut_off_and_others_are_not(strict: Server) -> None:
    server = strict
    with (
        closing(_connect(server)) as head,
        closing(_connect(server)) as body,
        closing(_connect(server)) as mute,
    ):
        body.sendall(_head(1_000))
        began = time.monotonic()
        for letter in b"POST /v1":
            try:
                head.sendall(bytes([letter]))
                # a byte behind the answer would reset the connection, and the answer would be lost
                if not select.select([body], [], [], 0)[0]:
                    body.sendall(b"a")
            except OSError:
                break  # cut off already
            time.sleep(0.1)
            assert server.client.get("/healthz").status_code == 200
        assert _rest(head) == b""
        assert b" 408 " in _rest(body).splitlines()[0]
        assert _rest(mute) == b""
        assert time.monotonic() - began < 60
    _healthy(server)


def _rest(connection: socket.socket) -> bytes:
    """Return what still comes until the other side closes."""
    received = b""
    try:
        while part := connection.recv(4096):
            received += part
    except ConnectionResetError:
        pass
    return received


def test_too_many_connections_are_rejected(start: Start) -> None:
    server = start("--limit", "connections=3")
    server.client.close()  # one less that waits for its next request
    waiting = [_connect(server) for _ in range(3)]
    try:
        with closing(_connect(server)) as one_more:
            answer = _rest(one_more)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"Retry-After: 1" in answer
    finally:
        for connection in waiting:
            connection.close()
    for _ in range(100):
        time.sleep(0.2)
        if httpx.get(f"{server.url}healthz", timeout=120).status_code == 200:
            break
    else:
        pytest.fail("the places of closed connections were not given back")


def test_a_client_that_leaves_frees_its_place(start: Start) -> None:
    server = start("--limit", "batch=1", analyzers=("rules", "slow"))
    body = json.dumps(TEXT).encode()
    gone = [_connect(server) for _ in range(40)]
    for connection in gone:
        connection.sendall(_head(len(body)) + body)
    for connection in gone:
        connection.close()
    _healthy(server)
    # the last pass is that of the healthy request, and not all of the others were run
    assert _sample(server, "unslant_batch_texts_count") < 40


def test_a_full_queue_says_when_to_come_back(strict: Server) -> None:
    server = strict
    answers: list[httpx.Response] = []
    with ThreadPoolExecutor(16) as pool:
        # on a busy machine the clients may not come at the same time
        for _ in range(10):
            answers += pool.map(lambda _: server.post("/v1/check", TEXT), range(16))
            statuses = {answer.status_code for answer in answers}
            if len(statuses) > 1:
                break
    assert statuses == {200, 503}
    for answer in answers:
        if answer.status_code == 503:
            assert 1 <= int(answer.headers["retry-after"]) <= 30
            assert answer.json()["error"]["code"] == "busy"
    _healthy(server)


def test_a_request_that_takes_too_long_is_ended(start: Start) -> None:
    server = start("--limit", "seconds=2", analyzers=("rules", "slow"))
    # an analyzer gets a few hundred characters at once, and each such slice takes 50 ms
    long = "The plan is old. " * 256 * 20
    answer = server.post("/v1/check", {"text": long})
    assert (answer.status_code, answer.json()["error"]["code"]) == (504, "timeout")
    _healthy(server)
    assert _sample(server, "unslant_batch_texts_count") <= 1


def test_a_long_text_does_not_hold_up_short_ones(slow_server: Server) -> None:
    server = slow_server
    long = {"text": "The plan is old. " * 256 * 20}
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(lambda: (server.post("/v1/check", long), time.monotonic()))
        time.sleep(0.2)
        _healthy(server)
        healthy_at = time.monotonic()
        first, done_at = answer.result()
    assert first.status_code == 200
    assert healthy_at < done_at


def test_requests_at_the_same_time_share_a_pass(slow_server: Server) -> None:
    server = slow_server
    before = [_sample(server, f"unslant_batch_texts_{name}") for name in ("sum", "count")]
    texts = [f"The legendary singer {number} slammed the plan." for number in range(48)]
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda text: server.post("/v1/check", {"text": text}).json(), texts))
    for text, answer in zip(texts, answers, strict=True):
        assert [text[f["span"]["start"] : f["span"]["end"]] for f in answer["findings"]] == [
            "legendary",
            "slammed",
        ]
    assert _sample(server, "unslant_batch_texts_sum") - before[0] == 48
    assert _sample(server, "unslant_batch_texts_count") - before[1] <= 24


def _wait_until_taken(server: Server, requests: int, seconds: float = 60) -> None:
    """Return once the server has read that many requests and some still wait; fail if that never happens."""
    end = time.monotonic() + seconds
    while True:
        done, waiting = _samples(server, "unslant_batch_texts_count", "unslant_waiting")
        # one more is being checked
        if waiting >= 5 and done + waiting >= requests - 1:
            return
        assert time.monotonic() < end, f"{done:g} done, {waiting:g} waiting: {server.log.read_text()}"
        time.sleep(0.01)


def test_a_stop_finishes_what_was_taken(start: Start) -> None:
    server = start("--limit", "batch=1", analyzers=("rules", "slow"))
    body = json.dumps(TEXT).encode()
    # every request takes 50 ms: enough of them that some still wait when a busy machine gets to the signal
    taken = [_connect(server) for _ in range(40)]
    for connection in taken:
        connection.sendall(_head(len(body)) + body)
    _wait_until_taken(server, len(taken))
    server.process.send_signal(signal.SIGTERM)
    answers: list[bytes] = []
    readers = [threading.Thread(target=lambda item=item: answers.append(_rest(item))) for item in taken]  # type: ignore[misc]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(120)
    assert [b"HTTP/1.1 200 OK" in answer and b'"slammed"' in answer for answer in answers] == [True] * 40
    assert server.process.wait(120) == 0
    with pytest.raises(OSError, match=r"refused|reset"):
        _connect(server)
    for connection in taken:
        connection.close()
    assert "Traceback" not in server.log.read_text()
