"""From results to JSON: one encoder for everything whose JSON form is its fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any


class Encoded:
    """A dataclass whose JSON form is its fields, by their names and in their order."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return encode_fields(self)


def encode(value: Any) -> Any:
    """Return a value as JSON holds it; an object has its own ``to_dict`` or is a dataclass."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "__dataclass_fields__"):
        return encode_fields(value)
    if isinstance(value, Mapping):
        return {name: encode(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [encode(inner) for inner in value]
    return value


def encode_fields(value: Any, *names: str) -> dict[str, Any]:
    """Return some fields or properties of a dataclass as JSON holds them; without names, all its fields."""
    return {name: encode(getattr(value, name)) for name in names or [field.name for field in fields(value)]}
