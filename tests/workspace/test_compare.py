"""What a change does to findings: introduced, resolved, or unchanged, in one file and across files."""

from __future__ import annotations

import io
import json

import pytest

import unslant
from unslant.core.types import Report
from unslant.workspace.compare import Comparison, compare_reports, comparisons_to_dict, write_json, write_text

RULES = unslant.Spec(analyzers=("rules",), profile="news")


def reports(texts: dict[str, str]) -> dict[str, Report]:
    return {name: unslant.check(text, spec=RULES) for name, text in texts.items()}


def compare(old: dict[str, str], new: dict[str, str]) -> list[Comparison]:
    return compare_reports(reports(old), reports(new))


def words(comparison: Comparison) -> tuple[list[str], list[str], list[str]]:
    groups = (comparison.introduced, comparison.resolved, comparison.unchanged)
    introduced, resolved, unchanged = ([finding.text for finding in group] for group in groups)
    return introduced, resolved, unchanged


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("They slammed it.", "They slammed it.", ([], [], ["slammed"])),
        ("They met.", "They slammed it.", (["slammed"], [], [])),
        ("They slammed it.", "They criticized it.", ([], ["slammed"], [])),
        ("They slammed it.", "They lambasted it.", (["lambasted"], ["slammed"], [])),
        # the sentence is another one, the word the same
        ("They slammed it.", "On Monday, they slammed it.", ([], [], ["slammed"])),
        # a second copy is new, though the words are known
        ("They slammed it.", "They slammed it. They slammed it.", (["slammed"], [], ["slammed"])),
        ("They slammed it. They slammed it.", "They slammed it.", ([], ["slammed"], ["slammed"])),
        # moving and wrapping change nothing
        ("They slammed it. It rained.", "It rained. They\nslammed it.", ([], [], ["slammed"])),
        ("", "They slammed it.", (["slammed"], [], [])),
        ("They slammed it.", "", ([], ["slammed"], [])),
    ],
)
def test_findings_of_one_file(old: str, new: str, expected: tuple[list[str], ...]) -> None:
    (comparison,) = compare({"a.txt": old}, {"a.txt": new})
    assert words(comparison) == expected


def test_both_sides_of_the_aisle_are_compared_alike() -> None:
    old = {"a.txt": "Democrats met. Republicans met."}
    new = {"a.txt": "Democrats slammed it. Republicans slammed it."}
    (comparison,) = compare(old, new)
    assert words(comparison) == (["slammed", "slammed"], [], [])


def test_a_new_file_introduces_and_a_deleted_file_resolves() -> None:
    deleted = compare({"old.txt": "They slammed it."}, {})
    added = compare({}, {"new.txt": "They slammed it."})
    assert [(each.path, words(each)) for each in deleted] == [("old.txt", ([], ["slammed"], []))]
    assert [(each.path, words(each)) for each in added] == [("new.txt", (["slammed"], [], []))]
    assert deleted[0].new is None
    assert added[0].old is None


def test_a_sentence_that_moved_to_another_file_is_neither_new_nor_gone() -> None:
    old = {"a.txt": "They slammed it. It rained.", "b.txt": "The council met."}
    new = {"a.txt": "It rained.", "b.txt": "The council met. They slammed it."}
    assert [words(each) for each in compare(old, new)] == [([], [], []), ([], [], ["slammed"])]


def test_a_renamed_file_keeps_its_findings() -> None:
    found = {
        each.path: words(each)
        for each in compare({"a.txt": "They slammed it."}, {"b.txt": "They slammed it."})
    }
    assert found == {"b.txt": ([], [], ["slammed"]), "a.txt": ([], [], [])}


def test_files_come_in_the_order_of_the_new_version_deleted_ones_last() -> None:
    names = [
        each.path for each in compare({"a": "A.", "b": "B.", "c": "C."}, {"c": "C.", "d": "D.", "a": "A."})
    ]
    assert names == ["c", "d", "a", "b"]


def test_the_text_names_places_in_the_version_that_has_them() -> None:
    old = {"a.txt": "It rained.\nThey slammed it."}
    new = {"a.txt": "It rained.\n\nThe mayor lambasted it."}
    stream = io.StringIO()
    write_text(compare(old, new), stream)
    heading, added, new_sentence, gone, old_sentence, _, total = stream.getvalue().splitlines()
    assert heading == "a.txt"
    assert added.startswith("  + 3:11 ")
    assert " framing/attack-verb: " in added
    assert new_sentence.strip() == "The mayor »lambasted« it."
    assert gone.startswith("  - 2:6 ")
    assert old_sentence.strip() == "They »slammed« it."
    assert total == "Findings: 1 introduced, 1 resolved, 0 unchanged."


def test_files_without_a_change_are_not_named() -> None:
    stream = io.StringIO()
    write_text(compare({"a.txt": "They slammed it."}, {"a.txt": "They slammed it."}), stream)
    assert stream.getvalue() == "Findings: 0 introduced, 0 resolved, 1 unchanged.\n"


def test_a_file_name_cannot_write_to_the_terminal() -> None:
    stream = io.StringIO()
    write_text(compare({}, {"a\x1b[2J.txt": "They slammed it."}), stream)
    assert "\x1b" not in stream.getvalue()


def test_the_wire_form_has_every_finding_once_and_the_totals() -> None:
    comparisons = compare({"a.txt": "They slammed it."}, {"a.txt": "They slammed it. They lambasted it."})
    stream = io.StringIO()
    write_json(comparisons, stream, [{"path": "b.txt", "message": "no such file"}])
    wire = json.loads(stream.getvalue())
    assert wire == comparisons_to_dict(comparisons, [{"path": "b.txt", "message": "no such file"}])
    assert wire["schema"] == "unslant/comparison/1"
    assert wire["summary"] == {"introduced": 1, "resolved": 0, "unchanged": 1}
    (file,) = wire["files"]
    assert [finding["text"] for finding in file["introduced"]] == ["lambasted"]
    assert [finding["text"] for finding in file["unchanged"]] == ["slammed"]
    assert wire["errors"] == [{"path": "b.txt", "message": "no such file"}]
