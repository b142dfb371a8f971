"""A guardrail for LiteLLM: what a model answers is checked, reworded or refused, in the SDK and in the proxy.

import litellm
from unslant.integrations.litellm import SlantGuardrail

litellm.callbacks = [SlantGuardrail(unsafe=True)]
await litellm.acompletion(model, messages, guardrails=["unslant"])
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any, Literal

from litellm.exceptions import GuardrailRaisedException
from litellm.integrations.custom_guardrail import CustomGuardrail

from unslant.core.errors import ConfigError
from unslant.core.types import Finding
from unslant.integrations.guard import GuardedStream, StreamGuard
from unslant.spec import Spec

__all__ = ["Action", "SlantGuardrail"]

Action = Literal["tell", "replace", "block"]
"""What to do about slanted wording: only tell, reword it, or refuse the answer."""

_NAME = "unslant"


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
        """Build the guardrail.

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

    async def async_post_call_success_hook(self, data: Any, user_api_key_dict: Any, response: Any) -> Any:  # noqa: ARG002
        """Guard the text of each choice."""
        for choice in getattr(response, "choices", None) or ():
            message = getattr(choice, "message", None)
            if message is not None and isinstance(message.content, str):
                message.content = self._guard.guard(message.content)
        return response

    async def async_post_call_streaming_iterator_hook(
        self,
        user_api_key_dict: Any,  # noqa: ARG002
        response: Any,
        request_data: dict[str, Any],  # noqa: ARG002
    ) -> AsyncIterator[Any]:
        """Guard a stream of chunks sentence by sentence; no chunk is lost or added."""
        streams: dict[int, GuardedStream] = {}
        async for chunk in response:
            for choice in getattr(chunk, "choices", None) or ():
                stream = streams.setdefault(choice.index, self._guard.open())
                passed = "".join(stream.feed(choice.delta.content or ""))
                if choice.finish_reason is not None:
                    passed += "".join(stream.close())
                if passed or choice.delta.content:
                    choice.delta.content = passed
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
