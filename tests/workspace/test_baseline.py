"""Accepted findings stay quiet, new ones do not, and the file reads well."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

import unslant
from unslant.core.errors import ConfigError
from unslant.core.types import Finding, Span, fingerprint
from unslant.workspace.baseline import AcceptedFinding, Baseline, entry_name, write


def finding(
    text: str, sentence: str, rule: str | None = "framing/praise-adjective", start: int = 0
) -> Finding:
    name = fingerprint(rule or "framing", text, sentence)
    return Finding(
        Span(start, start + len(text)), text, "framing", "Why.", "rules", rule=rule, fingerprint=name
    )


LEGENDARY = finding("legendary", "A legendary speech.")
ICONIC = finding("iconic", "An iconic photo.", start=40)


def saved(tmp_path: Path, findings: dict[str, Sequence[Finding]]) -> Baseline:
    path = tmp_path / "baseline.json"
    write(path, findings)
    return Baseline.load(path)


def test_accepted_findings_are_not_reported_again_and_new_ones_are(tmp_path: Path) -> None:
    baseline = saved(tmp_path, {"docs/a.md": [LEGENDARY]})
    moved = finding("legendary", "a  Legendary\nspeech.", start=99)
    assert baseline.filter("docs/a.md", [moved, ICONIC]) == [ICONIC]
    assert baseline.filter("docs/b.md", [LEGENDARY]) == [LEGENDARY]


def test_of_equal_findings_as_many_are_accepted_as_there_were(tmp_path: Path) -> None:
    baseline = saved(tmp_path, {"a.md": [LEGENDARY, LEGENDARY]})
    assert baseline.filter("a.md", [LEGENDARY] * 3) == [LEGENDARY]
    assert baseline.filter("a.md", [LEGENDARY] * 3) == [LEGENDARY]


def test_what_is_no_longer_there_is_reported_as_unused_for_the_files_seen(tmp_path: Path) -> None:
    baseline = saved(tmp_path, {"b.md": [LEGENDARY, LEGENDARY, ICONIC], "a.md": [ICONIC], "c.md": [ICONIC]})
    assert baseline.unused() == []
    baseline.filter("b.md", [LEGENDARY, ICONIC])
    baseline.filter("a.md", [])
    assert baseline.unused() == [
        AcceptedFinding("a.md", ICONIC.fingerprint, "framing/praise-adjective", "iconic"),
        AcceptedFinding("b.md", LEGENDARY.fingerprint, "framing/praise-adjective", "legendary"),
    ]


def test_the_file_has_one_line_a_finding_and_the_same_bytes_for_the_same_findings(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    assert write(path, {"b.md": [ICONIC, LEGENDARY, LEGENDARY], "a.md": [], "ä.md": [ICONIC]}) == 4
    first = path.read_bytes()
    write(path, {"ä.md": [ICONIC], "b.md": [LEGENDARY, ICONIC, LEGENDARY]})
    assert path.read_bytes() == first
    assert first.decode().splitlines() == [
        "{",
        '  "schema": "unslant/baseline/1",',
        '  "files": {',
        '    "b.md": {',
        f'      "{ICONIC.fingerprint}": {{"rule": "framing/praise-adjective", "text": "iconic"}},',
        f'      "{LEGENDARY.fingerprint}": {{"rule": "framing/praise-adjective", "text": "legendary", "count": 2}}',
        "    },",
        '    "ä.md": {',
        f'      "{ICONIC.fingerprint}": {{"rule": "framing/praise-adjective", "text": "iconic"}}',
        "    }",
        "  }",
        "}",
    ]
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_to_accept_is_a_valid_baseline(tmp_path: Path) -> None:
    assert saved(tmp_path, {}).filter("a.md", [ICONIC]) == [ICONIC]


def test_odd_texts_and_names_survive(tmp_path: Path) -> None:
    odd = finding('so-called\n"\ud800" 👩‍🚒 ' + "x" * 200, "Odd.", rule=None)
    baseline = saved(tmp_path, {"caf\udce9.md": [odd]})
    assert baseline.filter("caf\udce9.md", [odd]) == []
    baseline.filter("caf\udce9.md", [])
    (entry,) = baseline.unused()
    assert entry.rule == "framing"
    assert entry.text.startswith('so-called "\ud800" 👩‍🚒 xxx')
    assert len(entry.text) == 80


def test_files_are_named_from_the_baselines_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "link").symlink_to("docs")
    monkeypatch.chdir(tmp_path / "docs")
    assert entry_name(Path("a.md"), Path("../baseline.json")) == "docs/a.md"
    assert entry_name(Path("../link/a.md"), tmp_path / "baseline.json") == "docs/a.md"
    assert entry_name(Path("../a.md"), Path("baseline.json")) == "../a.md"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"{\n  oops", r"not valid JSON \(line 2\)"),
        (b"\xff\xfe\xff", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"[]", "not a baseline of this version"),
        (b'{"schema": "unslant/baseline/9", "files": {}}', "not a baseline of this version"),
        (b'{"schema": "unslant/baseline/1"}', "invalid entry"),
        (b'{"schema": "unslant/baseline/1", "files": {"a": {"f": 3}}}', "invalid entry"),
        (b'{"schema": "unslant/baseline/1", "files": []}', "invalid entry"),
    ],
)
def test_a_broken_baseline_is_named_with_what_to_do(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=reason) as caught:
        Baseline.load(path)
    assert repr(str(path)) in str(caught.value)
    assert "unslant baseline" in str(caught.value)


def test_a_missing_baseline(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"does not exist.*unslant baseline"):
        Baseline.load(tmp_path / "none.json")


def test_a_baseline_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "file" / "b.json", tmp_path / "none" / "b.json", tmp_path / "folder"):
        with pytest.raises(ConfigError, match="cannot be written"):
            write(path, {})
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "folder"]


def test_writing_keeps_a_link_and_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    link = tmp_path / "link.json"
    link.symlink_to("real.json")
    mask = os.umask(0o022)
    try:
        write(link, {})
    finally:
        os.umask(mask)
    assert link.is_symlink()
    assert json.loads((tmp_path / "real.json").read_text())["files"] == {}
    assert (tmp_path / "real.json").stat().st_mode & 0o777 == 0o644


def test_a_finding_stays_accepted_when_another_word_of_its_sentence_changes(tmp_path: Path) -> None:
    spec = unslant.Spec(analyzers=("rules",))
    old = unslant.check("The legendary hall on the quay opened in 1911.", spec=spec)
    path = tmp_path / "baseline.json"
    assert write(path, {"a.md": old.findings}, old.sentence_of) == 1
    for text, reported in (
        ("The legendary hall on the quay opened in 1912.", 0),
        ("In May, the legendary hall on the quay had opened.", 0),
        ("A legendary singer came to town yesterday.", 1),
        ("The legendary hall on the quay opened in 1911. The legendary hall on the quay closed in 1912.", 1),
    ):
        new = unslant.check(text, spec=spec)
        assert len(Baseline.load(path).filter("a.md", new.findings, new.sentence_of)) == reported, text


def test_an_accepted_finding_stands_for_one_that_was_edited_only(tmp_path: Path) -> None:
    spec = unslant.Spec(analyzers=("rules",))
    old = unslant.check("The legendary hall on the quay opened in 1911.", spec=spec)
    path = tmp_path / "baseline.json"
    write(path, {"a.md": old.findings}, old.sentence_of)
    twice = unslant.check(
        "The legendary hall on the quay opened in 1912. The legendary hall on the quay opened in 1913.",
        spec=spec,
    )
    assert len(Baseline.load(path).filter("a.md", twice.findings, twice.sentence_of)) == 1
