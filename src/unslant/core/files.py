"""The one door for files that come from outside: settings, baselines, prompts, cards, corpora.

Whatever a path leads to, a reader gets the content or raises an ``InputError`` with one sentence: it never waits for a
pipe, never reads a device, never holds more than a limit, and no nesting is too deep for it. A file is written beside
its place, synced and renamed, so that a reader sees the old content or the new.
"""

from __future__ import annotations

import errno
import io
import json
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from unslant.core.errors import InputError

MAX_BYTES = 64 << 20
"""The largest settings, baseline, card or list that is read; texts and corpora have limits of their own."""

_SPECIAL = (
    (stat.S_ISDIR, "a folder, not a file"),
    (stat.S_ISFIFO, "a pipe, not a regular file"),
    (stat.S_ISSOCK, "a socket, not a regular file"),
    (stat.S_ISCHR, "a device, not a regular file"),
    (stat.S_ISBLK, "a device, not a regular file"),
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

_UNWRITTEN = {
    errno.EACCES: "cannot be written; check its permissions and those of its folder",
    errno.EPERM: "cannot be written; check its permissions and those of its folder",
    errno.EISDIR: "cannot be written: it is a folder",
    errno.ENOENT: "cannot be written: its folder does not exist",
    errno.ENOSPC: "cannot be written: the disk is full",
    errno.ENOTDIR: "cannot be written: a part of its path is not a folder",
    errno.EROFS: "cannot be written: the file system is read-only",
}


class NotRegular(OSError):
    """The path leads to a folder, pipe, socket or device; the message says which."""


def quote_name(name: str | os.PathLike[str]) -> str:
    """Return a file name for a message: quoted, with line ends and control codes escaped."""
    return repr(os.fspath(name))


def explain(name: str | os.PathLike[str], error: OSError | ValueError) -> str:
    """Return a sentence about a file that could not be read."""
    return f"{quote_name(name)} {_reason(error, _REASONS, 'read')}"


def explain_unwritten(name: str | os.PathLike[str], error: OSError | ValueError) -> str:
    """Return a sentence about a file or folder that could not be written."""
    return f"{quote_name(name)} {_reason(error, _UNWRITTEN, 'written')}"


def _reason(error: OSError | ValueError, known: dict[int, str], done: str) -> str:
    if isinstance(error, NotRegular):
        return f"is {error}" if done == "read" else f"cannot be written: it is {error}"
    if isinstance(error, OSError) and error.errno is not None:
        return known.get(error.errno) or f"cannot be {done}: {os.strerror(error.errno)}"
    return f"cannot be {done}: {error}"


def open_regular(path: str | os.PathLike[str]) -> io.FileIO:
    """Open a file for reading, unbuffered; raise ``OSError`` or ``ValueError`` for anything but a regular file.

    Neither opening nor reading ever waits: a pipe would wait for its writer, and some files of the system for news.
    """
    _require_regular(Path(path).stat().st_mode)
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0))
    try:
        # what the name leads to may have changed since
        _require_regular(os.fstat(descriptor).st_mode)
        return io.FileIO(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _require_regular(mode: int) -> None:
    for is_special, what in _SPECIAL:
        if is_special(mode):
            raise NotRegular(what)


def read_bytes(
    path: str | os.PathLike[str], error: type[InputError] = InputError, *, max_bytes: int = MAX_BYTES
) -> bytes:
    """Return the content of a file, or raise ``error`` with a sentence that names it."""
    try:
        with open_regular(path) as stream:
            parts: list[bytes] = []
            # what it says of its size may be wrong, but a file that says it is too large need not be read
            held = os.fstat(stream.fileno()).st_size
            if held <= max_bytes:
                # in one piece if it is right: joining pieces of a large file takes as long as reading it
                step, held = max(1 << 20, held + 1), 0
                while part := stream.read(min(step, max_bytes + 1 - held)):
                    parts.append(part)
                    held += len(part)
    except (OSError, ValueError) as problem:
        raise error(explain(path, problem)) from problem
    if held > max_bytes:
        raise error(
            f"{quote_name(path)} has more than the {max_bytes:,} bytes that can be read; is it the right file?"
        )
    return b"".join(parts)


def read_text(
    path: str | os.PathLike[str], error: type[InputError] = InputError, *, max_bytes: int = MAX_BYTES
) -> str:
    """Return the text of a file in UTF-8, with or without a byte order mark; line ends are those of Unix."""
    content = read_bytes(path, error, max_bytes=max_bytes)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise error(f"{quote_name(path)} is not UTF-8 text (line {line}); save it as UTF-8") from problem
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_json(
    path: str | os.PathLike[str], error: type[InputError] = InputError, *, max_bytes: int = MAX_BYTES
) -> Any:
    """Return the value in a JSON file."""
    return parse_json(read_text(path, error, max_bytes=max_bytes), quote_name(path), error)


def read_toml(path: str | os.PathLike[str], error: type[InputError] = InputError) -> dict[str, Any]:
    """Return the table in a TOML file."""
    return parse_toml(read_text(path, error), quote_name(path), error)


def parse_json(text: str | bytes, name: str, error: type[InputError] = InputError) -> Any:
    """Parse JSON; ``name`` begins the message if it is not valid."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as problem:
        what = problem.msg[:1].lower() + problem.msg[1:]
        raise error(f"{name} is not valid JSON (line {problem.lineno}): {what}") from problem
    except RecursionError as problem:
        raise error(f"{name} is not valid JSON: it is nested too deeply") from problem
    except ValueError as problem:  # not UTF-8, or a number of thousands of digits
        raise error(f"{name} is not valid JSON: {problem}") from problem


def parse_toml(text: str, name: str, error: type[InputError] = InputError) -> dict[str, Any]:
    """Parse TOML; ``name`` begins the message if it is not valid."""
    import tomllib

    try:
        return tomllib.loads(text)
    except RecursionError as problem:
        raise error(f"{name} is not valid TOML: it is nested too deeply") from problem
    except ValueError as problem:
        raise error(f"{name} is not valid TOML: {problem}") from problem


def cache_folder() -> Path:
    """Return the folder of the cache: ``UNSLANT_CACHE_DIR``, or the system's cache folder."""
    named = os.environ.get("UNSLANT_CACHE_DIR")
    if named:
        return Path(named)
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("unslant", appauthor=False))


