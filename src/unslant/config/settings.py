"""Settings: everything that can be configured, and how files and options become settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from unslant.config.files import ConfigFile, config_in, folder_of, nearest_config, read
from unslant.core.errors import ConfigError
from unslant.spec import Spec

__all__ = [
    "FAIL_ON",
    "OUTPUT_FORMATS",
    "KnownRules",
    "RuleFiles",
    "Settings",
    "SettingsCache",
    "load_settings",
]

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


Overrides = Mapping[str, object]
"""Values from the command line by the keys' names in TOML; None and () stand for options not given."""

_NO_OVERRIDES: Overrides = {}


def load_settings(
    start: Path,
    *,
    known_rules: KnownRules,
    config: Path | None = None,
    use_config: bool = True,
    overrides: Overrides = _NO_OVERRIDES,
) -> Settings:
    """Return the settings for a file or folder: the defaults, over them the file, over it the command line.

    The file is ``config``, or else the nearest at or above ``start``; with ``use_config=False`` none is read.
    An override replaces the whole value of its key. Everything that cannot be used is told in one
    ``ConfigError``, a line each.
    """
    folder = folder_of(start)
    if config is None:
        file = nearest_config(folder) if use_config else None
    elif use_config:
        file = read(Path(os.path.abspath(config)))  # noqa: PTH100 - a symbolic link is read where it lies
    else:
        raise ConfigError("--config and --no-config exclude each other; give only one.")
    return _settings(file, folder, overrides, known_rules)


class SettingsCache:
    """The settings of many files, each from the configuration that is nearest to it, read only once."""

    def __init__(
        self,
        start: Path,
        *,
        known_rules: KnownRules,
        config: Path | None = None,
        use_config: bool = True,
        overrides: Overrides = _NO_OVERRIDES,
    ) -> None:
        """Take what ``load_settings`` takes; ``start`` is the root where no configuration is found."""
        self._start = folder_of(start)
        self._known_rules = known_rules
        self._overrides = overrides
        self._folders: dict[Path, Settings | ConfigError] = {}
        self._only: Settings | None = None
        if config is not None or not use_config:
            self._only = load_settings(
                start, known_rules=known_rules, config=config, use_config=use_config, overrides=overrides
            )

    def for_path(self, path: Path) -> Settings:
        """Return the settings for a file or folder; broken ones raise the same error each time."""
        if self._only is not None:
            return self._only
        outcome = self._outcome(folder_of(path))
        if isinstance(outcome, ConfigError):
            raise ConfigError(*outcome.args)
        return outcome

    def _outcome(self, folder: Path) -> Settings | ConfigError:
        """Climb until a folder is known or holds a configuration, and remember that for all on the way."""
        climbed = []
        outcome: Settings | ConfigError | None = None
        for candidate in (folder, *folder.parents):
            outcome = self._folders.get(candidate)
            if outcome is None:
                climbed.append(candidate)
                outcome = self._in(candidate)
            if outcome is not None:
                break
        else:
            outcome = self._load(None)
        self._folders |= dict.fromkeys(climbed, outcome)
        return outcome

    def _in(self, folder: Path) -> Settings | ConfigError | None:
        try:
            file = config_in(folder)
        except ConfigError as error:
            return error
        return self._load(file) if file else None

    def _load(self, file: ConfigFile | None) -> Settings | ConfigError:
        try:
            return _settings(file, self._start, self._overrides, self._known_rules)
        except ConfigError as error:
            return error


def _settings(
    file: ConfigFile | None, folder: Path, overrides: Overrides, known_rules: KnownRules
) -> Settings:
    given = {name: value for name, value in overrides.items() if value is not None and value != ()}
    base = Settings(root=file.path.parent if file else folder, config=file.path if file else None)
    if file is None and not given:
        return base
    # Only now, for a run without any configuration need not know how one is read.
    from unslant.config.reading import Collector, FileSource, OptionSource, Reading
    from unslant.config.schema import build, read_table
    from unslant.config.values import check_selectors

    collector = Collector()
    readings = [Reading(file.table, (), FileSource(file), collector)] if file else []
    readings.append(Reading(given, (), OptionSource(base.root), collector))
    found: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for reading in readings:
        values = read_table(reading)
        found |= values
        for name, value in values.items():
            origins[name] = reading.source.origin(tuple(name.split(".")), value)
    check_selectors(collector, found.get("rule-files", ()), known_rules)
    if collector.problems:
        problems = sorted(collector.problems, key=lambda problem: problem.line)
        raise ConfigError("\n".join(dict.fromkeys(problem.sentence for problem in problems)))
    return build(base, found, origins)
