"""A report comes back for the same text under the same settings, and never for anything else."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from unslant.core.files import cache_folder
from unslant.core.types import Document, Finding, Report, SentenceVerdict, Span
from unslant.spec import Spec
from unslant.workspace.cache import ReportCache

SOURCE = "A legendary speech about the private matters of a village."


def report(source: str = SOURCE, id: str = "a.md", format: str = "markdown") -> dict[str, Any]:  # noqa: A002
    finding = Finding(Span(2, 11), source[2:11], "framing", "Why.", "rules", probability=0.5)
    document = Document(source, source, id, format)
    return Report(document, (SentenceVerdict(Span(0, len(source))),), (finding,), {"v": "1"}).to_dict()


def cache(folder: Path, spec: Spec | None = None, version: str = "1", **options: int) -> ReportCache:
    return ReportCache(folder, (spec or Spec()).digest(), version, **options)


def entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_the_report_comes_back_under_the_name_that_is_requested(tmp_path: Path) -> None:
    cache(tmp_path).put(SOURCE, report())
    assert cache(tmp_path).get(SOURCE, "markdown", "a.md") == report()
    assert cache(tmp_path).get(SOURCE, "markdown", "b.md") == report(id="b.md")


def test_whatever_decides_a_report_tells_entries_apart(tmp_path: Path) -> None:
    cache(tmp_path).put(SOURCE, report(), extra="x")
    known = cache(tmp_path)
    assert known.get(SOURCE, "markdown", "a.md", extra="x")
    assert known.get(SOURCE, "markdown", "a.md") is None
    assert known.get(SOURCE, "text", "a.md", extra="x") is None
    assert known.get(SOURCE + " ", "markdown", "a.md", extra="x") is None
    assert cache(tmp_path, Spec(threshold=0.6)).get(SOURCE, "markdown", "a.md", extra="x") is None
    assert cache(tmp_path, version="2").get(SOURCE, "markdown", "a.md", extra="x") is None
    # The parts are distinguished, not only their concatenation.
    assert known.get("x" + SOURCE, "markdown", "a.md") is None


def test_any_text_can_be_a_key(tmp_path: Path) -> None:
    odd = "\ud800 \0 👩‍🚒 is odd"
    cache(tmp_path).put(odd, report(odd))
    assert cache(tmp_path).get(odd, "markdown", "a.md") == report(odd)


def test_only_the_words_of_the_findings_are_kept_and_only_for_the_user(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "cache"
    mask = os.umask(0)
    try:
        cache(folder).put(SOURCE, report(id="secret-name.md"))
    finally:
        os.umask(mask)
    (file,) = entries(folder)
    content = file.read_text()
    assert "legendary" in content
    assert "village" not in content
    assert "secret-name" not in content
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert {stat.S_IMODE(path.stat().st_mode) for path in (folder, file.parent)} == {0o700}


@pytest.mark.parametrize("damage", ["cut", "bit", "empty", "other"])
def test_a_damaged_entry_is_a_miss_and_is_removed(tmp_path: Path, damage: str) -> None:
    cache(tmp_path).put(SOURCE, report())
    (file,) = entries(tmp_path)
    data = file.read_bytes()
    foreign = hashlib.sha256(b"[]").hexdigest().encode() + b"\n[]"
    damaged = {
        "cut": data[:-9],
        "bit": data.replace(b"legendary", b"legendarx"),
        "empty": b"",
        "other": foreign,
    }
    file.write_bytes(damaged[damage])
    assert cache(tmp_path).get(SOURCE, "markdown", "a.md") is None
    assert entries(tmp_path) == []
    cache(tmp_path).put(SOURCE, report())
    assert cache(tmp_path).get(SOURCE, "markdown", "a.md") == report()


def test_a_folder_that_cannot_be_used_means_no_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    for folder in (tmp_path / "file", tmp_path / "file" / "inner"):
        cache(folder).put(SOURCE, report())
        assert cache(folder).get(SOURCE, "markdown", "a.md") is None
    assert (tmp_path / "file").read_text() == "not a folder"


def test_the_entries_used_least_lately_go_when_there_is_no_more_room(tmp_path: Path) -> None:
    room = 20_000
    known = cache(tmp_path, max_bytes=room)
    texts = [f"A legendary speech, number {number}." for number in range(100)]
    known.put(texts[0], report(texts[0]))
    for number, text in enumerate(texts[1:], start=1):
        known.put(text, report(text))
        for file in entries(tmp_path):
            if file.stat().st_mtime_ns > 10**15:
                os.utime(file, ns=(number, number))
        assert known.get(texts[0], "markdown", "a.md"), "asked for all the time, so never the oldest"
    held = sum(file.stat().st_size for file in entries(tmp_path))
    assert room / 4 < held <= room * 1.2
    assert known.get(texts[-1], "markdown", "a.md")
    assert known.get(texts[1], "markdown", "a.md") is None


def test_a_report_too_large_for_the_room_is_not_kept(tmp_path: Path) -> None:
    cache(tmp_path, max_bytes=1000).put(SOURCE, report())
    assert entries(tmp_path) == []


def test_where_reports_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSLANT_CACHE_DIR", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.setenv("UNSLANT_CACHE_DIR", "")
    assert cache_folder().name == "unslant"
    assert cache_folder().is_absolute()


@pytest.mark.parametrize("score", [1.01, -0.5, "1", [0.5]])
def test_an_entry_with_a_score_that_is_none_is_a_miss(tmp_path: Path, score: object) -> None:
    """Anybody who can write to the folder can compute the digest of an entry."""
    known = report()
    known["findings"][0]["probability"] = score
    cache(tmp_path).put(SOURCE, known)
    assert cache(tmp_path).get(SOURCE, "markdown", "a.md") is None


def test_a_quarter_of_the_room_is_free_after_clearing(tmp_path: Path) -> None:
    known = cache(tmp_path, max_bytes=1_000)
    for number in range(10):
        file = tmp_path / "ab" / f"{number}.json"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"a" * 101)
        os.utime(file, ns=(number, number))
    known._prune()
    assert sorted(file.name for file in entries(tmp_path)) == [f"{number}.json" for number in range(3, 10)]
