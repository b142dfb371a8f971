"""Changes since a git revision: the files that differ, with their old texts.

The working tree, staged or not, is compared with the revision; untracked files are new.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from unslant.core.errors import ConfigError, SourceError, nearest
from unslant.core.files import quote_name
from unslant.workspace.files import decode
from unslant.workspace.introduced import Introduced, find_introduced_by_file, introduced

__all__ = ["Changes", "Introduced", "changed_files", "introduced"]

_REGULAR = (b"100644", b"100755")


@dataclass(frozen=True, slots=True)
class Changes:
    """The files that differ from a revision."""

    old: Mapping[Path, str | None]
    """The old text of each file, by its real path, even if it was renamed; None for a new file."""
    gone: tuple[str, ...] = ()
    """The texts of deleted files."""

    def introduced(self, new: Mapping[Path, str]) -> dict[Path, Introduced]:
        """Return the new words of each text, by its real path.

        Pass all changed files, even those that are not checked, because words may have moved between them.
        """
        return find_introduced_by_file(self.old, new, self.gone)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file in a diff."""

    blob: str | None
    """The id of its old content; None if that was not a regular file."""
    old: str
    new: str | None
    """Its current path, relative to the top folder; None if it was deleted."""


def changed_files(root: Path, revision: str, wanted: Callable[[str], bool] = lambda _: True) -> Changes:
    """Return the files of the repository around ``root`` that differ from a revision, with their old texts.

    ``wanted`` decides by file name which files are read.
    """
    git = _Git(root)
    top = Path(os.path.realpath(git.top()))
    entries = [
        entry
        for entry in _entries(git.run("diff", "--raw", "-z", "--no-abbrev", "-M", git.tree(revision), "--"))
        if wanted(entry.old) or (entry.new is not None and wanted(entry.new))
    ]
    texts = git.texts([entry.blob for entry in entries if entry.blob])
    old: dict[Path, str | None] = {}
    gone = []
    for entry in entries:
        text = texts.get(entry.blob) if entry.blob else None
        if entry.new is not None:
            old[Path(os.path.realpath(top / entry.new))] = text
        elif text is not None:
            gone.append(text)
    for name in git.run("ls-files", "--others", "--exclude-standard", "-z").split(b"\0"):
        if name and wanted(os.fsdecode(name)):
            old.setdefault(Path(os.path.realpath(top / os.fsdecode(name))), None)
    return Changes(old, tuple(gone))


def _entries(raw: bytes) -> Iterator[_Entry]:
    """Read the records of ``git diff --raw -z``: modes, names, status, then one path or, if renamed, two."""
    fields = iter(raw.split(b"\0"))
    for head in fields:
        if not head:
            return
        old_mode, new_mode, blob, _, status = head.removeprefix(b":").split(b" ")
        old = os.fsdecode(next(fields))
        new = os.fsdecode(next(fields)) if status[:1] in b"RC" else old
        if new_mode in _REGULAR or old_mode in _REGULAR:
            yield _Entry(
                blob.decode() if old_mode in _REGULAR else None, old, new if new_mode in _REGULAR else None
            )


class _Git:
    """Runs git, without a shell; failures raise a ``ConfigError``."""

    def __init__(self, root: Path) -> None:
        import shutil

        program = shutil.which("git")
        if program is None:
            raise ConfigError("--since requires git, which is not installed")
        self._program = program
        self._root = root
        self._folder = root

    def top(self) -> str:
        """Return the top folder of the working tree; later commands run there."""
        code, out, err = self._call("rev-parse", "--show-toplevel")
        if code:
            raise ConfigError(
                f"--since requires a git repository, and {quote_name(self._root)} is not in one (git: {err})"
            )
        top = os.fsdecode(out.removesuffix(b"\n"))
        self._folder = Path(top)
        return top

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
        if self.run("rev-parse", "--is-shallow-repository").strip() == b"true":
            return "the clone is shallow: run 'git fetch --unshallow' first, or set 'fetch-depth: 0' in CI"
        names = os.fsdecode(self.run("for-each-ref", "--format=%(refname:short)")).split()
        close = nearest(revision, names)
        return f"did you mean {close!r}?" if close else "check the spelling, or fetch it first"

    def texts(self, blobs: Sequence[str]) -> dict[str, str]:
        """Return the texts of the blobs; blobs that are not text are left out."""
        texts: dict[str, str] = {}
        output = memoryview(
            self.run("cat-file", "--batch", given="\n".join(blobs).encode()) if blobs else b""
        )
        at = 0
        while at < len(output):
            end = at + bytes(output[at : at + 200]).index(b"\n")
            blob, _, size = bytes(output[at:end]).decode().partition(" blob ")
            at = end + 1
            if size:
                with suppress(SourceError):
                    texts[blob] = decode(bytes(output[at : at + int(size)]), blob)
                at += int(size) + 1
        return texts

    def run(self, *arguments: str, given: bytes = b"") -> bytes:
        """Return the output of git."""
        code, out, err = self._call(*arguments, given=given)
        if code:
            raise ConfigError(f"--since: 'git {arguments[0]}' failed (git: {err})")
        return out

    def _call(self, *arguments: str, given: bytes = b"") -> tuple[int, bytes, str]:
        import subprocess

        environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        try:
            # The program is git, found on the user's own path, and no shell reads the arguments.
            done = subprocess.run(  # noqa: S603
                [self._program, *arguments],
                cwd=self._folder,
                env=environment,
                input=given,
                capture_output=True,
                check=False,
            )
        except (OSError, ValueError) as error:
            return 1, b"", str(error)
        lines = done.stderr.decode(errors="backslashreplace").splitlines() or ["no reason given"]
        return done.returncode, done.stdout, lines[0].removeprefix("fatal: ")
