"""A guardrail for LiteLLM: what a model answers is checked, reworded or refused, in the SDK and in the proxy.

import litellm
from unslant.integrations.litellm import SlantGuardrail

litellm.callbacks = [SlantGuardrail(unsafe=True)]
litellm.completion("openai/gpt-4o-mini", messages)

LiteLLM itself hands an answer to a guardrail only in the proxy and in ``acompletion`` without a stream; every other
call of the SDK would pass unguarded. Building a guardrail therefore puts a guarded function in the place of each
function of the SDK that returns text, and one that refuses to be called in the place of those that cannot be guarded.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, Literal, Self

import litellm
from litellm.exceptions import GuardrailRaisedException
from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.types.guardrails import GuardrailEventHooks

from unslant.core.errors import ConfigError, InputError
from unslant.core.types import Finding
from unslant.integrations.guard import GuardedStream, StreamGuard
from unslant.spec import Spec

Action = Literal["tell", "replace", "block"]
"""What to do about slanted wording: only tell, reword it, or refuse the answer."""

_NAME = "unslant"
_GUARDED = ("completion", "acompletion", "text_completion", "atext_completion")
"""The functions of the SDK whose answers are guarded."""
_REFUSED = ("responses", "aresponses", "anthropic_messages", "generate_content", "agenerate_content")
"""Functions that return text in other forms, which are not guarded: they raise while a guardrail is on."""
_MARK = "unslant_guarded"
"""The hidden parameter of an answer that has been guarded; the proxy would otherwise guard it again."""


class SlantGuardrail(CustomGuardrail):  # type: ignore[misc]
    """Checks what models answer; other options are those of LiteLLM's ``CustomGuardrail``."""

    def __init__(
        self,
        action: Action = "replace",
        unsafe: bool = False,
        on_finding: Callable[[str, tuple[Finding, ...]], None] | None = None,
        spec: Spec | None = None,
        **options: Any,
    ) -> None:
        """Build the guardrail; it works once it is in ``litellm.callbacks``.

        ``unsafe`` also makes edits that an editor should look at. ``on_finding`` is called with each text or sentence
        that has findings. ``spec`` says what to look for; without it, the rules are used.
        """
        if action not in ("tell", "replace", "block"):
            raise ConfigError(f"the action must be 'tell', 'replace' or 'block', not {action!r}")
        super().__init__(
            **{"guardrail_name": _NAME, "event_hook": "post_call", "default_on": True, **options}
        )
        self._tell = on_finding
        self._block = action == "block"
        self._guard = StreamGuard(
            on_finding=self._found,
            replace=action == "replace",
            unsafe=unsafe,
            spec=spec or Spec(analyzers=("rules",)),
        )
        _cover_sdk()

    def guard_answer(self, answer: Any) -> Any:
        """Return an answer of any form as it may pass: a whole one, or a stream to iterate over or await."""
        if isinstance(answer, _Chunks):
            return answer
        if getattr(answer, "choices", None) is None:
            return _Chunks(answer, self._guard)
        hidden = getattr(answer, "_hidden_params", None)
        if isinstance(hidden, dict):
            if hidden.get(_MARK):
                return answer
            hidden[_MARK] = True
        for choice in answer.choices:
            holder, name = _text_of(choice)
            text = getattr(holder, name, None)
            if isinstance(text, str):
                setattr(holder, name, self._guard.guard(text))
        return answer

    async def async_post_call_success_deployment_hook(
        self,
        request_data: dict[str, Any],  # noqa: ARG002
        response: Any,  # noqa: ARG002
        call_type: Any,  # noqa: ARG002
    ) -> None:
        """Leave the answers of the SDK to the guarded functions, which see every one of them."""
        return

    async def async_post_call_success_hook(self, data: Any, user_api_key_dict: Any, response: Any) -> Any:  # noqa: ARG002
        """Guard an answer of the proxy."""
        return self.guard_answer(response) if getattr(response, "choices", None) else response

    async def async_post_call_streaming_iterator_hook(
        self,
        user_api_key_dict: Any,  # noqa: ARG002
        response: Any,
        request_data: dict[str, Any],  # noqa: ARG002
    ) -> AsyncIterator[Any]:
        """Guard a stream of the proxy."""
        async for chunk in self.guard_answer(response):
            yield chunk

    def _found(self, text: str, findings: tuple[Finding, ...]) -> None:
        if self._tell is not None:
            self._tell(text, findings)
        if self._block:
            words = ", ".join(f"“{finding.text}”" for finding in findings[:5])
            error = GuardrailRaisedException(
                guardrail_name=self.guardrail_name or _NAME,
                message=f"the answer has slanted wording: {words}",
            )
            error.blocked_content = True
            raise error


