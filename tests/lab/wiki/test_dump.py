"""Dumps are read as streams, whatever they are packed with and however they end."""

from __future__ import annotations

import bz2
import gzip
import os
import shutil
import subprocess
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lab.wiki.dump_files import Dump, PageOf, Rev
from unslant.lab.wiki.dump import DumpError, DumpPage, DumpReader, Revision

ARTICLES = frozenset({0})


def read(path: Path) -> list[tuple[DumpPage, list[Revision]]]:
    return [(page, list(revisions)) for page, revisions in DumpReader(path, ARTICLES).pages()]


def test_what_was_written_is_read(tmp_path: Path) -> None:
    history = [Rev("First <b>&amp;</b> é", "made & kept"), Rev("", "", None), Rev(None, None, "Ben")]
    path = Dump([PageOf(history, "Q & A"), PageOf([Rev("x")], "B")]).write(tmp_path / "a.xml")
    (page, revisions), (other, _) = read(path)
    assert (page.id, page.title, page.namespace, other.title) == (101, "Q & A", 0, "B")
    assert [revision.text for revision in revisions] == ["First <b>&amp;</b> é", "", None]
    assert [revision.comment for revision in revisions] == ["made & kept", "", None]
    assert [revision.user for revision in revisions] == ["Ada", None, "Ben"]
    assert [(revision.id, revision.parent) for revision in revisions] == [(1, None), (2, 1), (3, 2)]
    assert revisions[0].timestamp == "2024-01-01T00:01:00Z"
    assert revisions[0].digest != revisions[1].digest
    assert revisions[2].digest == b""


def test_further_slots_of_a_revision_are_not_its_text(tmp_path: Path) -> None:
    xml = Dump([PageOf([Rev("The text.", "c")])]).xml()
    slot = (
        "<content><role>data</role><model>json</model>"
        '<text bytes="2" xml:space="preserve">{}</text><sha1>other</sha1></content>'
    )
    (tmp_path / "a.xml").write_text(xml.replace("      <sha1>", f"      {slot}\n      <sha1>"))
    (tmp_path / "b.xml").write_text(xml)
    ((_, (one,)),), ((_, (plain,)),) = read(tmp_path / "a.xml"), read(tmp_path / "b.xml")
    assert (one.text, one.digest) == (plain.text, plain.digest) == ("The text.", plain.digest)


_xml_text = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.tuples(_xml_text, _xml_text), min_size=1, max_size=3), max_size=4))
def test_any_text_comes_back(
    tmp_path_factory: pytest.TempPathFactory, pages: list[list[tuple[str, str]]]
) -> None:
    path = tmp_path_factory.mktemp("dump") / "a.xml"
    Dump([PageOf([Rev(text, comment) for text, comment in page]) for page in pages]).write(path)
    assert [
        [(revision.text, revision.comment) for revision in revisions] for _, revisions in read(path)
    ] == pages


def test_other_namespaces_are_passed_over_and_counted(tmp_path: Path) -> None:
    path = Dump([PageOf([Rev("x")], "Talk:A", 1), PageOf([Rev("y")], "A")]).write(tmp_path / "a.xml")
    reader = DumpReader(path, ARTICLES)
    assert [page.title for page, _ in reader.pages()] == ["A"]
    assert reader.other_pages == 1


def test_packed_dumps_give_the_same(tmp_path: Path) -> None:
    plain = Dump([PageOf([Rev("x" * 5000), Rev("y")])]).xml().encode()
    paths = [tmp_path / name for name in ("a.xml", "a.xml.bz2", "a.xml.gz")]
    for path, data in zip(paths, (plain, bz2.compress(plain), gzip.compress(plain)), strict=True):
        path.write_bytes(data)
    texts = [[revision.text for _, revisions in read(path) for revision in revisions] for path in paths]
    assert texts[0] == texts[1] == texts[2] == ["x" * 5000, "y"]


def test_several_bz2_streams_are_one_dump(tmp_path: Path) -> None:
    plain = Dump([PageOf([Rev("x"), Rev("y")])]).xml().encode()
    path = tmp_path / "a.xml.bz2"
    path.write_bytes(bz2.compress(plain[:300]) + bz2.compress(plain[300:]))
    assert len(read(path)[0][1]) == 2


