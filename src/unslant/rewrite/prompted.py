"""A language model that is asked for a neutral wording, over an OpenAI-compatible endpoint: ``llm:MODEL[@URL]``.

The address comes from the name or from UNSLANT_LLM_URL, the key from UNSLANT_LLM_KEY. Sentences leave the machine only
to that address. What comes back is data: it is aligned with the sentence and goes through all gates.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from unslant.core.errors import InputError
from unslant.core.types import Analysis, Rewrite, Sentence
from unslant.spec import Spec

__all__ = ["Endpoint", "PromptedRewriter", "complete"]

_DEFAULT_URL = "http://localhost:8080/v1"
_TIMEOUT = 60.0
_LONGEST_ANSWER = 1_000_000
_TRUST = 0.5
"""A prompted model gives no probability that could be compared with others."""
_SYSTEM = (
    "You make sentences neutral. Change as few words as possible: take out or replace only the words that "
    "praise, blame, doubt, assert or stereotype. Keep every name, number, date, quotation, negation and fact. "
    "Keep the language. "
    "Answer with the sentence only. If nothing needs to change, repeat the sentence."
)


class Endpoint:
    """Where a model is asked."""

    def __init__(self, name: str) -> None:
        """Take ``MODEL`` or ``MODEL@URL``."""
        model, _, url = name.partition("@")
        self.model = model
        self.url = (url or os.environ.get("UNSLANT_LLM_URL") or _DEFAULT_URL).rstrip("/")
        self.key = os.environ.get("UNSLANT_LLM_KEY", "")
        parts = urlsplit(self.url)
        if not model or parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(
                f"'llm:{name}' names no model at an http address; write llm:MODEL@http://HOST/v1, or set "
                "UNSLANT_LLM_URL"
            )


def complete(endpoint: Endpoint, system: str, text: str) -> str:
    """Return the model's answer to one message; whatever goes wrong is one sentence that names the address."""
    body = {
        "model": endpoint.model,
        "temperature": 0,
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": text}],
    }
    headers = {"Content-Type": "application/json"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    address = f"{endpoint.url}/chat/completions"
    request = Request(address, json.dumps(body).encode(), headers)  # noqa: S310 - the scheme was checked
    try:
        with urlopen(request, timeout=_TIMEOUT) as answer:  # noqa: S310
            data = answer.read(_LONGEST_ANSWER)
    except HTTPError as error:
        error.close()
        raise InputError(
            f"{address} answered {error.code} {error.reason}; check the model's name and the key"
        ) from None
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise InputError(f"{address} cannot be reached ({reason}); check UNSLANT_LLM_URL") from None
    return _content(data, address)


def _content(data: bytes, address: str) -> str:
    try:
        answer: Any = json.loads(data)
        content = answer["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError):
        raise InputError(
            f"{address} did not answer as an OpenAI-compatible endpoint does; check its address"
        ) from None
    return content if isinstance(content, str) else ""


class PromptedRewriter:
    """Asks a language model for each slanted sentence."""

    def __init__(self, name: str, _spec: Spec) -> None:
        self._endpoint = Endpoint(name)

    def rewrite(self, sentences: Sequence[Sentence], analyses: Sequence[Analysis]) -> list[list[Rewrite]]:
        """Return one wording per sentence, or none where the model gave none."""
        return [
            self._rewritten(sentence, analysis)
            for sentence, analysis in zip(sentences, analyses, strict=True)
        ]

    def _rewritten(self, sentence: Sentence, analysis: Analysis) -> list[Rewrite]:
        text = " ".join(sentence.text.split())
        words = ", ".join(f'"{" ".join(finding.text.split())}"' for finding in analysis.findings)
        asked = f"Sentence: {text}\nWords in question: {words}" if words else f"Sentence: {text}"
        answer = _cleaned(complete(self._endpoint, _SYSTEM, asked), text)
        return [Rewrite(answer, _TRUST)] if answer else []


def _cleaned(answer: str, text: str) -> str:
    """Return the sentence in an answer, without what models like to put around it."""
    lines = [line.strip() for line in answer.strip().splitlines() if line.strip()]
    if not lines:
        return ""
    found = re.sub(
        r"^(?:sentence|neutral|rewritten|answer)[^:]{0,20}:\s*", "", lines[-1], flags=re.IGNORECASE
    )
    if len(found) > 1 and found[0] + found[-1] in ('""', "\u201c\u201d", "''") and text[:1] != found[0]:
        found = found[1:-1].strip()
    return found
