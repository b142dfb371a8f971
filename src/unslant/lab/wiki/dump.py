"""History dumps as streams: pages with their revisions, in bounded memory, unpacked and hashed on the way.

MediaWiki escapes ``<``, ``>`` and ``&`` in every text, so a tag in the bytes is a tag of the dump. The reader relies
on that: it looks for the ends of revisions in the bytes and parses a revision only when somebody asks for it. No XML
parser sees the texts, most of which are discarded unread.

What can be wrong with a dump is named and counted, and the rest goes on::

    InputError
    └── HarvestError        a dump, or the place to write to, cannot be used
        └── DumpError       one part cannot be read, or not to its end
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import re
import subprocess  # the path is one argument behind the options: no shell sees it
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Protocol

from unslant.core.errors import InputError
from unslant.core.files import NotRegular, open_regular
from unslant.core.programs import find_program

PASSING = frozenset({"no 7z tool", "unreadable"})
"""Reasons outside of the file: another run may succeed."""


class HarvestError(InputError):
    """A dump, or the place to write to, cannot be used; the message names it."""


class DumpError(HarvestError):
    """A part cannot be read, or not to its end; ``reason`` names the type of damage."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[type[DumpError], tuple[str, str]]:
        """Pickle with all fields, to reach another process."""
        return DumpError, (self.reason, str(self))


DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError)
"""What a truncated or damaged archive raises."""

_SEVEN_ZIP = {
    **dict.fromkeys(("7z", "7zz", "7za", "7zr"), ("x", "-so", "--")),
    "bsdtar": ("-x", "-O", "-f"),
}
"""Tools that unpack 7z, and how to have them write to a pipe; the path comes last."""


class _Readable(Protocol):
    def read1(self, size: int, /) -> bytes: ...


class HashedFile(io.RawIOBase):
    """A file with the SHA-256 and the number of the bytes read so far."""

    def __init__(self, path: Path) -> None:
        self._file = open_regular(path)
        self._hash = hashlib.sha256()
        self.count = 0

    def readable(self) -> bool:
        """Return True: the file can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read into a buffer."""
        count: int = self._file.readinto(buffer)
        self._hash.update(memoryview(buffer)[:count])
        self.count += count
        return count

    def read1(self, size: int, /) -> bytes:
        """Read at most ``size`` bytes."""
        return self.read(size) or b""

    def finish(self) -> str:
        """Read what is left, so that the digest is that of the whole file, and return it."""
        while block := self._file.read(1 << 20):
            self._hash.update(block)
        return self._hash.hexdigest()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


@contextmanager
def open_dump(path: Path) -> Iterator[tuple[UnpackedStream, HashedFile]]:
    """Yield the decompressed stream and the underlying file; the name determines the compression."""
    try:
        file = HashedFile(path)
    except OSError as error:
        what = f"is {error}" if isinstance(error, NotRegular) else error.strerror
        raise DumpError("unreadable", f"{path}: {what}; check the path") from None
    with file:
        match path.suffix:
            case ".bz2":
                with bz2.BZ2File(io.BufferedReader(file, 1 << 20)) as stream:
                    yield UnpackedStream(stream, path), file
            case ".gz":
                with gzip.GzipFile(fileobj=io.BufferedReader(file, 1 << 20)) as stream:
                    yield UnpackedStream(stream, path), file
            case ".7z":
                with _open_seven_zip(path) as pipe:
                    yield UnpackedStream(pipe, path), file
            case _:
                yield UnpackedStream(file, path), file


