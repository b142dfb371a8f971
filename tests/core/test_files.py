"""Whatever a path leads to: the content, or one sentence that says why not."""

from __future__ import annotations

import json
import os
import socket
import stat
from pathlib import Path

import pytest

from unslant.core import files
from unslant.core.errors import ConfigError, InputError, ModelError
from unslant.core.files import (
    NotRegular,
    cache_folder,
    explain,
    explain_unwritten,
    make_folder,
    open_regular,
    parse_json,
    parse_toml,
    quote_name,
    read_bytes,
    read_json,
    read_text,
    read_toml,
    temporary_beside,
    write_atomic,
    write_text,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\r\ntwo\rthree\n")
    return path


def test_bytes_are_read_as_they_are_and_text_with_the_line_ends_of_unix(file: Path) -> None:
    assert read_bytes(file) == b"one\r\ntwo\rthree\n"
    assert read_text(file) == "one\ntwo\nthree\n"


def test_a_byte_order_mark_is_not_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "mark.json"
    path.write_bytes(b"\xef\xbb\xbf[1]")
    assert read_text(path) == "[1]"
    assert read_json(path) == [1]


@pytest.mark.parametrize(("limit", "fits"), [(15, True), (14, False), (0, False)])
def test_a_file_may_be_as_long_as_the_limit_and_no_longer(file: Path, limit: int, fits: bool) -> None:
    if fits:
        assert len(read_bytes(file, max_bytes=limit)) == 15
        return
    with pytest.raises(InputError, match=f"has more than the {limit} bytes that can be read"):
        read_bytes(file, max_bytes=limit)


def test_a_file_that_states_no_size_is_not_read_beyond_the_limit() -> None:
    """Files of the system state a size of 0."""
    path = Path("/proc/self/status")
    if not path.exists():
        pytest.skip("this system has no /proc")
    assert read_bytes(path).startswith(b"Name:")
    with pytest.raises(InputError, match="has more than the 5 bytes"):
        read_bytes(path, max_bytes=5)


def test_an_empty_file_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    assert read_bytes(path) == b""
    assert read_text(path) == ""


def make_special(folder: Path, kind: str) -> Path:
    path = folder / kind
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "broken":
        path.symlink_to(folder / "nothing")
    elif kind == "below":
        (folder / "file").touch()
        path = folder / "file" / "inside"
    elif kind == "long":
        path = folder / ("a" * 300)
    elif kind == "zero":
        path = folder / "a\0b"
    return path


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("folder", "is a folder, not a file"),
        ("pipe", "is a pipe, not a regular file"),
        ("loop", "is a link that leads back to itself"),
        ("broken", "does not exist; check the spelling"),
        ("missing", "does not exist; check the spelling"),
        ("below", "a part of its path is not a folder"),
        ("long", "has too long a name"),
        ("zero", "cannot be read: embedded null byte"),
    ],
)
def test_what_is_no_file_is_named_in_one_sentence_and_nobody_waits(
    tmp_path: Path, kind: str, reason: str
) -> None:
    path = make_special(tmp_path, kind)
    with pytest.raises(ConfigError, match=reason) as raised:
        read_bytes(path, ConfigError)
    assert str(raised.value).startswith(quote_name(path))
    assert "\n" not in str(raised.value)


def test_sockets_and_devices_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket may not be long
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        with pytest.raises(NotRegular, match="a socket"):
            open_regular("s")
    with pytest.raises(NotRegular, match="a device"):
        open_regular(os.devnull)


def test_an_opened_file_is_closed_by_its_reader(file: Path) -> None:
    with open_regular(file) as stream:
        assert stream.read(3) == b"one"
        assert not os.get_inheritable(stream.fileno())
    assert stream.closed


def test_a_name_cannot_write_to_the_terminal() -> None:
    assert quote_name("a\nb\x1b[31m") == r"'a\nb\x1b[31m'"
    assert quote_name(Path("docs/a.md")) == "'docs/a.md'"