class _Chunks:
    """A stream of chunks, guarded sentence by sentence; for everything else it is the stream that LiteLLM returned."""

    def __init__(self, stream: Any, guard: StreamGuard) -> None:
        self._stream = stream
        self._guard = guard
        self._open: dict[int, GuardedStream] = {}
        self._last: Any = None
        self._chunks: Iterator[Any] | AsyncIterator[Any] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        if self._chunks is None:
            self._chunks = self._pass_all()
        return next(self._chunks)  # type: ignore[arg-type]

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        if self._chunks is None:
            self._chunks = self._pass_all_async()
        return await anext(self._chunks)  # type: ignore[arg-type]

    def _pass_all(self) -> Iterator[Any]:
        for chunk in self._stream:
            yield self._pass(chunk)
        if (rest := self._rest()) is not None:
            yield rest

    async def _pass_all_async(self) -> AsyncIterator[Any]:
        async for chunk in self._stream:
            yield self._pass(chunk)
        if (rest := self._rest()) is not None:
            yield rest

    def _pass(self, chunk: Any) -> Any:
        """Return a chunk with the sentences that it ends in place of its text."""
        for choice in getattr(chunk, "choices", None) or ():
            holder, name = _text_of(choice)
            text = getattr(holder, name, None) or ""
            stream = self._open.setdefault(choice.index, self._guard.open())
            passed = "".join(stream.feed(text))
            if choice.finish_reason is not None:
                passed += "".join(stream.close())
            if passed or text:
                setattr(holder, name, passed)
        if getattr(chunk, "choices", None):
            self._last = chunk
        return chunk

    def _rest(self) -> Any:
        """Return one more chunk with what is still held back if a stream ends without saying so, or None."""
        held = {index: "".join(stream.close()) for index, stream in self._open.items()}
        if self._last is None or not any(held.values()):
            return None
        chunk = self._last.model_copy(deep=True)
        for choice in chunk.choices:
            holder, name = _text_of(choice)
            setattr(holder, name, held.get(choice.index, ""))
        return chunk


def _text_of(choice: Any) -> tuple[Any, str]:
    """Return the object that holds the text of a choice, and the name of its field."""
    for part in ("message", "delta"):
        if getattr(choice, part, None) is not None:
            return getattr(choice, part), "content"
    return choice, "text"


def _guards(arguments: Mapping[str, Any]) -> list[SlantGuardrail]:
    """Return the guardrails that are on for a call with these arguments."""
    return [
        callback
        for callback in litellm.callbacks
        if isinstance(callback, SlantGuardrail)
        and callback.should_run_guardrail(data=dict(arguments), event_type=GuardrailEventHooks.post_call)
        is True
    ]


def _cover_sdk() -> None:
    """Put the guarded functions in the place of LiteLLM's own, wherever a module has imported them; once."""
    replaced: dict[int, Callable[..., Any]] = {}
    for name in (*_GUARDED, *_REFUSED):
        function = getattr(litellm, name, None)
        if function is None:
            if name in _GUARDED:
                raise ConfigError(f"this version of LiteLLM has no {name}(), so it cannot be guarded")
        elif not hasattr(function, "__unslant__"):
            replaced[id(function)] = _refuse(function) if name in _REFUSED else _cover(function)
    for module in list(sys.modules.values()):
        names = vars(module) if module is not None else {}
        for name, value in list(names.items()):
            if id(value) in replaced and not (module.__name__ or "").startswith("litellm."):
                names[name] = replaced[id(value)]


def _cover(function: Callable[..., Any]) -> Callable[..., Any]:
    def guard(answer: Any, arguments: Mapping[str, Any]) -> Any:
        for guardrail in _guards(arguments):
            answer = guardrail.guard_answer(answer)
        return answer

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def covered_async(*args: Any, **arguments: Any) -> Any:
            return guard(await function(*args, **arguments), arguments)

        covered_async.__unslant__ = True  # type: ignore[attr-defined]
        return covered_async

    @functools.wraps(function)
    def covered(*args: Any, **arguments: Any) -> Any:
        return guard(function(*args, **arguments), arguments)

    covered.__unslant__ = True  # type: ignore[attr-defined]
    return covered


def _refuse(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def refusing(*args: Any, **arguments: Any) -> Any:
        if _guards(arguments):
            raise InputError(
                f"litellm.{function.__name__}() cannot be guarded; call litellm.completion() or litellm.acompletion()"
            )
        return function(*args, **arguments)

    refusing.__unslant__ = True  # type: ignore[attr-defined]
    return refusing
