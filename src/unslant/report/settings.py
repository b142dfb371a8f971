"""How to render: the settings that all formats share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from unslant.core.types import Severity

__all__ = ["RenderSettings", "RuleInfo"]


class RuleInfo(Protocol):
    """What the formats say about a rule."""

    @property
    def id(self) -> str:
        """The stable id, such as ``framing/peacock``."""
        ...

    @property
    def title(self) -> str:
        """Two or three words for a heading."""
        ...

    @property
    def kind(self) -> str:
        """How it slants."""
        ...

    @property
    def dimension(self) -> str | None:
        """Against whom, if anybody."""
        ...

    @property
    def severity(self) -> Severity:
        """How much its findings matter unless the configuration says otherwise."""
        ...

    @property
    def why(self) -> str:
        """One kind sentence for the writer."""
        ...

    @property
    def source(self) -> str:
        """The guidance behind it, by name."""
        ...


@dataclass(frozen=True, slots=True)
class RenderSettings:
    """How the output looks; nothing here changes what is found."""

    color: bool = False
    """Whether the text format may use colour and underlining."""
    width: int = 80
    """How many cells wide a line of the text format may be."""
    root: Path = field(default_factory=Path)
    """The folder that file names are given relative to, in SARIF and GitHub annotations."""
    rules: Mapping[str, RuleInfo] = field(default_factory=dict)
    """What is known of each rule, by id; may be lazy, is asked only by formats that show it."""
    verbose: bool = False
    """Whether the text format also shows the guidance behind a rule, and how sure an analyzer is."""
    version: str = ""
    """The version of unslant, where a format names the tool."""
