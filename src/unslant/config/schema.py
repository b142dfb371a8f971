"""Every key that can be set: its type, what it means, and how it is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from unslant.config import values
from unslant.config.files import printable
from unslant.config.reading import Reading
from unslant.config.settings import FAIL_ON, OUTPUT_FORMATS, Settings
from unslant.spec import TIERS

__all__ = ["KEYS", "Key", "build", "read_table", "render", "toml"]


@dataclass(frozen=True, slots=True)
class Key:
    """One thing that can be set."""

    name: str
    """As it is written in TOML; a dot leads into a table."""
    type: str
    """What may stand there, for a reader of the documentation."""
    meaning: str
    """What it does, in a few words."""
    read: Callable[[Reading], Any]
    """Checks a value and returns it as the settings hold it."""
    field: str
    """The attribute that holds it."""
    in_spec: bool = True
    """Whether that attribute is one of the spec's or of the settings' own."""

    def of(self, settings: Settings) -> object:
        """Return this key's value."""
        value: object = getattr(settings.spec if self.in_spec else settings, self.field)
        return value


_SELECTORS = "list of selectors"

KEYS: Mapping[str, Key] = {
    key.name: key
    for key in (
        Key(
            "select",
            _SELECTORS,
            "Report only what these name; empty: everything.",
            values.selectors,
            "select",
        ),
        Key("ignore", _SELECTORS, "Do not report what these name.", values.selectors, "ignore"),
        Key(
            "threshold",
            "number from 0 to 1",
            "Leave out findings that are less probable than this.",
            values.fraction,
            "threshold",
        ),
        Key("quotations", "true or false", "Check direct quotations too.", values.switch, "quotations"),
        Key("analyzers", "list of names", "The analyzers that speak.", values.analyzers, "analyzers"),
        Key(
            "model",
            "path",
            "The folder of a model of your own; empty: the one that ships. It speaks beside the rules.",
            values.folder,
            "model",
        ),
        Key(
            "uncertain",
            "list of two numbers from 0 to 1",
            "A sentence less probable than the first is neutral, from the second on slanted, between them uncertain.",
            values.fractions,
            "uncertain",
        ),
        Key("segmenter", "name", "What finds the sentences.", values.segmenter, "segmenter"),
        Key(
            "rewriter",
            "name",
            "Who proposes wordings to `unslant fix` beside the rules.",
            values.rewriter,
            "rewriter",
        ),
        Key(
            "budget",
            "number from 0 to 1",
            "The share of a sentence's words that `unslant fix` may change without a look.",
            values.fraction,
            "budget",
        ),
        Key("rule-files", "list of paths", "Files with your own rules.", values.rule_files, "rule_files"),
        Key(
            "fail-on",
            ", ".join(FAIL_ON),
            "The mildest severity that makes the run fail.",
            values.choice(*FAIL_ON),
            "fail_on",
            in_spec=False,
        ),
        Key(
            "output-format",
            ", ".join(OUTPUT_FORMATS),
            "The form in which findings are written.",
            values.choice(*OUTPUT_FORMATS),
            "output_format",
            in_spec=False,
        ),
        Key(
            "exclude",
            "list of patterns",
            "Files and folders to leave out, as in `.gitignore`.",
            values.strings,
            "exclude",
            in_spec=False,
        ),
        Key(
            "respect-gitignore",
            "true or false",
            "Leave out of folders what `.gitignore` names.",
            values.switch,
            "respect_gitignore",
            in_spec=False,
        ),
        Key(
            "max-bytes",
            "whole number, 1 or more",
            "Refuse files larger than this.",
            values.whole(1),
            "max_bytes",
            in_spec=False,
        ),
        Key(
            "cache",
            "true or false",
            "Remember the findings of unchanged files.",
            values.switch,
            "cache",
            False,
        ),
        Key(
            "jobs",
            "whole number, 0 or more",
            "How many files to check at the same time; 0: as many as there are cores.",
            values.whole(0),
            "jobs",
            in_spec=False,
        ),
        Key(
            "per-file-ignores",
            "table: glob = list of selectors",
            "Do not report what these name in files that the glob matches.",
            values.per_file_ignores,
            "per_file_ignores",
        ),
        Key(
            "severity",
            "table: selector = severity",
            "Give what the selector names another severity; the last match counts.",
            values.severities,
            "severity",
        ),
        Key(
            "formats",
            "table: glob = format",
            "Read files that the glob matches in this format; the last match counts.",
            values.formats,
            "formats",
            in_spec=False,
        ),
        Key(
            "vocabulary.accept",
            "list of strings",
            "Words and phrases that are never reported.",
            values.strings,
            "accept",
        ),
        Key(
            "vocabulary.flag",
            "list of strings",
            "Words and phrases that are always reported.",
            values.strings,
            "flag",
        ),
        Key(
            "vocabulary.suggest",
            "table: phrase = wording",
            "Words and phrases that are reported with a wording to prefer.",
            values.replacements,
            "suggest",
        ),
    )
}
"""Every key by its name, in the order in which they are shown: tables last, as TOML needs it."""

_TABLES = tuple(dict.fromkeys(name.partition(".")[0] for name in KEYS if "." in name))


def read_table(reading: Reading) -> dict[str, Any]:
    """Return the values of all keys in a table that is a whole configuration, by the keys' names."""
    if not isinstance(reading.value, Mapping):
        reading.must_be("a table")
        return {}
    found: dict[str, Any] = {}
    for name, value in reading.value.items():
        child = reading.child(name, value)
        dotted = ".".join(str(part) for part in child.path)
        if dotted in KEYS:
            found[dotted] = KEYS[dotted].read(child)
        elif dotted in _TABLES:
            found |= read_table(child)
        elif dotted == "tool" and not reading.path:
            child.tell("unknown key 'tool'. Outside pyproject.toml the keys stand without [tool.unslant].")
        else:
            child.unknown_key([*KEYS, *_TABLES] if reading.path else _top_level())
    return found


def _top_level() -> tuple[str, ...]:
    return (*(name for name in KEYS if "." not in name), *_TABLES)


def build(base: Settings, found: Mapping[str, Any], origins: Mapping[str, str]) -> Settings:
    """Return settings in which these values, by the keys' names, replace those of ``base``."""
    spec = {KEYS[name].field: value for name, value in found.items() if KEYS[name].in_spec}
    own = {KEYS[name].field: value for name, value in found.items() if not KEYS[name].in_spec}
    if spec.get("model") and "analyzers" not in spec:
        spec["analyzers"] = TIERS["all"]  # whoever names a model wants to hear it
    return replace(base, spec=replace(base.spec, **spec), origins=origins, **own)


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
