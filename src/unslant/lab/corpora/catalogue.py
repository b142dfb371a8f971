"""The card of each corpus (title, licence, files, digests, pitfalls), and where its files are.

Missing files are downloaded, and their digest is checked.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tomllib
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from unslant.core.encoding import encode_fields
from unslant.core.errors import UnknownName
from unslant.core.files import make_folder
from unslant.lab.corpora.tables import CorpusError, CorpusMissing


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file of a corpus."""

    name: str
    sha256: str | None = None
    """The digest of the version that the loader was written for."""
    url: str | None = None
    """The publisher's address of this file; None: it is not offered in this form."""
    variants: tuple[str, ...] = ()
    """The variants that need it; empty: all do."""
    optional: bool = False
    """Whether the corpus can be read without it, as with raw annotations."""
    member: str | None = None
    """The name inside the archive, where ``url`` leads to a ZIP archive."""
    other_names: tuple[str, ...] = ()
    """Names of other versions of the file that the loader reads as well."""


@dataclass(frozen=True, slots=True)
class Card:
    """Title, licence, files and pitfalls of a corpus."""

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
    """The part of the corpus that this card describes."""
    variants: tuple[str, ...] = ()
    """The parts that can be loaded by ``name/part``; the first is the default."""
    traps: tuple[str, ...] = ()
    """Pitfalls to know before measuring anything on it."""
    warning: str | None = None
    """A content warning."""
    packaged: bool = False
    """Whether its files ship with unslant."""

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
        """Return the JSON form."""
        return {
            **encode_fields(self, "name", "title", "citation", "licence", "url", "folder"),
            "files": [{"name": f.name, "sha256": f.sha256, "url": f.url} for f in self.files],
            **encode_fields(self, "variants", "traps", "warning", "packaged"),
        }


