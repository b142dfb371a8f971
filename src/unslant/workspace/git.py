"""Asking git about a folder that may be hostile: the one home for running git.

A folder brings its own git configuration, and many of its settings are commands: filters, file-system monitors, hooks,
external diffs, text conversions, transports of missing objects. So git is asked only for what it stores (trees, blobs,
names), never to look at the content of the working tree, and whatever else could run a command is turned off. The
comparison with the working tree is ours: the hash of a file's bytes says whether it is as it was.
"""

from __future__ import annotations

import hashlib
import os
import subprocess  # no shell reads the arguments
import tempfile
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from unslant.core.errors import ConfigError, SourceError, nearest
from unslant.core.files import open_regular, quote_name
from unslant.core.programs import find_program
from unslant.workspace.files import decode

_SETTINGS = {
    "core.fsmonitor": "",
    "core.hooksPath": os.devnull,
    "core.untrackedCache": "false",
    "diff.external": "",
    "protocol.allow": "never",
    "safe.bareRepository": "explicit",  # a folder that only looks like the inside of a repository is none
}
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "",  # objects that a partial clone lacks are not fetched: a transport is a command
    "GIT_CONFIG_NOSYSTEM": "1",  # on some systems everybody can write to that file
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_SECONDS = 120.0
"""After this time git is stopped: a pipe in place of one of its files would keep it waiting for ever."""
_MAX_OUTPUT = 512 << 20
"""The most bytes that git may say: a few small trees that contain each other name more files than there is memory."""

_REGULAR = (b"100644", b"100755")


@dataclass(frozen=True, slots=True)
class WorkTree:
    """The names of the files in a working tree, relative to its top folder."""

    present: frozenset[str]
    """Files that git tracks, and others that it does not ignore; they need not exist."""
    left_out: frozenset[str]
    """Files that a sparse checkout leaves out: not there, and not deleted either."""


