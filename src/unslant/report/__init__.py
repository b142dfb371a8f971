"""Output of the findings of a run, in one of several formats for people and programs."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Protocol, TextIO, cast

from unslant.core.errors import UnknownName
from unslant.report.outcome import Outcome, RenderSettings, RuleInfo, RunSummary, Tally

__all__ = [
    "FORMATS",
    "SUGGESTION_FORMATS",
    "Outcome",
    "RenderSettings",
    "Renderer",
    "RuleInfo",
    "RunSummary",
    "Tally",
    "render",
    "renderer",
]

_RENDERERS = {
    "text": "terminal:render",
    "json": "wire:render_json",
    "jsonl": "wire:render_lines",
    "sarif": "sarif:render",
    "github": "ci:render_annotations",
    "html": "html:render",
    "concise": "table:render_concise",
    "gitlab": "ci:render_gitlab",
    "junit": "ci:render_junit",
    "checkstyle": "ci:render_checkstyle",
    "rdjson": "ci:render_rdjson",
    "csv": "table:render_csv",
}
FORMATS = tuple(_RENDERERS)
"""The names of the formats, the default first."""
_SUGGESTIONS = {
    "sarif": "sarif:render",
    "rdjson": "ci:render_rdjson",
    "github-review": "ci:render_review",
}
SUGGESTION_FORMATS = tuple(_SUGGESTIONS)
"""The names of the formats that show edits that ``unslant fix`` has judged."""
_STATISTICS = {"text": "statistics:render_text", "json": "statistics:render_json"}


class Renderer(Protocol):
    """Writes outcomes as they arrive, and returns their totals."""

    def __call__(
        self, outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings, /
    ) -> RunSummary:
        """Write everything, and finish the output even if the run was interrupted."""
        ...


def renderer(name: str, statistics: bool = False) -> Renderer:
    """Return the renderer of a format, or of the counts in it; only that format is imported."""
    known = _STATISTICS if statistics else _RENDERERS | _SUGGESTIONS
    if name not in known:
        raise UnknownName("format of statistics" if statistics else "format", name, known)
    module, _, attribute = known[name].partition(":")
    found: Renderer = getattr(importlib.import_module(f"unslant.report.{module}"), attribute)
    return found


def render(
    name: str, outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings | None = None
) -> RunSummary:
    """Write the outcomes in a format; characters that the stream cannot encode are replaced."""
    settings = settings or RenderSettings()
    write = renderer(name, settings.statistics)
    encoding = (getattr(stream, "encoding", None) or "utf-8").lower().replace("_", "-")
    if encoding not in ("utf-8", "utf8"):
        stream = cast(
            TextIO, _Encodable(stream, encoding, "xmlcharrefreplace" if name == "html" else "replace")
        )
    return write(outcomes, stream, settings)


class _Encodable:
    """A text stream that replaces what its encoding cannot represent."""

    def __init__(self, stream: TextIO, encoding: str, errors: str) -> None:
        self._stream = stream
        self._encoding = encoding
        self._errors = errors

    def write(self, text: str) -> int:
        return self._stream.write(text.encode(self._encoding, self._errors).decode(self._encoding))

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)
