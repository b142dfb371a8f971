"""The files of a corpus: where they are, and how missing ones are downloaded."""

from __future__ import annotations

import os
import shutil
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from unslant.core.files import make_folder
from unslant.lab.corpora.catalogue import Card, DataFile
from unslant.lab.corpora.dataset import digest
from unslant.lab.corpora.tables import CorpusError, CorpusMissing

__all__ = ["FetchedFile", "cache_folder", "data_folders", "fetch", "find_folder", "missing_files"]


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

_CHUNK = 1 << 16
_TIMEOUT = 30.0


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """One file of a corpus, after a fetch."""

    file: str
    path: Path
    fresh: bool
    """False: it was there already."""


def missing_files(card: Card, folder: Path) -> list[DataFile]:
    """Return the files that are not there yet."""
    return [file for file in card.files if not (folder / file.name).is_file()]


def fetch(card: Card, folder: Path, progress: Progress | None = None) -> Iterator[FetchedFile]:
    """Fetch what is missing into ``folder``; a file appears there only when it is whole and its digest is right."""
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