@cache
def _catalogue() -> dict[str, Any]:
    return tomllib.loads(files("unslant.lab.corpora").joinpath("catalogue.toml").read_text("utf-8"))


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
    plain: dict[str, Any] = {"folder": base}
    plain |= {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    needed = [
        data for data in plain.pop("file") if not variant or variant in data.get("variants", (variant,))
    ]
    name = f"{base}/{chosen}" if variant else base
    return Card(**plain, name=name, files=tuple(map(_file, needed)), variant=chosen)


def _file(data: Mapping[str, Any]) -> DataFile:
    listed = {name: tuple(data.get(name, ())) for name in ("variants", "other_names")}
    return DataFile(**{**data, **listed})


@cache
def dimension_map(corpus: str) -> Mapping[str, str | None]:
    """Return how a corpus's own labels map onto the eleven dimensions; None where none of them fits."""
    data = tomllib.loads(files("unslant.lab.corpora").joinpath("dimensions.toml").read_text("utf-8"))
    return {label: target or None for label, target in data[corpus].items()}


def cache_folder() -> Path:
    """Return the folder of the user's cache that holds corpora."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("unslant")) / "data"


def data_folders(data: str | Path | None = None) -> tuple[Path, ...]:
    """Return the folders to look in: the one that was named; else ``UNSLANT_DATA``, then the user's cache."""
    if data is not None:
        return (Path(data),)
    named = os.environ.get("UNSLANT_DATA")
    return (*((Path(named),) if named else ()), cache_folder())


def find_folder(card: Card, data: str | Path | None = None) -> Path:
    """Return the folder that holds the corpus, or say where to put it."""
    if card.packaged:
        return Path(__file__).parent
    for root in data_folders(data):
        if _is_complete(card, root / card.folder):
            return root / card.folder
    looked = data_folders(data)
    for root in looked:
        folder = root / card.folder
        if folder.is_dir():
            absent = [file.name for file in card.required() if not (folder / file.name).is_file()]
            raise CorpusMissing(
                f"{card.name}: {folder} lacks {', '.join(absent)}; try: unslant data get {card.name}"
            )
    wanted = ", ".join(file.name for file in card.required())
    raise CorpusMissing(
        f"{card.name} is not in {' or '.join(str(root) for root in looked)}; "
        f"try: unslant data get {card.name}, or put {wanted} into {looked[0] / card.folder}"
    )


def _is_complete(card: Card, folder: Path) -> bool:
    return all(
        any((folder / name).is_file() for name in (file.name, *file.other_names)) for file in card.required()
    )


Progress = Callable[[str, int, int | None], None]
"""Called for each block: the file, the bytes so far, and the total if known."""


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_CHUNK = 1 << 16
_TIMEOUT = 30.0


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """One file of a corpus, after a fetch."""

    file: str
    path: Path
    fresh: bool
    """False: it already existed."""


def missing_files(card: Card, folder: Path) -> list[DataFile]:
    """Return the files that are not there yet."""
    return [file for file in card.files if not (folder / file.name).is_file()]


def fetch(card: Card, folder: Path, progress: Progress | None = None) -> Iterator[FetchedFile]:
    """Download missing files into ``folder``; a file appears there only once it is complete and its digest is right."""
    unoffered = [file.name for file in missing_files(card, folder) if file.url is None and not file.optional]
    if unoffered:
        raise CorpusError(
            f"{card.name}: the publisher does not offer {', '.join(unoffered)} in this form; "
            f"see {card.url} and put {'them' if len(unoffered) > 1 else 'it'} into {folder}"
        )
    make_folder(folder, CorpusError)
    for file in card.files:
        path = folder / file.name
        if path.is_file():
            yield FetchedFile(file.name, path, fresh=False)
        elif file.url is not None:
            _fetch_file(card, file, path, progress or (lambda *_: None))
            yield FetchedFile(file.name, path, fresh=True)
    for archive in folder.glob("*.zip.archive"):
        archive.unlink()


def _fetch_file(card: Card, file: DataFile, path: Path, progress: Progress) -> None:
    url = file.url or ""
    name = f"{Path(urlsplit(url).path).name}.archive" if file.member else f"{file.name}.part"
    partial = path.with_name(name)
    if not (file.member and zipfile.is_zipfile(partial)):
        _download(card, url, partial, progress)
    if file.member:
        whole = path.with_name(f"{file.name}.part")
        _unpack(partial, file.member, whole)
        partial = whole
    if file.sha256 and (found := digest(partial)) != file.sha256:
        partial.unlink()
        raise CorpusError(
            f"{file.name} from {url} is not the file that was expected (SHA-256 {found[:12]}…, not "
            f"{file.sha256[:12]}…); it was deleted: try again, or see {card.url}"
        )
    partial.replace(path)


def _download(card: Card, url: str, partial: Path, progress: Progress) -> None:
    if urlsplit(url).scheme not in ("https", "http"):
        raise CorpusError(f"{card.name}: {url} is not a web address")
    have = partial.stat().st_size if partial.is_file() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:  # noqa: S310
            resumed = answer.status == 206
            length = answer.headers.get("Content-Length")
            so_far = have if resumed else 0
            total = so_far + int(length) if length else None
            with partial.open("ab" if resumed else "wb") as out:
                while chunk := answer.read(_CHUNK):
                    out.write(chunk)
                    so_far += len(chunk)
                    progress(partial.name.removesuffix(".part"), so_far, total)
    except urllib.error.HTTPError as error:
        if error.code == 416 and have:  # nothing is left to send: the digest says whether it is whole
            return
        raise _unreachable(card, url, partial, f"the server says {error.code}") from error
    except (urllib.error.URLError, OSError) as error:
        raise _unreachable(card, url, partial, str(getattr(error, "reason", error))) from error
    if total is not None and so_far < total:
        raise _unreachable(card, url, partial, f"it broke off after {so_far} of {total} bytes")


def _unreachable(card: Card, url: str, partial: Path, why: str) -> CorpusError:
    return CorpusError(
        f"{url} could not be fetched ({why}); try again to continue where it stopped, or put the files of "
        f"{card.name} into {partial.parent} yourself"
    )


def _unpack(archive: Path, member: str, to: Path) -> None:
    try:
        with zipfile.ZipFile(archive) as packed:
            inside = next((name for name in packed.namelist() if name.endswith(member)), None)
            if inside is None:
                raise CorpusError(f"{archive.name} holds no {member}; see what the publisher offers now")
            with packed.open(inside) as source, to.open("wb") as out:
                shutil.copyfileobj(source, out)
    except zipfile.BadZipFile as error:
        archive.unlink()
        raise CorpusError(f"{archive.name} is a truncated archive and was deleted; try again") from error
