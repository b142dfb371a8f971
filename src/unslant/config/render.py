"""Settings as TOML that says where each value came from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from unslant.config.find import printable
from unslant.config.schema import KEYS, Key
from unslant.config.settings import Settings

__all__ = ["render", "toml"]

_WIDE = 60
"""Where a value is longer than this, its comment no longer decides the column of the others."""


class _Row(NamedTuple):
    name: str
    value: str
    comment: str


def render(settings: Settings) -> str:
    """Return every setting as TOML that can be pasted back, each with a comment where it came from."""
    source = "no configuration file was found" if settings.config is None else f"read from {settings.config}"
    sections: dict[str, list[_Row]] = {"": []}
    titles: dict[str, str] = {}
    for key in KEYS.values():
        value = _plain(key, settings)
        table, _, name = key.name.rpartition(".")
        comment = settings.origin(key.name)
        if isinstance(value, Mapping) and value:
            titles[key.name] = comment
            sections[key.name] = [_Row(_key(entry), toml(item), "") for entry, item in value.items()]
        else:
            sections.setdefault(table, []).append(_Row(name, toml(value), comment))
    lines = [f"# unslant: every setting and where it came from ({printable(source)})"]
    for table, rows in sections.items():
        if table:
            origin = f"  # {printable(titles[table])}" if table in titles else ""
            lines += ["", f"[{table}]{origin}"]
        lines += _aligned(rows)
    return "\n".join(lines) + "\n"


def _string(text: str) -> str:
    """Return a basic string of TOML in which everything that a terminal could act upon is escaped."""
    return f'"{"".join(map(_escaped, text))}"'


def _key(name: str) -> str:
    """Return a key of TOML, in quotation marks where it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _string(name)


def _escaped(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if char.isprintable():
        return char
    code = ord(char)
    if 0xD800 <= code <= 0xDFFF:  # a byte of the command line that is no text; TOML cannot hold it
        code = 0xFFFD
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _plain(key: Key, settings: Settings) -> object:
    """Return a key's value as it is written: pairs are tables, and rule files are named."""
    if key.field == "rule_files":
        return [name for name, _ in settings.spec.rule_files]
    value: Any = key.of(settings)
    return dict(value) if key.type.startswith("table") else value


def toml(value: object) -> str:
    """Return a value as TOML; a long list has a line for each item."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, list | tuple):
        return _list([toml(item) for item in value])
    return "{}" if isinstance(value, Mapping) else repr(value)


def _list(items: list[str]) -> str:
    line = f"[{', '.join(items)}]"
    if len(line) <= _WIDE or not items:
        return line
    return "\n".join(["[", *(f"    {item}," for item in items), "]"])


def _aligned(rows: list[_Row]) -> list[str]:
    names = max(len(row.name) for row in rows)
    widths = [len(row.value) for row in rows if "\n" not in row.value]
    values = max((width for width in widths if width <= _WIDE), default=0)
    lines = []
    for row in rows:
        start, break_, rest = row.value.partition("\n")
        comment = f"  # {printable(row.comment)}" if row.comment else ""
        first = f"{row.name:<{names}} = {start:<{values}}{comment}".rstrip()
        lines.append(f"{first}{break_}{rest}")
    return lines
