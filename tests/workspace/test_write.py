"""A user's file is never at risk: what is on the disk is the old text or the new, whole, with the same owner."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from unslant.core.errors import ConfigError, SourceError
from unslant.core.files import NotRegular, write_atomic
from unslant.workspace.baseline import write as write_baseline
from unslant.workspace.discover import Failure, discover
from unslant.workspace.files import open_text

LIMIT = 10_000_000


def page(tmp_path: Path, text: str = "old") -> Path:
    path = tmp_path / "page.md"
    path.write_text(text)
    return path


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.endswith(".tmp")]


def test_permissions_and_attributes_stay(tmp_path: Path) -> None:
    path = page(tmp_path)
    path.chmod(0o2640)
    try:
        os.setxattr(path, "user.note", b"kept")
    except OSError:
        pytest.skip("the file system has no extended attributes")
    open_text(path, LIMIT).write("new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o2640
    assert os.getxattr(path, "user.note") == b"kept"


def test_another_name_of_the_file_keeps_the_old_text(tmp_path: Path) -> None:
    path = page(tmp_path)
    other = tmp_path / "other.md"
    other.hardlink_to(path)
    open_text(path, LIMIT).write("new")
    assert (path.read_text(), other.read_text()) == ("new", "old")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_the_owner_of_the_file_stays_its_owner(tmp_path: Path) -> None:
    path = page(tmp_path)
    os.chown(path, 12_345, 23_456)
    open_text(path, LIMIT).write("new")
    assert (path.stat().st_uid, path.stat().st_gid) == (12_345, 23_456)


def test_a_file_whose_owner_cannot_be_kept_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = page(tmp_path)
    opened = open_text(path, LIMIT)
    own = os.fstat

    def of_another(descriptor: int) -> os.stat_result:
        found = own(descriptor)
        return os.stat_result((*found[:4], found.st_uid + 1, *found[5:]))

    def refuse(*_: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fstat", of_another)
    monkeypatch.setattr(os, "fchown", refuse)
    with pytest.raises(SourceError, match="belongs to another user or group"):
        opened.write("new")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert not leftovers(tmp_path)


@pytest.mark.parametrize("change", ["content", "longer", "deleted", "pipe", "link"])
def test_a_file_that_changed_in_the_meantime_is_refused(tmp_path: Path, change: str) -> None:
    path = page(tmp_path)
    opened = open_text(path, LIMIT)
    other = tmp_path / "other.md"
    other.write_text("old")
    match change:
        case "content":
            path.write_text("odd")
        case "longer":
            path.write_text("old and more")
        case "deleted":
            path.unlink()
        case "pipe":
            path.unlink()
            os.mkfifo(path)
        case "link":
            path.unlink()
            path.symlink_to(other)
    with pytest.raises(
        SourceError, match=r"has changed since it was checked|does not exist|cannot be written"
    ):
        opened.write("new")
    assert other.read_text() == "old"
    assert not leftovers(tmp_path)


def test_a_link_inside_the_folder_stays_a_link_and_one_out_of_it_is_not_followed(tmp_path: Path) -> None:
    inside, outside = tmp_path / "project", tmp_path / "private"
    inside.mkdir()
    outside.mkdir()
    (inside / "real.md").write_text("old")
    (outside / "secret.md").write_text("old")
    (inside / "near.md").symlink_to("real.md")
    (inside / "far.md").symlink_to(outside / "secret.md")
    (inside / "folder").symlink_to(outside)
    open_text(inside / "near.md", LIMIT, inside).write("new")
    assert (inside / "near.md").is_symlink()
    assert (inside / "real.md").read_text() == "new"
    for name in ("far.md", "folder/secret.md"):
        with pytest.raises(SourceError, match=r"is a link to .*secret\.md', outside of the folder"):
            open_text(inside / name, LIMIT, inside).write("new")
    assert (outside / "secret.md").read_text() == "old"


def test_the_folder_is_the_one_that_the_user_named(tmp_path: Path) -> None:
    page(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "link.md").symlink_to("../page.md")
    wide, narrow, named = (
        {
            found.display: found.within
            for found in discover([str(argument)], {".md"})
            if not isinstance(found, Failure)
        }
        for argument in (tmp_path, tmp_path / "sub", tmp_path / "sub" / "link.md")
    )
    assert set(wide.values()) == {tmp_path}
    assert set(narrow.values()) == set(named.values()) == {tmp_path / "sub"}


def test_a_device_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(NotRegular):
        write_atomic(pipe, b"x")
    with pytest.raises(ConfigError, match="a device, not a regular file"):
        write_baseline(Path(os.devnull), {})
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


LOOP = """
import sys
from pathlib import Path
from unslant.workspace.files import open_text

path = Path(sys.argv[1])
print("ready", flush=True)
while True:
    opened = open_text(path, 10_000_000)
    opened.write(("b" if opened.text.startswith("a") else "a") * 300_000)
"""


def writer(path: Path, ending: str = "") -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", ending + LOOP, str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def whole(path: Path) -> bool:
    return path.read_bytes() in (b"a" * 300_000, b"b" * 300_000)


@pytest.mark.parametrize("rounds", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_at_any_time_the_file_is_the_old_or_the_new_one(tmp_path: Path, rounds: int) -> None:
    path = page(tmp_path, "a" * 300_000)
    for number in range(rounds):
        process = writer(path)
        time.sleep(0.002 + 0.0017 * (number % 30))
        process.kill()
        process.communicate()
        assert whole(path), f"after kill {number}"


def test_terminated_it_leaves_no_temporary_file(tmp_path: Path) -> None:
    path = page(tmp_path, "a" * 300_000)
    # what the command line does with the signal
    ending = (
        "import signal; from unslant.cli.main import _terminate; signal.signal(signal.SIGTERM, _terminate)\n"
    )
    for number in range(4):
        process = writer(path, ending + "import sys; sys.excepthook = lambda *_: None\n")
        time.sleep(0.004 + 0.003 * number)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=300)
        assert whole(path)
        assert not leftovers(tmp_path)