class Repository:
    """The repository around a folder; failures raise a ``ConfigError`` that begins with the option."""

    def __init__(self, root: Path) -> None:
        program = find_program("git")
        if program is None:
            raise ConfigError("--since requires git, which is not installed")
        self._program = program
        self._folder = root
        code, out, err = self._call("rev-parse", "--show-toplevel")
        if code:
            raise ConfigError(
                f"--since requires a git repository, and {quote_name(root)} is not in one (git: {err})"
            )
        self._folder = Path(os.path.realpath(os.fsdecode(out.removesuffix(b"\n"))))
        if not Path(os.path.realpath(root)).is_relative_to(self._folder):
            raise ConfigError(
                f"--since: the working tree of this repository is {quote_name(self._folder)} (core.worktree), "
                f"which does not contain {quote_name(root)}"
            )

    @property
    def top(self) -> Path:
        """The real path of the top folder of the working tree."""
        return self._folder

    def tree(self, revision: str) -> str:
        """Return the id of a revision's tree."""
        if not revision.startswith("-"):
            code, out, _ = self._call("rev-parse", "--verify", "--quiet", f"{revision}^{{tree}}")
            if not code:
                return out.decode().strip()
        raise ConfigError(f"--since: there is no git revision {revision!r}; {self._advice(revision)}")

    def _advice(self, revision: str) -> str:
        if ".." in revision:
            first = revision.partition("..")[0] or "HEAD"
            return f"use one revision, not a range, for example: --since $(git merge-base {first} HEAD)"
        if self._run("rev-parse", "--is-shallow-repository").strip() == b"true":
            return "the clone is shallow: run 'git fetch --unshallow' first, or set 'fetch-depth: 0' in CI"
        names = os.fsdecode(self._run("for-each-ref", "--format=%(refname:short)")).split()
        close = nearest(revision, names)
        return f"did you mean {close!r}?" if close else "check the spelling, or fetch it first"

    def files_of(self, tree: str) -> dict[str, str]:
        """Return the id of the blob of each regular file in a tree, by name."""
        files = {}
        for record in self._run("ls-tree", "-r", "-z", "--full-tree", tree).split(b"\0"):
            about, _, name = record.partition(b"\t")
            if about and (parts := about.split(b" "))[0] in _REGULAR:
                files[os.fsdecode(name)] = parts[2].decode()
        return files

    def work_tree(self) -> WorkTree:
        """Return what is in the working tree, as the index and the ignore files say."""
        others = self._run("ls-files", "-z", "--others", "--exclude-standard").split(b"\0")
        present = {os.fsdecode(name) for name in others if name}
        left_out: set[str] = set()
        for record in self._run("ls-files", "-z", "-t", "--cached").split(b"\0"):
            tag, _, name = record.partition(b" ")
            if name:
                (left_out if tag == b"S" else present).add(os.fsdecode(name))
        return WorkTree(frozenset(present), frozenset(left_out))

    def texts(self, names: Mapping[str, str], max_bytes: int) -> dict[str, str]:
        """Return the text of each blob; ``names`` maps their ids to file names.

        Blobs that are not text, or larger than ``max_bytes``, are left out.
        """
        small = []
        for line in self._ask("--batch-check", names).decode().splitlines():
            blob, kind, *size = line.split(" ")
            if kind == "missing":
                raise ConfigError(
                    f"--since: this clone lacks the old content of {quote_name(names[blob])}, and unslant does not "
                    "fetch; run 'git diff' with the same revision first"
                )
            if int(size[0]) <= max_bytes:
                small.append(blob)
        texts: dict[str, str] = {}
        output = memoryview(self._ask("--batch", small))
        at = 0
        while at < len(output):
            end = at + bytes(output[at : at + 200]).index(b"\n")
            blob, _, length = bytes(output[at:end]).decode().partition(" blob ")
            at = end + 1
            with suppress(SourceError):
                texts[blob] = decode(bytes(output[at : at + int(length)]), blob)
            at += int(length) + 1
        return texts

    def _ask(self, how: str, blobs: Collection[str]) -> bytes:
        return self._run("cat-file", how, given="\n".join(blobs).encode()) if blobs else b""

    def _run(self, *arguments: str, given: bytes = b"") -> bytes:
        code, out, err = self._call(*arguments, given=given)
        if code:
            raise ConfigError(f"--since: 'git {arguments[0]}' failed (git: {err})")
        return out

    def _call(self, *arguments: str, given: bytes = b"") -> tuple[int, bytes, str]:
        """Return the exit code of git, what it said, and why it failed."""
        settings = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
        command = [self._program, "--no-pager", *settings, *arguments]
        try:
            with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as complaints:
                asked.write(given)
                asked.seek(0)
                with subprocess.Popen(  # noqa: S603 - git, from a folder that the user chose
                    command,
                    cwd=self._folder,
                    env={**os.environ, **_ENVIRONMENT},
                    stdin=asked,
                    stdout=subprocess.PIPE,
                    stderr=complaints,
                ) as process:
                    assert process.stdout is not None  # noqa: S101
                    stop = Timer(_SECONDS, process.kill)
                    stop.start()
                    try:
                        out = process.stdout.read(_MAX_OUTPUT + 1)
                        if len(out) > _MAX_OUTPUT:
                            return 1, b"", "the repository names more files than can be read"
                        # it may have closed its output and still wait
                        process.wait()
                    finally:
                        timely = stop.is_alive()
                        stop.cancel()
                        process.kill()
                complaints.seek(0)
                lines = complaints.read(10_000).decode(errors="backslashreplace").splitlines()
        except (OSError, ValueError) as error:
            return 1, b"", str(error)
        if not timely:
            return 1, b"", f"no answer in {_SECONDS:g} seconds"
        return process.returncode, out, (lines or ["no reason given"])[0].removeprefix("fatal: ")


def blob_id(path: Path, like: str, max_bytes: int) -> str | None:
    """Return the id that git would give to a file's bytes, by the hash that made ``like``.

    None if the file cannot be read, or is larger than ``max_bytes``.
    """
    try:
        with open_regular(path) as stream:
            size = os.fstat(stream.fileno()).st_size
            if size > max_bytes:
                return None
            digest = hashlib.new("sha1" if len(like) == 40 else "sha256", usedforsecurity=False)
            digest.update(b"blob %d\0" % size)
            while size > 0 and (part := stream.read(min(size, 1 << 20))):
                digest.update(part)
                size -= len(part)
            return digest.hexdigest()
    except (OSError, ValueError):
        return None
