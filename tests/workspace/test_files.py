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


def archive(path: Path, member: str, content: str, **more: str) -> Path:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in {member: content, **more}.items():
            packed.writestr(name, text)
    path.write_bytes(data.getvalue())
    return path


@pytest.fixture
def word(tmp_path: Path) -> Path:
    return archive(tmp_path / "a.docx", "word/document.xml", WORD)


def test_each_paragraph_is_a_line(word: Path, tmp_path: Path) -> None:
    assert load_text(word, 10_000) == "The hall opened.\nThe legendary plan failed.\n"
    written = archive(tmp_path / "a.odt", "content.xml", OPEN)
    assert load_text(written, 10_000) == "The hall\nThe legendary plan failed.\n"


WORD_PARTS = f"""<w:document {W} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><w:body>
<w:p><w:pPr><w:pStyle w:val="a7"/></w:pPr><w:r><w:t>A quoted line.</w:t></w:r></w:p>
<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>Run </w:t></w:r>
<w:r><w:rPr><w:rStyle w:val="VerbatimChar"/></w:rPr>
<w:t>make</w:t></w:r><w:r><w:t> now.</w:t></w:r><w:del><w:r><w:delText>Gone.</w:delText></w:r></w:del>
<w:moveFrom><w:r><w:t>Moved.</w:t></w:r></w:moveFrom></w:p>
<w:p><w:r><w:t>A box:</w:t></w:r><mc:AlternateContent><mc:Choice><w:p><w:r><w:t>Boxed.</w:t></w:r></w:p></mc:Choice>
<mc:Fallback><w:p><w:r><w:t>Boxed.</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent></w:p></w:body></w:document>"""
WORD_NOTES = f"""<w:footnotes {W}><w:footnote><w:p/></w:footnote>
<w:footnote><w:p><w:r><w:t>A legendary note.</w:t></w:r></w:p></w:footnote></w:footnotes>"""
WORD_STYLES = f"""<w:styles {W}><w:style w:styleId="a7"><w:name w:val="My"/><w:basedOn w:val="a6"/></w:style>
<w:style w:styleId="a6"><w:name w:val="Intense Quote"/></w:style></w:styles>"""
OPEN_PARTS = f"""<o:document {T} xmlns:style="{OASIS}:style:1.0">
<style:style style:name="P1" style:parent-style-name="Preformatted_20_Text"/>
<text:tracked-changes><text:p>Gone.</text:p></text:tracked-changes>
<text:table-of-content><text:p>The plan 1</text:p></text:table-of-content>
<text:p>The plan<text:note><text:note-citation>1</text:note-citation>
<text:note-body><text:p>A note.</text:p></text:note-body></text:note>
 failed.<o:annotation><text:p>A comment.</text:p></o:annotation></text:p>
<text:p text:style-name="P1">make</text:p><text:p text:style-name="Quotations">A quoted line.</text:p>
<text:p>Run <text:span text:style-name="Source_20_Text">make</text:span> now.</text:p></o:document>"""


def test_quotations_are_marked_code_is_blank_and_notes_come_last(tmp_path: Path) -> None:
    parts = {"word/footnotes.xml": WORD_NOTES, "word/styles.xml": WORD_STYLES}
    written = archive(tmp_path / "a.docx", "word/document.xml", WORD_PARTS, **parts)
    lines = load_text(written, 10_000).splitlines()
    assert lines == ["> A quoted line.", "Run      now.", "A box:", "Boxed.", "A legendary note."]
    written = archive(tmp_path / "a.odt", "content.xml", OPEN_PARTS)
    lines = load_text(written, 10_000).splitlines()
    assert lines == ["The plan  failed.", " " * 4, "> A quoted line.", "Run      now.", "A note."]


def test_all_that_is_unpacked_counts(tmp_path: Path) -> None:
    parts = {"word/footnotes.xml": WORD_NOTES, "word/styles.xml": WORD_STYLES.replace("My", "M" * 9_000)}
    written = archive(tmp_path / "a.docx", "word/document.xml", WORD_PARTS, **parts)
    with pytest.raises(SourceError, match="max-bytes"):
        load_text(written, 10_000)


def test_a_document_nested_deeply_is_read(tmp_path: Path) -> None:
    nested = "<text:span>" * 5_000 + "The plan." + "</text:span>" * 5_000
    written = archive(
        tmp_path / "a.odt", "content.xml", f"<o:document {T}><text:p>{nested}</text:p></o:document>"
    )
    assert load_text(written, 1_000_000) == "The plan.\n"


def job(path: Path) -> FileJob:
    return FileJob(str(path), path, "paragraphs", Spec(analyzers=("rules",)), 10_000)


def test_a_document_is_checked_and_not_changed_without_being_asked(word: Path) -> None:
    before = word.read_bytes()
    (outcome,) = check_jobs([job(word)])
    assert outcome.report is not None
    assert [finding.text for finding in outcome.report.findings] == ["legendary"]
    (fixed,) = fix_jobs([job(word)])
    assert (fixed.error, fixed.written) == (None, False)
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
