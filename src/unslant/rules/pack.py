"""Rule packs: rule files to share, with a name, a version, a licence, and sentences that show what each rule does.

A pack is data. It comes with unslant, lies in the project's folder, or is a file of an installed package. Of a package
only that file is opened: nothing of it is imported, so that no configuration can make its code run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from unslant.core.errors import RuleError, nearest
from unslant.core.files import parse_toml, quote_name, read_text
from unslant.rules.rule import WrittenRule, rules_in

PACK_FILE = "unslant-pack.toml"
"""The name of the pack in an installed package."""

_MAX_BYTES = 1 << 20
_FOLDER = Path(__file__).with_name("packs")
_PACKAGE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_RULE_ID = re.compile(r"[a-z]+/[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Pack:
    """A rule pack."""

    name: str
    version: str
    licence: str
    """The licence of the pack, as an SPDX expression."""
    about: str = ""
    """What it is for, in one sentence."""
    rules: tuple[WrittenRule, ...] = ()


_KEYS = tuple(entry.name for entry in fields(Pack) if entry.name != "rules")
_REQUIRED = ("name", "version", "licence")


def parse_pack(text: str, name: str) -> Pack:
    """Parse a pack; an error in it raises a ``RuleError`` that begins with ``name``."""
    data = parse_toml(text, name, RuleError)
    card = _card(data.get("pack"), name)
    rules = rules_in(data, name)
    if not rules:
        raise RuleError(f"{name}: the pack has no rules; add a [[rule]]")
    for rule in rules:
        if not _RULE_ID.fullmatch(rule.id):
            raise RuleError(
                f"{name}: the id {rule.id!r} must be the kind, a slash and lower-case words joined by hyphens"
            )
        for key in ("flags", "passes"):
            if not getattr(rule, key):
                raise RuleError(f"{name}: rule {rule.id!r}: a rule of a pack needs a sentence in {key!r}")
    return Pack(**card, rules=rules)


def _card(table: object, name: str) -> Mapping[str, Any]:
    if not isinstance(table, Mapping):
        raise RuleError(f"{name}: not a rule pack; add a table [pack] with {', '.join(_REQUIRED)}")
    for key, value in table.items():
        if key not in _KEYS:
            close = nearest(key, _KEYS)
            hint = f" Did you mean {close!r}?" if close else ""
            raise RuleError(f"{name}: unknown key {key!r} in [pack].{hint}")
        if not isinstance(value, str):
            raise RuleError(f"{name}: {key!r} in [pack] must be a string")
    for key in _REQUIRED:
        if not table.get(key, "").strip():
            raise RuleError(f"{name}: {key!r} in [pack] is required and must be a string")
    return table


def bundled_packs() -> tuple[str, ...]:
    """Return the names of the packs that come with unslant, sorted."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def read_pack(written: str, base: Path, inside: Path | None = None) -> str:
    """Return the text of a pack, by its path or its name; one that cannot be read raises a ``RuleError``.

    What ends with ``.toml`` or has a slash is a path, relative to ``base``. If ``inside`` is given, the path must not
    lead out of that folder, by ``..`` or by a symbolic link. Everything else is the name of a pack that comes with
    unslant, or of an installed package.
    """
    if written.endswith(".toml") or "/" in written or "\\" in written:
        if inside is None:
            return read_text(base / written, RuleError, max_bytes=_MAX_BYTES)
        try:
            path = Path(os.path.realpath(base / written))
            folder = Path(os.path.realpath(inside))
        except (OSError, ValueError) as error:
            raise RuleError(f"{quote_name(written)} is not a path ({error})") from error
        if not path.is_relative_to(folder):
            raise RuleError(
                f"{quote_name(written)} is outside the folder of the configuration; copy the pack into it, or "
                "install it as a package"
            )
        return read_text(path, RuleError, max_bytes=_MAX_BYTES)
    if written in bundled_packs():
        return read_text(_FOLDER / f"{written}.toml", RuleError)
    return _read_package(written)


def _read_package(name: str) -> str:
    import csv
    from importlib.metadata import PackageNotFoundError, distribution  # slow, and seldom needed

    shown = quote_name(name)
    if not _PACKAGE.fullmatch(name):
        raise RuleError(f"{shown} is neither a path to a .toml file nor the name of a package")
    try:
        package = distribution(name)
        listed = [file for file in package.files or () if file.name == PACK_FILE]
    except PackageNotFoundError:
        close = nearest(name, bundled_packs())
        hint = f". Did you mean {close!r}?" if close else f"; for a file, write its path: './{name}.toml'"
        raise RuleError(f"no package named {shown} is installed{hint}") from None
    except (csv.Error, OSError, ValueError) as error:
        raise RuleError(f"the list of files of the package {shown} is damaged; install it again") from error
    if len(listed) != 1:
        many = f"{len(listed)} files" if listed else "no file"
        raise RuleError(
            f"the package {shown} has {many} named {PACK_FILE}; a pack has one. For an editable install, write "
            "the path of the file instead"
        )
    # the list of files comes with the package, and could name any file of the machine
    folder = Path(os.path.realpath(str(package.locate_file(""))))
    path = Path(os.path.realpath(str(package.locate_file(listed[0]))))
    if not path.is_relative_to(folder):
        raise RuleError(f"the pack of the package {shown} is outside the folder of installed packages")
    return read_text(path, RuleError, max_bytes=_MAX_BYTES)
