"""Files that are not what their names say, folders that lead back to themselves, and patterns against git's own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import time
import zipfile
from pathlib import Path

import pytest

from unslant.core.errors import SourceError
from unslant.report.printable import clean, clean_lines, escape_json
from unslant.report.wire import dumps, readable
from unslant.workspace.discover import Failure, Found, discover
from unslant.workspace.files import load_text
from unslant.workspace.office import office_text

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


@pytest.mark.parametrize(
    ("first", "what"),
    [
        (b"PK\x03\x04", "office document"),
        (b"PK\x05\x06", "office document"),
        (b"\xd0\xcf\x11\xe0", "old office document"),
        (b"{\\rtf", "RTF"),
        (b"%PDF-", "PDF"),
        (b"\x89PNG\r\n", "PNG"),
        (b"\xff\xd8\xff", "JPEG"),
        (b"\x7fELF", "ELF"),
        (b"\x1f\x8b", "gzip"),
        (b"\xfd7zXZ\x00", "xz"),
        (b"SQLite format 3\x00", "SQLite"),
    ],
)
def test_files_are_known_by_their_first_bytes(tmp_path: Path, first: bytes, what: str) -> None:
    for name in ("a.md", "a.txt", "a.docx.md"):
        (tmp_path / name).write_bytes(first + b" and plain text")
        with pytest.raises(SourceError, match=what):
            load_text(tmp_path / name, 1_000)


@pytest.mark.parametrize("suffix", [".docx", ".odt", ".DOCX"])
def test_an_office_document_that_is_none_is_text_or_an_error(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"a{suffix}"
    file.write_text("Plain text.")
    assert load_text(file, 100) == "Plain text."
    file.write_bytes(b"PK\x03\x04 damaged")
    with pytest.raises(SourceError, match="damaged"):
        load_text(file, 100)


def document(body: str, *, head: str = "", **others: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "word/document.xml", f'{head}<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
        )
        for name, content in others.items():
            archive.writestr(name.replace("__", "/"), content)
    return held.getvalue()


PARAGRAPH = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"


@pytest.mark.parametrize(
    "head",
    [
        '<!DOCTYPE a [<!ENTITY b "boom">]>',
        '<!DOCTYPE a SYSTEM "file:///etc/passwd">',
        '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE a [<!ENTITY % b SYSTEM "http://127.0.0.1:9/x"> %b;]>',
    ],
)
def test_no_entity_is_declared_or_fetched(head: str) -> None:
    encoded = document(PARAGRAPH.format("&b;"), head=head)
    with pytest.raises(SourceError, match="declares entities"):
        office_text(encoded, "'a.docx'", 10_000)


def test_entities_in_another_encoding_are_seen_too() -> None:
    held = io.BytesIO()
    xml = (
        f'<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE a [<!ENTITY b "x">]><w:document xmlns:w="{WORD}"/>'
    )
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("word/document.xml", xml.encode("utf-16"))
    with pytest.raises(SourceError):
        office_text(held.getvalue(), "'a.docx'", 10_000)


def test_a_bomb_is_not_unpacked() -> None:
    bomb = document(PARAGRAPH.format("a" * 30_000_000))
    assert len(bomb) < 100_000
    began = time.process_time()
    with pytest.raises(SourceError, match="unpacks to more than"):
        office_text(bomb, "'a.docx'", 1_000_000)
    assert time.process_time() - began < 5


def test_macros_links_and_objects_are_not_looked_at() -> None:
    found = office_text(
        document(
            PARAGRAPH.format("Text."),
            word__vbaProject_bin="macro",
            word__embeddings__object="<not xml",
            **{"../../escape": "out"},
        ),
        "'a.docx'",
        10_000,
    )
    assert found == "Text.\n"


CONTROLS = [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), *"\u2028\u2029\u202a\u202e\u2066\u2069"]


@pytest.mark.parametrize("char", CONTROLS, ids=lambda char: f"{ord(char):04x}")
def test_no_control_character_comes_out(char: str) -> None:
    text = f"a{char}b"
    assert char not in clean(text) or char == " "
    assert len(clean(text)) == len(text)
    assert char not in clean_lines(text) or char == "\n"
    for written in (
        dumps({"text": text}),
        readable({"text": text}),
        escape_json(json.dumps(text, ensure_ascii=False)),
    ):
        assert char not in written
        assert text in (json.loads(written), json.loads(written)["text"] if written[0] == "{" else None)


def found(*arguments: str, **options: object) -> list[str]:
    return [
        result.display if isinstance(result, Found) else f"! {result.message}"
        for result in discover(arguments, {".md"}, **options)  # type: ignore[arg-type]
    ]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (
        "a.md",
        "A.MD",
        ".hidden.md",
        "b.txt",
        "docs/a.md",
        "docs/deep/a.md",
        ".git/x.md",
        "docsx/a.md",
        "docs/.h/a.md",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("tree")
def test_hidden_files_and_other_types_are_passed_over() -> None:
    assert found(".") == ["A.MD", "a.md", "docs/a.md", "docs/deep/a.md", "docsx/a.md"]
    assert found("*") == found(".")
    assert found(".hidden.md", "b.txt") == [".hidden.md", "b.txt"]
    assert found("docs/.h") == ["docs/.h/a.md"]
    assert found(".h*") == [".hidden.md"]


def test_patterns_are_matched_part_by_part(tree: Path) -> None:
    assert found("docs/**/a.md") == ["docs/a.md", "docs/deep/a.md"]
    assert found("docs/*/a.md") == ["docs/deep/a.md"]
    assert found("doc?/*.md") == ["docs/a.md"]
    assert found("**/deep") == ["docs/deep/a.md"]
    assert found("b.*") == ["b.txt"]
    assert found("[!a].*") == ["A.MD", "b.txt"]
    assert "no file matches" in found("z*.md")[0]
    (tree / "x.txt").write_text("x")
    # a part of only wildcards does not name a type
    assert "x.txt" not in found("*")
    assert found("?.txt") == ["b.txt", "x.txt"]


def test_each_file_comes_once(tree: Path) -> None:
    (tree / "again.md").symlink_to("a.md")
    assert found("a.md", ".", "./a.md", "docs")[:2] == ["a.md", "A.MD"]
    assert len(found("a.md", ".", "./a.md", "docs")) == 5


def test_links_that_lead_back_are_named_and_not_followed(tree: Path) -> None:
    (tree / "docs" / "back").symlink_to("..")
    (tree / "docs" / "self").symlink_to("self")
    (tree / "docs" / "gone").symlink_to("nowhere.md")
    out = found("docs")
    assert [line for line in out if not line.startswith("!")] == ["docs/a.md", "docs/deep/a.md"]
    assert sum("is a link to a folder that contains it" in line for line in out) == 1


def test_a_link_to_a_folder_that_begins_alike_is_followed(tree: Path) -> None:
    (tree / "docs" / "other").symlink_to("../docsx")
    assert "docs/other/a.md" in found("docs")
    # what the search visits anyway is visited once, under its own name
    out = [line for line in found(".") if line.endswith(("docsx/a.md", "other/a.md"))]
    assert out == ["docsx/a.md"]


def test_a_folder_with_nothing_but_a_link_back_is_named_once(tree: Path) -> None:
    (tree / "only").mkdir()
    (tree / "only" / "back").symlink_to("..")
    (line,) = found("only")
    assert "is a link to a folder that contains it" in line


PATTERNS = (
    ["*.md", "!a.md"],
    ["docs/"],
    ["docs/**"],
    ["docs/**", "!docs/a.md"],
    ["docs/*", "!docs/deep"],
    ["/a.md"],
    ["**/a.md"],
    ["deep"],
    ["*/"],
    ["**/"],
    ["d*s/**/a.md"],
    ["[ab].md"],
    ["\\!a.md", "#a.md", " ", ""],
    ["docs", "!docs/a.md"],
    ["a.md/"],
    ["!docs/deep/", "docs/deep/a.md"],
    ["docs*/a.md"],
    ["a.md   "],
    ["**"],
    ["docs/deep/**/"],
    ["docs/**/", "!docs/deep/a.md"],
    ["**/", "!docs"],
    ["/**/"],
    ["docs/**/deep/"],
    ["docs/a.md/", "docs/deep"],
    ["*", "!*.md"],
    ["*", "!docs/", "!a.md"],
    ["docs/*/", "!docs/deep/a.md"],
)


@pytest.mark.parametrize("lines", PATTERNS, ids=" ".join)
def test_ignore_files_mean_what_they_mean_to_git(tree: Path, lines: list[str]) -> None:
    subprocess.run(["git", "init", "-q", "."], check=True, env=os.environ | {"GIT_CONFIG_GLOBAL": os.devnull})
    (tree / ".gitignore").write_text("\n".join(lines) + "\n")
    listed = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard"], capture_output=True, text=True, check=True
    ).stdout.split()
    expected = [
        name
        for name in listed
        if name.lower().endswith(".md") and not any(part[0] == "." for part in name.split("/"))
    ]
    seen = [line for line in found(".") if not line.startswith("!")]
    assert sorted(seen) == sorted(expected)
    assert [line for line in found(".", gitignore=False) if not line.startswith("!")] != [] or expected == []
    nested = tree / "docs" / ".gitignore"
    (tree / ".gitignore").rename(nested)
    listed = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard"], capture_output=True, text=True, check=True
    ).stdout.split()
    expected = [
        name
        for name in listed
        if name.lower().endswith(".md") and not any(part[0] == "." for part in name.split("/"))
    ]
    assert sorted(line for line in found(".") if not line.startswith("!")) == sorted(expected)


def test_nothing_found_is_a_failure_not_a_clean_result(tree: Path) -> None:
    (tree / "empty").mkdir()
    for argument in ("empty", "docs/*.txt", "absent", "absent.md", "a.md/x"):
        (result,) = discover([argument], {".md"})
        assert isinstance(result, Failure), argument


def test_a_pipe_that_is_named_is_no_folder(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.md"
    os.mkfifo(pipe)
    (found,) = discover([str(pipe)], {".md"})
    assert isinstance(found, Found)
    with pytest.raises(SourceError, match="is a pipe"):
        load_text(pipe, 1_000)
