"""Settings: everything that can be configured, and how files and options become settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from unslant.config.files import ConfigFile, config_in, nearest_config, read_config, search_folder
from unslant.core.errors import ConfigError
from unslant.spec import Spec

FAIL_ON = ("suggestion", "warning", "error", "never")
"""The lowest severity that makes a run fail, or ``never``."""

OUTPUT_FORMATS = (
    "text",
    "json",
    "jsonl",
    "sarif",
    "github",
    "html",
    "concise",
    "gitlab",
    "junit",
    "checkstyle",
    "rdjson",
    "csv",
)
"""The output formats."""

RuleFiles = tuple[tuple[str, str], ...]
"""Rule packs and the user's own rule files: name and content of each."""

KnownRules = Callable[[RuleFiles], Collection[str]]
"""Returns the ids of all rules, including those of the given files."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be configured, validated and complete."""

    spec: Spec = field(default_factory=Spec)
    """The part that decides which findings are reported."""
    fail_on: str = "warning"
    """The lowest severity that makes the run fail, or ``never``."""
    output_format: str = "text"
    """The output format."""
    exclude: tuple[str, ...] = ()
    """Patterns as in ``.gitignore``, relative to the root; matching files are skipped."""
    respect_gitignore: bool = True
    """Whether files that ``.gitignore`` names are skipped."""
    formats: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Path globs, each with a format; the last match wins."""
    max_bytes: int = 100_000_000
    """Larger files are refused."""
    cache: bool = True
    """Whether the findings of unchanged files are cached."""
    jobs: int = 0
    """The number of files to check in parallel; 0: one per core."""
    root: Path = Path()
    """The folder of the configuration; paths and globs are relative to it."""
    config: Path | None = None
    """The configuration file, or None if there is none."""
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The origin of each key's value (``unslant.toml:12``, ``--select``); missing keys have their default."""

    def origin(self, key: str) -> str:
        """Return the origin of a key's value: ``default``, a file and line, or an option."""
        return self.origins.get(key, "default")

    def relative(self, path: Path) -> str:
        """Return a path as globs see it: relative to the root, with forward slashes."""
        try:
            return Path(os.path.relpath(path, self.root)).as_posix()
        except ValueError:  # another drive
            return path.as_posix()

    def format_for(self, path: Path) -> str | None:
        """Return the format that ``formats`` assigns to a file, or None if the suffix decides.

        As in per-file ignores, a glob is matched against the path relative to the root, or its last parts.
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
"""Values from the command line, by their TOML keys; None and () mean that the option was not given."""

_NO_OVERRIDES: Overrides = {}


def load_settings(
    start: Path,
    *,
    known_rules: KnownRules,
    config: Path | None = None,
    use_config: bool = True,
    overrides: Overrides = _NO_OVERRIDES,
) -> Settings:
    """Return the settings for a file or folder: defaults, overridden by the file, then by the command line.

    The file is ``config``, or else the nearest one at or above ``start``; with ``use_config=False`` no file is
    read. An override replaces the whole value of its key. All problems are reported in one ``ConfigError``, a
    line each.
    """
    folder = search_folder(start)
    if config is None:
        file = nearest_config(folder) if use_config else None
    elif use_config:
        file = read_config(Path(os.path.abspath(config)))  # noqa: PTH100 - a symbolic link counts where it is, not where it points
    else:
        raise ConfigError("--config and --no-config cannot be used together.")
    return _settings(file, folder, overrides, known_rules, explicit=config is not None)


class SettingsCache:
    """The settings of many files, each from its nearest configuration file, which is read only once."""

    def __init__(
        self,
        start: Path,
        *,
        known_rules: KnownRules,
        config: Path | None = None,
        use_config: bool = True,
        overrides: Overrides = _NO_OVERRIDES,
    ) -> None:
        """Take the arguments of ``load_settings``; ``start`` is the root if no configuration is found."""
        self._start = search_folder(start)
        self._known_rules = known_rules
        self._overrides = overrides
        self._folders: dict[Path, Settings | ConfigError] = {}
        self._only: Settings | None = None
        if config is not None or not use_config:
            self._only = load_settings(
                start, known_rules=known_rules, config=config, use_config=use_config, overrides=overrides
            )

    def for_path(self, path: Path) -> Settings:
        """Return the settings for a file or folder; invalid settings raise the same error each time."""
        if self._only is not None:
            return self._only
        outcome = self._outcome(search_folder(path))
        if isinstance(outcome, ConfigError):
            raise ConfigError(*outcome.args)
        return outcome

    def _outcome(self, folder: Path) -> Settings | ConfigError:
        """Climb until a folder is cached or has a configuration, and cache that for all folders passed."""
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
    file: ConfigFile | None,
    folder: Path,
    overrides: Overrides,
    known_rules: KnownRules,
    *,
    explicit: bool = False,
) -> Settings:
    given = {name: value for name, value in overrides.items() if value is not None and value != ()}
    base = Settings(root=file.path.parent if file else folder, config=file.path if file else None)
    if file is None and not given:
        return base
    # Imported late, because a run without any configuration does not need it.
    from unslant.config.schema import build, read_table
    from unslant.config.sources import Collector, FileSource, OptionSource, RawValue
    from unslant.config.values import check_selectors

    collector = Collector()
    readings = [RawValue(file.table, (), FileSource(file, explicit=explicit), collector)] if file else []
    readings.append(RawValue(given, (), OptionSource(base.root), collector))
    found: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for raw in readings:
        values = read_table(raw)
        found |= values
        for name, value in values.items():
            origins[name] = raw.source.origin(tuple(name.split(".")), value)
    own_rules = (*found.get("extends", ()), *found.get("rule-files", ()))
    check_selectors(collector, own_rules, known_rules)
    if collector.problems:
        problems = sorted(collector.problems, key=lambda problem: problem.line)
        raise ConfigError("\n".join(dict.fromkeys(problem.message for problem in problems)))
    return build(base, found, origins)
