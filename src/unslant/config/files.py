"""Where the configuration lies, and what it says before anything is checked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from unslant.core.errors import ConfigError

__all__ = [
    "ConfigFile",
    "config_in",
    "find_config",
    "folder_of",
    "label",
    "nearest_config",
    "printable",
    "read",
]

_PYPROJECT = "pyproject.toml"


class ConfigFile(NamedTuple):
    """A configuration file as it was read."""

    path: Path
    text: str
    table: object
    """What stands under ``prefix``; not yet known to be a table."""
    prefix: tuple[str, ...]
    """The keys that lead to the settings: none, or ``tool`` and ``unslant``."""


def find_config(start: Path) -> Path | None:
    """Return the nearest configuration at or above a file or folder, or None.

    In one folder ``unslant.toml`` comes before ``pyproject.toml``, and a ``pyproject.toml`` without
    ``[tool.unslant]`` does not count.
    """
    found = nearest_config(folder_of(start))
    return found.path if found else None


def nearest_config(folder: Path) -> ConfigFile | None:
    """Return what the nearest configuration at or above a folder says, or None."""
    for candidate in (folder, *folder.parents):
        if found := config_in(candidate):
            return found
    return None


def folder_of(start: Path) -> Path:
    """Return the absolute folder in which a search from a file or folder begins."""
    absolute = Path(os.path.abspath(start))  # noqa: PTH100 - a symbolic link is searched where it lies
    return absolute if absolute.is_dir() else absolute.parent


def config_in(folder: Path) -> ConfigFile | None:
    """Return the configuration that lies in this very folder, or None."""
    own = os.path.join(folder, "unslant.toml")  # noqa: PTH118 - asked of every folder upward: strings are quick
    if os.path.isfile(own):  # noqa: PTH113 - a folder that may not be entered holds no configuration
        return read(Path(own))
    shared = os.path.join(folder, _PYPROJECT)  # noqa: PTH118
    if os.path.isfile(shared):  # noqa: PTH113
        path = Path(shared)
        # Most pyproject.toml are not about unslant: those need not even be valid.
        if b"unslant" in _content(path):
            return _under_tool(path)
    return None


def read(path: Path) -> ConfigFile:
    """Read a configuration file; one named ``pyproject.toml`` must have a ``[tool.unslant]`` table."""
    if not path.name.endswith(_PYPROJECT):
        text, data = _parsed(path)
        return ConfigFile(path, text, data, ())
    found = _under_tool(path)
    if found is None:
        raise ConfigError(f"{label(path)}: has no [tool.unslant] table; add one or name another file.")
    return found


def label(path: Path) -> str:
    """Return a path as a person at this working directory would write it."""
    try:
        near = os.path.relpath(path)
    except ValueError:  # another drive
        near = str(path)
    return printable(min(near, str(path), key=len))


def printable(text: str) -> str:
    """Return text that can be shown on any terminal without moving its cursor."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def _under_tool(path: Path) -> ConfigFile | None:
    text, data = _parsed(path)
    tool = data.get("tool")
    if not isinstance(tool, dict) or "unslant" not in tool:
        return None
    return ConfigFile(path, text, tool["unslant"], ("tool", "unslant"))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise ConfigError(f"{label(path)}: there is no such configuration file.") from None
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise ConfigError(
            f"{label(path)}: cannot be read ({reason}); --no-config goes without it."
        ) from error


def _parsed(path: Path) -> tuple[str, Mapping[str, Any]]:
    content = _content(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{label(path)}:{line}: is not UTF-8 text; save it as UTF-8.") from error
    import tomllib

    try:
        return text, tomllib.loads(text)
    except RecursionError as error:
        raise ConfigError(f"{label(path)}: is nested too deeply.") from error
    except ValueError as error:
        raise ConfigError(_syntax_error(label(path), text, str(error))) from error


def _syntax_error(name: str, text: str, message: str) -> str:
    """Move the line from the end of the reader's message to its start."""
    import re

    match = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", message, re.DOTALL)
    what, line = (match[1], match[2]) if match else (message, "1")
    line = line or str(text.rstrip().count("\n") + 1)
    return f"{name}:{line}: not valid TOML: {what[:1].lower()}{printable(what[1:])}."
