"""Word documents with tracked changes: accepted they are the edited text, rejected they are the old one."""

from __future__ import annotations

import io
import re
import subprocess
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.conftest import Run, folder, run
from unslant.cli.main import main
from unslant.core.errors import SourceError
from unslant.core.types import Edit, Span
from unslant.text.edits import apply_edits
from unslant.workspace.office import office_text
from unslant.workspace.tracked_changes import Comment, track_changes

__all__ = ["folder", "run"]

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
W14 = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" mc:Ignorable="w14"'
BODY = f"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:document {W} {MC} {W14}><w:body>
<w:p w14:paraId="7"><w:pPr><w:pStyle w:val="Heading1"/><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr>\
<w:r><w:rPr/><w:t>The hall &amp; the quay</w:t></w:r></w:p>
<w:p><w:r w:rsidR="00A1"><w:rPr><w:b/><w:rPrChange w:id="5" w:author="Ann" w:date="2020-01-01T00:00:00Z"><w:rPr/>\
</w:rPrChange></w:rPr><w:t xml:space="preserve">The legendary </w:t></w:r><w:r><w:t>ha</w:t></w:r>\
<w:r><w:rPr><w:i/></w:rPr><w:t>ll</w:t><w:tab/><w:t> opened in 1911.</w:t><w:footnoteReference w:id="2"/></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>A cell: the so-called experts spoke.</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
<w:p><w:r><w:t xml:space="preserve">Ann </w:t></w:r><w:del w:id="8" w:author="Ann" w:date="2020-01-01T00:00:00Z"><w:r>\
<w:delText>never</w:delText></w:r></w:del><w:ins w:id="9" w:author="Ann" w:date="2020-01-01T00:00:00Z"><w:r>\
<w:t>always</w:t></w:r></w:ins><w:r><w:t xml:space="preserve"> spoke 😀 of it.</w:t></w:r></w:p>
<w:p><w:pPr><w:pStyle w:val="Quote"/></w:pPr><w:r><w:t>It is a ghastly room.</w:t></w:r></w:p>
</w:body></w:document>""".encode()
NOTES = f"""<?xml version="1.0" encoding="UTF-8"?><w:footnotes {W}><w:footnote w:id="2"><w:p><w:r>\
<w:footnoteRef/></w:r><w:r><w:t xml:space="preserve"> See the shameful record.</w:t></w:r></w:p>\
</w:footnote></w:footnotes>""".encode()
TYPES = b"""<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">\
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" \
ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>\
<Override PartName="/word/footnotes.xml" \
ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"/></Types>"""
REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELS = f"""<?xml version="1.0" encoding="UTF-8"?><Relationships \
xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="{REL}/""".encode()


def word(body: bytes = BODY) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr(
            "_rels/.rels", RELS + b'officeDocument" Target="word/document.xml"/></Relationships>'
        )
        archive.writestr("word/document.xml", body)
        archive.writestr(
            "word/_rels/document.xml.rels", RELS + b'footnotes" Target="footnotes.xml"/></Relationships>'
        )
        archive.writestr("word/footnotes.xml", NOTES)
        archive.writestr("word/media/picture.bin", bytes(range(256)))
    return out.getvalue()