@contextmanager
def _open_seven_zip(path: Path) -> Iterator[_CheckedPipe]:
    tool = next(filter(find_program, _SEVEN_ZIP), None)
    if tool is None:
        raise DumpError(
            "no 7z tool", f"{path}: no 7z tool is installed; install 7-Zip, or fetch the bz2 dump"
        )
    command = [str(find_program(tool)), *_SEVEN_ZIP[tool], str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:  # noqa: S603
        assert process.stdout is not None  # noqa: S101
        try:
            yield _CheckedPipe(process)
        finally:
            process.stdout.close()
            process.kill()


class _CheckedPipe:
    """The output of the tool; a failure is raised at its end."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def read1(self, size: int, /) -> bytes:
        assert isinstance(self._process.stdout, io.BufferedReader)  # noqa: S101
        block = self._process.stdout.read1(size)
        if not block and self._process.wait() != 0:
            raise EOFError("the 7z tool reports damage")
        return block


class UnpackedStream:
    """A stream that returns everything readable before it reports damage."""

    def __init__(self, stream: _Readable, path: Path) -> None:
        self._stream = stream
        self._path = path
        self._damaged = False

    def read(self, size: int) -> bytes:
        """Return ``size`` bytes, or what is left; none at the end."""
        blocks: list[bytes] = []
        while size > 0 and not self._damaged:
            try:
                block = self._stream.read1(size)
            except DAMAGE:
                self._damaged = True
                break
            if not block:
                break
            blocks.append(block)
            size -= len(block)
        if self._damaged and not blocks:
            raise DumpError(
                "damaged", f"{self._path}: truncated or damaged; everything before that point was read"
            )
        return b"".join(blocks)


SCHEMAS = frozenset({"0.7", "0.8", "0.9", "0.10", "0.11"})
"""Versions of the export schema that are known to be read correctly."""

_CHUNK = 1 << 20
_LARGEST = 64 << 20
"""Bytes of one revision; MediaWiki allows 2 MB of text, which escaping can make five times as much."""

_VERSION = re.compile(rb'<mediawiki\b[^>]*?\bversion="([^"]{1,20})"')
_LANGUAGE = re.compile(rb'<mediawiki\b[^>]*?\bxml:lang="([^"]{1,20})"')
_PAGE_END, _REVISION, _REVISION_END = b"</page>", b"<revision>", b"</revision>"


@dataclass(frozen=True, slots=True)
class Site:
    """The wiki of a dump."""

    name: str
    """Its database name, such as ``enwiki``."""
    language: str
    base: str
    """The address of its main page."""


@dataclass(frozen=True, slots=True)
class DumpPage:
    """The header of a page, before its revisions."""

    id: int
    title: str
    namespace: int


class Revision:
    """One revision, parsed on demand."""

    __slots__ = ("_head", "_raw", "_tail", "_text")

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        start = raw.find(b"<text")
        self._head = raw[:start] if start >= 0 else raw
        opening = raw.find(b">", start) if start >= 0 else -1
        closing = raw.rfind(b"</text>")
        if b"</content>" in raw[max(closing, 0) :]:  # schema 0.11: further slots follow the text of the page
            closing = raw.find(b"</text>", opening)
        whole = 0 <= opening < closing and raw[opening - 1 : opening] != b"/"
        self._text = (opening + 1, closing) if whole else None
        self._tail = closing if whole else max(opening, 0)

    @property
    def comment(self) -> str | None:
        """The edit comment; None if it was suppressed."""
        found = _between(self._head, b"<comment>", b"</comment>")
        if found is None:
            return None if b"<comment deleted" in self._head else ""
        return _decode(found)

    @property
    def user(self) -> str | None:
        """The name or address of the editor; None if it was suppressed."""
        found = _between(self._head, b"<username>", b"</username>")
        found = _between(self._head, b"<ip>", b"</ip>") if found is None else found
        return None if found is None else _decode(found)

    @property
    def id(self) -> int:
        """The number of the revision."""
        return int(_between(self._head, b"<id>", b"</id>") or 0)

    @property
    def parent(self) -> int | None:
        """The number of the revision that was edited, if the dump contains it."""
        found = _between(self._head, b"<parentid>", b"</parentid>")
        return int(found) if found else None

    @property
    def timestamp(self) -> str:
        """When it was saved, as the dump writes it (``2024-01-31T23:59:59Z``: the order of time is that of text)."""
        return _decode(_between(self._head, b"<timestamp>", b"</timestamp>") or b"")

    @property
    def model(self) -> str:
        """The content model; ``wikitext`` if the dump does not name it."""
        return _decode(_between(self._head, b"<model>", b"</model>") or b"wikitext")

    @property
    def digest(self) -> bytes:
        """A digest of the text: two revisions with the same one have the same text; empty where suppressed."""
        behind = self._raw[self._tail :]
        given = _between(behind[max(behind.rfind(b"<sha1>"), 0) :], b"<sha1>", b"</sha1>")
        if given or self._text is None:
            return given or b""
        import hashlib

        return hashlib.blake2b(self._raw[slice(*self._text)], digest_size=16).digest()

    @property
    def text(self) -> str | None:
        """The wikitext; None if it was suppressed."""
        if self._text is not None:
            return _decode(self._raw[slice(*self._text)])
        start = self._raw.find(b"<text")
        deleted = start < 0 or b"deleted" in self._raw[start : self._raw.find(b">", start)]
        return None if deleted else ""


def _between(raw: bytes, opening: bytes, closing: bytes) -> bytes | None:
    start = raw.find(opening)
    if start < 0:
        return None
    end = raw.find(closing, start)
    return raw[start + len(opening) : end] if end >= 0 else None


def _decode(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace")
    return unescape(text) if "&" in text else text


class DumpReader:
    """One part of a dump. ``site`` is known once reading has begun, ``digest`` once it has ended."""

    def __init__(
        self, path: Path, namespaces: frozenset[int], advance: Callable[[int], None] | None = None
    ) -> None:
        self._path = path
        self._namespaces = namespaces
        self._advance = advance
        self._buffer = b""
        self._place = 0
        self._reported = 0
        self.site: Site | None = None
        self.digest: str | None = None
        self.oversized = 0
        """Revisions that were skipped because of their size."""
        self.other_pages = 0
        """Pages outside the namespaces."""

    def pages(self) -> Iterator[tuple[DumpPage, Iterator[Revision]]]:
        """Yield the pages of the namespaces; a page's revisions are to be taken before the next page.

        Raises ``DumpError`` if the part is truncated, after yielding everything before that point.
        """
        with open_dump(self._path) as (stream, file):
            try:
                yield from self._pages(stream, file)
            except DumpError:
                self.digest = file.finish()
                raise
            self.digest = file.finish()

    def _pages(
        self, stream: UnpackedStream, file: HashedFile
    ) -> Iterator[tuple[DumpPage, Iterator[Revision]]]:
        self._read_site(stream, file)
        while self._seek(b"<page>", stream, file, stop=b"</mediawiki>"):
            head_end = self._until((_REVISION, _PAGE_END), stream, file)
            page = self._page(self._buffer[self._place : head_end])
            self._place = head_end
            if page.namespace in self._namespaces:
                revisions = self._revisions(stream, file)
                yield page, revisions
                for _ in revisions:  # skip what the caller did not read
                    pass
            else:
                self.other_pages += 1
            if not self._seek(_PAGE_END, stream, file):
                raise self._cut_short()

    def _revisions(self, stream: UnpackedStream, file: HashedFile) -> Iterator[Revision]:
        try:
            yield from self._next_revisions(stream, file)
        except DumpError:
            self.digest = file.finish()
            raise

    def _next_revisions(self, stream: UnpackedStream, file: HashedFile) -> Iterator[Revision]:
        while True:
            start = self._until((_REVISION, _PAGE_END), stream, file)
            self._place = start
            if self._buffer.startswith(_PAGE_END, start):
                return
            end = self._end_of_revision(stream, file)
            if end is not None:
                yield Revision(self._buffer[self._place : end])
                self._place = end

    def _end_of_revision(self, stream: UnpackedStream, file: HashedFile) -> int | None:
        """Return where the revision ends, or None where it is too large; then it has been passed over."""
        searched = self._place
        while (end := self._buffer.find(_REVISION_END, searched)) < 0:
            searched = max(self._place, len(self._buffer) - len(_REVISION_END))
            if len(self._buffer) - self._place > _LARGEST:
                self.oversized += 1
                if not self._seek(_REVISION_END, stream, file):
                    raise self._cut_short()
                return None
            shift = self._place
            if not self._more(stream, file):
                raise self._cut_short()
            searched -= shift
        return end

    def _read_site(self, stream: UnpackedStream, file: HashedFile) -> None:
        while b"</siteinfo>" not in self._buffer and b"<page>" not in self._buffer:
            if len(self._buffer) > _LARGEST or not self._more(stream, file):
                break
        version = _VERSION.search(self._buffer)
        if version is None:
            raise DumpError(
                "not a dump", f"{self._path}: no <mediawiki> at its start; is it a pages-meta-history dump?"
            )
        if (number := version[1].decode("ascii", "replace")) not in SCHEMAS:
            raise DumpError(
                "unknown schema",
                f"{self._path}: export schema {number} is not known; known are {', '.join(sorted(SCHEMAS))}",
            )
        head = self._buffer[: self._buffer.find(b"</siteinfo>")]
        language = _LANGUAGE.search(self._buffer)
        self.site = Site(
            _decode(_between(head, b"<dbname>", b"</dbname>") or b"wiki"),
            language[1].decode("ascii", "replace") if language else "",
            _decode(_between(head, b"<base>", b"</base>") or b""),
        )

    def _page(self, head: bytes) -> DumpPage:
        try:
            return DumpPage(
                int(_between(head, b"<id>", b"</id>") or b""),
                _decode(_between(head, b"<title>", b"</title>") or b""),
                int(_between(head, b"<ns>", b"</ns>") or b"0"),
            )
        except ValueError:
            raise DumpError(
                "damaged", f"{self._path}: a page without a number; the rest was not read"
            ) from None

    def _seek(self, tag: bytes, stream: UnpackedStream, file: HashedFile, stop: bytes | None = None) -> bool:
        """Go behind the next ``tag``; False at ``stop`` or, where there is none, at the end."""
        while (found := self._buffer.find(tag, self._place)) < 0:
            if stop and self._buffer.find(stop, self._place) >= 0:
                return False
            self._place = max(self._place, len(self._buffer) - max(len(tag), len(stop or b"")))
            if not self._more(stream, file):
                if stop:
                    raise self._cut_short()
                return False
        self._place = found + len(tag)
        return True

    def _until(self, tags: tuple[bytes, bytes], stream: UnpackedStream, file: HashedFile) -> int:
        """Return where the first of two tags begins."""
        while True:
            first = self._buffer.find(tags[0], self._place)
            # up to the first only: it is near, and the second may be a whole page away
            second = self._buffer.find(tags[1], self._place, first if first >= 0 else len(self._buffer))
            if first >= 0 or second >= 0:
                return second if second >= 0 else first
            if len(self._buffer) - self._place > _LARGEST or not self._more(stream, file):
                raise self._cut_short()

    def _more(self, stream: UnpackedStream, file: HashedFile) -> bool:
        """Read the next block and drop what has been processed."""
        block = stream.read(max(_CHUNK, len(self._buffer) - self._place))
        self._buffer = self._buffer[self._place :] + block
        self._place = 0
        if self._advance:
            self._advance(file.count - self._reported)
            self._reported = file.count
        return bool(block)

    def _cut_short(self) -> DumpError:
        return DumpError("damaged", f"{self._path}: truncated; everything before that point was read")
