"""Endpoints, against a real server on the loopback interface."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from unslant.core.errors import ModelError
from unslant.core.generation import Sampling
from unslant.lab.lm import endpoint
from unslant.lab.lm.endpoint import EndpointModel, JsonAnswer, JsonRequest


class Server(ThreadingHTTPServer):
    """Answers like a small OpenAI-compatible server; ``failures`` are sent first."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.failures: list[tuple[int, dict[str, str]]] = []
        self.refuses: dict[str, str] = {}
        """Parameters that it does not take, each with what it says."""
        self.errors: list[tuple[int, object]] = []
        """Answers that say no, with what they say, sent first."""
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
        if self.server.errors:
            self._send(*self.server.errors.pop(0))
            return
        for name, told in self.server.refuses.items():
            if name in body:
                self._send(400, {"error": {"message": told, "param": name, "code": "unsupported_parameter"}})
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


def test_nobody_there_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    with pytest.raises(ModelError, match=r"nobody answers at http://127\.0\.0\.1:9/v1"):
        EndpointModel("http://127.0.0.1:9/v1?model=x").generate(["a"], [1], Sampling())
    assert waits == []


def test_a_server_may_have_another_name_for_the_length(server: Server) -> None:
    server.refuses = {
        "max_tokens": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    }
    model = EndpointModel(server.address)
    found = model.generate(["a", "b"], [1, 2], Sampling(max_tokens=7, chat=True))
    assert [item.text for item in found] == ["chat a", "chat b"]
    assert {asked["max_completion_tokens"] for asked in server.asked} == {7}


def test_harmless_parameters_that_a_server_does_not_take_are_left_out(server: Server) -> None:
    server.refuses = {
        "seed": "Unknown field: seed",
        "top_p": "Unsupported parameter: top_p is not supported with this model.",
    }
    (generation,) = EndpointModel(server.address).generate(["a"], [1], Sampling(chat=True))
    assert generation.text == "chat a"
    assert not {"seed", "top_p"} & set(server.asked[0])


def test_a_parameter_that_changes_the_texts_is_not_left_out(server: Server) -> None:
    server.refuses = {"temperature": "Unsupported value: 'temperature' does not support 0.2."}
    with pytest.raises(ModelError, match=r"'temperature' does not support 0\.2"):
        EndpointModel(server.address).generate(["a"], [1], Sampling(temperature=0.2, chat=True))
    (generation,) = EndpointModel(server.address).generate(["a"], [1], Sampling(chat=True))
    assert generation.text == "chat a"


@pytest.mark.parametrize(
    ("code", "answer", "said"),
    [
        (401, {"error": {"message": "Incorrect API key provided"}}, "Incorrect API key.*set OPENAI_API_KEY"),
        (
            429,
            {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}},
            "no quota left",
        ),
        (
            404,
            {"error": {"message": "This is a chat model and not supported in v1/completions."}},
            "only chats: add --chat",
        ),
        (404, {"error": "model 'x' not found"}, "model 'x' not found"),
        (422, {"detail": "prompt too long"}, "prompt too long"),
    ],
)
def test_what_a_server_says_is_shown_with_what_to_do(
    server: Server, code: int, answer: object, said: str
) -> None:
    server.errors = [(code, answer)]
    with pytest.raises(ModelError, match=said) as caught:
        EndpointModel(server.address).generate(["a"], [1], Sampling())
    assert "\n" not in str(caught.value)


