"""Reading and writing text files.

Line ends are kept, so that positions refer to the file as written. A byte order mark determines the encoding and is not
part of the text: position 0 is the first code point after it, as in editors. Files that are not text raise a
``SourceError`` with a one-sentence message. A file is written in one step, and only if it has not changed since it
was read.
"""

from __future__ import annotations

import codecs
import errno
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from unslant.core.errors import SourceError

__all__ = [
    "OpenedFile",
    "decode",
    "encode_like",
    "explain",
    "load_bytes",
    "load_text",
    "open_text",
    "quote_name",
    "read_stdin",
    "write_atomic",
]

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

_SPECIAL = (
    (stat.S_ISDIR, "a folder, not a file; pass its files, or let 'unslant check' search it"),
    (stat.S_ISFIFO, "a pipe, not a regular file; send it through standard input: unslant check -"),
    (stat.S_ISSOCK, "a socket, not a regular file; pass a text file"),
    (stat.S_ISCHR, "a device, not a regular file; pass a text file"),
    (stat.S_ISBLK, "a device, not a regular file; pass a text file"),
)

_REASONS = {
    errno.EACCES: "cannot be read; check its permissions",
    errno.EPERM: "cannot be read; check its permissions",
    errno.EISDIR: f"is {_SPECIAL[0][1]}",
    errno.ELOOP: "is a link that leads back to itself; remove it or point it at a file",
    errno.ENAMETOOLONG: "has too long a name; check the spelling",
    errno.ENOENT: "does not exist; check the spelling",
    errno.ENOTDIR: "does not exist: a part of its path is not a folder; check the spelling",
}

_CHUNK = 1 << 20


def quote_name(name: str | os.PathLike[str]) -> str:
    """Return a file name for a message: quoted, with line ends and control codes escaped."""
    return repr(os.fspath(name))


def explain(name: str | os.PathLike[str], error: OSError | ValueError) -> str:
    """Return a sentence about a file that could not be opened."""
    if isinstance(error, OSError) and error.errno is not None:
        reason = _REASONS.get(error.errno) or f"cannot be read: {os.strerror(error.errno)}"
    else:
        reason = f"cannot be read: {error}"
    return f"{quote_name(name)} {reason}"


def load_text(path: Path, max_bytes: int) -> str:
    """Return the text of a file, with its line ends; raise ``SourceError`` if it is not text."""
    data = load_bytes(path, max_bytes)
    if data.startswith(b"PK\x03\x04") and path.suffix.lower() in (".docx", ".odt"):
        from unslant.workspace.office import office_text

        return office_text(data, quote_name(path), max_bytes)
    return decode(data, path)


def load_bytes(path: Path, max_bytes: int) -> bytes:
    """Return the content of a file; raise ``SourceError`` if it is not a regular file or too large."""
    name = quote_name(path)
    try:
        # Opening a pipe would wait for its writer, so the type of the file is checked first.
        mode = path.stat().st_mode
        for is_special, what in _SPECIAL:
            if is_special(mode):
                raise SourceError(f"{name} is {what}")
        with path.open("rb", buffering=0) as stream:
            size = os.fstat(stream.fileno()).st_size
            if size > max_bytes:
                raise SourceError(_too_large(name, size, max_bytes))
            data = stream.readall()
    except (OSError, ValueError) as error:
        raise SourceError(explain(path, error)) from error
    if len(data) > max_bytes:
        raise SourceError(_too_large(name, len(data), max_bytes))
    return data


def read_stdin(stream: BinaryIO, max_bytes: int, name: str = "<stdin>") -> str:
    """Return the text of a stream; never hold more than ``max_bytes`` of it."""
    parts: list[bytes] = []
    held = 0
    try:
        while part := stream.read(min(_CHUNK, max_bytes + 1 - held)):
            parts.append(part)
            held += len(part)
            if held > max_bytes:
                raise SourceError(_too_large(quote_name(name), None, max_bytes))
    except (OSError, ValueError) as error:
        raise SourceError(explain(name, error)) from error
    return decode(b"".join(parts), name)


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
    data: bytes
    text: str

    def write(self, text: str) -> None:
        """Replace the file's text in one step; the encoding, byte order mark, line ends and permissions stay.

        Raise ``SourceError`` if the file is read-only or has changed since it was read.
        """
        name = quote_name(self.path)
        try:
            mode = self.path.stat().st_mode
            if not mode & _WRITABLE or not os.access(self.path, os.W_OK):
                raise SourceError(f"{name} is read-only and was not changed; make it writable first")
            if load_bytes(self.path, len(self.data) + 1) != self.data:
                raise SourceError(_changed_message(name))
            write_atomic(self.path, encode_like(text, self.data), stat.S_IMODE(mode))
            self.path.chmod(stat.S_IMODE(mode))
        except SourceError as error:
            # a file that has grown exceeds the expected size
            raise SourceError(_changed_message(name) if "max-bytes" in str(error) else str(error)) from None
        except OSError as error:
            raise SourceError(explain(self.path, error).replace("be read", "be written")) from error


def _changed_message(name: str) -> str:
    return f"{name} has changed since it was checked and was not written; run the command again"


def open_text(path: Path, max_bytes: int) -> OpenedFile:
    """Read a file so that it can be written back."""
    data = load_bytes(path, max_bytes)
    return OpenedFile(path, data, decode(data, path))


def write_atomic(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Replace a file in one step; readers never see half of it, and a failure leaves the old file unchanged.

    ``mode`` are the permissions, before the user's umask. A link stays a link.
    """
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{target.name[:100]}.{os.getpid():x}{os.urandom(4).hex()}.tmp")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
            stream.write(data)
        part.replace(target)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
