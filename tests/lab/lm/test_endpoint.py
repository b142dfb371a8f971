"""Endpoints, against a real server on the loopback interface."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from unslant.core.errors import ModelError
from unslant.core.generation import Sampling
from unslant.lab.lm.endpoint import EndpointModel


class Server(ThreadingHTTPServer):
    """Answers like a small OpenAI-compatible server; ``failures`` are sent first."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.failures: list[tuple[int, dict[str, str]]] = []
        self.models = ["small"]
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.raw: bytes | None = None
        self.scores = True

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._send(200, {"data": [{"id": name} for name in self.server.models]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.failures:
            code, headers = self.server.failures.pop(0)
            self._send(code, {}, headers)
            return
        self.server.asked.append(body | {"path": self.path})
        self.server.keys.append(self.headers.get("Authorization"))
        self._send(200, self._answer(body))

    def _answer(self, body: dict[str, Any]) -> dict[str, Any]:
        if body.get("echo"):
            if not self.server.scores:
                return {"choices": [{"text": body["prompt"]}]}
            starts = [at for at, sign in enumerate(body["prompt"]) if at == 0 or sign == " "]
            values = [None] + [-float(at) for at in starts[1:]] + [-99.0]
            offsets = [*starts, len(body["prompt"])]
            return {"choices": [{"logprobs": {"text_offset": offsets, "token_logprobs": values}}]}
        if "messages" in body:
            text = f"chat {body['messages'][0]['content']}"
            return {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
        text = f" {body['prompt']}/{body['seed']}"
        usage = {"completion_tokens": 7}
        return {"choices": [{"text": text, "finish_reason": "length"}], "usage": usage}

    def _send(self, code: int, body: object, headers: dict[str, str] | None = None) -> None:
        content = self.server.raw if self.server.raw is not None else json.dumps(body).encode()
        self.send_response(code)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_texts_come_back_in_order_with_their_seeds(server: Server) -> None:
    model = EndpointModel(server.address)
    found = model.generate(list("abcdefghijkl"), range(12), Sampling(max_tokens=7, stop=("X",)))
    assert [item.text for item in found] == [f" {sign}/{at}" for at, sign in enumerate("abcdefghijkl")]
    assert {(generation.tokens, generation.reason) for generation in found} == {(7, "length")}
    assert server.asked[0]["model"] == "small"
    assert server.asked[0]["stop"] == ["X"]


def test_chats_go_to_the_chat_door_with_the_key(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    (generation,) = EndpointModel(f"{server.address}?model=big").generate(["hi"], [1], Sampling(chat=True))
    assert (generation.text, generation.reason) == ("chat hi", "end")
    assert (server.asked[0]["path"], server.asked[0]["model"]) == ("/v1/chat/completions", "big")
    assert server.keys == ["Bearer secret"]


def test_scores_are_those_of_the_continuation_only(server: Server) -> None:
    assert EndpointModel(server.address).logprobs(["one two"], [" three four"]) == [[-7.0, -13.0]]


def test_a_server_that_cannot_score_says_so(server: Server) -> None:
    server.scores = False
    with pytest.raises(ModelError, match="does not score text"):
        EndpointModel(server.address).logprobs(["a"], [" b"])
    with pytest.raises(ModelError, match="chat template"):
        EndpointModel(server.address).logprobs(["a"], [" b"], chat=True)


def test_what_may_pass_is_asked_again(server: Server) -> None:
    server.failures = [(429, {"Retry-After": "0"}), (503, {"Retry-After": "0"})]
    (generation,) = EndpointModel(server.address).generate(["a"], [1], Sampling())
    assert generation.text == " a/1"


def test_what_does_not_pass_ends_with_one_sentence(server: Server) -> None:
    server.failures = [(401, {})]
    with pytest.raises(ModelError, match="answered 401"):
        EndpointModel(server.address).generate(["a"], [1], Sampling())
    server.failures = [(500, {"Retry-After": "0"})] * 3
    with pytest.raises(ModelError, match="no answer after 2 attempts"):
        EndpointModel(server.address, retries=1).generate(["a"], [1], Sampling())


@pytest.mark.parametrize("raw", [b"<html>", b"[]", b"{}"])
def test_another_kind_of_server_is_recognised(server: Server, raw: bytes) -> None:
    server.raw = raw
    with pytest.raises(ModelError, match="OpenAI-compatible"):
        EndpointModel(f"{server.address}?model=x").generate(["a"], [1], Sampling())


def test_several_models_need_a_name(server: Server) -> None:
    server.models = ["small", "large"]
    with pytest.raises(ModelError, match=r"\?model=NAME.*small, large"):
        EndpointModel(server.address).generate(["a"], [1], Sampling())


def test_nobody_there() -> None:
    with pytest.raises(ModelError, match="no answer after 1 attempts"):
        EndpointModel("http://127.0.0.1:9/v1?model=x", retries=0).generate(["a"], [1], Sampling())
