"""What a run needs to know beside the text."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from unslant.spec import Spec

__all__ = ["FAIL_ON", "OUTPUT_FORMATS", "KnownRules", "RuleFiles", "Settings"]

FAIL_ON = ("suggestion", "warning", "error", "never")
"""The mildest severity that makes a run fail, or never."""

OUTPUT_FORMATS = ("text", "json", "jsonl", "sarif", "github", "html")
"""The forms in which findings are written."""

RuleFiles = tuple[tuple[str, str], ...]
"""The user's own rule files: name and content."""

KnownRules = Callable[[RuleFiles], Collection[str]]
"""Returns the ids of all rules, those of these files among them."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be configured, checked and complete."""

    spec: Spec = field(default_factory=Spec)
    """What decides which findings come out."""
    fail_on: str = "warning"
    """The mildest severity that makes the run fail; ``never``: findings never do."""
    output_format: str = "text"
    """The form in which findings are written."""
    exclude: tuple[str, ...] = ()
    """Patterns as in ``.gitignore``, relative to the root; what they match is not checked."""
    respect_gitignore: bool = True
    """Whether what ``.gitignore`` names is left out of folders."""
    formats: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Path globs, each with the format that such files are read in; the last match counts."""
    max_bytes: int = 100_000_000
    """Larger files are refused."""
    cache: bool = True
    """Whether findings of unchanged files are remembered."""
    jobs: int = 0
    """How many files are checked at the same time; 0: as many as there are cores."""
    root: Path = Path()
    """Where the configuration lies; paths and globs are relative to it."""
    config: Path | None = None
    """The file that was read; None: there was none."""
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Where the value of each key came from (``unslant.toml:12``, ``--select``); absent: the default."""

    def origin(self, key: str) -> str:
        """Return where the value of a key came from: ``default``, a file and line, or an option."""
        return self.origins.get(key, "default")

    def relative(self, path: Path) -> str:
        """Return a path as the globs see it: from the root, with forward slashes."""
        try:
            return Path(os.path.relpath(path, self.root)).as_posix()
        except ValueError:  # another drive
            return path.as_posix()

    def format_for(self, path: Path) -> str | None:
        """Return the format that ``formats`` gives a file; None: the suffix decides.

        As for per-file ignores, a glob is matched against the whole path from the root or its last parts.
        """
        if not self.formats:
            return None
        relative = self.relative(path)
        chosen = None
        for glob, format_name in self.formats.items():
            if fnmatchcase(relative, glob) or fnmatchcase(relative, f"*/{glob}"):
                chosen = format_name
        return chosen
