"""Files that somebody puts in the way, between one step and the next."""

from __future__ import annotations

import io
import os
import threading
from pathlib import Path

import pytest

from unslant.core import files
from unslant.core.errors import InputError, SourceError
from unslant.core.files import NotRegular, open_regular, write_atomic
from unslant.core.programs import find_program
from unslant.workspace import files as text_files
from unslant.workspace.files import open_text


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def test_a_file_that_becomes_a_pipe_is_refused_without_waiting(
    pipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name led to a file when it was looked at, and leads to a pipe when it is opened."""
    real, calls = files._require_regular, []

    def fooled(mode: int) -> None:
        calls.append(mode)
        if len(calls) > 1:
            real(mode)

    monkeypatch.setattr(files, "_require_regular", fooled)
    raised: list[BaseException] = []

    def attempt() -> None:
        try:
            open_regular(pipe).close()
        except OSError as error:
            raised.append(error)

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(10)
    waited = thread.is_alive()
    if waited:
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        thread.join(10)
    assert not waited
    assert [type(error) for error in raised] == [NotRegular]


def test_what_is_no_file_is_not_even_opened(pipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening alone has effects: a tape rewinds, and a writer that waits for a reader goes on."""
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("it was opened"))
    with pytest.raises(NotRegular):
        open_regular(pipe)


def test_descriptors_are_given_back(pipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "stat", lambda _: os.stat(tmp_path / "file"))  # noqa: PTH116
    (tmp_path / "file").write_text("x")
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0  # noqa: PTH208
    for _ in range(20):
        with pytest.raises(NotRegular):
            open_regular(pipe)
    after = len(os.listdir("/proc/self/fd")) if before else 0  # noqa: PTH208
    assert after == before


def test_a_link_in_place_of_the_temporary_file_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim, laid, target = tmp_path / "victim", tmp_path / "laid", tmp_path / "target"
    victim.write_text("mine")
    for module in (files, text_files):
        monkeypatch.setattr(module, "temporary_beside", lambda _: laid)
    laid.symlink_to(victim)
    with pytest.raises(FileExistsError):
        write_atomic(target, b"new")
    target.write_text("old")
    laid.unlink(missing_ok=True)
    laid.symlink_to(victim)
    with pytest.raises(SourceError):
        open_text(target, 100).write("new")
    assert (victim.read_text(), target.read_text()) == ("mine", "old")


def test_temporary_names_cannot_be_guessed(tmp_path: Path) -> None:
    names = {files.temporary_beside(tmp_path / "a").name for _ in range(50)}
    assert len(names) == 50


@pytest.mark.parametrize("folder", ["", ".", "bin", "./bin"])
def test_programs_are_found_only_by_absolute_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    (tmp_path / "bin").mkdir()
    for place in (tmp_path, tmp_path / "bin"):
        (place / "tool").write_text("#!/bin/sh\n")
        (place / "tool").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", folder)
    assert find_program("tool") is None
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{tmp_path / 'bin'}")
    assert find_program("tool") == str(tmp_path / "bin" / "tool")


def test_no_more_is_read_than_the_limit_and_a_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of the system may have no end, whatever it says of its size."""

    class Endless(io.FileIO):
        given = 0

        def read(self, size: int | None = -1) -> bytes:  # type: ignore[override]
            asked = 0 if size is None else size
            assert self.given + asked <= 1_001
            self.given += min(asked, 300)
            return b"a" * min(asked, 300)

    (tmp_path / "empty").touch()
    monkeypatch.setattr(files, "open_regular", Endless)
    with pytest.raises(InputError, match="more than the 1,000 bytes"):
        files.read_bytes(tmp_path / "empty", max_bytes=1_000)
