"""The settings of a language model's sampling, and the text it generated."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from unslant.core.errors import ConfigError

PRECISIONS = ("float32", "bfloat16", "float16")
"""The numbers that a local model can be asked to calculate with."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are drawn; with the seeds it decides the text."""

    max_tokens: int = 100
    """Where a text is cut off."""
    temperature: float = 1.0
    """0 always takes the likeliest token."""
    top_k: int = 50
    """Only so many of the likeliest tokens can be drawn; 0: any."""
    top_p: float = 1.0
    """Only the likeliest tokens that together are this probable can be drawn."""
    stop: tuple[str, ...] = ()
    """A text ends before the first of these."""
    to_length: bool = False
    """The token that ends a text is never drawn, so that all texts are equally long."""
    chat: bool = False
    """The prompt is a user's turn in the model's chat form, not a text to go on with."""
    system: str = ""
    """The system prompt of a chat; empty: none, or the one that the model's chat form puts there by itself."""

    def __post_init__(self) -> None:
        if self.system and not self.chat:
            raise ConfigError("a system prompt needs a chat; add --chat.")
        if self.max_tokens < 1:
            raise ConfigError(f"a text of {self.max_tokens} tokens cannot be written; ask for at least 1.")
        if not 0 <= self.temperature < float("inf"):
            raise ConfigError(f"the temperature is {self.temperature}; it must be 0 or more.")
        if self.top_k < 0 or not 0 < self.top_p <= 1:
            raise ConfigError(
                f"top-k {self.top_k} and top-p {self.top_p} cannot be used; top-k must be 0 or more, "
                "top-p a share over 0 and at most 1."
            )

    def to_dict(self) -> dict[str, Any]:
        """Return what a run records; the system prompt only where there is one."""
        found = asdict(self)
        return found if self.system else {key: value for key, value in found.items() if key != "system"}


@dataclass(frozen=True, slots=True)
class Generation:
    """A text that a language model wrote."""

    prompt: str
    """As it was given, without the chat form."""
    text: str
    """What was written, without the prompt."""
    seed: int
    """The same model, prompt, seed and sampling give the same text."""
    tokens: int
    """How many were drawn."""
    reason: str
    """Why it ends there: ``length``, ``end`` (the model ended it) or ``stop``."""


def chat_turns(prompt: str, system: str = "") -> list[dict[str, str]]:
    """Return a chat of one turn, after the system prompt if there is one."""
    first = [{"role": "system", "content": system}] if system else []
    return [*first, {"role": "user", "content": prompt}]
