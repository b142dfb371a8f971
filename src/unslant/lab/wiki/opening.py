"""Opens a dump as a stream of bytes, whatever it is packed with, and hashes the file on the way."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import shutil
import subprocess  # the path is one argument behind the options: no shell sees it
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from unslant.lab.wiki.problems import DumpError

__all__ = ["DAMAGE", "Hashed", "Unpacked", "opened"]

DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError)
"""What a packed file that is cut short or damaged raises."""

_SEVEN_ZIP = {
    **dict.fromkeys(("7z", "7zz", "7za", "7zr"), ("x", "-so", "--")),
    "bsdtar": ("-x", "-O", "-f"),
}
"""Tools that unpack 7z, and how to have them write to a pipe; the path comes last."""


class _Readable(Protocol):
    def read1(self, size: int, /) -> bytes: ...


class Hashed(io.RawIOBase):
    """A file that knows the SHA-256 of what was read of it, and how much that was."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb", buffering=0)
        self._hash = hashlib.sha256()
        self.count = 0

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read into a buffer."""
        count = self._file.readinto(buffer)
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
def opened(path: Path) -> Iterator[tuple[Unpacked, Hashed]]:
    """Yield the unpacked stream and the file under it; which packing, the name tells."""
    try:
        file = Hashed(path)
    except OSError as error:
        raise DumpError("unreadable", f"{path}: {error.strerror}; check the path") from None
    with file:
        match path.suffix:
            case ".bz2":
                with bz2.BZ2File(io.BufferedReader(file, 1 << 20)) as stream:
                    yield Unpacked(stream, path), file
            case ".gz":
                with gzip.GzipFile(fileobj=io.BufferedReader(file, 1 << 20)) as stream:
                    yield Unpacked(stream, path), file
            case ".7z":
                with _seven_zip(path) as pipe:
                    yield Unpacked(pipe, path), file
            case _:
                yield Unpacked(file, path), file


@contextmanager
def _seven_zip(path: Path) -> Iterator[_Checked]:
    tool = next(filter(shutil.which, _SEVEN_ZIP), None)
    if tool is None:
        raise DumpError(
            "no 7z tool", f"{path}: no 7z tool is installed; install 7-Zip, or fetch the bz2 dump"
        )
    command = [str(shutil.which(tool)), *_SEVEN_ZIP[tool], str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:  # noqa: S603
        assert process.stdout is not None  # noqa: S101
        try:
            yield _Checked(process)
        finally:
            process.stdout.close()
            process.kill()


class _Checked:
    """The output of the tool; its failure shows at the end of what it gave."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def read1(self, size: int, /) -> bytes:
        assert isinstance(self._process.stdout, io.BufferedReader)  # noqa: S101
        block = self._process.stdout.read1(size)
        if not block and self._process.wait() != 0:
            raise EOFError("the 7z tool reports damage")
        return block


class Unpacked:
    """A stream that gives all it can before it tells of damage."""

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
            raise DumpError("damaged", f"{self._path}: cut short or damaged; what came before was read")
        return b"".join(blocks)
