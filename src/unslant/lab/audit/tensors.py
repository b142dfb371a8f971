"""The safetensors format, as much of it as a few arrays need: a header that says what is where, then numbers."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[Any]]

__all__ = ["read_arrays", "write_arrays"]

_TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I64": "<i8"}
_LONGEST = 1 << 20
"""Bytes that a header may take."""


def write_arrays(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return arrays as the content of a safetensors file."""
    import numpy as np

    names = {np.dtype(form): name for name, form in _TYPES.items()}
    header: dict[str, Any] = {}
    body = b""
    for name, array in sorted(arrays.items()):
        data = np.ascontiguousarray(array).tobytes()
        header[name] = {
            "dtype": names[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [len(body), len(body) + len(data)],
        }
        body += data
    told = json.dumps(header, separators=(",", ":")).encode()
    told += b" " * (-len(told) % 8)
    return struct.pack("<Q", len(told)) + told + body


def read_arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of a safetensors file; whatever does not fit is a ``ValueError``."""
    import numpy as np

    if len(content) < 8:
        raise ValueError("too short")
    (length,) = struct.unpack("<Q", content[:8])
    if length > min(_LONGEST, len(content) - 8):
        raise ValueError("the header does not fit")
    header = json.loads(content[8 : 8 + length])
    if not isinstance(header, dict):
        raise ValueError("the header is not a table")
    body = memoryview(content)[8 + length :]
    found: dict[str, NDArray[Any]] = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        try:
            start, end = entry["data_offsets"]
            form, shape = _TYPES[entry["dtype"]], tuple(int(size) for size in entry["shape"])
        except (KeyError, TypeError) as error:
            raise ValueError(f"the entry {name!r} is incomplete") from error
        if not 0 <= start <= end <= len(body):
            raise ValueError(f"the array {name!r} lies outside the file")
        found[name] = np.frombuffer(body[start:end], dtype=form).reshape(shape)
    return found
