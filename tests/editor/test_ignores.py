"""An ignore that is offered ignores: it covers the words, and everything else stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

import unslant
from tests.editor.conftest import made
from unslant.config import SettingsCache
from unslant.core.types import Finding
from unslant.editor.checker import Checker, CheckResult
from unslant.editor.documents import Configuration, OpenDocument
from unslant.editor.features import ignores, wants_kind

NAMES = {"markdown": "a.md", "html": "a.html", "wikitext": "a.wiki", "text": "a.txt"}


def check(text: str, form: str) -> CheckResult:
    def open_settings(_: object) -> SettingsCache:
        return SettingsCache(
            Path(), known_rules=lambda _: (), use_config=False, overrides={"analyzers": ("rules",)}
        )

    document = OpenDocument(f"file:///{NAMES[form]}", form, 1, 1, text)
    checked = Checker(Configuration(open_settings)).check(document, "utf-16", (1, 0), lambda: False)
    assert checked is not None
    assert checked.report is not None, checked.problem
    return checked


def lines(text: str, finding: Finding) -> range:
    """Return the lines that a finding stands on."""
    return range(text[: finding.span.start].count("\n"), text[: finding.span.end].count("\n") + 1)


@pytest.mark.parametrize("form", sorted(NAMES))
@pytest.mark.parametrize(
    "text",
    [
        "The 😀 fireman came.",
        "The fireman came.  \nHe left.\n",
        "The fireman\r\ncame.\r\n",
        "The fireman came.\\\nHe left.\n",
        "# The fireman\n\n| fireman | b |\n|---|---|\n| fireman | d |\n",
        "<p>The fireman <a\nhref='x'>came</a>, the mailman <b\n>left</b>.</p>\n",
        "* The fireman\n* [fireman](x)\n",
        "== The fireman ==\n{{infobox\n|a=fireman}}\n[[fireman|the mailman]]\n",
    ],
)
def test_what_is_ignored_is_gone_and_nothing_else(form: str, text: str) -> None:
    checked = check(text, form)
    assert checked.report is not None
    found = checked.report.findings
    offered = 0
    for finding in found:
        for action in ignores(checked, finding, versioned=False):
            offered += 1
            after = check(made(text, action.edit), form).report
            assert after is not None
            assert after.notes == ()
            last = lines(text, finding)[-1]
            expected = [item for item in found if item.rule != finding.rule or last not in lines(text, item)]
            assert [(finding.rule, finding.text) for finding in after.findings] == [
                (finding.rule, finding.text) for finding in expected
            ]
    assert offered or not found


def test_kinds_of_actions_are_nested() -> None:
    assert wants_kind(None, "quickfix")
    assert wants_kind(["source"], "source.fixAll.unslant")
    assert wants_kind([types.CodeActionKind.SourceFixAll], "source.fixAll.unslant")
    assert not wants_kind(["source.fixAll.other"], "source.fixAll.unslant")
    assert not wants_kind(["quick"], "quickfix")


def test_fix_all_makes_the_same_edits_among_sentences_without_findings() -> None:
    text = (
        "The council met in May. Opponents lambasted the plan.\n\nIt rained.\n\nOf course, the roof leaks.\n"
    )
    checked = check(text, "text")
    checker = Checker(
        Configuration(lambda _: SettingsCache(Path(), known_rules=lambda _: (), use_config=False))
    )
    edits, problem = checker.safe_edits(checked)
    fixed = unslant.fix(text, spec=checked.spec)
    assert (edits, problem) == (fixed.applied, "")
    assert [edit.replacement for edit in edits] == ["criticized"]
