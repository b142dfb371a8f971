"""Which folders may name models in their configuration files.

A configuration file comes with the text it belongs to: whoever checks a downloaded project reads its settings. Most are
harmless. A setting that loads a model, or sends text to a server, applies only if the user passes it on the command
line, names the file with ``--config``, or trusts the folder. A project's file can never name a server.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from unslant.core.errors import ConfigError, InputError
from unslant.core.files import explain_unwritten, make_folder, read_json, write_atomic
from unslant.spec import destination

__all__ = ["distrust", "is_remote", "is_trusted", "loads_model", "trust", "trusted_folders"]

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