def test_no_redirection_is_followed_with_the_text_or_the_key(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may send a client elsewhere; neither the text nor the key goes there."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    with Server() as elsewhere:
        thread = threading.Thread(target=elsewhere.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            for code in (301, 302, 303, 307, 308):
                server.failures = [(code, {"Location": f"{elsewhere.address}/completions"})]
                model = EndpointModel(f"{server.address}?model=small", retries=0)
                with pytest.raises(ModelError, match=f"answered {code}") as caught:
                    model.generate(["Text."], [0], Sampling(max_tokens=1))
                assert "secret" not in str(caught.value)
        finally:
            elsewhere.shutdown()
            thread.join()
    assert (elsewhere.asked, elsewhere.keys) == ([], [])


@pytest.mark.parametrize(
    "choice",
    [
        {"text": 7},
        {"text": ["a"]},
        {"text": None},
        {"message": []},
        {"message": {"content": {}}},
        {"text": "fine", "finish_reason": {}},
    ],
)
@pytest.mark.parametrize("usage", [[], {"completion_tokens": "many"}, {"completion_tokens": None}, 3])
@pytest.mark.parametrize("chat", [False, True])
def test_an_answer_of_other_types_is_an_empty_text(
    server: Server, choice: dict[str, Any], usage: object, chat: bool
) -> None:
    server.raw = json.dumps({"choices": [choice], "usage": usage}).encode()
    model = EndpointModel(f"{server.address}?model=small", retries=0)
    (answer,) = model.generate(["Text."], [0], Sampling(max_tokens=1, chat=chat))
    assert answer.text in ("", "fine")
    assert answer.tokens == len(answer.text.split())


@pytest.mark.parametrize(
    "scores", [[], "x", {"text_offset": 1}, {"text_offset": [1], "token_logprobs": [0.0]}]
)
def test_scores_of_other_types_are_none(server: Server, scores: object) -> None:
    server.raw = json.dumps({"choices": [{"logprobs": scores}]}).encode()
    with pytest.raises(ModelError, match="does not score"):
        EndpointModel(f"{server.address}?model=small", retries=0).logprobs(["a "], ["b"])


def test_a_list_of_models_of_other_types_names_none(server: Server) -> None:
    server.raw = json.dumps({"data": [1, None, ["id"]]}).encode()
    with pytest.raises(ModelError, match="the server offers: none"):
        EndpointModel(server.address, retries=0).digest()


def test_an_answer_without_end_is_given_up(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "_LARGEST", 1_000)
    server.raw = b'{"choices": [{"text": "' + b"a" * 2_000 + b'"}]}'
    with pytest.raises(ModelError, match="too large"):
        EndpointModel(f"{server.address}?model=small", retries=0).generate(["a"], [0], Sampling(max_tokens=1))


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 600\r\n\r\n", b" "),
        (b"HTTP/1.1 500 Oh\r\nContent-Length: 600\r\n\r\n", b" "),
        (b"HTTP/1.1 200 OK\r\nX-Slow:", b" "),
        (b"HTTP/1.1 200", b" "),
        (b"HTTP/1.1 200 OK\r\n", b""),
    ],
    ids=["body", "error", "headers", "status", "silence"],
)
def test_an_answer_that_comes_a_byte_at_a_time_is_given_up(first: bytes, then: bytes) -> None:
    stop = threading.Event()

    def drip(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(first)
            with contextlib.suppress(OSError):
                while not stop.wait(0.1):
                    connection.sendall(then)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=drip, args=(listener,))
        thread.start()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/v1?model=small"
        # where nothing ends the wait, the server does, and the test fails
        give_up = threading.Timer(20, stop.set)
        give_up.start()
        try:
            with pytest.raises(ModelError, match=r"takes too long|timed out|answered 500"):
                EndpointModel(address, retries=0, timeout=0.5).generate(["a"], [0], Sampling(max_tokens=1))
            assert not stop.is_set()
        finally:
            give_up.cancel()
            stop.set()
            thread.join()


def test_an_answer_is_given_up_in_time_though_more_of_it_has_come() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(0.05)
        answer = endpoint._InTime(ours)
        theirs.sendall(b"more")
        time.sleep(0.1)
        with pytest.raises(TimeoutError, match="takes too long"):
            answer.readinto(bytearray(1))
        answer.close()


def test_an_answer_that_breaks_off_is_asked_for_again() -> None:
    whole = b'{"choices": [{"text": "fine"}]}'

    def answer(listener: socket.socket) -> None:
        for body in (whole[:9], whole):
            connection, _ = listener.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(whole), body))
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65_536):  # what is not read would reset the connection instead
                    pass

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer, args=(listener,))
        thread.start()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/v1?model=small"
        (found,) = EndpointModel(address, retries=1).generate(["a"], [0], Sampling(max_tokens=1))
        thread.join()
    assert found.text == "fine"


