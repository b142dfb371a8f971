"""Reading and writing text files.

Line ends are kept, so that positions refer to the file as written. A byte order mark determines the encoding and is not
part of the text: position 0 is the first code point after it, as in editors. Files that are not text raise a
``SourceError`` with a one-sentence message. A file is written in one step, and only if it has not changed since it
was read.
"""

from __future__ import annotations

import codecs
import io
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from unslant.core.errors import SourceError
from unslant.core.files import (
    NotRegular,
    explain,
    explain_unwritten,
    open_regular,
    quote_name,
    sync_folder,
    temporary_beside,
)

# The marks of UTF-32 start like those of UTF-16, so they come first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_OFFICE = (
    "a ZIP archive or an office document (docx, odt, epub); save it as plain text, Markdown or HTML first"
)
_SIGNATURES = (
    (b"\x89PNG\r\n", "a PNG image; pass a text file"),
    (b"\xff\xd8\xff", "a JPEG image; pass a text file"),
    (b"%PDF-", "a PDF; convert it first, for example with pdftotext"),
    (b"PK\x03\x04", _OFFICE),
    (b"PK\x05\x06", _OFFICE),
    (
        b"\xd0\xcf\x11\xe0",
        "an old office document (doc, xls, ppt); save it as plain text, Markdown or HTML first",
    ),
    (b"{\\rtf", "rich text (RTF); save it as plain text, Markdown or HTML first"),
    (b"\x7fELF", "a program (ELF); pass a text file"),
    (b"\x1f\x8b", "compressed (gzip); unpack it first"),
    (b"\xfd7zXZ\x00", "compressed (xz); unpack it first"),
    (b"SQLite format 3\x00", "an SQLite database; pass a text file"),
)

_CHUNK = 1 << 20


def load_text(path: Path, max_bytes: int) -> str:
    """Return the text of a file, with its line ends; raise ``SourceError`` if it is not text."""
    return _text_of(load_bytes(path, max_bytes), path, max_bytes)


def _text_of(data: bytes, path: Path, max_bytes: int) -> str:
    if data.startswith(b"PK\x03\x04") and path.suffix.lower() in (".docx", ".odt"):
        from unslant.workspace.office import office_text

        return office_text(data, quote_name(path), max_bytes)
    return decode(data, path)


def load_bytes(path: Path, max_bytes: int) -> bytes:
    """Return the content of a file; raise ``SourceError`` if it is not a regular file or too large."""
    try:
        with open_regular(path) as stream:
            size = os.fstat(stream.fileno()).st_size
            if size > max_bytes:
                raise SourceError(_too_large(quote_name(path), size, max_bytes))
            return _read_stream(stream, max_bytes, path)
    except NotRegular as error:
        raise SourceError(f"{quote_name(path)} is {error}; {_advice(str(error))}") from error
    except (OSError, ValueError) as error:
        raise SourceError(explain(path, error)) from error


def _advice(what: str) -> str:
    if what.startswith("a folder"):
        return "pass its files, or let 'unslant check' search it"
    if what.startswith("a pipe"):
        return "send it through standard input: unslant check -"
    return "pass a text file"


def read_stdin(stream: BinaryIO, max_bytes: int, name: str = "<stdin>") -> str:
    """Return the text of a stream; never hold more than ``max_bytes`` of it."""
    try:
        return decode(_read_stream(stream, max_bytes, name), name)
    except (OSError, ValueError) as error:
        raise SourceError(explain(name, error)) from error


def _read_stream(stream: BinaryIO | io.FileIO, max_bytes: int, name: str | os.PathLike[str]) -> bytes:
    parts: list[bytes] = []
    held = 0
    while part := stream.read(min(_CHUNK, max_bytes + 1 - held)):
        parts.append(part)
        held += len(part)
        if held > max_bytes:
            raise SourceError(_too_large(quote_name(name), None, max_bytes))
    return b"".join(parts)


def decode(data: bytes, name: str | os.PathLike[str]) -> str:
    """Decode bytes as UTF-8, or as the byte order mark says; the mark is removed."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode_as(data, encoding, len(mark), name)
    for signature, what in _SIGNATURES:
        if data.startswith(signature):
            raise SourceError(f"{quote_name(name)} is {what}")
    unmarked = _guess_utf16(data)
    if unmarked:
        raise SourceError(
            f"{quote_name(name)} looks like {unmarked} without a byte order mark; convert it to UTF-8, "
            f"for example: iconv -f {unmarked} -t UTF-8"
        )
    return _decode_as(data, "utf-8", 0, name)


def encode_like(text: str, data: bytes) -> bytes:
    """Encode text in the same encoding as these bytes, with the same byte order mark."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return mark + text.encode(encoding)
    return text.encode("utf-8")


