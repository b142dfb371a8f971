"""Every configuration key: its type, its meaning, how it is read and how it is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from unslant.config import values
from unslant.config.files import printable
from unslant.config.settings import FAIL_ON, OUTPUT_FORMATS, Settings
from unslant.core.types import Severity
from unslant.profiles import AUTO, profiles
from unslant.spec import TIERS

if TYPE_CHECKING:
    from unslant.config.sources import RawValue


@dataclass(frozen=True, slots=True)
class Key:
    """A configuration key."""

    name: str
    """The name in TOML; a dot leads into a table."""
    type: str
    """The type of the value, for the documentation."""
    meaning: str
    """What the key does, in one sentence."""
    read: Callable[[RawValue], Any]
    """Validates a value and converts it to the type that the settings use."""
    field: str
    """The attribute that holds the value."""
    in_spec: bool = True
    """Whether that attribute belongs to the spec or to the settings."""

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
            "Report only these kinds, dimensions or rules. Empty: report all.",
            values.read_selectors,
            "select",
        ),
        Key(
            "ignore",
            _SELECTORS,
            "Do not report these kinds, dimensions or rules.",
            values.read_selectors,
            "ignore",
        ),
        Key(
            "include",
            "list of rules and sets",
            "Also report these rules, or sets of rules such as `docs/plain`, which are off by default.",
            values.read_included,
            "include",
        ),
        Key(
            "profile",
            ", ".join((AUTO, *profiles())),
            "The standard by which texts are judged. `auto`: by format, name and content.",
            values.choice_reader(AUTO, *profiles()),
            "profile",
        ),
        Key(
            "threshold",
            "auto, or number from 0 to 1",
            "Drop findings with a lower probability than this. `auto`: what the profile says.",
            values.read_threshold,
            "threshold",
        ),
        Key(
            "min-severity",
            ", ".join(severity.value for severity in Severity),
            "Drop findings of a lower severity than this.",
            values.read_severity,
            "min_severity",
        ),
        Key(
            "sentences",
            "true or false",
            "Report a sentence that the model finds slanted as a whole if no words in it stand out.",
            values.read_bool,
            "sentences",
        ),
        Key("quotations", "true or false", "Also check direct quotations.", values.read_bool, "quotations"),
        Key("analyzers", "list of names", "The analyzers to run.", values.read_analyzers, "analyzers"),
        Key(
            "model",
            "path",
            "Folder of your own model, which runs together with the rules. Empty: the bundled model.",
            values.read_model,
            "model",
        ),
        Key(
            "uncertain",
            "list of two numbers from 0 to 1",
            "Probabilities between these two make a sentence uncertain; below, it is neutral, above, slanted.",
            values.read_fraction_pair,
            "uncertain",
        ),
        Key("segmenter", "name", "The sentence splitter.", values.read_segmenter, "segmenter"),
        Key(
            "rewriter",
            "name",
            "What proposes wordings beside the rules and the model; `auto`: the rewriter that ships, in `fix`.",
            values.read_rewriter,
            "rewriter",
        ),
        Key(
            "budget",
            "number from 0 to 1",
            "The largest share of a sentence's words that `unslant fix` may change without review.",
            values.read_fraction,
            "budget",
        ),
        Key(
            "extends",
            "list of paths and names",
            "Rule packs: files in the folder of the configuration, packs of unslant, or installed packages.",
            values.read_packs,
            "extends",
        ),
        Key(
            "rule-files", "list of paths", "Files with your own rules.", values.read_rule_files, "rule_files"
        ),
        Key(
            "fail-on",
            ", ".join(FAIL_ON),
            "The lowest severity that makes the run fail.",
            values.choice_reader(*FAIL_ON),
            "fail_on",
            in_spec=False,
        ),
        Key(
            "output-format",
            ", ".join(OUTPUT_FORMATS),
            "The output format.",
            values.choice_reader(*OUTPUT_FORMATS),
            "output_format",
            in_spec=False,
        ),
        Key(
            "exclude",
            "list of patterns",
            "Files and folders to skip, as in `.gitignore`.",
            values.read_strings,
            "exclude",
            in_spec=False,
        ),
        Key(
            "respect-gitignore",
            "true or false",
            "Skip files that `.gitignore` names when searching folders.",
            values.read_bool,
            "respect_gitignore",
            in_spec=False,
        ),
        Key(
            "max-bytes",
            "whole number, 1 or more",
            "Refuse larger files than this.",
            values.integer_reader(1),
            "max_bytes",
            in_spec=False,
        ),
        Key(
            "cache",
            "true or false",
            "Cache the findings of unchanged files.",
            values.read_bool,
            "cache",
            False,
        ),
        Key(
            "jobs",
            "whole number, 0 or more",
            "Number of files to check in parallel. 0: one per core.",
            values.integer_reader(0),
            "jobs",
            in_spec=False,
        ),
        Key(
            "per-file-ignores",
            "table: glob = list of selectors",
            "Do not report these kinds, dimensions or rules in matching files.",
            values.read_per_file_ignores,
            "per_file_ignores",
        ),
        Key(
            "severity",
            "table: selector = severity",
            "Override the severity of a kind, dimension or rule; the last match wins.",
            values.read_severities,
            "severity",
        ),
        Key(
            "profiles",
            "table: glob = profile",
            "Judge matching files by this profile; the last match wins.",
            values.read_profiles,
            "profiles",
        ),
        Key(
            "formats",
            "table: glob = format",
            "Read matching files in this format; the last match wins.",
            values.read_formats,
            "formats",
            in_spec=False,
        ),
        Key(
            "vocabulary.accept",
            "list of strings",
            "Words and phrases that are never reported, nor part of the reason for a finding.",
            values.read_strings,
            "accept",
        ),
        Key(
            "vocabulary.flag",
            "list of strings",
            "Words and phrases that are always reported.",
            values.read_strings,
            "flag",
        ),
        Key(
            "vocabulary.suggest",
            "table: phrase = wording",
            "Words and phrases that are reported with a preferred wording.",
            values.read_replacements,
            "suggest",
        ),
    )
}
"""Every key by its name, in the order in which they are shown: tables last, as TOML requires."""

_TABLES = tuple(dict.fromkeys(name.partition(".")[0] for name in KEYS if "." in name))


def read_table(raw: RawValue) -> dict[str, Any]:
    """Return the values in a configuration table, by the names of their keys."""
    if not isinstance(raw.value, Mapping):
        raw.reject_type("a table")
        return {}
    found: dict[str, Any] = {}
    for name, value in raw.value.items():
        child = raw.child(name, value)
        dotted = ".".join(str(part) for part in child.path)
        if dotted in KEYS:
            found[dotted] = KEYS[dotted].read(child)
        elif dotted in _TABLES:
            found |= read_table(child)
        elif dotted == "tool" and not raw.path:
            child.report(
                "unknown key 'tool'. Only pyproject.toml has [tool.unslant]; write the keys at the top level."
            )
        else:
            child.unknown_key([*KEYS, *_TABLES] if raw.path else _top_level())
    return found


def _top_level() -> tuple[str, ...]:
    return (*(name for name in KEYS if "." not in name), *_TABLES)


def build(base: Settings, found: Mapping[str, Any], origins: Mapping[str, str]) -> Settings:
    """Return the settings of ``base`` with these values, by the names of their keys, replaced."""
    spec = {KEYS[name].field: value for name, value in found.items() if KEYS[name].in_spec}
    own = {KEYS[name].field: value for name, value in found.items() if not KEYS[name].in_spec}
    if spec.get("model") and "analyzers" not in spec:
        spec["analyzers"] = TIERS["all"]  # setting a model implies running it
    return replace(base, spec=replace(base.spec, **spec), origins=origins, **own)


_WIDE = 60
"""A value longer than this does not push the comments of the other values to the right."""


class _SettingRow(NamedTuple):
    name: str
    value: str
    comment: str


def render(settings: Settings) -> str:
    """Return every setting as TOML that can be pasted back, each with a comment that names its origin."""
    source = "no configuration file found" if settings.config is None else f"read from {settings.config}"
    sections: dict[str, list[_SettingRow]] = {"": []}
    titles: dict[str, str] = {}
    for key in KEYS.values():
        value = _plain_value(key, settings)
        table, _, name = key.name.rpartition(".")
        comment = settings.origin(key.name)
        if isinstance(value, Mapping) and value:
            titles[key.name] = comment
            sections[key.name] = [_SettingRow(_key(entry), toml(item), "") for entry, item in value.items()]
        else:
            sections.setdefault(table, []).append(_SettingRow(name, toml(value), comment))
    lines = [f"# unslant: every setting and its origin ({printable(source)})"]
    for table, rows in sections.items():
        if table:
            origin = f"  # {printable(titles[table])}" if table in titles else ""
            lines += ["", f"[{table}]{origin}"]
        lines += _align(rows)
    return "\n".join(lines) + "\n"


def _string(text: str) -> str:
    """Return a basic TOML string in which everything that could control a terminal is escaped."""
    return f'"{"".join(map(_escape, text))}"'


def _key(name: str) -> str:
    """Return a TOML key, quoted if necessary."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _string(name)


def _escape(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if char.isprintable():
        return char
    code = ord(char)
    if 0xD800 <= code <= 0xDFFF:  # a byte of the command line that is not text; TOML cannot represent it
        code = 0xFFFD
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _plain_value(key: Key, settings: Settings) -> object:
    """Return a key's value as it is written in TOML: pairs as tables, packs and rule files by name."""
    value: Any = key.of(settings)
    if key.field in ("extends", "rule_files"):
        return [name for name, _ in value]
    return dict(value) if key.type.startswith("table") else value


def toml(value: object) -> str:
    """Return a value as TOML; a long list has one line per item."""
    if value is None:
        return _string(AUTO)
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


def _align(rows: list[_SettingRow]) -> list[str]:
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