def test_a_server_cannot_have_a_client_wait_for_long(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(endpoint.time, "sleep", waits.append)
    server.failures = [
        (503, {"Retry-After": "999999"}),
        (503, {"Retry-After": "-5"}),
        (503, {"Retry-After": "2"}),
        (503, {"Retry-After": "\u00b2"}),
    ]
    EndpointModel(f"{server.address}?model=small").generate(["a"], [0], Sampling(max_tokens=1))
    assert waits == [30.0, 1.0, 2.0, 4.0]


@pytest.mark.parametrize("code", [400, 401, 500])
def test_a_server_that_repeats_the_key_does_not_get_it_shown(
    server: Server, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-open-sesame\n")
    server.errors = [(code, {"error": {"message": "no such key: Bearer sk-open-sesame"}})] * 5
    model = EndpointModel(server.address, retries=0)
    with pytest.raises(ModelError) as failed:
        model.generate(["Once"], [1], Sampling(max_tokens=4))
    assert "sesame" not in str(failed.value)
    assert "no such key: Bearer [your key]" in str(failed.value)


def test_a_key_in_place_of_an_answer_is_not_shown(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-open-sesame")
    server.models = ["small", "sk-open-sesame", "a" * 10_000]
    with pytest.raises(ModelError, match=r"offers: small, \[your key\], aaa") as failed:
        EndpointModel(server.address).digest()
    assert len(str(failed.value)) < 500

    def answer(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(b"Bearer sk-open-sesame\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer, args=(listener,))
        thread.start()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/v1?model=small"
        with pytest.raises(ModelError, match=r"Bearer \[your key\]"):
            EndpointModel(address, retries=0).generate(["a"], [0], Sampling(max_tokens=1))
        thread.join()


@pytest.mark.parametrize("key", ["open\nsesame", "open\x1bsesame", "open \u2026 sesame"])
def test_a_key_that_cannot_be_sent_is_not_shown(
    server: Server, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(ModelError, match="OPENAI_API_KEY holds characters that no key has") as failed:
        EndpointModel(server.address).generate(["Once"], [1], Sampling(max_tokens=4))
    assert "sesame" not in str(failed.value)
    assert not server.asked


REQUEST = JsonRequest("Say yes.", "Text.", {"type": "object"}, 9)


def test_after_three_errors_in_a_row_nobody_is_asked(server: Server) -> None:
    model = EndpointModel(f"{server.address}?model=small", retries=0, parallel=1)
    server.errors = [(404, {"error": "gone"})] * 3
    found = model.answer_json([REQUEST] * 5)
    assert [isinstance(each, ModelError) for each in found] == [True] * 5
    assert server.asked == []
    # an answer in between, and they are counted again
    gone, fine = (404, {"error": "gone"}), (200, {"choices": [{"message": {"content": "{}"}}]})
    server.errors = [gone, gone, fine, gone, gone]
    found = model.answer_json([REQUEST] * 6)
    assert [isinstance(each, ModelError) for each in found] == [True, True, False, True, True, False]


def test_tokens_that_do_not_make_up_the_text_are_left_out(server: Server) -> None:
    def answered(*tokens: tuple[str, object]) -> object:
        content = [{"token": token, "logprob": value} for token, value in tokens]
        choice = {"message": {"content": "yes no"}, "logprobs": {"content": content}}
        server.raw = json.dumps({"choices": [choice]}).encode()
        (answer,) = EndpointModel(f"{server.address}?model=small").answer_json([REQUEST])
        assert isinstance(answer, JsonAnswer)
        return answer.tokens

    assert answered(("yes", -0.5), (" no", 0)) == (("yes", -0.5), (" no", 0.0))
    for wrong in ((("yes", -0.5),), (("yes", -0.5), (" no", 0.5)), (("yes", -0.5), (" no", "x"))):
        assert answered(*wrong) == ()


def test_a_server_that_is_only_busy_is_asked_again(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint.time, "sleep", lambda _: None)
    server.errors = [(429, {"error": {"message": "slow down", "code": "rate_limit_exceeded"}})]
    (found,) = EndpointModel(f"{server.address}?model=small").generate(["a"], [1], Sampling())
    assert found.text == " a/1"
