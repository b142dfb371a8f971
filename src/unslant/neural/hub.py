"""Models of the hub of Hugging Face: whether one can be had (transformers would try for a minute), and loading it."""

from __future__ import annotations

import importlib
import os
import socket
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import getproxies, proxy_bypass

from unslant.core.errors import InputError, MissingExtra, ModelError

_PATIENCE = 3.0
"""Seconds in which a server must accept a connection."""


def check_hub(name: str, given: str = "", instead: str = "name a folder") -> None:
    """Raise :class:`ModelError` if a name is neither a path, nor in the cache, nor on a hub that answers.

    ``given`` is the name as the user wrote it, ``instead`` what else to write.
    """
    given, path = given or name, Path(name)
    if path.is_dir() or path.is_absolute() or name.startswith((".", "~")) or _is_cached(name, given, instead):
        return
    offline = os.environ.get("HF_HUB_OFFLINE", "").lower() in ("1", "true", "yes", "on")
    hub = os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
    if offline or not accepts_connections(hub):
        why = "HF_HUB_OFFLINE is set" if offline else f"{hub} does not answer"
        raise ModelError(
            f"{given}: not in the cache of Hugging Face, and {why}; download the model, or {instead}."
        )


@contextmanager
def transformers_to_load(
    name: str, what: str, user: str, extra: str, error: type[InputError] = ModelError, given: str = ""
) -> Iterator[Any]:
    """Yield transformers, to load a model of the hub or of a folder; what cannot be loaded is one sentence.

    ``what`` is to be loaded, ``user`` needs it and comes with the extra.
    """
    try:
        importlib.import_module("torch")
        transformers: Any = importlib.import_module("transformers")
    except ModuleNotFoundError as problem:
        raise MissingExtra(user, problem.name or "transformers", extra) from problem
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    check_hub(name, given)
    try:
        yield transformers
    except (OSError, ValueError, KeyError) as problem:
        first = (str(problem).splitlines() or [type(problem).__name__])[0]
        raise error(
            f"no {what} could be loaded from {name!r} ({first[:200]}); name a hub model or a folder"
        ) from None


def accepts_connections(address: str) -> bool:
    """Return whether a server, or the proxy on the way to it, accepts connections."""
    parts = urllib.parse.urlsplit(address)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    proxy = "" if proxy_bypass(host) else getproxies().get(parts.scheme, "")
    if there := urllib.parse.urlsplit(proxy).hostname:
        host, port = there, urllib.parse.urlsplit(proxy).port or 80
    try:
        with socket.create_connection((host, port), _PATIENCE):
            return True
    except OSError:
        return False


def _is_cached(name: str, given: str, instead: str) -> bool:
    """Return whether the cache of Hugging Face holds a model; True where only transformers itself can tell."""
    try:
        from huggingface_hub import try_to_load_from_cache
    except ModuleNotFoundError:
        return True  # the message about the missing extra says more
    try:
        return isinstance(try_to_load_from_cache(name, "config.json"), str)
    except ValueError:
        raise ModelError(f"{given}: not a name on the hub; {instead}.") from None
