"""What a check says of an edit is what ``fix`` does with it; the front doors have tests of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

import unslant
from unslant.core.types import Applicability, Report
from unslant.pipeline import Pipeline
from unslant.spec import TIERS, Spec

RULES = Spec(analyzers=TIERS["rules"])
SAFE = "Unfortunately, the plan to widen the road failed."
REVIEW = "The union slammed the owners of the plant near the river."
NOT_OFFERED = "The police fired back at the gunman near the bridge."
TEXT = f"{SAFE} {REVIEW} {NOT_OFFERED}"
"""Each with a finding that a rule has a wording for."""
TRAPS = sorted((Path(__file__).parents[1] / "cases" / "traps").glob("*"))


def verdicts(report: Report) -> dict[str, list[str]]:
    return {finding.text: [edit.applicability.value for edit in finding.edits] for finding in report.findings}


def test_an_edit_is_safe_only_if_fix_makes_it() -> None:
    assert verdicts(unslant.check(TEXT, spec=RULES)) == {
        "Unfortunately": ["safe"],
        "slammed": ["review"],
        "fired back at": [],
    }
    assert unslant.fix(TEXT, spec=RULES).text == TEXT.replace("Unfortunately, the", "The")


def test_a_safe_edit_that_only_fix_finds_is_shown() -> None:
    (finding,) = unslant.check("The infamous dossier was read in court on Monday.", spec=RULES).findings
    assert [(edit.replacement, edit.applicability) for edit in finding.edits] == [("", Applicability.SAFE)]


def test_what_a_rule_offers_is_never_safe_by_itself() -> None:
    (report,) = Pipeline(RULES).check([unslant.read(TEXT)])
    assert {edit.applicability for finding in report.findings for edit in finding.edits} == {
        Applicability.REVIEW
    }


def test_a_long_list_of_slanted_words_is_shown_without_a_promise() -> None:
    text = "Unfortunately, " + "the union slammed the owners, " * 30 + "and the plan failed."
    found = unslant.check(text, spec=RULES).findings
    assert {edit.applicability for finding in found for edit in finding.edits} == {Applicability.DISPLAY}


@pytest.mark.parametrize("path", TRAPS, ids=lambda path: path.stem)
def test_check_and_fix_agree(path: Path) -> None:
    text = " ".join(
        line.split("|")[1].strip() for line in path.read_text("utf-8").splitlines() if "|" in line
    )
    made = {each.edit.change for each in unslant.fix(text, spec=RULES).edits if each.applied}
    report = unslant.check(text, spec=RULES)
    safe = {
        edit.change
        for finding in report.findings
        for edit in finding.edits
        if edit.applicability is Applicability.SAFE
    }
    assert safe == made
