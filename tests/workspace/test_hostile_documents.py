"""Word documents made to hurt, when edits are written into them as tracked changes."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from tests.growth import assert_linear
from unslant.core.errors import SourceError
from unslant.core.types import Edit
from unslant.workspace.tracked_changes import track_changes

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"></Types>'
PARAGRAPH = "<w:p><w:r><w:t>Some words here.</w:t></w:r></w:p>"
LINE = len("Some words here.\n")


def document(body: str, **others: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr(
            "word/document.xml", f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
        )
        for name, content in others.items():
            archive.writestr(name, content)
    return held.getvalue()


def edits(count: int) -> list[Edit]:
    return [Edit(LINE * number + 5, LINE * number + 10, "text") for number in range(count)]


def test_time_grows_with_the_edits() -> None:
    assert_linear(
        lambda given: track_changes(*given),
        lambda size: (document(PARAGRAPH * size), "'a'", edits(size)),
        300,
    )


@pytest.mark.parametrize("inner", [1, 400])
def test_time_grows_with_the_depth(inner: int) -> None:
    assert_linear(
        lambda data: track_changes(data, "'a'", edits(1)),
        lambda size: document("<w:x>" * size + PARAGRAPH * min(size, inner) + "</w:x>" * size),
        400,
    )


def test_macros_links_and_objects_stay_as_they_are() -> None:
    """They are copied byte by byte, whatever their names, and nothing of them is looked at or written elsewhere."""
    others = {
        "word/vbaProject.bin": bytes(range(256)),
        "word/embeddings/oleObject1.bin": b"\xd0\xcf\x11\xe0",
        "word/_rels/settings.xml.rels": b'<Relationship Target="http://127.0.0.1:9/x.dotm" TargetMode="External"/>',
        "customXml/item1.xml": b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
        "../../escape.txt": b"out",
        "/absolute.txt": b"out",
    }
    done = track_changes(document(PARAGRAPH, **others), "'a'", edits(1))
    assert len(done.made) == 1
    with zipfile.ZipFile(io.BytesIO(done.data)) as archive:
        assert {name: archive.read(name) for name in others} == others


def test_what_unpacks_to_too_much_is_refused() -> None:
    bomb = document(PARAGRAPH, **{"word/media/a.png": b"a" * 100_000})
    with pytest.raises(SourceError, match="unpacks to more than"):
        track_changes(bomb, "'a'", edits(1), largest=100_000)


def test_a_size_that_is_a_lie_is_damage() -> None:
    """The size that an archive states for a part is less than what the part unpacks to."""
    data = bytearray(document(PARAGRAPH, **{"word/media/a.png": b"a" * 100_000}))
    size = (100_000).to_bytes(4, "little")
    assert data.count(size) == 2
    with pytest.raises(SourceError, match="damaged"):
        track_changes(bytes(data).replace(size, (10).to_bytes(4, "little")), "'a'", edits(1))


def test_words_of_an_edit_are_text_and_not_markup() -> None:
    evil = '</w:t></w:r><w:p/><!-- & "\x00\x1b]0;x\x07'
    done = track_changes(document(PARAGRAPH), "'a'", [Edit(5, 10, evil)], author='"><w:evil a="')
    with zipfile.ZipFile(io.BytesIO(done.data)) as archive:
        written = archive.read("word/document.xml")
    assert b"<w:evil" not in written
    assert written.count(b"<w:p/>") == 0
    assert b"\x00" not in written
    assert b"\x1b" not in written


def test_the_copy_follows_no_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    from unslant.cli.main import main

    monkeypatch.chdir(tmp_path)
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "report.docx").write_bytes(
        document(PARAGRAPH.replace("Some words", "The legendary chairman"))
    )
    (tmp_path / "report.reviewed.docx").symlink_to(victim)
    CliRunner().invoke(
        main, ["fix", "--no-config", "--tier", "rules", "--write", "--unsafe-fixes", "report.docx"]
    )
    CliRunner().invoke(main, ["fix", "--no-config", "--tier", "rules", "--write", "report.docx"])
    assert victim.read_text() == "mine"