def parts(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def text_of(data: bytes) -> str:
    return office_text(data, "a", 1_000_000)


TEXT = text_of(word())
OURS = r'<w:{0} w:id="\d+" w:author="unslant"[^>]*>(.*?)</w:{0}>'


def rejected(data: bytes) -> bytes:
    """Reject all of our changes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in parts(data).items():
            if name.endswith(".xml"):
                written = re.sub(OURS.format("ins"), "", content.decode(), flags=re.DOTALL)
                gone = lambda match: match[1].replace("delText", "t")  # noqa: E731
                content = re.sub(OURS.format("del"), gone, written, flags=re.DOTALL).encode()
            archive.writestr(name, content)
    return out.getvalue()


def edit(words: str, new: str) -> Edit:
    start = TEXT.index(words)
    return Edit(start, start + len(words), new)


def test_a_change_has_an_author_a_date_and_a_number_of_its_own() -> None:
    when = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    across = TEXT.index("legendary hall") + len("legendary h")
    edits = [
        edit("legendary ", ""),
        Edit(across, across + 3, "ouse"),
        edit("so-called experts", "critics & others"),
    ]
    edits.append(edit("shameful ", ""))
    done = track_changes(word(), "a", edits, when=when)
    assert done.made == tuple(edits)
    body = parts(done.data)["word/document.xml"].decode()
    assert body.count('w:author="unslant" w:date="2026-01-02T03:04:05Z"') == 6
    numbers = re.findall(r'<w:(?:ins|del)[^>]* w:id="(\d+)"', body) + re.findall(
        r'w:rPrChange w:id="(\d+)"', body
    )
    assert len(numbers) == len(set(numbers))
    ElementTree.fromstring(body)  # noqa: S314
    assert text_of(done.data) == apply_edits(TEXT, edits)
    assert text_of(rejected(done.data)) == TEXT


def test_everything_else_stays_the_same() -> None:
    old, new = parts(word()), parts(track_changes(word(), "a", [edit("legendary ", "")]).data)
    assert {name for name in old if old[name] != new[name]} == {"word/document.xml"}
    cut = old["word/document.xml"].index(b"<w:tbl>")
    assert new["word/document.xml"].endswith(old["word/document.xml"][cut:])
    assert b"mc:Ignorable" in new["word/document.xml"]


def test_an_insertion_of_somebody_else_is_left_as_it_is() -> None:
    done = track_changes(word(), "a", [edit("always", "often"), edit("Ann always", "Ann")])
    assert not done.made
    assert len(done.left) == 2
    assert parts(done.data) == parts(word())


def test_a_block_quotation_can_be_changed_but_not_its_mark() -> None:
    done = track_changes(word(), "a", [edit("a ghastly room", "a room"), edit("> It", "That")])
    assert text_of(done.data) == TEXT.replace("a ghastly room", "a room")
    assert [each.replacement for each in done.left] == ["That"]


def test_comments_are_added_to_those_that_are_there() -> None:
    span = edit("so-called", "").span
    first = track_changes(word(), "a", [], [Comment(span, "Who says so? <b>")])
    assert first.comments == 1
    assert text_of(first.data) == TEXT
    found = parts(first.data)
    assert b"Who says so? &lt;b&gt;" in found["word/comments.xml"]
    assert b"comments.xml" in found["word/_rels/document.xml.rels"]
    assert b"comments+xml" in found["[Content_Types].xml"]
    second = parts(track_changes(first.data, "a", [], [Comment(edit("spoke", "").span, "Again.")]).data)
    assert second["word/comments.xml"].count(b"<w:comment ") == 2
    for name in (
        "word/document.xml",
        "word/comments.xml",
        "word/_rels/document.xml.rels",
        "[Content_Types].xml",
    ):
        ElementTree.fromstring(second[name])  # noqa: S314


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_edits(data: st.DataObject) -> None:
    places = st.lists(st.integers(0, len(TEXT) - 1), min_size=2, max_size=8, unique=True).map(sorted)
    borders = data.draw(places)
    new = st.text(
        st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="\u2028\u2029\x85"), max_size=5
    )
    edits = [
        Edit(start, end, data.draw(new)) for start, end in zip(borders[::2], borders[1::2], strict=False)
    ]
    done = track_changes(word(), "a", edits)
    assert text_of(done.data) == apply_edits(TEXT, done.made)
    assert text_of(rejected(done.data)) == TEXT
    assert set(done.made) | set(done.left) == set(edits)


def test_the_command_writes_a_copy_and_never_over_another_file(tmp_path: Path) -> None:
    path = tmp_path / "report.docx"
    path.write_bytes(word(BODY.replace(b"The legendary ", b"The chairman and the legendary ")))
    before = path.read_bytes()
    run = CliRunner()
    shown = run.invoke(main, ["fix", "--no-config", str(path)])
    assert "chairman" in shown.output
    assert not list(tmp_path.glob("*.reviewed.docx"))
    done = run.invoke(main, ["fix", "--no-config", "--write", str(path)])
    copy = tmp_path / "report.reviewed.docx"
    assert "report.reviewed.docx" in done.output
    assert "Accept or reject the tracked changes" in done.output
    assert "--unsafe" not in done.output, "all edits are in the copy, to be reviewed there"
    assert path.read_bytes() == before
    assert "legendary" not in text_of(copy.read_bytes())
    assert text_of(rejected(copy.read_bytes())) == text_of(before)
    again = run.invoke(main, ["fix", "--no-config", "--write", str(path)])
    assert "exists already" in again.output


def test_the_command_counts_only_the_edits_that_the_copy_has(run: Run, folder: Path) -> None:
    path = folder / "report.docx"
    path.write_bytes(word(BODY.replace(b"<w:t>always</w:t>", b"<w:t>slammed the legendary hall and</w:t>")))
    options = ["--no-config", "--tier", "rules", "--fail-on", "suggestion", "--write"]
    done = run("fix", *options, str(path))
    changes = re.search(r"reviewed\.docx: (\d+) tracked change", done.out)
    assert changes
    assert f"{changes[1]} edits applied" in done.out
    assert "left out: in somebody's insertion" in done.out
    assert done.code == 1, "what was left out is still there"


@pytest.mark.parametrize(
    "body",
    [
        b'<!DOCTYPE x [<!ENTITY a "b">]><w:document/>',
        b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><w:document/>',
        b"<w:document>",
    ],
)
def test_entities_and_damaged_documents_are_refused(body: bytes) -> None:
    with pytest.raises(SourceError):
        track_changes(word(body), "a", [])


@pytest.mark.libreoffice
def test_libreoffice_reads_the_changes(tmp_path: Path) -> None:
    edits = [edit("legendary ", ""), edit("so-called experts", "critics"), edit("shameful ", "")]
    span = edit("opened", "").span
    assert span == Span(span.start, span.end)
    done = track_changes(word(), "a", edits, [Comment(span, "Opened?")])
    path = tmp_path / "a.docx"
    path.write_bytes(done.data)
    out = tmp_path / "out"
    command = [
        "soffice",
        "--headless",
        f"-env:UserInstallation={(tmp_path / 'home').as_uri()}",
        "--convert-to",
        "odt",
    ]
    subprocess.run([*command, "--outdir", str(out), str(path)], check=True, capture_output=True, timeout=240)
    content = parts((out / "a.odt").read_bytes())["content.xml"].decode()
    assert content.count("<text:changed-region") >= 6
    assert content.count("<dc:creator>unslant</dc:creator>") == 5  # four changes and a comment
    assert "Opened?" in content
