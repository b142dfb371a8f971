"""What tells one cached report, one revision and one part of a harvest from another."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from unslant.core.errors import ConfigError
from unslant.lab.wiki.parts import PartTask
from unslant.lab.wiki.settings import HarvestSettings
from unslant.spec import Spec
from unslant.workspace.cache import ReportCache, _verify
from unslant.workspace.git import Repository
from unslant.workspace.run import FileJob, _Run

REPORT: dict[str, Any] = {
    "document": {"id": "a", "format": "text"},
    "sentences": [],
    "findings": [],
    "notes": [],
    "provenance": {},
}


def test_a_cached_report_is_found_only_for_the_same_text_format_path_settings_and_version(
    tmp_path: Path,
) -> None:
    cache = ReportCache(tmp_path, "spec", "1")
    cache.put("Text.", REPORT, "path")
    assert cache.get("Text.", "text", "a", "path") is not None
    assert cache.get("Other.", "text", "a", "path") is None
    assert cache.get("Text.", "markdown", "a", "path") is None
    assert cache.get("Text.", "text", "a", "other") is None
    assert ReportCache(tmp_path, "other", "1").get("Text.", "text", "a", "path") is None
    assert ReportCache(tmp_path, "spec", "2").get("Text.", "text", "a", "path") is None
    # where one part ends and the next begins counts too
    assert cache.get("hText.", "text", "a", "pat") is None


def test_a_changed_entry_of_the_cache_is_not_used(tmp_path: Path) -> None:
    cache = ReportCache(tmp_path, "spec", "1")
    cache.put("Text.", REPORT)
    (file,) = tmp_path.glob("*/*.json")
    content = file.read_bytes()
    assert _verify(content) is not None
    assert _verify(content.replace(b'"provenance":{}', b'"provenance":{"version":"1"}')) is None
    file.write_bytes(content[:-1])
    assert cache.get("Text.", "text", "a") is None
    assert not file.exists()


def test_what_the_path_decides_tells_entries_apart() -> None:
    def extra(path: str, **settings: Any) -> str:
        job = FileJob(path, Path(path), "markdown", Spec(analyzers=("rules",), **settings), 1000)
        return _Run(job.spec, False, lambda _: None)._extra(job)

    assert extra("a.md") == extra("b.md")
    by_file = {"per_file_ignores": (("a.md", ("framing",)),)}
    assert extra("a.md", **by_file) != extra("b.md", **by_file)
    by_profile = {"profiles": (("a.md", "docs"),)}
    assert extra("a.md", **by_profile) != extra("b.md", **by_profile)
    assert extra("README.md") != extra("b.md"), "a README is judged as documentation"
    assert extra("docs/a.md") != extra("news/a.md")


@pytest.mark.parametrize("revision", ["-", "--all", "--output=x", "-q"])
def test_a_revision_that_begins_with_a_dash_is_no_option_of_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, revision: str
) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    git = Repository(tmp_path)
    monkeypatch.setattr(git, "_call", lambda *_: pytest.fail("git was called"))
    monkeypatch.setattr(git, "_advice", lambda _: "")
    with pytest.raises(ConfigError, match="no git revision"):
        git.tree(revision)


def test_a_part_of_a_harvest_is_named_by_its_file_and_its_settings(tmp_path: Path) -> None:
    dump = tmp_path / "dump.xml"
    dump.write_text("one")
    settings = HarvestSettings().to_dict()
    other = HarvestSettings(namespaces=(0, 4)).to_dict()

    def key(path: Path = dump, chosen: dict[str, Any] = settings) -> str:
        return PartTask(str(path), str(tmp_path), chosen).key

    first = key()
    assert first == key()
    assert key(chosen=other) != first
    assert key(tmp_path / "absent.xml") != first
    dump.write_text("another")
    assert key() != first
