"""Every sort of file that may be given by mistake gets one sentence; every text comes back as written."""

from __future__ import annotations

import io
import os
import socket
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.errors import SourceError
from unslant.workspace.files import decode, load_text, read_stdin

LIMIT = 10_000


def written(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "page.txt"
    path.write_bytes(data)
    return path


def refusal(path: Path, limit: int = LIMIT) -> str:
    with pytest.raises(SourceError) as caught:
        load_text(path, limit)
    message = str(caught.value)
    assert repr(str(path)) in message
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    "text",
    ["", "plain", "a\r\nb\rc\n", "é\u0301 👩‍🚒 שלום", "NUL \0 in prose", "\ufeff".join("ab")],
)
def test_text_comes_back_as_written(tmp_path: Path, text: str) -> None:
    assert load_text(written(tmp_path, text.encode()), LIMIT) == text


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_honoured_and_left_out(tmp_path: Path, encoding: str) -> None:
    assert load_text(written(tmp_path, "Grüße\r\n".encode(encoding)), LIMIT) == "Grüße\r\n"


@pytest.mark.parametrize(
    ("mark", "encoding"), [(b"\xfe\xff", "utf-16-be"), (b"\x00\x00\xfe\xff", "utf-32-be")]
)
def test_the_other_byte_order_is_honoured_too(tmp_path: Path, mark: bytes, encoding: str) -> None:
    assert load_text(written(tmp_path, mark + "Grüße".encode(encoding)), LIMIT) == "Grüße"


@settings(max_examples=60)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_any_utf8_is_read_unless_it_begins_like_another_sort_of_file(text: str) -> None:
    assert decode(("A" + text).encode(), "page.txt") == "A" + text


def test_a_missing_file(tmp_path: Path) -> None:
    assert "does not exist; check the spelling" in refusal(tmp_path / "none.md")


def test_a_file_inside_a_file(tmp_path: Path) -> None:
    assert "not a folder" in refusal(written(tmp_path, b"x") / "inner.md")


def test_a_directory(tmp_path: Path) -> None:
    assert "is a folder" in refusal(tmp_path)


def test_a_link_to_itself(tmp_path: Path) -> None:
    path = tmp_path / "loop.md"
    path.symlink_to(path)
    assert "link that leads back to itself" in refusal(path)


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    assert "too long a name" in refusal(tmp_path / ("x" * 300))
    assert "cannot be read" in refusal(tmp_path / "nul\0byte")


def test_terminal_codes_in_a_name_are_escaped(tmp_path: Path) -> None:
    assert "\x1b" not in refusal(tmp_path / "\x1b[31mred\n.md")


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert "is a pipe" in refusal(path)


def test_a_device_and_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "is a device" in refusal(Path(os.devnull))
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        assert "is a socket" in refusal(Path("s"))


def test_too_many_bytes_name_the_size_and_the_setting(tmp_path: Path) -> None:
    path = written(tmp_path, b"x" * 1235)
    assert load_text(path, 1235) == "x" * 1235
    message = refusal(path, 1234)
    assert "1,235 bytes" in message
    assert "'max-bytes'" in message


@pytest.mark.parametrize(
    ("start", "advice"),
    [
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"%PDF-1.7\nplain so far", "pdftotext"),
        (b"\x7fELF\x02\x01", "program"),
        (b"\x1f\x8b\x08\x00", "unpack"),
        (b"{\\rtf1 Hello}", "plain text"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "plain text"),
    ],
)
def test_known_sorts_of_binary_files_come_with_advice(tmp_path: Path, start: bytes, advice: str) -> None:
    assert advice in refusal(written(tmp_path, start))


def test_an_office_document(tmp_path: Path) -> None:
    path = tmp_path / "report.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "<w:document/>")
    assert "docx" in refusal(path)


def test_unknown_binary_data(tmp_path: Path) -> None:
    assert "looks binary" in refusal(written(tmp_path, b"\x00\x01\xff\xfe\x80"))


def test_another_encoding_names_the_place_and_the_remedy(tmp_path: Path) -> None:
    message = refusal(written(tmp_path, "one\ntwo caf\xe9\n".encode("latin-1")))
    assert "byte 0xe9 at offset 11 (line 2)" in message
    assert "iconv" in message


def test_broken_utf16_counts_bytes_from_the_start_of_the_file(tmp_path: Path) -> None:
    data = b"\xff\xfe" + "ab\n".encode("utf-16-le") + b"\x00\xdc" + "c".encode("utf-16-le")
    message = refusal(written(tmp_path, data))
    assert "UTF-16-LE" in message
    assert "at offset 8 (line 2)" in message


@pytest.mark.parametrize("encoding", ["UTF-16LE", "UTF-16BE"])
def test_utf16_without_a_mark_is_not_taken_for_clean_text(tmp_path: Path, encoding: str) -> None:
    message = refusal(written(tmp_path, "A legendary speech.".encode(encoding)))
    assert f"iconv -f {encoding} -t UTF-8" in message


def test_standard_input_is_read_alike() -> None:
    assert read_stdin(io.BytesIO("a\r\né".encode()), LIMIT) == "a\r\né"
    assert read_stdin(io.BytesIO(b""), LIMIT) == ""
    with pytest.raises(SourceError, match="'<stdin>' is not valid UTF-8"):
        read_stdin(io.BytesIO(b"\xe9 "), LIMIT)


def test_endless_input_is_cut_short() -> None:
    with Path("/dev/zero").open("rb") as endless, pytest.raises(SourceError, match="max-bytes"):
        read_stdin(endless, 3_000_000)


def test_input_that_cannot_be_read() -> None:
    closed = io.BytesIO(b"x")
    closed.close()
    with pytest.raises(SourceError, match="cannot be read"):
        read_stdin(closed, LIMIT)


def test_nul_in_every_place_is_no_utf16() -> None:
    text = "a\0" * 60 + "\0b" * 10
    assert decode(text.encode(), "a.txt") == text
