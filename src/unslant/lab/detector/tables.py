"""TOML tables read into frozen settings, with an error that names the key."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from unslant.core.errors import ConfigError, nearest

__all__ = ["build"]

T = TypeVar("T")


def build(settings: type[T], table: Any, where: str) -> T:
    """Return the settings that a table describes; ``where`` names the table in messages."""
    if not isinstance(table, Mapping):
        raise ConfigError(f"{where} should be a table")
    hints = get_type_hints(settings)
    known = {field.name for field in fields(settings)}  # type: ignore[arg-type]
    for key in table:
        if key not in known:
            close = nearest(str(key), known)
            hint = f"; did you mean {close!r}?" if close else f"; known are {', '.join(sorted(known))}"
            raise ConfigError(f"{where}: no setting named {key!r}{hint}")
    values = {key: _value(hints[key], value, f"{where}: {key}") for key, value in table.items()}
    try:
        return settings(**values)
    except TypeError as error:
        missing = str(error).rpartition(":")[2].strip() or str(error)
        raise ConfigError(f"{where}: a setting is missing: {missing}") from None
    except ValueError as error:
        raise ConfigError(f"{where}: {error}") from None


def _value(hint: Any, value: Any, where: str) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _value(next(one for one in inner if one is not type(None)), value, where)
    if origin is tuple:
        if not isinstance(value, list):
            raise ConfigError(f"{where} should be a list")
        return tuple(_value(inner[0], one, f"{where}, item {at}") for at, one in enumerate(value, 1))
    if origin in (dict, Mapping):
        if not isinstance(value, Mapping):
            raise ConfigError(f"{where} should be a table")
        return {str(key): _value(inner[1], one, f"{where}.{key}") for key, one in value.items()}
    if is_dataclass(hint):
        return build(hint, value, where)  # type: ignore[arg-type]
    if hint is Any:
        return value
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise ConfigError(f"{where} should be {_PLAIN.get(hint, 'something else')}, not {value!r}")
    return value


_PLAIN = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
