"""`unslant rules` and `unslant explain`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run

PACK = """
version = 1
[pack]
name = "acme-style"
version = "2.1"
licence = "CC0-1.0"
[[rule]]
id = "framing/acme-synergy"
title = "Synergy"
kind = "framing"
why = "Says nothing that the reader can check."
source = "Acme style guide, section 4"
terms = ["synergy", "synergies"]
flags = ["The merger creates synergy."]
passes = ["Synergy Group was founded in 1994."]
"""


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


def test_a_pack_whose_sentences_hold(run: Run, folder: Path) -> None:
    (folder / "acme.toml").write_text(PACK)
    result = run("rules", "test", "acme.toml")
    assert (result.code, result.err) == (0, "")
    assert result.out == "acme-style 2.1 (CC0-1.0): all 2 sentences passed.\n"
    assert run("rules", "test", "wikipedia").code == 0


def test_a_pack_whose_sentences_fail(run: Run, folder: Path) -> None:
    text = PACK.replace(
        'creates synergy."', 'creates synergy.", "The merger has synergistic effects.\\u001b[2J"'
    )
    (folder / "acme.toml").write_text(text.replace("Synergy Group", "A synergy of two firms"))
    result = run("rules", "test", "acme.toml")
    assert result.code == 1
    assert result.out.splitlines() == [
        "framing/acme-synergy: does not flag, but must: The merger has synergistic effects.\N{SYMBOL FOR ESCAPE}[2J",
        "framing/acme-synergy: flags 'synergy', but must not: A synergy of two firms was founded in 1994.",
        "acme-style 2.1 (CC0-1.0): 2 of 3 sentences failed.",
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "acme.toml",
            "version = 1",
            "acme.toml: not a rule pack; add a table [pack] with name, version, licence",
        ),
        ("gone.toml", PACK, "does not exist; check the spelling"),
        ("wikipeda", PACK, "no package named 'wikipeda' is installed. Did you mean 'wikipedia'?"),
        (
            "acme.toml",
            PACK.replace("framing/acme-synergy", "framing/attack-verb"),
            "acme.toml: a rule 'framing/attack-verb' already exists; use another id",
        ),
    ],
)
def test_a_pack_that_cannot_be_used(run: Run, folder: Path, name: str, text: str, message: str) -> None:
    (folder / "acme.toml").write_text(text)
    result = run("rules", "test", name)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("unslant: ")
    assert message in result.err
    assert result.err.count("\n") == 1


def test_packs_of_the_configuration_are_listed_explained_and_reported(run: Run, folder: Path) -> None:
    (folder / "acme.toml").write_text(PACK)
    (folder / "unslant.toml").write_text('extends = ["acme.toml", "wikipedia"]\nanalyzers = ["rules"]\n')
    (folder / "text.md").write_text("The merger creates synergy.\n\nThe mill is currently closed.\n")
    assert "framing/acme-synergy" in run("rules", "framing").out
    assert "Acme style guide, section 4" in run("explain", "framing/acme-synergy").out
    found = json.loads(run("check", "text.md", "--output-format", "json").out)["reports"][0]["findings"]
    assert [finding["rule"] for finding in found] == [
        "framing/acme-synergy",
        "epistemological/wikipedia-relative-time",
    ]


def test_a_broken_pack_of_a_configuration_is_one_sentence(run: Run, folder: Path) -> None:
    (folder / "acme.toml").write_text(PACK.replace("terms", "tems"))
    (folder / "unslant.toml").write_text('extends = ["acme.toml"]\nanalyzers = ["rules"]\n')
    (folder / "text.md").write_text("The merger creates synergy.\n")
    result = run("check", "text.md")
    assert result.code == 2
    assert "acme.toml: rule 'framing/acme-synergy': unknown key 'tems'. Did you mean 'terms'?" in result.err
    assert "Traceback" not in result.err
