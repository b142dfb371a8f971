"""Asks an OpenAI-compatible endpoint: it generates, scores where the server allows it, and has no hidden states."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from unslant.core.errors import ModelError
from unslant.core.generation import Generation, Sampling
from unslant.spec import is_web_address

__all__ = ["EndpointModel"]

_PASSING = (408, 409, 425, 429, 500, 502, 503, 504)
_LONGEST = 30.0
_LARGEST = 64 << 20
_REASONS = {"length": "length", "stop": "end"}


class EndpointModel:
    """The model behind ``http://HOST/v1``; the key is read from ``OPENAI_API_KEY`` where one is set."""

    def __init__(self, address: str, *, parallel: int = 8, timeout: float = 120.0, retries: int = 4) -> None:
        if not is_web_address(address):
            raise ModelError(f"{address}: not a web address; write http://HOST:PORT/v1.")
        parts = urllib.parse.urlsplit(address)
        self.name = address
        self._base = urllib.parse.urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
        self._model = urllib.parse.parse_qs(parts.query).get("model", [""])[0]
        self._parallel, self._timeout, self._retries = max(1, parallel), timeout, retries

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
            names = [str(entry.get("id")) for entry in self._list(self._ask("/models", None), "data")]
            if len(names) != 1:
                known = ", ".join(names[:5]) or "none"
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
            body["messages"] = [{"role": "user", "content": prompt}]
            (choice, answer) = self._choice("/chat/completions", body)
            text = (choice.get("message") or {}).get("content") or ""
        else:
            body["prompt"] = prompt
            (choice, answer) = self._choice("/completions", body)
            text = choice.get("text") or ""
        usage = answer.get("usage") if isinstance(answer.get("usage"), dict) else None
        tokens = int((usage or {}).get("completion_tokens") or len(text.split()))
        return Generation(
            prompt, str(text), seed, tokens, _REASONS.get(str(choice.get("finish_reason")), "end")
        )

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
        seen = choice.get("logprobs") or {}
        offsets, values = seen.get("text_offset"), seen.get("token_logprobs")
        if not isinstance(offsets, list) or not isinstance(values, list) or offsets[:1] != [0]:
            raise ModelError(
                f"{self.name}: this server does not score text (echo with logprobs); use a local model."
            )
        span = range(len(prompt), len(prompt) + len(continuation))
        return [
            float(value)
            for at, value in zip(offsets, values, strict=False)
            if at in span and value is not None
        ]

    def _choice(self, path: str, body: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        answer = self._ask(path, body)
        (choice, *_) = self._list(answer, "choices") or [None]
        if not isinstance(choice, dict):
            raise ModelError(f"{self.name}: the server's answer has no choices; is it OpenAI-compatible?")
        return choice, answer

    def _list(self, answer: dict[str, Any], key: str) -> list[Any]:
        found = answer.get(key)
        return found if isinstance(found, list) else []

    def _ask(self, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get("OPENAI_API_KEY"):
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(self._base + path, data, headers)  # noqa: S310
        for attempt in range(self._retries + 1):
            try:
                with urllib.request.urlopen(request, timeout=self._timeout) as answer:  # noqa: S310
                    return self._parse(answer.read(_LARGEST))
            except urllib.error.HTTPError as error:
                wait, problem = _wait(error, attempt), f"the server answered {error.code} {error.reason}"
                error.close()
                if error.code not in _PASSING:
                    raise ModelError(f"{self.name}: {problem} for {path}.") from None
            except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
                wait, problem = min(2.0**attempt * 0.5, _LONGEST), f"{getattr(error, 'reason', error)}"
            if attempt < self._retries:
                time.sleep(wait)
        raise ModelError(f"{self.name}: no answer after {self._retries + 1} attempts ({problem}).")

    def _parse(self, content: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise ModelError(f"{self.name}: the server's answer is not JSON; is it OpenAI-compatible?")
        return answer


def _wait(error: urllib.error.HTTPError, attempt: int) -> float:
    """Return how long to wait: what the server asks for, else twice as long each time."""
    delay = error.headers.get("Retry-After", "") if error.headers else ""
    return min(float(delay) if delay.isdigit() else 2.0**attempt * 0.5, _LONGEST)
