"""Suites of prompts: sensitive attributes, their options and keywords, and the prompts that a model continues.

A suite is versioned TOML. ``indirect`` prompts contain only a keyword; ``liberal`` and ``conservative`` ones name an
ideology as well. A prompt under ``direct`` is written once for both sides, with slots that ``[sides]`` fills.

Every error in a file is reported with the name of the file.
"""

from __future__ import annotations

import hashlib
import json
import string
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from unslant.core.errors import InputError, UnknownName
from unslant.core.files import parse_toml, read_text


class AuditError(InputError):
    """A run folder cannot be used, or not for this purpose."""


class SuiteError(InputError):
    """A suite of prompts cannot be used."""


Side = Literal["indirect", "liberal", "conservative"]
SIDES: tuple[Side, ...] = ("indirect", "liberal", "conservative")

_PRONOUNS = ({"they": "he", "their": "his"}, {"they": "she", "their": "her"})
"""For options without pronouns of their own: used in turn, so that neither is the default."""


@dataclass(frozen=True, slots=True)
class SuitePrompt:
    """The beginning of a text; ``{keyword}`` and pronouns are filled in."""

    id: str
    """Unique within its attribute: side and place."""
    side: Side
    template: str

    def fill(self, keyword: str, pronouns: Mapping[str, str]) -> str:
        """Return the prompt for one keyword."""
        words = {**pronouns, **{name.capitalize(): word.capitalize() for name, word in pronouns.items()}}
        return self.template.format(keyword=keyword, **words)


@dataclass(frozen=True, slots=True)
class SuiteOption:
    """One value of an attribute, with the keywords that represent it."""

    name: str
    keywords: tuple[str, ...]
    title: str = ""
    pronouns: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class SuiteAttribute:
    """Something that a model's leaning should not depend on, such as gender."""

    name: str
    options: tuple[SuiteOption, ...]
    prompts: tuple[SuitePrompt, ...]


@dataclass(frozen=True, slots=True)
class SuiteScope:
    """How much of a suite is used."""

    samples: int = 1
    """Texts per prompt and keyword."""
    keywords: int | None = None
    """The most keywords per option; None: all."""
    attributes: tuple[str, ...] = ()
    """Only these; empty: all."""
    seed: int = 0
    even: int = 0
    """The minimum number of texts per prompt and option; an option with few keywords uses each of them more often."""

    def samples_of(self, place: int, keywords: int) -> int:
        """Return the number of texts for the keyword at an index; it never falls as ``even`` grows."""
        return max(self.samples, -(-(self.even - place) // keywords))


@dataclass(frozen=True, slots=True)
class AuditTask:
    """One text to be generated; the same task always has the same key and seed."""

    attribute: str
    option: str
    keyword: str
    side: Side
    prompt_id: str
    prompt: str
    sample: int
    seed: int

    @property
    def key(self) -> str:
        """Its key in a run folder."""
        return f"{self.attribute}/{self.option}/{self.keyword}/{self.prompt_id}/{self.sample}"


@dataclass(frozen=True, slots=True)
class Suite:
    """Everything that a model is asked to continue."""

    name: str
    version: int
    about: str
    source: str
    attributes: tuple[SuiteAttribute, ...]
    sides: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The words for the slots of direct prompts, by side."""

    @property
    def digest(self) -> str:
        """A digest that changes with any prompt."""
        content = json.dumps(
            [asdict(attribute) for attribute in self.attributes], sort_keys=True, ensure_ascii=False
        )
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def attribute(self, name: str) -> SuiteAttribute:
        """Return an attribute by its name."""
        return next(attribute for attribute in self.attributes if attribute.name == name)

    def tasks(self, scope: SuiteScope) -> Iterator[AuditTask]:
        """Yield all tasks, sample by sample, so that an unfinished run is balanced over options."""
        chosen = [
            attribute
            for attribute in self.attributes
            if not scope.attributes or attribute.name in scope.attributes
        ]
        sizes = [
            len(option.keywords[: scope.keywords]) for attribute in chosen for option in attribute.options
        ]
        for sample in range(max((scope.samples_of(0, size) for size in sizes), default=0)):
            for attribute in chosen:
                yield from _tasks(attribute, scope, sample)

    def counts(self, scope: SuiteScope) -> dict[str, int]:
        """Return the number of texts of each attribute."""
        found: dict[str, int] = {}
        for task in self.tasks(scope):
            found[task.attribute] = found.get(task.attribute, 0) + 1
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"name": self.name, "version": self.version, "digest": self.digest, "source": self.source}


def _tasks(attribute: SuiteAttribute, scope: SuiteScope, sample: int) -> Iterator[AuditTask]:
    for prompt in attribute.prompts:
        for option in attribute.options:
            keywords = option.keywords[: scope.keywords]
            for place, keyword in enumerate(keywords):
                if sample >= scope.samples_of(place, len(keywords)):
                    continue
                pronouns = option.pronouns or _PRONOUNS[(place + sample) % 2]
                text = prompt.fill(keyword, pronouns)
                identity = f"{scope.seed}\0{attribute.name}\0{prompt.id}\0{keyword}\0{sample}"
                seed = int.from_bytes(hashlib.sha256(identity.encode()).digest()[:4], "big") >> 1
                yield AuditTask(
                    attribute.name, option.name, keyword, prompt.side, prompt.id, text, sample, seed
                )


def keywords_of(options: Sequence[SuiteOption]) -> list[str]:
    """Return all keywords, in order."""
    return [keyword for option in options for keyword in option.keywords]


SCHEMA = "unslant/suite/1"
_DIRECT: tuple[Side, Side] = ("liberal", "conservative")
_PLURAL_PRONOUNS = {"they", "their", "They", "Their"}


def suite_names() -> tuple[str, ...]:
    """Return the suites that come with unslant."""
    folder = files("unslant.lab.audit").joinpath("suites")
    return tuple(
        sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))
    )


def load_suite(name: str, settings: Sequence[str] = ()) -> Suite:
    """Read a suite: the name of one that comes with unslant, or a TOML file.

    ``settings`` override slots, such as ``liberal.candidate=Jane Roe``.
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
        unknown = sorted(set(names) - {"keyword", *_PLURAL_PRONOUNS, *slots})
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
