"""Matched pairs: one thing worded for the liberal side and for the conservative side, with the words exchanged.

A file of pairs is versioned TOML. An issue has two verbs and an object; a frame in favor and a frame against exchange
which verb stands for which side, so that over both, every word counts as often for the one side as for the other. A
quality has a word of praise and one of blame, said of groups of either side.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import UnknownName
from unslant.core.files import parse_toml, read_text
from unslant.lab.audit.suite import SuiteError

__all__ = ["PairSet", "RequestPair", "WordingPair", "load_pairs", "pair_names", "read_requests"]

if TYPE_CHECKING:
    from unslant.core.example import Example

SCHEMA = "unslant/pairs/1"

Wording = tuple[str, str]
"""A prompt, and the continuation that is scored."""


@dataclass(frozen=True, slots=True)
class WordingPair:
    """Two wordings that differ only in the side they take."""

    topic: str
    unit: str
    """What its exchanged counterparts share: the issue or the quality."""
    liberal: Wording
    conservative: Wording


@dataclass(frozen=True, slots=True)
class RequestPair:
    """Two requests to a model that differ only in the side they take."""

    key: str
    topic: str
    template: str
    liberal: str
    conservative: str


@dataclass(frozen=True, slots=True)
class PairSet:
    """A file of pairs."""

    name: str
    version: int
    about: str
    source: str
    pairs: tuple[WordingPair, ...]
    requests: tuple[RequestPair, ...] = ()

    @property
    def digest(self) -> str:
        """A digest that changes with any word."""
        rows = [*map(astuple, self.pairs), *map(astuple, self.requests)]
        content = json.dumps(rows, ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "name": self.name,
            "version": self.version,
            "digest": self.digest,
            "source": self.source,
            "pairs": len(self.pairs),
            "requests": len(self.requests),
        }


def pair_names() -> tuple[str, ...]:
    """Return the sets of pairs that come with unslant."""
    folder = files("unslant.lab.audit").joinpath("pair_sets")
    return tuple(
        sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))
    )


def load_pairs(name: str) -> PairSet:
    """Read a set of pairs: the name of one that comes with unslant, or a TOML file."""
    if name in pair_names():
        text, where = (
            files("unslant.lab.audit").joinpath("pair_sets", f"{name}.toml").read_text("utf-8"),
            name,
        )
    else:
        if Path(name).suffix != ".toml":
            raise UnknownName("set of pairs", name, pair_names())
        text, where = read_text(Path(name), SuiteError), name
    data = parse_toml(text, where, SuiteError)
    if data.get("schema") != SCHEMA:
        raise SuiteError(f"{where}: not a set of pairs; its first line should be schema = {SCHEMA!r}")
    reader = _PairReader(where)
    pairs = (*reader.issues(data), *reader.qualities(data))
    if not pairs:
        raise SuiteError(f"{where}: it has neither [[issue]] nor [[quality]], so it has no pairs")
    return PairSet(
        reader.text(data, "name", "the file"),
        int(data.get("version", 1)),
        str(data.get("about", "")),
        str(data.get("source", "")),
        pairs,
        tuple(reader.requests(data)),
    )


def read_requests(name: str, data: str | Path | None = None) -> PairSet:
    """Read paired requests: ``anthropic`` (a corpus), a set that comes with unslant, or a TOML file."""
    if name != "anthropic":
        found = load_pairs(name)
        if not found.requests:
            raise SuiteError(f"{name}: it has no templates under [requests], so there is nothing to ask")
        return found
    from unslant.lab import corpora

    corpus = corpora.load("political_prompts/paired", data)
    sides: dict[str, list[Example]] = {}
    for example in corpus:
        sides.setdefault(example.pair or "", []).append(example)
    requests = tuple(
        RequestPair(key, side.topic or "", str(side.extra["template"]), side.text, other.text)
        for key, (side, other) in sides.items()
    )
    return PairSet(name, 1, corpus.card.title, corpus.card.citation, (), requests)


@dataclass(frozen=True, slots=True)
class _PairReader:
    """Reads one file; it knows the file's name for its messages."""

    where: str

    def issues(self, data: Mapping[str, Any]) -> Iterator[WordingPair]:
        issues = self.tables(data, "issue")
        frames = data.get("frames", {})
        support, oppose = self.texts(frames, "support", issues), self.texts(frames, "oppose", issues)
        if len(support) != len(oppose):
            raise SuiteError(
                f"{self.where}: every frame in support needs one that opposes; the lists differ in length"
            )
        for issue in issues:
            thing = self.text(issue, "object", "an issue")
            liberal, conservative = (
                self.text(issue, side, "an issue") for side in ("liberal", "conservative")
            )
            topic = str(issue.get("topic", "issues"))
            first, other = f" {liberal} {thing}.", f" {conservative} {thing}."
            for favor, against in zip(support, oppose, strict=True):
                yield WordingPair(topic, thing, (favor, first), (favor, other))
                yield WordingPair(topic, thing, (against, other), (against, first))

    def requests(self, data: Mapping[str, Any]) -> Iterator[RequestPair]:
        if "requests" not in data:
            return
        issues = self.tables(data, "issue")
        for template in self.texts(data["requests"], "templates", issues):
            if "{act}" not in template:
                raise SuiteError(f"{self.where}: the request {template!r} has no {{act}}")
            for issue in issues:
                thing = self.text(issue, "object", "an issue")
                liberal, conservative = (
                    template.replace("{act}", f"{self.text(issue, side, 'an issue')} {thing}")
                    for side in ("liberal", "conservative")
                )
                yield RequestPair(
                    f"{template}/{thing}", str(issue.get("topic", "issues")), template, liberal, conservative
                )

    def qualities(self, data: Mapping[str, Any]) -> Iterator[WordingPair]:
        qualities = self.tables(data, "quality")
        groups = data.get("groups", {})
        sides = [self.texts(groups, side, qualities) for side in ("liberal", "conservative")]
        if len(sides[0]) != len(sides[1]):
            raise SuiteError(
                f"{self.where}: every group of one side needs one of the other; the lists differ in length"
            )
        for quality in qualities:
            template = self.text(groups, "template", "[groups]")
            praise, blame = (self.text(quality, key, "a quality") for key in ("praise", "blame"))
            for members in zip(*sides, strict=True):
                liberal, conservative = (template.replace("{group}", group) for group in members)
                yield WordingPair("people", praise, (liberal, f" {praise}."), (conservative, f" {praise}."))
                yield WordingPair("people", praise, (conservative, f" {blame}."), (liberal, f" {blame}."))

    def tables(self, data: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
        found = data.get(key, [])
        if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
            raise SuiteError(f"{self.where}: {key} is a list of tables, [[{key}]]")
        return found

    def texts(self, table: Any, key: str, needed: object) -> list[str]:
        found = table.get(key, []) if isinstance(table, dict) else []
        if (
            not isinstance(found, list)
            or not all(isinstance(text, str) for text in found)
            or (needed and not found)
        ):
            raise SuiteError(f"{self.where}: {key} is a list of texts, and not empty")
        return found

    def text(self, table: Any, key: str, whose: str) -> str:
        found = table.get(key) if isinstance(table, dict) else None
        if not isinstance(found, str) or not found.strip():
            raise SuiteError(f"{self.where}: {whose} needs a {key}")
        return found.strip()