@pytest.mark.parametrize(
    ("content", "line"), [(b"\xff", 1), (b"fine\nfine\n\xe9t\xe9\n", 3), (b"a\r\nb\r\n\x80", 3)]
)
def test_text_that_is_not_utf_8_is_named_with_its_line(tmp_path: Path, content: bytes, line: int) -> None:
    path = tmp_path / "latin"
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"is not UTF-8 text \(line {line}\); save it as UTF-8"):
        read_text(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expecting value"),
        ("{", r"line 1\): expecting property name"),
        ('{"a": 1,\n "b" 2}', r"line 2\): expecting ':' delimiter"),
        ("[" * 200_000, "it is nested too deeply"),
        ("1" * 5_000, "is not valid JSON: Exceeds the limit"),
        (b"\xff\xff[]", "is not valid JSON"),
    ],
)
def test_json_that_is_none_is_explained(text: str | bytes, message: str) -> None:
    with pytest.raises(ModelError, match=message) as raised:
        parse_json(text, "'a.json'", ModelError)
    assert str(raised.value).startswith("'a.json' is not valid JSON")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = ", "Invalid value"),
        ("a = 1\na = 2", "Cannot overwrite"),
        ("a = " + "[" * 5_000, "nested too deeply"),
    ],
)
def test_toml_that_is_none_is_explained(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as raised:
        parse_toml(text, "'a.toml'", ConfigError)
    assert str(raised.value).startswith("'a.toml' is not valid TOML")


def test_json_and_toml_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": [1, null]}')
    (tmp_path / "a.toml").write_text("a = [1]\n")
    assert read_json(tmp_path / "a.json") == {"a": [1, None]}
    assert read_toml(tmp_path / "a.toml") == {"a": [1]}
    with pytest.raises(InputError, match=r"a\.json' has more than the 3 bytes"):
        read_json(tmp_path / "a.json", max_bytes=3)


def test_the_cache_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UNSLANT_CACHE_DIR", str(tmp_path / "c"))
    assert cache_folder() == tmp_path / "c"
    monkeypatch.setenv("UNSLANT_CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert cache_folder().name == "unslant"


def test_folders_are_made_with_those_above_them(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="is a file, not a folder"):
        make_folder(tmp_path / "file", ConfigError)
    with pytest.raises(ConfigError, match="cannot be written: a part of its path is not a folder"):
        make_folder(tmp_path / "file" / "inside", ConfigError)


def test_a_result_is_written_in_utf_8_with_the_line_ends_of_unix(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "naïve\n")
    assert (tmp_path / "a.txt").read_bytes() == "naïve\n".encode()
    for path, reason in ((tmp_path, "it is a folder"), (tmp_path / "no" / "a", "its folder does not exist")):
        with pytest.raises(InputError, match=f"cannot be written: {reason}"):
            write_text(path, "x")
    write_text(Path(os.devnull), "x")


def test_a_file_is_replaced_in_one_step_and_leaves_nothing_beside_it(file: Path) -> None:
    write_atomic(file, b"new")
    assert file.read_bytes() == b"new"
    assert [path.name for path in file.parent.iterdir()] == ["a.txt"]


def test_a_link_stays_a_link(file: Path) -> None:
    link = file.with_name("link")
    link.symlink_to(file.name)
    write_atomic(link, b"new", sync=False)
    assert link.is_symlink()
    assert file.read_bytes() == b"new"


def test_permissions_are_those_asked_for_within_the_users_mask(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        write_atomic(tmp_path / "open", b"")
        write_atomic(tmp_path / "closed", b"", 0o600)
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "open").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "closed").stat().st_mode) == 0o600


def test_a_failure_leaves_the_old_file_and_no_other(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        write_atomic(file, b"new")
    assert file.read_bytes() == b"one\r\ntwo\rthree\n"
    assert [path.name for path in file.parent.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_nothing_takes_the_place_of_a_folder_or_a_pipe(tmp_path: Path, kind: str) -> None:
    path = make_special(tmp_path, kind)
    with pytest.raises(NotRegular, match=f"a {kind}"):
        write_atomic(path, b"new")
    assert path.exists()


def test_temporary_names_are_hidden_short_and_differ(tmp_path: Path) -> None:
    target = tmp_path / ("long" * 60)
    names = {temporary_beside(target).name for _ in range(50)}
    assert len(names) == 50
    assert all(name.startswith(".long") and name.endswith(".tmp") and len(name) < 255 for name in names)
    assert temporary_beside(target).parent == tmp_path


@pytest.mark.parametrize(
    ("error", "read", "written"),
    [
        (
            PermissionError(13, ""),
            "cannot be read; check its permissions",
            "cannot be written; check its permissions",
        ),
        (OSError(28, ""), "cannot be read: No space left on device", "cannot be written: the disk is full"),
        (
            OSError(30, ""),
            "cannot be read: Read-only file system",
            "cannot be written: the file system is read-only",
        ),
        (ValueError("odd"), "cannot be read: odd", "cannot be written: odd"),
        (NotRegular("a folder, not a file"), "is a folder, not a file", "cannot be written: it is a folder"),
    ],
)
def test_reasons(error: OSError | ValueError, read: str, written: str) -> None:
    assert explain("a", error).startswith(f"'a' {read}")
    assert explain_unwritten("a", error).startswith(f"'a' {written}")


def test_what_is_written_can_be_read_back(tmp_path: Path) -> None:
    value = {"text": "“naïve” 😀", "numbers": [1, 2.5, None, True]}
    write_atomic(tmp_path / "a.json", json.dumps(value).encode())
    assert read_json(tmp_path / "a.json") == value
