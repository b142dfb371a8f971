"""What the handlers ask of the engine: texts to take through a pass, and what to make of the results."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from unslant.core.types import Report
from unslant.server.refusal import Refusal
from unslant.spec import Spec

_HALF = re.compile("[\ud800-\udfff]")

__all__ = ["Job", "Order", "Result", "Text"]


@dataclass(frozen=True, slots=True)
class Job:
    """What is done with texts; those with equal jobs go through one pass."""

    spec: Spec
    fix: bool = False
    """Whether the texts are rewritten too."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text as it was sent."""

    source: str
    format: str = "text"
    id: str = "<text>"

    def __post_init__(self) -> None:
        # JSON can spell half a character, which no file holds and no tokenizer takes
        if not self.source.isascii() and _HALF.search(self.source):
            raise Refusal(
                422, "invalid", "the text holds half a character, a lone surrogate; send whole ones"
            )


Result = Report | Any | Refusal
"""What became of a text: a report, a rewritten text, or the reason why there is none."""


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """The work of one request."""

    job: Job
    texts: Sequence[Text]
    finish: Callable[[Sequence[Result]], dict[str, Any]]
    """Makes the answer of the results, which are as many as the texts and in their order."""

    beside: int = 0
    """Code points of what the texts are compared with."""

    @property
    def length(self) -> int:
        """Code points of everything that has to be looked at."""
        return self.beside + sum(len(text.source) for text in self.texts)
