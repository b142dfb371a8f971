"""`unslant rules` and `unslant explain`."""

from __future__ import annotations

import json

from .conftest import Run


def test_rules_are_listed_as_text_and_as_json(run: Run) -> None:
    listed = json.loads(run("rules", "--output-format", "json").out)
    text = run("rules").out
    assert all(rule["id"] in text for rule in listed)
    assert f"{len(listed)} rules" in text


def test_selectors_narrow_the_list(run: Run) -> None:
    listed = json.loads(run("rules", "gender", "--output-format", "json").out)
    assert {rule["dimension"] for rule in listed} == {"gender"}
    result = run("rules", "framing/scare-quote")
    assert result.code == 2
    assert "Did you mean 'framing/scare-quotes'?" in result.err


def test_explain_says_everything_about_a_rule(run: Run) -> None:
    rule = json.loads(run("rules", "framing/attack-verb", "--output-format", "json").out)[0]
    text = " ".join(run("explain", rule["id"]).out.split())
    for part in (rule["title"], rule["why"], rule["source"], *rule["flags"], *rule["passes"], *rule["terms"]):
        assert part.replace("@v", "") in text, part


def test_explain_of_an_unknown_rule_offers_the_nearest(run: Run) -> None:
    result = run("explain", "framing/attack-verbs")
    assert result.code == 2
    assert "Did you mean 'framing/attack-verb'?" in result.err
