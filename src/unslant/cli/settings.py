"""Options that several commands share, and the settings they lead to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import ParamSpec, TypeVar

import click

from unslant.config import Settings, SettingsCache

__all__ = ["config_options", "known_rules", "load", "settings_cache"]

P = ParamSpec("P")
R = TypeVar("R")


def config_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add ``--config`` and ``--no-config``."""
    command = click.option("--no-config", is_flag=True, help="Read no configuration file.")(command)
    return click.option(
        "--config",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Read this configuration instead of the nearest unslant.toml or pyproject.toml.",
    )(command)


def known_rules(rule_files: tuple[tuple[str, str], ...]) -> Collection[str]:
    """Return the ids that a selector may name."""
    from unslant.rules.analyzer import rule_cards
    from unslant.spec import Spec

    return [*rule_cards(Spec(rule_files=rule_files)), "vocabulary/flag", "vocabulary/suggest"]


def settings_cache(
    config: Path | None, no_config: bool, overrides: Mapping[str, object] | None = None
) -> SettingsCache:
    """Return the settings of every folder, under what the command line says."""
    return SettingsCache(
        Path.cwd(),
        known_rules=known_rules,
        config=config,
        use_config=not no_config,
        overrides=overrides or {},
    )


def load(config: Path | None, no_config: bool, overrides: Mapping[str, object] | None = None) -> Settings:
    """Return the settings of the current folder."""
    return settings_cache(config, no_config, overrides).for_path(Path.cwd())