def make_folder(path: Path, error: type[InputError] = InputError) -> None:
    """Make a folder and those above it, or raise ``error`` with a sentence."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as problem:
        raise error(f"{quote_name(path)} is a file, not a folder") from problem
    except (OSError, ValueError) as problem:
        raise error(explain_unwritten(path, problem)) from problem


def write_text(path: Path, text: str, error: type[InputError] = InputError) -> None:
    """Write a result in UTF-8, or raise ``error`` with a sentence; a device such as ``/dev/stdout`` is written to."""
    try:
        with path.open("w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except (OSError, ValueError) as problem:
        raise error(explain_unwritten(path, problem)) from problem


def write_atomic(path: Path, data: bytes, mode: int = 0o666, *, sync: bool = True) -> None:
    """Replace a file in one step; readers never see half of it, and a failure leaves the old file unchanged.

    ``mode`` are the permissions, before the user's umask. A link stays a link. Without ``sync``, a power failure can
    leave an empty file. A device or pipe is refused, because a file would take its place.
    """
    target = Path(os.path.realpath(path))
    with suppress(FileNotFoundError):
        _require_regular(target.lstat().st_mode)
    part = temporary_beside(target)
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
            stream.write(data)
            if sync:
                stream.flush()
                os.fsync(stream.fileno())
        part.replace(target)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
    if sync:
        sync_folder(target.parent)


def temporary_beside(target: Path) -> Path:
    """Return a hidden name in the same folder that no other process uses."""
    return target.with_name(f".{target.name[:100]}.{os.getpid():x}{os.urandom(4).hex()}.tmp")


def sync_folder(folder: Path) -> None:
    """Make renames in a folder last; some file systems cannot, and need not."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
