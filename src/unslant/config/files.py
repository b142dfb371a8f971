"""Finding configuration files and parsing them, before any value is validated; and which folders may name models.

A configuration file comes with the text it belongs to: whoever checks a downloaded project reads its settings. Most are
harmless. A setting that loads a model, or sends text to a server, applies only if the user passes it on the command
line, names the file with ``--config``, or trusts the folder. A project's file can never name a server.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from unslant.core.errors import ConfigError, InputError
from unslant.core.files import (
    NotRegular,
    explain_unwritten,
    make_folder,
    open_regular,
    read_json,
    write_atomic,
)
from unslant.spec import destination

_PYPROJECT = "pyproject.toml"

_MAX_BYTES = 4 << 20


class ConfigFile(NamedTuple):
    """A parsed configuration file."""

    path: Path
    text: str
    table: object
    """The value under ``prefix``; not yet known to be a table."""
    prefix: tuple[str, ...]
    """The keys that lead to the settings: none, or ``tool`` and ``unslant``."""


def find_config(start: Path) -> Path | None:
    """Return the nearest configuration at or above a file or folder, or None.

    Within a folder, ``unslant.toml`` takes precedence over ``pyproject.toml``; a ``pyproject.toml`` without
    ``[tool.unslant]`` is ignored.
    """
    found = nearest_config(search_folder(start))
    return found.path if found else None


def nearest_config(folder: Path) -> ConfigFile | None:
    """Return the nearest configuration file at or above a folder, parsed, or None."""
    for candidate in (folder, *folder.parents):
        if found := config_in(candidate):
            return found
    return None


def search_folder(start: Path) -> Path:
    """Return the absolute folder in which the search for a configuration starts."""
    absolute = Path(os.path.abspath(start))  # noqa: PTH100 - a symbolic link counts where it is, not where it points
    return absolute if absolute.is_dir() else absolute.parent


def config_in(folder: Path) -> ConfigFile | None:
    """Return the configuration file in this folder, or None."""
    own = os.path.join(folder, "unslant.toml")  # noqa: PTH118 - runs for every parent folder, and strings are faster
    if os.path.isfile(own):  # noqa: PTH113 - False for a folder we may not enter
        return read_config(Path(own))
    shared = os.path.join(folder, _PYPROJECT)  # noqa: PTH118
    if os.path.isfile(shared):  # noqa: PTH113
        path = Path(shared)
        # Most pyproject.toml files do not mention unslant; those need not even be valid.
        if b"unslant" in _read_bytes(path):
            return _under_tool(path)
    return None


def read_config(path: Path) -> ConfigFile:
    """Read a configuration file; one named ``pyproject.toml`` must have a ``[tool.unslant]`` table."""
    if not path.name.endswith(_PYPROJECT):
        text, data = _parse(path)
        return ConfigFile(path, text, data, ())
    found = _under_tool(path)
    if found is None:
        raise ConfigError(f"{label(path)}: no [tool.unslant] table; add one or pass another file.")
    return found


def label(path: Path) -> str:
    """Return a path as the user would type it in the working directory."""
    try:
        near = os.path.relpath(path)
    except ValueError:  # another drive
        near = str(path)
    return printable(min(near, str(path), key=len))


def printable(text: str) -> str:
    """Return text without characters that could control a terminal."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def _under_tool(path: Path) -> ConfigFile | None:
    text, data = _parse(path)
    tool = data.get("tool")
    if not isinstance(tool, dict) or "unslant" not in tool:
        return None
    return ConfigFile(path, text, tool["unslant"], ("tool", "unslant"))


def _read_bytes(path: Path) -> bytes:
    try:
        with open_regular(path) as stream:
            content = stream.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        raise ConfigError(f"{label(path)}: no such configuration file.") from None
    except NotRegular as error:
        raise ConfigError(f"{label(path)}: is {error}.") from error
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise ConfigError(
            f"{label(path)}: cannot be read ({reason}); use --no-config to run without it."
        ) from error
    if len(content) > _MAX_BYTES:
        raise ConfigError(f"{label(path)}: has more than {_MAX_BYTES:,} bytes; is it a configuration file?")
    return content


def _parse(path: Path) -> tuple[str, Mapping[str, Any]]:
    content = _read_bytes(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{label(path)}:{line}: not UTF-8 text; save the file as UTF-8.") from error
    import tomllib

    try:
        return text, tomllib.loads(text)
    except RecursionError as error:
        raise ConfigError(f"{label(path)}: nested too deeply.") from error
    except ValueError as error:
        raise ConfigError(_syntax_error(label(path), text, str(error))) from error


def _syntax_error(name: str, text: str, message: str) -> str:
    """Move the line number from the end of the parser's message to its start."""
    import re

    match = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", message, re.DOTALL)
    what, line = (match[1], match[2]) if match else (message, "1")
    line = line or str(text.rstrip().count("\n") + 1)
    return f"{name}:{line}: not valid TOML: {what[:1].lower()}{printable(what[1:])}."


_MODEL_PREFIXES = ("hf:", "llm:", "mlm:", "trained:")


def loads_model(name: str) -> bool:
    """Return whether an analyzer or rewriter of this name loads a model or sends text away."""
    return name.startswith(_MODEL_PREFIXES)


def is_remote(name: str) -> bool:
    """Return whether an analyzer or rewriter of this name sends text to a server."""
    return destination(name) is not None


def trusted_folders() -> tuple[Path, ...]:
    """Return the folders that the user trusts."""
    store = _store()
    if not store.exists():
        return ()
    try:
        data = read_json(store)
    except InputError as error:
        raise ConfigError(f"{error}; delete it and trust the folders again") from error
    return tuple(Path(folder) for folder in data if isinstance(folder, str)) if isinstance(data, list) else ()


def is_trusted(folder: Path) -> bool:
    """Return whether the user trusts this folder or one above it."""
    own = folder.resolve()
    return any(own == trusted or trusted in own.parents for trusted in trusted_folders())


def trust(folder: Path) -> None:
    """Trust a folder and everything below it."""
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no such folder")
    _write({*trusted_folders(), folder.resolve()})


def distrust(folder: Path) -> None:
    """Stop trusting a folder."""
    known = set(trusted_folders())
    if folder.resolve() not in known:
        raise ConfigError(f"{folder}: not a trusted folder; 'unslant trust --list' shows them")
    _write(known - {folder.resolve()})


def _write(folders: set[Path]) -> None:
    store = _store()
    make_folder(store.parent, ConfigError)
    try:
        write_atomic(store, (json.dumps(sorted(map(str, folders)), indent=1) + "\n").encode())
    except OSError as error:
        raise ConfigError(explain_unwritten(store, error)) from error


def _store() -> Path:
    named = os.environ.get("UNSLANT_CONFIG_DIR")
    if named:
        return Path(named) / "trusted.json"
    from platformdirs import user_config_dir

    return Path(user_config_dir("unslant", appauthor=False)) / "trusted.json"
