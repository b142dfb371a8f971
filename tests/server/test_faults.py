"""Clients that misbehave, and everybody else who must not notice."""

from __future__ import annotations

import json
import re
import select
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import httpx
import pytest

from .conftest import Server, Start, wait_until

TEXT = {"text": "The legendary singer slammed the plan."}
HELD = {"text": "Take hold of it. "}
"""The analyzer *held* stops at this text until it is let go."""


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
def test_json_that_is_made_to_hurt_is_refused(server: Server, body: bytes, status: int, code: str) -> None:
    answer = server.client.post("/v1/check", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    _healthy(server)


def test_brackets_and_quotes_inside_a_text_are_text(server: Server) -> None:
    text = '[{"\\' * 20_000 + " The legendary plan."
    answer = server.post("/v1/check", {"text": text})
    assert answer.status_code == 200
    assert answer.json()["findings"][-1]["text"] == "legendary"


def test_slow_senders_are_cut_off_and_others_are_not(start: Start) -> None:
    server = start("--limit", "header-seconds=0.5", "--limit", "body-seconds=0.5")
    with (
        closing(_connect(server)) as head,
        closing(_connect(server)) as body,
        closing(_connect(server)) as mute,
    ):
        head.sendall(b"POST /v1/check HTTP/1.1\r\n")
        body.sendall(_head(1_000_000))
        waiting = [head, body]
        while waiting:
            # a byte behind the answer would reset the connection, and the answer would be lost
            ended, _, _ = select.select(waiting, [], [], 0.1)
            waiting = [connection for connection in waiting if connection not in ended]
            for connection in waiting:
                connection.sendall(b"a")
            assert server.client.get("/healthz").status_code == 200
        assert _rest(head) == b""
        assert b" 408 " in _rest(body).splitlines()[0]
        assert _rest(mute) == b""
    wait_until(lambda: server.post("/v1/check", TEXT).status_code == 200)


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
    # the places of closed connections are given back
    wait_until(lambda: httpx.get(f"{server.url}healthz", timeout=120).status_code == 200)


def test_a_client_that_leaves_frees_its_place(start: Start) -> None:
    server = start("--limit", "batch=1", analyzers=("rules", "held"))
    body = json.dumps(TEXT).encode()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(server.post, "/v1/check", HELD)
        wait_until(lambda: server.held)
        gone = [_connect(server) for _ in range(40)]
        for connection in gone:
            connection.sendall(_head(len(body)) + body)
        wait_until(lambda: _sample(server, "unslant_waiting") == 40)
        for connection in gone:
            connection.close()
        assert server.client.get("/readyz").status_code == 200
        server.let_go()
        assert first.result().status_code == 200
    _healthy(server)
    # the last pass is that of the healthy request, and not all of the others were run
    assert _sample(server, "unslant_batch_texts_count") < 40


def test_a_full_queue_says_when_to_come_back(start: Start) -> None:
    server = start("--limit", "waiting=2", "--limit", "batch=1", analyzers=("rules", "held"))
    with ThreadPoolExecutor(3) as pool:
        answers = [pool.submit(server.post, "/v1/check", HELD)]
        wait_until(lambda: server.held)
        answers += [pool.submit(server.post, "/v1/check", TEXT) for _ in range(2)]
        wait_until(lambda: _sample(server, "unslant_waiting") == 2)
        refused = server.post("/v1/check", TEXT)
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "busy")
        assert 1 <= int(refused.headers["retry-after"]) <= 30
        server.let_go()
        assert [answer.result().status_code for answer in answers] == [200] * 3
    _healthy(server)


def test_a_request_that_takes_too_long_is_ended(start: Start) -> None:
    server = start("--limit", "seconds=1", analyzers=("rules", "held"))
    answer = server.post("/v1/check", {"text": HELD["text"] + "The plan is old. " * 1_000})
    assert (answer.status_code, answer.json()["error"]["code"]) == (504, "timeout")
    server.let_go()
    # on a busy machine, the limit may be too short for the next one as well
    wait_until(lambda: server.post("/v1/check", TEXT).status_code == 200)
    assert server.seen < 1_000


def test_a_long_text_does_not_hold_up_short_ones(start: Start) -> None:
    server = start(analyzers=("rules", "held"))
    with ThreadPoolExecutor(1) as pool:
        long = pool.submit(server.post, "/v1/check", {"text": HELD["text"] + "The plan is old. " * 1_000})
        wait_until(lambda: server.held)
        _healthy(server)
        assert not long.done()
        server.let_go()
        assert long.result().status_code == 200


def test_requests_at_the_same_time_share_a_pass(start: Start) -> None:
    server = start(analyzers=("rules", "held"))
    texts = [f"The legendary singer {number} slammed the plan." for number in range(16)]
    with ThreadPoolExecutor(17) as pool:
        pool.submit(server.post, "/v1/check", HELD)
        wait_until(lambda: server.held)
        sent = [pool.submit(server.post, "/v1/check", {"text": text}) for text in texts]
        wait_until(lambda: _sample(server, "unslant_waiting") == 16)
        server.let_go()
        answers = [answer.result().json() for answer in sent]
    for text, answer in zip(texts, answers, strict=True):
        assert [text[f["span"]["start"] : f["span"]["end"]] for f in answer["findings"]] == [
            "legendary",
            "slammed",
        ]
    assert _samples(server, "unslant_batch_texts_sum", "unslant_batch_texts_count") == [17, 2]


def test_a_stop_finishes_what_was_taken(start: Start) -> None:
    server = start("--limit", "batch=1", analyzers=("rules", "held"))
    bodies = [json.dumps(HELD).encode()] + [json.dumps(TEXT).encode()] * 39
    taken = [_connect(server) for _ in bodies]
    for connection, body in zip(taken, bodies, strict=True):
        connection.sendall(_head(len(body)) + body)
        wait_until(lambda: server.held)
    wait_until(lambda: _sample(server, "unslant_waiting") == 39)
    server.process.send_signal(signal.SIGTERM)
    wait_until(lambda: _refuses(server))
    server.let_go()
    answers = [_rest(connection) for connection in taken]
    assert [b"HTTP/1.1 200 OK" in answer and b'"findings"' in answer for answer in answers] == [True] * 40
    assert server.process.wait(120) == 0
    for connection in taken:
        connection.close()
    assert "Traceback" not in server.log.read_text()


def _refuses(server: Server) -> bool:
    try:
        _connect(server).close()
    except OSError:
        return True
    return False
