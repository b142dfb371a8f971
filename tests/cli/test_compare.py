"""`unslant compare`: files, folders and standard input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .conftest import Result, Run

OLD = "The legendary hall opened in 1962.\n\nThe senator slammed the plan.\n"
NEW = "The senator slammed the plan.\n\nThe hall opened in 1962. Critics blasted the vote.\n"


def compared(run: Run, *arguments: str, stdin: bytes = b"") -> tuple[Result, dict[str, Any]]:
    result = run("compare", "--tier", "rules", "--output-format", "json", *arguments, stdin=stdin)
    return result, json.loads(result.out)


def words(findings: list[dict[str, Any]]) -> list[str]:
    return [finding["text"] for finding in findings]


def test_two_files(run: Run, folder: Path) -> None:
    (folder / "old.md").write_text(OLD)
    (folder / "new.md").write_text(NEW)
    result, data = compared(run, "old.md", "new.md")
    (file,) = data["files"]
    assert file["path"] == "new.md"
    assert words(file["introduced"]) == ["blasted"]
    assert words(file["resolved"]) == ["legendary"]
    assert words(file["unchanged"]) == ["slammed"]
    assert data["summary"] == {"introduced": 1, "resolved": 1, "unchanged": 1}
    assert result.code == 1
    text = run("compare", "--tier", "rules", "old.md", "new.md").out
    assert "  + 3:34 warning framing/attack-verb: “blasted”" in text
    assert "  - 1:5 warning framing/praise-adjective: “legendary”" in text
    assert "      Critics »blasted« the vote.\n" in text
    assert text.endswith("Findings: 1 introduced, 1 resolved, 1 unchanged.\n")


def test_a_change_that_only_resolves_findings_is_exit_0(run: Run, folder: Path) -> None:
    (folder / "old.md").write_text(OLD)
    (folder / "new.md").write_text("The senator slammed the plan.\n")
    result, data = compared(run, "old.md", "new.md")
    assert (result.code, data["summary"]["introduced"]) == (0, 0)


def test_two_folders_are_compared_by_name_and_words_may_move(run: Run, folder: Path) -> None:
    for name, text in (
        ("old/a.md", OLD),
        ("new/b.md", OLD),
        ("new/a.md", "Fine.\n"),
        ("old/c.md", "It was legendary."),
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    result, data = compared(run, "old", "new")
    assert {file["path"] for file in data["files"]} == {"a.md", "b.md", "c.md"}
    assert data["summary"]["introduced"] == 0
    assert [words(file["resolved"]) for file in data["files"] if file["path"] == "c.md"] == [["legendary"]]
    assert result.code == 0


def test_two_revisions_from_standard_input(run: Run) -> None:
    page = {"old": "A '''band''' from Ohio.", "new": "A legendary '''band''' from [[Ohio|legendary Ohio]]."}
    _, data = compared(run, "-", "-", "--input-format", "wikitext", stdin=json.dumps(page).encode())
    assert words(data["files"][0]["introduced"])[0] == "legendary"
    refused = run("compare", "-", "-", stdin=b'{"old": 1}')
    assert refused.code == 2
    assert '"old"' in refused.err


def test_what_cannot_be_compared_is_one_sentence(run: Run, folder: Path) -> None:
    (folder / "a.md").write_text(OLD)
    (folder / "docs").mkdir()
    assert run("compare", "a.md", "docs").code == 2
    result = run("compare", "--tier", "rules", "gone.md", "a.md")
    assert result.code == 2
    assert len(result.err.splitlines()) == 1


def test_every_format_reports_what_is_introduced_by_the_standard_that_is_asked_for(
    run: Run, folder: Path
) -> None:
    (folder / "old.md").write_text(OLD)
    (folder / "new.md").write_text(NEW)
    for form in ("concise", "sarif", "github", "csv", "junit", "html"):
        out = run("compare", "--tier", "rules", "--output-format", form, "old.md", "new.md").out
        assert "blasted" in out, form
        assert form == "html" or "slammed" not in out, form
    strict = run("compare", "--tier", "rules", "--profile", "news", "--threshold", "1", "old.md", "new.md")
    assert "Findings: 0 introduced" in strict.out
