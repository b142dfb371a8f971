"""Office documents over HTTP: read, changed, bounded, and never stored."""

from __future__ import annotations

import base64
import io
import tracemalloc
import zipfile
from typing import Any

import pytest

from tests.workspace.test_tracked_changes import BODY, parts, text_of, word
from unslant.workspace.office import office_text

from .conftest import Server


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def archive(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as opened:
        for name, content in members.items():
            opened.writestr(name, content)
    return out.getvalue()


def refusal(server: Server, data: bytes, path: str = "/v1/document/text") -> tuple[int, str]:
    answer = server.post(path, {"name": "hall.docx", "data": encoded(data)})
    return answer.status_code, answer.json()["error"]["message"]


def test_the_text_is_what_the_command_reads(server: Server) -> None:
    answer = server.post("/v1/document/text", {"name": "hall.docx", "data": encoded(word())}).json()
    assert answer == {
        "text": office_text(word(), "hall.docx", 10_000_000),
        "format": "paragraphs",
        "tracks_changes": True,
    }


def test_edits_become_tracked_changes_and_remarks_comments(server: Server) -> None:
    text = office_text(word(), "hall.docx", 10_000_000)
    at, experts = text.index("legendary "), text.index("so-called")
    payload: dict[str, Any] = {
        "data": encoded(word()),
        "edits": [{"start": at, "end": at + len("legendary "), "replacement": ""}],
        "comments": [{"start": experts, "end": experts + 9, "text": "Doubts <them> & says so."}],
        "author": "Ada & Bo",
    }
    answer = server.post("/v1/document/changes", payload).json()
    changed = base64.b64decode(answer["data"])
    assert (answer["changes"], answer["comments"], answer["left"]) == (1, 1, [])
    assert "legendary" not in text_of(changed)
    assert b'w:author="Ada &amp; Bo"' in parts(changed)["word/document.xml"]
    assert b"Doubts &lt;them&gt; &amp; says so." in parts(changed)["word/comments.xml"]
    assert b"<w:delText" in parts(changed)["word/document.xml"]


def test_an_edit_of_somebodys_insertion_is_left_and_named(server: Server) -> None:
    at = office_text(word(), "hall.docx", 10_000_000).index("always")
    edit = {"start": at, "end": at + 6, "replacement": "often"}
    answer = server.post("/v1/document/changes", {"data": encoded(word()), "edits": [edit]}).json()
    assert (answer["changes"], answer["left"]) == (0, [edit])


@pytest.mark.parametrize("path", ["/v1/document/text", "/v1/document/changes"])
def test_what_is_no_document_gets_one_sentence(server: Server, path: str) -> None:
    entities = BODY.replace(b"<w:document", b'<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa">]><w:document')
    damaged = bytearray(archive({"word/document.xml": BODY * 3}))
    damaged[200:260] = b"\xff" * 60
    assert refusal(server, b"%PDF-1.7", path) == (422, "hall.docx is no .docx or .odt document")
    status, message = refusal(server, word(entities), path)
    assert status == 422
    assert "declares entities" in message
    status, message = refusal(server, bytes(damaged), path)
    assert status == 422
    assert "damaged" in message
    status, message = refusal(server, archive({"a.txt": b"a"}), path)
    assert status == 422
    assert "without a text document" in message
    answer = server.post(path, {"data": "not Base64!"})
    assert answer.json()["error"]["message"] == "data: must be the bytes of a document in Base64"


def test_what_unpacks_to_too_much_is_refused_before_it_is_unpacked(server: Server) -> None:
    bomb = archive({"word/document.xml": BODY, "word/media/a.bin": b"\0" * 65_000_000})
    assert len(bomb) < 100_000
    status, message = refusal(server, bomb)
    assert status == 413
    assert "unpacks to" in message
    status, message = refusal(server, archive({"word/document.xml": BODY + b" " * 17_000_000}))
    assert status == 422
    assert "unpacks to more than" in message


@pytest.mark.parametrize("path", ["/v1/document/text", "/v1/document/changes"])
@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_a_size_that_is_a_lie_takes_no_memory(server: Server, path: str, compression: int) -> None:
    """A document of less than a kilobyte was unpacked to gigabytes, whatever size it declared."""
    size = 60_000_000
    told = size.to_bytes(4, "little")
    bomb = archive({"word/document.xml": b" " * size}, compression)
    assert bomb.count(told) == 2
    tracemalloc.start()
    try:
        status, message = refusal(server, bomb.replace(told, (10).to_bytes(4, "little")), path)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert (status, "damaged" in message) == (422, True)


def test_a_text_that_is_too_long_is_refused(server: Server) -> None:
    long = BODY.replace(b"of it.", b"of it. " * 160_000)
    status, message = refusal(server, word(long))
    assert status == 413
    assert "1,000,000 can be read at once" in message


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([{"start": 5, "end": 4, "replacement": ""}], "edits.0: ends before it starts"),
        ([{"start": 0, "end": 4, "replacement": "a\nb"}], "edits.0: a replacement cannot contain a line end"),
        (
            [{"start": 0, "end": 4, "replacement": ""}, {"start": 2, "end": 6, "replacement": ""}],
            "edits: two edits overlap at 2",
        ),
    ],
)
def test_edits_that_make_no_sense_are_refused(server: Server, edits: list[Any], message: str) -> None:
    answer = server.post("/v1/document/changes", {"data": encoded(word()), "edits": edits})
    assert answer.json()["error"]["message"] == message
