"""What a change introduced, with git's help: the old texts of the files that differ from a revision.

The work tree as it stands, staged or not, is compared with the revision; files git does not know yet are new.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from unslant.core.errors import ConfigError, SourceError, nearest
from unslant.workspace.files import decode, quoted
from unslant.workspace.introduced import Introduced, introduced, introduced_by_file

__all__ = ["Changes", "Introduced", "changed_files", "introduced"]

_REGULAR = (b"100644", b"100755")


@dataclass(frozen=True, slots=True)
class Changes:
    """The files that differ from a revision; in all others no word is new."""

    old: Mapping[Path, str | None]
    """By their paths without links: what each held, under whatever name; None: it is new."""
    gone: tuple[str, ...] = ()
    """What the files held that are no longer there."""

    def introduced(self, new: Mapping[Path, str]) -> dict[Path, Introduced]:
        """Return what is new in each of the texts, given by their paths without links.

        Give all changed files, whether or not they are to be checked, as words may have moved between them.
        """
        return introduced_by_file(self.old, new, self.gone)


@dataclass(frozen=True, slots=True)
class _Entry:
    """One file of a comparison."""

    blob: str | None
    """What it held, by its name in the repository; None: nothing that is text."""
    old: str
    new: str | None
    """Its path now, relative to the top; None: it is gone."""


def changed_files(root: Path, revision: str, wanted: Callable[[str], bool] = lambda _: True) -> Changes:
    """Return the files of the repository around ``root`` that differ from a revision, with their old texts.

    ``wanted`` says, by a file's name, whether it can hold prose; no others are read.
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
    """Asks git, without a shell; what git refuses is an error of one sentence."""

    def __init__(self, root: Path) -> None:
        import shutil

        program = shutil.which("git")
        if program is None:
            raise ConfigError("--since needs git, which is not installed; install it or leave --since out")
        self._program = program
        self._root = root
        self._folder = root

    def top(self) -> str:
        """Return the folder of the work tree; everything after is asked there."""
        code, out, err = self._ask("rev-parse", "--show-toplevel")
        if code:
            raise ConfigError(
                f"--since needs the work tree of a git repository, and {quoted(self._root)} is not in one "
                f"(git: {err})"
            )
        top = os.fsdecode(out.removesuffix(b"\n"))
        self._folder = Path(top)
        return top

    def tree(self, revision: str) -> str:
        """Return the name of what a revision holds."""
        if not revision.startswith("-"):
            code, out, _ = self._ask("rev-parse", "--verify", "--quiet", f"{revision}^{{tree}}")
            if not code:
                return out.decode().strip()
        raise ConfigError(f"--since: git knows no revision {revision!r} here; {self._advice(revision)}")

    def _advice(self, revision: str) -> str:
        if ".." in revision:
            first = revision.partition("..")[0] or "HEAD"
            return f"give one revision, not a range, for example: --since $(git merge-base {first} HEAD)"
        if self.run("rev-parse", "--is-shallow-repository").strip() == b"true":
            return "the clone is shallow: run 'git fetch --unshallow' first, or set 'fetch-depth: 0' in CI"
        names = os.fsdecode(self.run("for-each-ref", "--format=%(refname:short)")).split()
        close = nearest(revision, names)
        return f"did you mean {close!r}?" if close else "check the spelling, or fetch it first"

    def texts(self, blobs: Sequence[str]) -> dict[str, str]:
        """Return the texts of those of the blobs that are text."""
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
        """Return what git answers."""
        code, out, err = self._ask(*arguments, given=given)
        if code:
            raise ConfigError(f"--since: 'git {arguments[0]}' failed (git: {err})")
        return out

    def _ask(self, *arguments: str, given: bytes = b"") -> tuple[int, bytes, str]:
        import subprocess

        surroundings = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        try:
            # The program is git, found on the user's own path, and no shell reads the arguments.
            done = subprocess.run(  # noqa: S603
                [self._program, *arguments],
                cwd=self._folder,
                env=surroundings,
                input=given,
                capture_output=True,
                check=False,
            )
        except (OSError, ValueError) as error:
            return 1, b"", str(error)
        lines = done.stderr.decode(errors="backslashreplace").splitlines() or ["no reason given"]
        return done.returncode, done.stdout, lines[0].removeprefix("fatal: ")