def _decode_as(data: bytes, encoding: str, skip: int, name: str | os.PathLike[str]) -> str:
    body = memoryview(data)[skip:]
    try:
        return str(body, encoding)
    except UnicodeDecodeError as error:
        if not skip and b"\0" in data:
            raise SourceError(f"{quote_name(name)} looks binary; pass a text file") from error
        line = str(body[: error.start], encoding, "replace").count("\n") + 1
        hint = "iconv -f WINDOWS-1252 -t UTF-8" if not skip else f"iconv -c -f {encoding.upper()} -t UTF-8"
        raise SourceError(
            f"{quote_name(name)} is not valid {encoding.upper()}: byte 0x{body[error.start]:02x} at offset "
            f"{error.start + skip} (line {line}); convert it to UTF-8, for example: {hint}"
        ) from error


def _guess_utf16(data: bytes) -> str | None:
    """Return the variant of UTF-16 that these bytes seem to be: every other byte is often NUL, the rest never.

    As UTF-8, such a text would be valid, consist of single letters, and seem to have no findings.
    """
    sample = data[:4096]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > 1 and odd * 10 >= len(sample) * 3 and not even:
        return "UTF-16LE"
    if even > 1 and even * 10 >= len(sample) * 3 and not odd:
        return "UTF-16BE"
    return None


def _too_large(name: str, size: int | None, max_bytes: int) -> str:
    held = f"has {size:,} bytes, more than" if size is not None else "has more than"
    return f"{name} {held} the {max_bytes:,} that 'max-bytes' allows; split it or raise 'max-bytes'"


_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file as it was read, to be written back."""

    path: Path
    target: Path
    """Where the path leads, without links, at the time of reading."""
    data: bytes
    text: str
    within: Path | None = None
    """The folder that the user named; a link out of it is not followed for writing."""

    def write(self, text: str) -> None:
        """Replace the file's text in one step; encoding, byte order mark, line ends, permissions and owner stay.

        The new text is written beside the file, synced and renamed. Raise ``SourceError``, and leave the file as it
        is, if it is read-only, has changed since it was read, belongs to somebody else and would not any more, or
        lies outside of the folder that the user named because a link led there.
        """
        name = quote_name(self.path)
        if self.within is not None and not self.target.is_relative_to(os.path.realpath(self.within)):
            raise SourceError(
                f"{name} is a link to {quote_name(self.target)}, outside of the folder, and was not changed; "
                "name that file to change it"
            )
        part = temporary_beside(self.target)
        try:
            status = self.target.stat()
            if not status.st_mode & _WRITABLE or not os.access(self.target, os.W_OK):
                raise SourceError(f"{name} is read-only and was not changed; make it writable first")
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
                stream.write(encode_like(text, self.data))
                stream.flush()
                self._keep_attributes(stream.fileno(), status)
                os.fsync(stream.fileno())
            self._require_unchanged()
            part.replace(self.target)
        except OSError as error:
            raise SourceError(explain_unwritten(self.path, error)) from error
        finally:
            with suppress(OSError):
                part.unlink()
        sync_folder(self.target.parent)

    def _require_unchanged(self) -> None:
        try:
            same = Path(os.path.realpath(self.path)) == self.target
            same = same and load_bytes(self.target, len(self.data)) == self.data
        except SourceError:  # deleted, grown or replaced by something else
            same = False
        if not same:
            raise SourceError(
                f"{quote_name(self.path)} has changed since it was checked and was not written; "
                "run the command again"
            )

    def _keep_attributes(self, descriptor: int, status: os.stat_result) -> None:
        """Give the new file the owner, group, permissions and extended attributes of the old one, or refuse."""
        name = quote_name(self.path)
        own = os.fstat(descriptor)
        if (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid):
            try:
                os.fchown(descriptor, status.st_uid, status.st_gid)
            except OSError as error:
                raise SourceError(
                    f"{name} belongs to another user or group, which cannot be kept, and was not changed; "
                    "run the command as its owner"
                ) from error
        for attribute in _attributes(self.target):
            try:
                os.setxattr(descriptor, attribute, os.getxattr(self.target, attribute))
            except OSError as error:
                # the system sets labels of its own
                if not attribute.startswith(("security.", "trusted.")):
                    raise SourceError(
                        f"{name} has the attribute {attribute!r}, which cannot be kept, and was not changed"
                    ) from error
        # last, because a change of owner clears some permissions
        os.fchmod(descriptor, stat.S_IMODE(status.st_mode))


def _attributes(path: Path) -> list[str]:
    """Return the names of the extended attributes, access lists among them."""
    if not hasattr(os, "listxattr"):
        return []
    try:
        return os.listxattr(path)
    except OSError:  # the file system has none
        return []


def open_text(path: Path, max_bytes: int, within: Path | None = None) -> OpenedFile:
    """Read a file so that it can be written back, if it lies in the folder ``within``."""
    target = Path(os.path.realpath(path))
    data = load_bytes(path, max_bytes)
    return OpenedFile(path, target, data, _text_of(data, path, max_bytes), within)
