"""Rewriting over HTTP is rewriting."""

from __future__ import annotations

from unslant.rewrite import Fixer
from unslant.spec import Spec
from unslant.text.reading import read

from .conftest import Server

TEXT = "Ask the mailman. The legendary singer slammed the plan, and the fireman left. 😀\n"


def test_answers_equal_those_of_the_library(server: Server) -> None:
    expected = next(Fixer(Spec(analyzers=("rules",))).fix([read(TEXT, "markdown", "page.md")])).to_dict()
    assert server.post("/v1/fix", {"text": TEXT, "id": "page.md"}).json() == expected
    assert expected["edits"]
    items = [{"text": TEXT, "id": "page.md"}, {"text": 7}, {"text": ""}]
    answer = server.post("/v1/fix", {"items": items}).json()["items"]
    assert [one["status"] for one in answer] == [200, 422, 200]
    assert answer[0]["fixed"] == expected
    assert (answer[1]["fixed"], answer[2]["fixed"]["text"]) == (None, "")


def test_every_edit_comes_with_the_verdict_of_the_gates(server: Server) -> None:
    fixed = server.post("/v1/fix", {"text": TEXT}).json()
    for edit in fixed["edits"]:
        assert edit["applicability"] in ("safe", "review", "display")
        assert edit["reason"]
        assert not edit["applied"] or edit["applicability"] == "safe"
    assert fixed["changed"] == (fixed["text"] != TEXT) == any(edit["applied"] for edit in fixed["edits"])
