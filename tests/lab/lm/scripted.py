"""A server on the loopback interface that speaks the protocol of OpenAI and says what the test wants."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from unslant.spec import Spec

Said = str | bytes | tuple[int, object]
"""What the model writes, the whole body of the answer, or a status with a body."""


class Server(ThreadingHTTPServer):
    """Speaks the protocol of OpenAI; ``say`` gets the request and returns the answer."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.say: Callable[[dict[str, Any]], Said] = lambda _: "{}"
        self.asked: list[dict[str, Any]] = []
        self.logprobs: list[dict[str, object]] | None = None
        self.headers: dict[str, str] = {}

    def handle_error(self, *_: object) -> None:
        """Say nothing of a client that has given up."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1?model=toy"

    def spec(self) -> Spec:
        return Spec(analyzers=("rules",), rewriter=f"llm:{self.address}", profile="news")


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        said = self.server.say(body)
        code, answer = said if isinstance(said, tuple) else (200, said)
        if isinstance(answer, str):
            choice: dict[str, object] = {"message": {"content": answer}, "finish_reason": "stop"}
            if self.server.logprobs is not None:
                choice["logprobs"] = {"content": self.server.logprobs}
            answer = {"choices": [choice]}
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(code)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def scripted_server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()
