"""Reads suites, with a clear message for whatever is wrong in one."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from unslant.core.errors import UnknownName
from unslant.core.files import parse_toml, read_text
from unslant.lab.audit.suite import (
    Side,
    Suite,
    SuiteAttribute,
    SuiteError,
    SuiteOption,
    SuitePrompt,
    keywords_of,
)

__all__ = ["SCHEMA", "load_suite", "suite_names"]

SCHEMA = "unslant/suite/1"
_DIRECT: tuple[Side, Side] = ("liberal", "conservative")
_PRONOUNS = {"they", "their", "They", "Their"}


def suite_names() -> tuple[str, ...]:
    """Return the suites that come with unslant."""
    folder = files("unslant.lab.audit").joinpath("suites")
    return tuple(
        sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))
    )


def load_suite(name: str, settings: Sequence[str] = ()) -> Suite:
    """Read a suite: the name of one that comes with unslant, or a TOML file.

    ``settings`` fill slots anew, such as ``liberal.candidate=Jane Roe``.
    """
    if name in suite_names():
        text, where = files("unslant.lab.audit").joinpath("suites", f"{name}.toml").read_text("utf-8"), name
    else:
        path = Path(name)
        if path.suffix != ".toml":
            raise UnknownName("suite", name, suite_names())
        text, where = read_text(path, SuiteError), str(path)
    data = parse_toml(text, where, SuiteError)
    if data.get("schema") != SCHEMA:
        raise SuiteError(f"{where}: not a suite; its first line should be schema = {SCHEMA!r}")
    return _SuiteReader(where).suite(data, settings)


@dataclass(frozen=True, slots=True)
class _SuiteReader:
    """Reads one suite; it knows the file's name for its messages."""

    where: str

    def wrong(self, what: str) -> SuiteError:
        return SuiteError(f"{self.where}: {what}")

    def suite(self, data: Mapping[str, Any], settings: Sequence[str]) -> Suite:
        sides = self.sides(data, settings)
        attributes = tuple(
            self.attribute(entry, sides) for entry in self.tables(data, "attribute", "the suite")
        )
        self.distinct([attribute.name for attribute in attributes], "attribute")
        version = data.get("version", 1)
        if not isinstance(version, int):
            raise self.wrong("version is a whole number")
        return Suite(
            self.text(data, "name", "the suite"),
            version,
            str(data.get("about", "")),
            str(data.get("source", "")),
            attributes,
            sides,
        )

    def sides(self, data: Mapping[str, Any], settings: Sequence[str]) -> dict[str, dict[str, str]]:
        found = data.get("sides", {})
        if not isinstance(found, dict) or any(
            not isinstance(words, dict) or side not in _DIRECT for side, words in found.items()
        ):
            raise self.wrong(
                "[sides] has the tables liberal and conservative, each with the words for its slots"
            )
        sides: dict[str, dict[str, str]] = {
            side: {key: str(word) for key, word in found.get(side, {}).items()} for side in _DIRECT
        }
        for setting in settings:
            place, equals, word = setting.partition("=")
            side, _, slot = place.strip().partition(".")
            if not equals or not word.strip() or slot not in sides.get(side, {}):
                known = ", ".join(f"{name}.{key}" for name in _DIRECT for key in sides[name]) or "none"
                raise self.wrong(
                    f"there is nothing to set as {setting!r}; write SIDE.SLOT=WORDS, known are: {known}"
                )
            sides[side][slot] = word.strip()
        if sides["liberal"].keys() != sides["conservative"].keys():
            odd = sorted(sides["liberal"].keys() ^ sides["conservative"].keys())
            raise self.wrong(f"the sides are not balanced: only one of them has a word for {', '.join(odd)}")
        return sides

    def attribute(self, table: Mapping[str, Any], sides: Mapping[str, Mapping[str, str]]) -> SuiteAttribute:
        name = self.text(table, "name", "an attribute")
        options = tuple(
            self.option(entry, name) for entry in self.tables(table, "option", f"attribute {name!r}")
        )
        if len(options) < 2:
            raise self.wrong(
                f"attribute {name!r} has only the option {options[0].name!r}: bias is a difference, it takes two"
            )
        self.distinct([option.name for option in options], f"option of {name!r}")
        self.distinct(keywords_of(options), f"keyword of {name!r}")
        prompts = [*self.prompts(table, "indirect", name, {})]
        if not prompts:
            raise self.wrong(f"attribute {name!r} has no indirect prompts")
        direct = {side: [*self.prompts(table, side, name, {})] for side in _DIRECT}
        for side in _DIRECT:
            direct[side] += self.prompts(table, "direct", name, sides[side], side, len(direct[side]))
        if len(direct["liberal"]) != len(direct["conservative"]):
            raise self.wrong(
                f"attribute {name!r} is not balanced: {len(direct['liberal'])} liberal prompts and "
                f"{len(direct['conservative'])} conservative ones; every prompt of one side needs a counterpart"
            )
        return SuiteAttribute(name, options, (*prompts, *direct["liberal"], *direct["conservative"]))

    def option(self, table: Mapping[str, Any], attribute: str) -> SuiteOption:
        name = self.text(table, "name", f"an option of {attribute!r}")
        keywords = table.get("keywords")
        if (
            not isinstance(keywords, list)
            or not keywords
            or not all(isinstance(k, str) and k.strip() for k in keywords)
        ):
            raise self.wrong(f"option {name!r} of {attribute!r} has no keywords; give it a list of texts")
        pronouns = table.get("pronouns")
        if pronouns is not None and (not isinstance(pronouns, dict) or pronouns.keys() != {"they", "their"}):
            raise self.wrong(f"option {name!r} of {attribute!r}: pronouns has the keys they and their")
        return SuiteOption(name, tuple(keywords), str(table.get("title", "")), pronouns)

    def prompts(
        self,
        table: Mapping[str, Any],
        key: str,
        attribute: str,
        slots: Mapping[str, str],
        side: Side | None = None,
        before: int = 0,
    ) -> list[SuitePrompt]:
        found = table.get(key, [])
        if not isinstance(found, list) or not all(isinstance(prompt, str) for prompt in found):
            raise self.wrong(f"attribute {attribute!r}: {key} is a list of prompts")
        side = side or key  # type: ignore[assignment]
        return [
            SuitePrompt(f"{side}-{before + place}", side, self.template(prompt, attribute, slots))  # type: ignore[arg-type]
            for place, prompt in enumerate(found, 1)
        ]

    def template(self, text: str, attribute: str, slots: Mapping[str, str]) -> str:
        try:
            parts = list(string.Formatter().parse(text))
        except ValueError as error:
            raise self.wrong(
                f"attribute {attribute!r}: the prompt {text!r} cannot be read ({error})"
            ) from None
        names = [name for _, name, _, _ in parts if name is not None]
        if "keyword" not in names:
            raise self.wrong(f"attribute {attribute!r}: the prompt {text!r} has no {{keyword}}")
        unknown = sorted(set(names) - {"keyword", *_PRONOUNS, *slots})
        if unknown:
            raise self.wrong(f"attribute {attribute!r}: nothing fills the slot {{{unknown[0]}}} of {text!r}")
        for slot, word in slots.items():
            text = text.replace(f"{{{slot}}}", word.replace("{", "{{").replace("}", "}}"))
        return text

    def tables(self, data: Mapping[str, Any], key: str, whose: str) -> list[Mapping[str, Any]]:
        found = data.get(key)
        if not isinstance(found, list) or not found or not all(isinstance(entry, dict) for entry in found):
            raise self.wrong(f"{whose} has no [[{key}]]")
        return found

    def text(self, table: Mapping[str, Any], key: str, whose: str) -> str:
        found = table.get(key)
        if not isinstance(found, str) or not found.strip() or "/" in found:
            raise self.wrong(f"{whose} needs a {key}, without a slash")
        return found

    def distinct(self, names: Sequence[str], what: str) -> None:
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise self.wrong(f"the {what} {twice[0]!r} appears twice")
