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
import importlib
import inspect
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
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
_REFUSED = (
    "responses",
    "aresponses",
    "get_responses",
    "aget_responses",
    "anthropic_messages",
    "anthropic_messages_handler",
    "google_genai.generate_content",
    "google_genai.agenerate_content",
    "google_genai.generate_content_stream",
    "google_genai.agenerate_content_stream",
    "interactions.create",
    "interactions.acreate",
    "run_thread",
    "arun_thread",
    "get_messages",
    "aget_messages",
)
"""Functions that return text in other forms, which are not guarded: they raise while a guardrail is on."""
_TEXT = frozenset(name.rpartition(".")[2] for name in (*_GUARDED, *_REFUSED))
"""How LiteLLM names the calls of these functions."""
_MARK = "unslant_guarded"
"""The hidden parameter of an answer that names who has guarded it; the proxy would otherwise guard it again."""


class _Call:
    """A call of a guarded function; while it is open, the calls that LiteLLM makes for it are left to it."""

    def __init__(self) -> None:
        self.open = True


_call: ContextVar[_Call | None] = ContextVar("unslant_call", default=None)


def _inside() -> bool:
    call = _call.get()
    return call is not None and call.open


@contextmanager
def _outermost() -> Iterator[None]:
    """Open a call. A task that outlives the call inherits it, but finds it closed."""
    call = _Call()
    token = _call.set(call)
    try:
        yield
    finally:
        call.open = False
        _call.reset(token)


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
        if getattr(answer, "choices", None) is None:
            guarded = isinstance(answer, _Chunks) and answer.are_guarded_by(self._guard)
            return answer if guarded else _Chunks(answer, self._guard)
        hidden = getattr(answer, "_hidden_params", None)
        if isinstance(hidden, dict):
            guards = hidden.setdefault(_MARK, [])
            if id(self) in guards:
                return answer
            guards.append(id(self))
        for choice in answer.choices:
            holder, name = _text_of(choice)
            text = getattr(holder, name, None)
            if isinstance(text, str):
                setattr(holder, name, self._guard.guard(text))
        return answer

    async def async_pre_call_deployment_hook(self, kwargs: dict[str, Any], call_type: Any) -> Any:
        """Refuse a call that got around the guarded functions, as by a router that was built before the guardrail."""
        name = getattr(call_type, "value", call_type)
        if name in _TEXT and not _inside() and self in _guards(kwargs):
            raise InputError(
                f"this call of litellm's {name}() cannot be guarded; build the guardrail before anything that keeps "
                "this function, such as a Router"
            )
        return await super().async_pre_call_deployment_hook(kwargs, call_type)

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

    def are_guarded_by(self, guard: StreamGuard) -> bool:
        """Return whether this guard already reads the chunks."""
        return self._guard is guard or (
            isinstance(self._stream, _Chunks) and self._stream.are_guarded_by(guard)
        )

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
        function = _find(name)
        if function is None and name in _GUARDED:
            raise ConfigError(f"this version of LiteLLM has no {name}(), so it cannot be guarded")
        while function is not None and not hasattr(function, "__unslant__"):
            replaced[id(function)] = _cover(function) if name in _GUARDED else _refuse(name, function)
            function = getattr(
                function, "__wrapped__", None
            )  # other modules have the function that this one calls
    for module in list(sys.modules.values()):
        names = vars(module) if module is not None else {}
        for name, value in list(names.items()):
            if id(value) in replaced:
                names[name] = replaced[id(value)]


def _find(name: str) -> Callable[..., Any] | None:
    """Return a function of LiteLLM, or None if this version does not have it."""
    module, _, function = f"litellm.{name}".rpartition(".")
    try:
        found = getattr(importlib.import_module(module), function, None)
    except ImportError:
        return None
    return found if inspect.isfunction(found) else None


def _cover(function: Callable[..., Any]) -> Callable[..., Any]:
    def guard(answer: Any, arguments: Mapping[str, Any]) -> Any:
        for guardrail in _guards(arguments):
            answer = guardrail.guard_answer(answer)
        return answer

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def covered_async(*args: Any, **arguments: Any) -> Any:
            if _inside():
                return await function(*args, **arguments)
            with _outermost():
                answer = await function(*args, **arguments)
            return guard(answer, arguments)

        covered_async.__unslant__ = True  # type: ignore[attr-defined]
        return covered_async

    @functools.wraps(function)
    def covered(*args: Any, **arguments: Any) -> Any:
        if _inside():
            return function(*args, **arguments)
        with _outermost():
            answer = function(*args, **arguments)
        return guard(answer, arguments)

    covered.__unslant__ = True  # type: ignore[attr-defined]
    return covered


def _refuse(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def refusing(*args: Any, **arguments: Any) -> Any:
        if not _inside() and _guards(arguments):
            raise InputError(
                f"litellm.{name}() cannot be guarded; call litellm.completion() or litellm.acompletion()"
            )
        return function(*args, **arguments)

    refusing.__unslant__ = True  # type: ignore[attr-defined]
    return refusing
