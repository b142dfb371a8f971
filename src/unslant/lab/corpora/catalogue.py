"""What is known of each corpus before it is opened: title, licence, files, digests, traps."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from unslant.core.errors import UnknownName

__all__ = ["Card", "DataFile", "card", "cards", "catalogue_version", "dimension_map", "names"]


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file of a corpus."""

    name: str
    sha256: str | None = None
    """The digest of the version that the loader was written for."""
    url: str | None = None
    """Where the publisher offers this very file; None: it is not offered in this form."""
    variants: tuple[str, ...] = ()
    """The variants that need it; empty: all do."""
    optional: bool = False
    """What the corpus can do without, such as raw annotations."""
    member: str | None = None
    """The name inside the archive, where ``url`` leads to a ZIP archive."""
    other_names: tuple[str, ...] = ()
    """Names of other versions of the file that the loader reads as well."""


@dataclass(frozen=True, slots=True)
class Card:
    """What a corpus is, whose it is and what to beware of."""

    name: str
    title: str
    citation: str
    licence: str
    """As stated by the publisher."""
    url: str
    """The publisher's page."""
    reader: str
    """The function that reads it, as ``module:function`` of this package; empty for the user's own file."""
    folder: str
    files: tuple[DataFile, ...]
    variant: str | None = None
    """Which part of the corpus this card speaks of."""
    variants: tuple[str, ...] = ()
    """The parts that can be loaded by ``name/part``; the first is the default."""
    traps: tuple[str, ...] = ()
    """What to read before measuring anything on it."""
    warning: str | None = None
    """What a reader may not want to see."""

    @property
    def corpus(self) -> str:
        """The name of the corpus, without the variant."""
        return self.name.partition("/")[0]

    def required(self) -> tuple[DataFile, ...]:
        """Return the files without which this part cannot be read."""
        return tuple(
            file
            for file in self.files
            if not file.optional and (not file.variants or self.variant in file.variants)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "name": self.name,
            "title": self.title,
            "citation": self.citation,
            "licence": self.licence,
            "url": self.url,
            "folder": self.folder,
            "files": [{"name": f.name, "sha256": f.sha256, "url": f.url} for f in self.files],
            "variants": list(self.variants),
            "traps": list(self.traps),
            "warning": self.warning,
        }


@cache
def _catalogue() -> dict[str, Any]:
    return tomllib.loads(files("unslant.lab.corpora").joinpath("catalogue.toml").read_text("utf-8"))


def catalogue_version() -> int:
    """Return the version of the catalogue."""
    version: int = _catalogue()["version"]
    return version


def names() -> tuple[str, ...]:
    """Return every name that can be loaded, variants after their corpus."""
    found: list[str] = []
    for name, entry in _catalogue()["corpus"].items():
        found += [name, *(f"{name}/{variant}" for variant in entry.get("variants", ()))]
    return tuple(found)


def cards() -> tuple[Card, ...]:
    """Return one card per corpus, in the order of the catalogue."""
    return tuple(card(name) for name in _catalogue()["corpus"])


def card(name: str) -> Card:
    """Return the card of a corpus or of one of its variants."""
    base, _, variant = name.partition("/")
    entry = _catalogue()["corpus"].get(base)
    if entry is None or (variant and variant not in entry.get("variants", ())):
        raise UnknownName("corpus", name, names())
    variants = tuple(entry.get("variants", ()))
    chosen = variant or (variants[0] if variants else None)
    return Card(
        name=f"{base}/{chosen}" if variant else base,
        title=entry["title"],
        citation=entry["citation"],
        licence=entry["licence"],
        url=entry["url"],
        reader=entry["reader"],
        folder=entry.get("folder", base),
        files=tuple(_file(data) for data in entry["file"] if _needed(data, variant)),
        variant=chosen,
        variants=variants,
        traps=tuple(entry.get("traps", ())),
        warning=entry.get("warning"),
    )


def _needed(data: Mapping[str, Any], variant: str) -> bool:
    return not variant or not data.get("variants") or variant in data["variants"]


def _file(data: Mapping[str, Any]) -> DataFile:
    listed = {name: tuple(data.get(name, ())) for name in ("variants", "other_names")}
    return DataFile(**{**data, **listed})


@cache
def dimension_map(corpus: str) -> Mapping[str, str | None]:
    """Return how a corpus's own labels map onto the eleven dimensions; None where none of them fits."""
    data = tomllib.loads(files("unslant.lab.corpora").joinpath("dimensions.toml").read_text("utf-8"))
    return {label: target or None for label, target in data[corpus].items()}