@pytest.fixture
def seven_zip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for the tool, which not every machine has: it gives the file out as it is, and fails on 'broken'."""
    tool = tmp_path / "bin" / "7z"
    tool.parent.mkdir()
    tool.write_text('#!/bin/sh\ncat "$4"\ncase "$4" in *broken*) exit 2;; esac\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")
    return tool


@pytest.mark.usefixtures("seven_zip")
def test_7z_goes_through_the_tool(tmp_path: Path) -> None:
    path = Dump([PageOf([Rev("x")])]).write(tmp_path / "a.xml.7z")
    assert read(path)[0][1][0].text == "x"


@pytest.mark.usefixtures("seven_zip")
def test_a_failure_of_the_tool_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "broken.xml.7z"
    path.write_text(Dump([PageOf([Rev("x")])]).xml().removesuffix("</mediawiki>\n"))
    with pytest.raises(DumpError, match=r"broken\.xml\.7z"):
        read(path)


_PACK = {"7z": ("a", "-bso0"), "7zz": ("a", "-bso0"), "bsdtar": ("--format", "7zip", "-cf")}


@pytest.mark.seven_zip
def test_what_a_real_tool_packed_is_unpacked_by_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, there in {tool: there for tool in _PACK if (there := shutil.which(tool))}.items():
        folder = tmp_path / name
        folder.mkdir()
        tool = folder / name
        tool.write_text(f'#!/bin/sh\nexec "{there}" "$@"\n')
        tool.chmod(0o755)
        Dump([PageOf([Rev("x" * 50_000), Rev("y")])]).write(folder / "a.xml")
        subprocess.run([str(tool), *_PACK[name], "a.xml.7z", "a.xml"], cwd=folder, check=True)
        monkeypatch.setenv("PATH", str(folder))  # no other tool can be found
        ((_, revisions),) = read(folder / "a.xml.7z")
        assert [revision.text for revision in revisions] == ["x" * 50_000, "y"]
        packed = (folder / "a.xml.7z").read_bytes()
        (folder / "cut.xml.7z").write_bytes(packed[: len(packed) // 2])
        with pytest.raises(DumpError, match=r"cut\.xml\.7z"):
            read(folder / "cut.xml.7z")


def test_without_the_tool_the_part_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    path = Dump([]).write(tmp_path / "a.xml.7z")
    with pytest.raises(DumpError, match="install 7-Zip"):
        read(path)


@pytest.mark.parametrize("packed", ["a.xml", "a.xml.bz2", "a.xml.gz"])
def test_a_part_cut_short_yields_what_came_before(tmp_path: Path, packed: str) -> None:
    pages = [PageOf([Rev(os.urandom(20_000).hex())], f"P{place}") for place in range(40)]
    plain = Dump(pages).xml().encode()
    data = {"a.xml": plain, "a.xml.bz2": bz2.compress(plain, 1), "a.xml.gz": gzip.compress(plain)}[packed]
    (tmp_path / packed).write_bytes(data[: len(data) * 2 // 3])
    seen: list[str] = []
    reader = DumpReader(tmp_path / packed, ARTICLES)

    def take(found: Iterator[tuple[DumpPage, Iterator[Revision]]]) -> None:
        for page, revisions in found:
            list(revisions)
            seen.append(page.title)

    with pytest.raises(DumpError, match="before") as caught:
        take(reader.pages())
    assert caught.value.reason == "damaged"
    assert 10 < len(seen) < 40
    assert reader.digest is not None


def test_an_unknown_schema_is_named(tmp_path: Path) -> None:
    with pytest.raises(DumpError, match=r"schema 0\.99 is not known") as caught:
        read(Dump([PageOf([Rev("x")])], version="0.99").write(tmp_path / "a.xml"))
    assert caught.value.reason == "unknown schema"


@pytest.mark.parametrize("data", [b"", b"<html></html>", b"\x00\xff" * 100])
def test_what_is_no_dump_is_named(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.xml").write_bytes(data)
    with pytest.raises(DumpError, match="is it a pages-meta-history dump"):
        read(tmp_path / "a.xml")


def test_memory_does_not_grow_with_the_dump(tmp_path: Path) -> None:
    path = Dump([PageOf([Rev("word " * 20_000) for _ in range(100)]) for _ in range(3)]).write(
        tmp_path / "a.xml"
    )
    tracemalloc.start()
    count = sum(1 for _, revisions in DumpReader(path, ARTICLES).pages() for _ in revisions)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 300
    assert path.stat().st_size > 30_000_000
    assert peak < 8_000_000


def test_a_revision_beyond_all_measure_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unslant.lab.wiki.dump._LARGEST", 3_000_000)
    history = [Rev("before"), Rev("x" * 9_000_000), Rev("after")]
    reader = DumpReader(Dump([PageOf(history), PageOf([Rev("next")])]).write(tmp_path / "a.xml"), ARTICLES)
    assert [[revision.text for revision in revisions] for _, revisions in reader.pages()] == [
        ["before", "after"],
        ["next"],
    ]
    assert reader.oversized == 1
