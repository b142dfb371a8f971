"""``.unslant-ignore``: what a writer keeps, listed beside the texts instead of in them.

A line is a JSON object: the file, relative to the folder of the list, the rule, the words, their sentence and, if the
writer gave one, a reason. Deleting the line brings the finding back. Lines that begin with ``#`` are comments. The list
stands in the folder of the text, or next to the settings.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from unslant.config import Settings
from unslant.core.errors import ConfigError, InputError
from unslant.core.files import explain_unwritten, parse_json, quote_name, read_text, write_atomic
from unslant.core.types import KeptWords

NAME = ".unslant-ignore"
_HEAD = (
    "# Wording that stays as it is: unslant does not report what is listed here. "
    "Delete a line to see its finding again.\n"
)
_KEYS = ("file", "rule", "words", "sentence")


def ignore_file(path: Path, settings: Settings) -> Path:
    """Return the list to which an ignore in a text is added: next to the settings, or else beside the text."""
    return (settings.config.parent if settings.config else Path(os.path.abspath(path)).parent) / NAME  # noqa: PTH100


class IgnoreFiles:
    """Reads lists, each only once."""

    def __init__(self) -> None:
        self._read: dict[Path, dict[str, tuple[KeptWords, ...]]] = {}

    def kept_in(self, path: Path, settings: Settings) -> tuple[KeptWords, ...]:
        """Return what is kept in a text, or raise ``ConfigError``."""
        beside = Path(os.path.abspath(path)).parent / NAME  # noqa: PTH100 - a link counts where it is
        return tuple(
            entry
            for file in dict.fromkeys((beside, ignore_file(path, settings)))
            for entry in self._entries(file).get(_name(path, file), ())
        )

    def _entries(self, file: Path) -> dict[str, tuple[KeptWords, ...]]:
        if file not in self._read:
            found: dict[str, tuple[KeptWords, ...]] = {}
            for name, entry in _load(file):
                found[name] = (*found.get(name, ()), entry)
            self._read[file] = found
        return self._read[file]


def add_kept(file: Path, path: Path, entries: Sequence[KeptWords]) -> None:
    """Add what is kept in a text to a list, in one step; raise ``ConfigError`` and change nothing if that fails."""
    if file.is_symlink():
        raise ConfigError(f"{quote_name(file)} is a link and was not changed; replace it with a file")
    try:
        old = read_text(file, ConfigError) if file.exists() else _HEAD
        mode = file.stat().st_mode & 0o777 if file.exists() else 0o666
        if old and not old.endswith("\n"):
            old += "\n"
        lines = "".join(_line(_name(path, file), entry) for entry in entries)
        write_atomic(file, (old + lines).encode("utf-8", "backslashreplace"), mode)
    except OSError as error:
        raise ConfigError(explain_unwritten(file, error)) from error


def _name(path: Path, file: Path) -> str:
    """Return the name of a text in a list: relative to the folder of the list, with forward slashes."""
    folder = os.path.realpath(file.parent)
    return Path(os.path.relpath(os.path.realpath(path), folder)).as_posix()


def _line(name: str, entry: KeptWords) -> str:
    record = {"file": name, "rule": entry.rule, "words": entry.words, "sentence": entry.sentence}
    if entry.reason:
        record["reason"] = entry.reason
    return json.dumps(record, ensure_ascii=False) + "\n"


def _load(file: Path) -> Iterator[tuple[str, KeptWords]]:
    if not os.path.lexists(file):
        return
    for number, line in enumerate(read_text(file, ConfigError).split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        where = f"{quote_name(file)} line {number}"
        try:
            record = parse_json(line, where)
        except InputError:
            record = None
        if not isinstance(record, dict) or not all(isinstance(record.get(key), str) for key in _KEYS):
            raise ConfigError(
                f"{where} is not an ignore: a JSON object with the texts {', '.join(_KEYS)}; correct or delete the line"
            )
        reason = record.get("reason", "")
        yield (
            record["file"],
            KeptWords(record["rule"], record["words"], record["sentence"], str(reason)),
        )
