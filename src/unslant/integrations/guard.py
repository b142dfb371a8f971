"""A guard for the output of a language model, sentence by sentence, within a budget of time if you set one.

>>> from unslant.integrations.guard import StreamGuard
>>> guard = StreamGuard(replace=True, unsafe=True)
>>> "".join(guard(["The senator sla", "mmed the plan. It", " failed."]))
'The senator criticized the plan. It failed.'
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from unslant.api import fix
from unslant.core.errors import ConfigError
from unslant.core.types import Finding
from unslant.pipeline import Pipeline
from unslant.spec import Spec
from unslant.text.reading import read
from unslant.validation import check_spec

_END = re.compile(r"[.!?][\"'\u201d\u2019)\]]*(?=\s)|\n")
_LONGEST = 2_000
"""A sentence that has not ended by then is checked as it is, so that a stream cannot be held back for ever."""


@dataclass(slots=True)
class StreamGuard:
    """Passes text on sentence by sentence, tells about findings, and rewords if asked to.

    Nothing that comes in is lost, and everything is checked unless you set a budget of time: once that is spent, the
    rest of the text passes unchecked, and ``unchecked`` says how much of it.
    """

    on_finding: Callable[[str, tuple[Finding, ...]], None] | None = None
    """Called with each sentence that has findings."""
    replace: bool = False
    """Whether to make the safe edits."""
    unsafe: bool = False
    """Whether to make also the edits that ask for a look, since nobody looks at a stream."""
    budget: float | None = None
    """How many milliseconds all checks of one stream together may take before the rest passes unchecked; None: as
    many as they need."""
    spec: Spec = field(default_factory=lambda: Spec(analyzers=("rules",)))
    unchecked: int = 0
    """How many characters of the last stream passed unchecked."""
    _pipeline: Pipeline = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.budget is not None and not self.budget > 0:
            raise ConfigError(f"the budget must be more than 0 milliseconds, not {self.budget!r}")
        check_spec(self.spec)
        self._pipeline = Pipeline(self.spec)

    def __call__(self, chunks: Iterable[str]) -> Iterator[str]:
        """Yield the text of a stream, one or more whole sentences at a time."""
        stream = self.open()
        for chunk in chunks:
            yield from stream.feed(chunk)
            self.unchecked = stream.unchecked
        yield from stream.close()
        self.unchecked = stream.unchecked

    def open(self) -> GuardedStream:
        """Return a stream to feed chunk by chunk; streams of one guard do not disturb each other."""
        return GuardedStream(self)

    def guard(self, text: str) -> str:
        """Return a whole text as it may pass, and tell about findings in it."""
        (report,) = self._pipeline.check([read(text)])
        if not report.findings:
            return text
        if self.on_finding is not None:
            self.on_finding(text, report.findings)
        return fix(text, unsafe=self.unsafe, spec=self.spec).text if self.replace else text


class GuardedStream:
    """One stream: text goes in as it comes, and out sentence by sentence."""

    def __init__(self, guard: StreamGuard) -> None:
        self._guard = guard
        self._left = math.inf if guard.budget is None else guard.budget
        self._held = ""
        self.unchecked = 0
        """How many characters passed unchecked, because the budget was spent."""

    def feed(self, chunk: str) -> Iterator[str]:
        """Take a chunk, and yield the sentences that it ends."""
        self._held += chunk
        while (end := _sentence_end(self._held)) is not None:
            sentence, self._held = self._held[:end], self._held[end:]
            yield self._pass(sentence)

    def close(self) -> Iterator[str]:
        """Yield what is left when the stream has ended."""
        held, self._held = self._held, ""
        if held:
            yield self._pass(held)

    def _pass(self, sentence: str) -> str:
        if self._left <= 0:
            self.unchecked += len(sentence)
            return sentence
        began = time.perf_counter()
        passed = self._guard.guard(sentence)
        self._left -= 1_000 * (time.perf_counter() - began)
        return passed


def _sentence_end(text: str) -> int | None:
    match = _END.search(text)
    if match is not None:
        return match.end()
    return len(text) if len(text) >= _LONGEST else None
