"""Asks an OpenAI-compatible endpoint: it generates, scores where the server allows it, and has no hidden states."""

from __future__ import annotations

import hashlib
import http.client
import io
import json
import os
import re
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unslant.core.errors import ModelError
from unslant.core.generation import Generation, Sampling, chat_turns
from unslant.spec import is_web_address

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer as Buffer

_PASSING = (408, 409, 425, 429, 500, 502, 503, 504)
_LONGEST = 30.0
_LARGEST = 64 << 20
_LARGEST_ERROR = 64 << 10
_AT_ONCE = 1 << 16
_SCORES = ("text_offset", "token_logprobs")
_REASONS = {"length": "length", "stop": "end"}


_NEUTRAL = {"seed": None, "temperature": 1.0, "top_p": 1.0}
"""Parameters that are left out if a server does not take them, each with the value that asks for nothing special. A
seed is a wish, which a server need not grant."""
_WISHES = {"seed": None, "temperature": None, "logprobs": None, "response_format": None}
"""The same where JSON is asked for: what comes back is checked, so all of these are wishes."""
_SAID_OF = {"response_format": "response_format|json_schema|grammar|structured outputs?"}
"""What servers call a parameter that they do not take, beside its name."""
_REFUSES = (400, 403, 422)
"""Answers that say what is wrong with a request."""
_GIVE_UP = 3
"""After so many requests in a row without an answer, no more are sent."""


@dataclass(frozen=True, slots=True)
class JsonRequest:
    """A chat of one turn that is to be answered with JSON."""

    instructions: str
    text: str
    schema: Mapping[str, Any]
    """The JSON schema of the answer; a server that does not take it is asked without."""
    max_tokens: int


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    """What a model wrote; whether it is JSON is for the reader to find out."""

    text: str
    complete: bool = True
    """Whether the model ended it, rather than the limit of its length."""
    tokens: tuple[tuple[str, float], ...] = ()
    """Its tokens with their log probabilities; empty where the server does not say."""


class _StayThere(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: the key and the text are for the server that the user named."""

    def redirect_request(self, *_: Any) -> None:
        """Leave the answer as it is, which makes it an error."""


class _InTime(io.RawIOBase):
    """What a server sends, all of which must come in the time that the socket has for a part of it.

    A byte of a header or of an answer now and then would otherwise keep a client for ever.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._stream = connection.makefile("rb", buffering=0)
        self._until = time.monotonic() + (connection.gettimeout() or _LONGEST)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int | None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the answer takes too long")
        self._connection.settimeout(left)
        return self._stream.readinto(buffer)  # type: ignore[attr-defined, no-any-return]

    def close(self) -> None:
        self._stream.close()
        super().close()

    def makefile(self, _: str) -> io.BufferedReader:
        """Stand for the socket that a response reads from."""
        return io.BufferedReader(self)


class _TimedResponse(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *arguments: Any, **named: Any) -> None:
        super().__init__(_InTime(sock), *arguments, **named)  # type: ignore[arg-type]


class _Connection(http.client.HTTPConnection):
    response_class = _TimedResponse


class _SecureConnection(http.client.HTTPSConnection):
    response_class = _TimedResponse


class _HttpHandler(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Connection, request)


class _HttpsHandler(urllib.request.HTTPSHandler):
    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_SecureConnection, request)


