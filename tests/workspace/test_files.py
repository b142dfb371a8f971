"""Office documents: their text, and what is refused."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from unslant.core.errors import SourceError
from unslant.spec import Spec
from unslant.workspace.files import load_text
from unslant.workspace.run import FileJob, check_jobs, fix_jobs

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
OASIS = "urn:oasis:names:tc:opendocument:xmlns"
T = f'xmlns:text="{OASIS}:text:1.0" xmlns:o="{OASIS}:office:1.0"'
WORD = (
    f"<w:document {W}><w:body><w:p><w:r><w:t>The hall opened.</w:t></w:r></w:p>"
    "<w:p><w:r><w:t>The lege</w:t></w:r><w:r><w:t>ndary plan</w:t><w:tab/><w:t>failed.</w:t></w:r></w:p>"
    "</w:body></w:document>"
)
OPEN = (
    f"<o:document {T}><text:h>The hall</text:h>"
    "<text:p>The <text:span>legendary</text:span><text:s/>plan failed.</text:p></o:document>"
)


def archive(path: Path, member: str, content: str) -> Path:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(member, content)
    path.write_bytes(data.getvalue())
    return path


@pytest.fixture
def word(tmp_path: Path) -> Path:
    return archive(tmp_path / "a.docx", "word/document.xml", WORD)


def test_each_paragraph_is_a_line(word: Path, tmp_path: Path) -> None:
    assert load_text(word, 10_000) == "The hall opened.\nThe legendary plan failed.\n"
    written = archive(tmp_path / "a.odt", "content.xml", OPEN)
    assert load_text(written, 10_000) == "The hall\nThe legendary plan failed.\n"


def job(path: Path) -> FileJob:
    return FileJob(str(path), path, "paragraphs", Spec(analyzers=("rules",)), 10_000)


def test_a_document_is_checked_but_not_changed(word: Path) -> None:
    before = word.read_bytes()
    (outcome,) = check_jobs([job(word)])
    assert outcome.report is not None
    assert [finding.text for finding in outcome.report.findings] == ["legendary"]
    (fixed,) = fix_jobs([job(word)])
    assert "checks but does not change" in (fixed.error or "")
    assert word.read_bytes() == before


@pytest.mark.parametrize(
    ("member", "content", "said"),
    [
        ("other.txt", "x", "without a text document"),
        ("word/document.xml", "<w:document", "damaged"),
        ("word/document.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "entities"),
        ("word/document.xml", f"<w:document {W}>" + " " * 20_000 + "</w:document>", "max-bytes"),
    ],
)
def test_what_cannot_be_read_is_reported(tmp_path: Path, member: str, content: str, said: str) -> None:
    path = archive(tmp_path / "a.docx", member, content)
    with pytest.raises(SourceError, match=said):
        load_text(path, 10_000)


def test_a_damaged_archive_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(b"PK\x03\x04 and then nothing")
    with pytest.raises(SourceError, match="damaged"):
        load_text(path, 10_000)
