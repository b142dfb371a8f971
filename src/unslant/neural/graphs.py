"""Sessions of the runtime, started from a graph that it has optimised before.

Optimising a graph takes several times as long as loading the result. The result of the first time is therefore kept in
the user's cache, under the digest of the graph, the version of the runtime, how sums are kept exact, and its own
digest. It gives the same answers bit by bit. If anything is wrong with it, the graph is optimised again.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from unslant.core.errors import InputError
from unslant.core.files import cache_folder, read_bytes, temporary_beside

__all__ = ["EXACT_SUMS", "open_session"]

EXACT_SUMS = "session.x64quantprecision"
"""The setting of the runtime that stores weights such that no processor saturates sums; it changes the graph."""
_FORM = "unslant/graph/2"
_LARGEST = 1 << 30
"""Bytes: the runtime divides larger graphs into several files."""
_KEPT = 3
"""How many graphs stay in the cache."""
_SLOWER = ["SkipLayerNormFusion"]
"""Fusions of the runtime that make a CPU slower, by three times or more."""
_WRITABLE_BY_OTHERS = 0o022


def open_session(onnxruntime: Any, options: Callable[[], Any], graph: bytes, digest: str) -> Any:
    """Return a session for a graph with this digest, which has been verified."""
    exact = options().get_session_config_entry(EXACT_SUMS)
    key = hashlib.sha256(
        "\n".join((_FORM, onnxruntime.__version__, platform.machine(), exact, digest)).encode()
    ).hexdigest()
    folder = cache_folder() / "graphs"
    for file in _find(folder, key):
        with suppress(Exception):  # a front door: whatever is wrong with it, there is the graph
            return _start(onnxruntime, options(), _read(file))
    if len(graph) < _LARGEST:
        with suppress(Exception):  # no room, no permission: a session without a copy is as good
            return _start_and_keep(onnxruntime, options(), graph, folder / key)
    return _start(onnxruntime, options(), graph)


def _start(onnxruntime: Any, options: Any, graph: bytes) -> Any:
    # no optimisation for a kind of processor, except for one that makes products exact: a home folder may move
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    # from memory: the bytes that run are those that were verified, and no other file is loaded
    return onnxruntime.InferenceSession(
        graph, options, providers=["CPUExecutionProvider"], disabled_optimizers=_SLOWER
    )


def _find(folder: Path, key: str) -> list[Path]:
    try:
        return sorted(folder.glob(f"{key}-*.onnx"))
    except OSError:
        return []


def _read(file: Path) -> bytes:
    """Return a graph that is the user's own and has the digest in its name."""
    status = file.stat()
    if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & _WRITABLE_BY_OTHERS):
        raise InputError(f"{file} can be written by others")
    graph = read_bytes(file, max_bytes=2 * _LARGEST)
    if hashlib.sha256(graph).hexdigest() != file.stem.rpartition("-")[2]:
        raise InputError(f"{file} is damaged")
    return graph


def _start_and_keep(onnxruntime: Any, options: Any, graph: bytes, place: Path) -> Any:
    """Start a session and keep its optimised graph; what cannot be optimised raises."""
    folder = place.parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = temporary_beside(place)
    try:
        options.optimized_model_filepath = str(part)
        session = _start(onnxruntime, options, graph)
        part.chmod(0o600)
        digest = hashlib.sha256(part.read_bytes()).hexdigest()
        part.replace(place.with_name(f"{place.name}-{digest}.onnx"))
    finally:
        part.unlink(missing_ok=True)
    _prune(folder)
    return session


def _prune(folder: Path) -> None:
    newest = sorted(folder.glob("*.onnx"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in newest[_KEPT:]:
        file.unlink(missing_ok=True)