class EndpointModel:
    """The model behind ``http://HOST/v1``; ``key`` is the environment variable that holds the key, where one is set."""

    def __init__(
        self,
        address: str,
        *,
        name: str = "",
        key: str = "OPENAI_API_KEY",
        parallel: int = 8,
        timeout: float = 120.0,
        retries: int = 4,
    ) -> None:
        if not is_web_address(address):
            raise ModelError(f"{address}: not a web address; write http://HOST:PORT/v1.")
        parts = urllib.parse.urlsplit(address)
        self.name = name or address
        self._key = key
        self._left_out: set[str] = set()
        """Parameters that the server has said it does not take."""
        self._left_out_of_json: set[str] = set()
        self._length = "max_tokens"
        """What the server calls the greatest number of tokens."""
        self._answered = False
        self._base = urllib.parse.urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
        self._model = urllib.parse.parse_qs(parts.query).get("model", [""])[0]
        self._parallel, self._timeout, self._retries = max(1, parallel), timeout, retries
        self._opener = urllib.request.build_opener(_StayThere, _HttpHandler, _HttpsHandler)

    def digest(self) -> str:
        """Return a digest of address and model name: weights behind an endpoint cannot be seen."""
        return hashlib.sha256(f"{self._base}\0{self._served_model()}".encode()).hexdigest()

    def generate(self, prompts: Sequence[str], seeds: Sequence[int], sampling: Sampling) -> list[Generation]:
        """Return one text per prompt and seed; whether the seed makes it reproducible is up to the server."""
        self._served_model()
        pairs = list(zip(prompts, seeds, strict=True))
        return self._spread(lambda pair: self._write(pair[0], pair[1], sampling), pairs)

    def logprobs(
        self, prompts: Sequence[str], continuations: Sequence[str], *, chat: bool = False
    ) -> list[list[float]]:
        """Return the log probability of every token of each continuation, by the server's ``echo``."""
        if chat:
            raise ModelError(
                f"{self.name}: an endpoint cannot score text with a chat template; use a local model."
            )
        self._served_model()
        pairs = list(zip(prompts, continuations, strict=True))
        return self._spread(lambda pair: self._score(pair[0], pair[1]), pairs)

    def answer_json(self, requests: Sequence[JsonRequest]) -> list[JsonAnswer | ModelError]:
        """Return one answer per request, in order; an error costs only its own request.

        After three errors in a row the requests that are left get the last error, and are not sent.
        """
        self._served_model()
        in_a_row: list[ModelError] = []

        def ask(request: JsonRequest) -> JsonAnswer | ModelError:
            if len(in_a_row) >= _GIVE_UP:
                return in_a_row[-1]
            try:
                answer = self._write_json(request)
            except ModelError as error:
                in_a_row.append(error)
                return error
            in_a_row.clear()
            return answer

        return self._spread(ask, list(requests))

    def _write_json(self, request: JsonRequest) -> JsonAnswer:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": chat_turns(request.text, request.instructions),
            "max_tokens": request.max_tokens,
            "temperature": 0,
            "seed": 0,
            "logprobs": True,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": dict(request.schema)},
            },
        }
        choice, _ = self._choice("/chat/completions", body, _WISHES, self._left_out_of_json)
        message = choice.get("message")
        text = message.get("content") if isinstance(message, dict) else None
        text = text if isinstance(text, str) else ""
        return JsonAnswer(text, choice.get("finish_reason") != "length", _tokens(choice, text))

    def _spread(self, ask: Callable[[Any], Any], items: list[Any]) -> list[Any]:
        with ThreadPoolExecutor(self._parallel) as pool:
            waiting = [pool.submit(ask, item) for item in items]
            try:
                return [request.result() for request in waiting]
            except BaseException:
                for request in waiting:
                    request.cancel()
                raise

    def _served_model(self) -> str:
        if not self._model:
            offered = self._list(self._ask("/models", None), "data")
            names = [str(entry.get("id")) for entry in offered if isinstance(entry, dict)]
            if len(names) != 1:
                known = _told(", ".join(names[:5]), self._secret()) or "none"
                raise ModelError(f"{self.name}: name a model with ?model=NAME; the server offers: {known}.")
            self._model = names[0]
        return self._model

    def _write(self, prompt: str, seed: int, sampling: Sampling) -> Generation:
        body: dict[str, Any] = {
            "model": self._model,
            "max_tokens": sampling.max_tokens,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "seed": seed,
        }
        if sampling.stop:
            body["stop"] = list(sampling.stop)
        if sampling.chat:
            body["messages"] = chat_turns(prompt, sampling.system)
            (choice, answer) = self._choice("/chat/completions", body)
            message = choice.get("message")
            text = message.get("content") if isinstance(message, dict) else None
        else:
            body["prompt"] = prompt
            (choice, answer) = self._choice("/completions", body)
            text = choice.get("text")
        text = text if isinstance(text, str) else ""
        usage = answer.get("usage")
        counted = usage.get("completion_tokens") if isinstance(usage, dict) else None
        tokens = counted if isinstance(counted, int) else len(text.split())
        return Generation(prompt, text, seed, tokens, _REASONS.get(str(choice.get("finish_reason")), "end"))

    def _score(self, prompt: str, continuation: str) -> list[float]:
        body = {
            "model": self._model,
            "prompt": prompt + continuation,
            "max_tokens": 1,
            "temperature": 0,
            "echo": True,
            "logprobs": 1,
        }
        choice, _ = self._choice("/completions", body)
        seen = choice.get("logprobs")
        offsets, values = (seen.get(key) if isinstance(seen, dict) else None for key in _SCORES)
        if not isinstance(offsets, list) or not isinstance(values, list) or offsets[:1] != [0]:
            raise ModelError(
                f"{self.name}: this server does not score text (echo with logprobs); use a local model."
            )
        span = range(len(prompt), len(prompt) + len(continuation))
        return [
            float(value)
            for at, value in zip(offsets, values, strict=False)
            if at in span and isinstance(value, int | float)
        ]

    def _choice(
        self,
        path: str,
        body: dict[str, Any],
        wishes: Mapping[str, float | None] = _NEUTRAL,
        left_out: set[str] | None = None,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        answer = self._ask_as_taken(path, body, wishes, self._left_out if left_out is None else left_out)
        (choice, *_) = self._list(answer, "choices") or [None]
        if not isinstance(choice, dict):
            raise ModelError(f"{self.name}: the server's answer has no choices; is it OpenAI-compatible?")
        return choice, answer

    def _list(self, answer: dict[str, Any], key: str) -> list[Any]:
        found = answer.get(key)
        return found if isinstance(found, list) else []

    def _ask_as_taken(
        self, path: str, body: dict[str, Any], wishes: Mapping[str, float | None], left_out: set[str]
    ) -> dict[str, Any]:
        """Ask with what the server takes; a parameter that it refuses is renamed, or left out if that is harmless."""
        while True:
            sent = {name: value for name, value in body.items() if name not in left_out}
            if "max_tokens" in sent:
                sent[self._length] = sent.pop("max_tokens")
            try:
                return self._ask(path, sent)
            except _Refused as refused:
                if not self._give_way(refused.message, sent, wishes, left_out):
                    raise ModelError(f"{self.name}: {refused}{_advice(refused, path)}.") from None

    def _give_way(
        self, message: str, sent: dict[str, Any], wishes: Mapping[str, float | None], left_out: set[str]
    ) -> bool:
        """Note which parameter a server does not take, and return whether to ask again without it."""
        if "max_completion_tokens" in message and "max_tokens" in sent:
            self._length = "max_completion_tokens"
            return True
        for name, neutral in wishes.items():
            told = re.search(rf"\b(?:{_SAID_OF.get(name, name)})\b", message, re.IGNORECASE)
            if name in sent and told and sent[name] == (neutral or sent[name]):
                left_out.add(name)
                return True
        return False

    def _ask(self, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        if key := self._secret():
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(self._base + path, data, headers)  # noqa: S310
        for attempt in range(self._retries + 1):
            try:
                with self._opener.open(request, timeout=self._timeout) as answer:
                    found = self._parse(self._read(answer))
                self._answered = True
                return found
            except urllib.error.HTTPError as error:
                refused = _Refused.read(error, path, key)
                wait, problem = _wait(error, attempt), str(refused)
                error.close()
                self._answered = True
                if error.code in _REFUSES and body is not None:
                    raise refused from None
                if error.code not in _PASSING or refused.is_quota:
                    raise ModelError(f"{self.name}: {problem}{_advice(refused, path, self._key)}.") from None
            except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
                wait = min(2.0**attempt * 0.5, _LONGEST)
                problem = _told(str(getattr(error, "reason", error)), key)
                if not self._answered and _is_nobody(error):
                    raise ModelError(
                        f"{self.name}: nobody answers at {self._base} ({problem}); start the server, or correct the "
                        "address."
                    ) from None
            if attempt < self._retries:
                time.sleep(wait)
        raise ModelError(f"{self.name}: no answer after {self._retries + 1} attempts ({problem}).")

    def _secret(self) -> str:
        """Return the key, or nothing; no message ever shows it."""
        key = os.environ.get(self._key, "").strip() if self._key else ""
        if not (key.isascii() and key.isprintable()):
            raise ModelError(f"{self.name}: {self._key} holds characters that no key has; set it again.")
        return key

    def _read(self, answer: http.client.HTTPResponse) -> bytes:
        """Return the answer."""
        expected = answer.length
        content = bytearray()
        while (expected is None or len(content) < expected) and (part := answer.read1(_AT_ONCE)):
            content += part
            if len(content) > _LARGEST:
                raise ModelError(f"{self.name}: the server's answer is too large.")
        if expected is not None and len(content) < expected:
            raise http.client.IncompleteRead(bytes(content), expected - len(content))
        return bytes(content)

    def _parse(self, content: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise ModelError(f"{self.name}: the server's answer is not JSON; is it OpenAI-compatible?")
        return answer


def _tokens(choice: Mapping[str, Any], text: str) -> tuple[tuple[str, float], ...]:
    """Return the tokens of a text with their log probabilities; none if the server gives none, or others."""
    given = choice.get("logprobs")
    listed = given.get("content") if isinstance(given, dict) else None
    tokens = []
    for entry in listed if isinstance(listed, list) else ():
        token, value = (entry.get(key) if isinstance(entry, dict) else None for key in ("token", "logprob"))
        if not isinstance(token, str) or not isinstance(value, int | float) or not value <= 0:
            return ()
        tokens.append((token, float(value)))
    return tuple(tokens) if "".join(token for token, _ in tokens) == text else ()


_HIDDEN = "[your key]"
_LONGEST_TOLD = 300


def _told(text: str, key: str) -> str:
    """Return what a server says, for a message: on one line, not too long, and without the key."""
    hidden = text.replace(key, _HIDDEN) if key else text
    return " ".join(hidden.split())[:_LONGEST_TOLD]


class _Refused(Exception):
    """A server's answer that says no."""

    def __init__(self, code: int, reason: str, path: str, message: str, kind: str) -> None:
        told = f": {message}" if message else ""
        super().__init__(f"the server answered {code} {reason} for {path}{told}".rstrip("."))
        self.code, self.message, self.kind = code, message, kind

    @classmethod
    def read(cls, error: urllib.error.HTTPError, path: str, key: str) -> _Refused:
        """Read what the server says about it, in the forms of OpenAI, vLLM, llama.cpp and Ollama, without the key."""
        message = kind = ""
        try:
            found = json.loads(error.read(_LARGEST_ERROR))
            inner = found.get("error", found)
            message = str(
                inner if isinstance(inner, str) else inner.get("message") or inner.get("detail") or ""
            )
            kind = "" if isinstance(inner, str) else str(inner.get("code") or inner.get("type") or "")
        except (ValueError, AttributeError, OSError, RecursionError):
            pass
        return cls(error.code, _told(str(error.reason), key), path, _told(message, key), kind)

    @property
    def is_quota(self) -> bool:
        """Whether the account has nothing left, which waiting does not change."""
        return self.code == 429 and "insufficient_quota" in (self.kind, *self.message.split())

    @property
    def is_chat_only(self) -> bool:
        """Whether the model answers only chats."""
        return "chat" in self.message.lower() and self.code in (400, 404)


def _advice(refused: _Refused, path: str, key: str = "") -> str:
    """Return what to do about a refusal, or nothing."""
    if refused.is_quota:
        return "; the account has no quota left, so waiting would not help"
    if refused.code == 401 and key:
        return f"; set {key} to your key"
    if path == "/completions" and refused.is_chat_only:
        return "; this model only chats: add --chat"
    return ""


def _is_nobody(error: Exception) -> bool:
    """Return whether a connection failed because there is no server, which asking again does not change."""
    cause = getattr(error, "reason", error)
    return isinstance(cause, ConnectionRefusedError | socket.gaierror)


def _wait(error: urllib.error.HTTPError, attempt: int) -> float:
    """Return how long to wait: what the server asks for, else twice as long each time."""
    delay = error.headers.get("Retry-After", "") if error.headers else ""
    return min(float(delay) if delay.isdecimal() else 2.0**attempt * 0.5, _LONGEST)
