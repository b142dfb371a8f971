"""A server that is told to stop lets no client down, and says that it is stopping."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, wait

import pytest

from unslant.server.run import listen, refuse_connections

from .conftest import Start, wait_until

BODY = json.dumps({"text": "The legendary singer slammed the plan."})
HEADERS = {"Content-Type": "application/json"}


def keep_asking(port: int, outcomes: Counter[str], stopped: threading.Event, anew: bool) -> None:
    """Ask again and again, over one connection as pools do or always over a new one, and count how requests ended."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    while not stopped.is_set():
        try:
            connection.request("POST", "/v1/check", BODY, HEADERS)
            answer = connection.getresponse()
            answer.read()
            outcomes[str(answer.status)] += 1
            if anew or answer.getheader("connection") == "close":
                connection.close()
        except ConnectionRefusedError:
            return  # nobody is there any more, and the client knows that its request was not read
        except (ConnectionError, http.client.HTTPException) as error:
            outcomes[repr(error)] += 1
            return


@pytest.mark.parametrize("round_", range(2))
@pytest.mark.parametrize("anew", [False, True])
def test_no_client_gets_a_reset(start: Start, anew: bool, round_: int) -> None:  # noqa: ARG001
    server = start()
    outcomes: Counter[str] = Counter()
    stopped = threading.Event()
    given = (server.port, outcomes, stopped, anew)
    clients = [threading.Thread(target=keep_asking, args=given) for _ in range(12)]
    for client in clients:
        client.start()
    time.sleep(0.5)
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(60) == 0
    stopped.set()
    for client in clients:
        client.join()
    assert set(outcomes) == {"200"}
    assert outcomes["200"] > 12


@pytest.mark.skipif(sys.platform != "linux", reason="filters packets of sockets")
def test_a_client_that_comes_too_late_is_refused_and_not_reset() -> None:
    listener = listen("127.0.0.1", 0)
    address = listener.getsockname()
    early = socket.create_connection(address)
    refuse_connections(listener)
    with ThreadPoolExecutor() as clients:
        late = clients.submit(socket.create_connection, address, 30)
        assert not wait([late], 0.3).done
        accepted, _ = listener.accept()
        listener.close()
        assert isinstance(late.exception(), ConnectionRefusedError)
    early.sendall(b"a question")
    assert accepted.recv(10) == b"a question"
    accepted.close()
    early.close()


def test_while_it_stops_it_is_not_ready_and_asks_clients_to_close(start: Start) -> None:
    server = start("--limit", "drain_seconds=5")
    kept = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    kept.request("GET", "/readyz")
    first = kept.getresponse()
    first.read()
    assert (first.status, first.getheader("connection")) == (200, None)
    server.process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    kept.request("GET", "/readyz")
    second = kept.getresponse()
    assert (second.status, json.loads(second.read())) == (503, {"status": "stopping"})
    assert second.getheader("connection") == "close"
    again = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    again.request("POST", "/v1/check", BODY, HEADERS)
    answer = again.getresponse()
    answer.read()
    assert (answer.status, answer.getheader("connection")) == (200, "close")
    server.client.close()
    assert server.process.wait(60) == 0


def test_several_processes_serve_one_address_and_stop_together(start: Start) -> None:
    server = start("--workers", "2")
    for _ in range(6):
        with socket.create_connection(("127.0.0.1", server.port), 60) as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert connection.recv(100).startswith(b"HTTP/1.1 200")
    children = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(server.process.pid)], capture_output=True, text=True, check=True
    ).stdout.split()
    assert len(children) >= 2
    server.client.close()
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(60) == 0

    def is_gone(child: str) -> bool:
        try:
            os.kill(int(child), 0)
        except ProcessLookupError:
            return True
        return False

    wait_until(lambda: all(map(is_gone, children)), 30)


def test_the_log_has_an_id_for_each_request_and_none_of_the_text(start: Start) -> None:
    server = start("--log-requests", "--log-format", "json")
    given = server.post("/v1/check", {"text": "The legendary singer."}, headers={"X-Request-ID": "abc-1"})
    made = server.post("/v1/check", {"text": "The legendary singer."}, headers={"X-Request-ID": "a b\tc"})
    assert given.headers["x-request-id"] == "abc-1"
    assert len(made.headers["x-request-id"]) == 32
    server.client.close()
    server.process.send_signal(signal.SIGTERM)
    server.process.wait(60)
    lines = [json.loads(line) for line in server.log.read_text().splitlines() if line.startswith("{")]
    checks = [line for line in lines if line.get("route") == "/v1/check"]
    assert [line["request_id"] for line in checks] == ["abc-1", made.headers["x-request-id"]]
    assert {(line["status"], line["method"], line["level"]) for line in checks} == {(200, "POST", "info")}
    assert "legendary" not in server.log.read_text()


def test_some_comments_do_not_wait_for_a_book(start: Start) -> None:
    server = start(analyzers=("rules", "held"))
    book = {"text": "The committee took hold of the plan. " * 1_000}
    comments = {"items": [{"text": "The plan of the committee is old, as everybody knows by now. " * 2}] * 20}
    sent = threading.Thread(target=server.post, args=("/v1/check", book))
    sent.start()
    while not server.held:
        time.sleep(0.01)
    answer = server.post("/v1/check", comments)
    assert answer.status_code == 200
    assert sent.is_alive(), "the book was done first, so this shows nothing"
    server.let_go()
    sent.join()
