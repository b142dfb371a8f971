"""The labels of the edit head, and what each of them means."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

__all__ = ["DELETE", "KEEP", "Op", "label", "op_of"]

KEEP, DELETE = "keep", "delete"
_REPLACE, _BEFORE = "replace:", "before:"


@dataclass(frozen=True, slots=True)
class Op:
    """What happens to one word."""

    kind: Literal["keep", "delete", "replace", "before"]
    text: str = ""
    """What is written instead of it, or before it."""


@lru_cache(maxsize=4096)
def op_of(name: str) -> Op:
    """Read a label of the head; one that cannot be read is a ``ValueError``."""
    if name == KEEP:
        return Op("keep")
    if name == DELETE:
        return Op("delete")
    for kind, prefix in (("replace", _REPLACE), ("before", _BEFORE)):
        if name.startswith(prefix) and name[len(prefix) :].strip():
            return Op("replace" if kind == "replace" else "before", name[len(prefix) :])
    raise ValueError(f"no such edit: {name!r}")


def label(op: Op) -> str:
    """Return the label of an edit; :func:`op_of` reads it back."""
    return {"keep": KEEP, "delete": DELETE, "replace": _REPLACE, "before": _BEFORE}[op.kind] + op.text
