"""Rule files: what a rule may say, and one clear sentence for every mistake in it."""

from __future__ import annotations

import pytest

import unslant
from unslant.core.errors import RuleError
from unslant.core.types import Applicability, Severity
from unslant.rules.rule import parse_rules

RULE = {
    "id": '"framing/house-style"',
    "title": '"House style"',
    "kind": '"framing"',
    "why": '"We write it another way."',
    "source": '"our style guide"',
    "terms": '["quuxish"]',
}


def written(**changes: str | None) -> str:
    """A file with one rule; a value of None leaves a key out."""
    entries = {**RULE, **changes}
    lines = [f"{key} = {value}" for key, value in entries.items() if value is not None]
    return "\n".join(["version = 1", "[[rule]]", *lines])


def test_the_smallest_rule() -> None:
    (rule,) = parse_rules(written(), "house.toml")
    assert rule.id == "framing/house-style"
    assert rule.severity is Severity.WARNING
    assert rule.applicability is Applicability.REVIEW
    assert rule.all_terms() == ("quuxish",)
    assert rule.dimension is None
    assert not rule.names


def test_all_keys() -> None:
    text = written(
        severity='"error"',
        applicability='"display"',
        names="true",
        delete='["quuxly"]',
        swap='{"quux@v" = ["criticize@v", "oppose@v"]}',
        pairs='[["quuxleft", "quuxright"]]',
        weak='["quuxish"]',
        unless='["quuxish of"]',
        flags='["It is quuxish."]',
        passes='["It is quuxish of him."]',
    )
    (rule,) = parse_rules(text, "house.toml")
    assert rule.severity is Severity.ERROR
    assert rule.applicability is Applicability.DISPLAY
    assert rule.names
    assert rule.swap == {"quux@v": ("criticize@v", "oppose@v")}
    assert rule.pairs == (("quuxleft", "quuxright"),)
    assert rule.all_terms() == ("quuxish", "quuxly", "quux@v", "quuxleft", "quuxright")
    assert rule.unless == ("quuxish of",)


def test_no_rule_can_call_its_own_edits_safe() -> None:
    (rule,) = parse_rules(written(applicability='"safe"'), "house.toml")
    assert rule.applicability is Applicability.REVIEW


def test_a_demographic_rule_names_its_dimension() -> None:
    (rule,) = parse_rules(
        written(id='"demographic/house"', kind='"demographic"', dimension='"gender"'), "house.toml"
    )
    assert rule.dimension == "gender"


def test_classes_stand_for_their_words() -> None:
    text = 'version = 1\n[classes]\nsides = ["left", "right"]\n' + written(
        terms='["quuxish <sides>"]'
    ).removeprefix("version = 1\n")
    (rule,) = parse_rules(text, "house.toml")
    assert rule.classes == {"sides": ("left", "right")}
    spec = unslant.Spec(analyzers=("rules",), rule_files=(("house.toml", text),), profile="news")
    found = unslant.check("The quuxish left met the quuxish right.", spec=spec).findings
    assert [finding.text for finding in found] == ["quuxish left", "quuxish right"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version = 2", "house.toml: version must be 1"),
        ("", "house.toml: version must be 1"),
        (
            "version = 1\nrules = 3",
            "house.toml: unknown key 'rules'; the keys of a rule file are version, pack, classes and rule",
        ),
        (
            written() + "\n" + written().removeprefix("version = 1"),
            "house.toml: two rules have the id 'framing/house-style'; change one of them",
        ),
        (written(id=None), "house.toml: rule '(without id)': 'id' is required and must be a string"),
        (
            written(title=None),
            "house.toml: rule 'framing/house-style': 'title' is required and must be a string",
        ),
        (written(why='""'), "house.toml: rule 'framing/house-style': 'why' is required and must be a string"),
        (
            written(source="3"),
            "house.toml: rule 'framing/house-style': 'source' is required and must be a string",
        ),
        (
            written(tems='["x"]'),
            "house.toml: rule 'framing/house-style': unknown key 'tems'. Did you mean 'terms'?",
        ),
        (written(zzz="1"), "house.toml: rule 'framing/house-style': unknown key 'zzz'."),
        (
            written(id='"house-style"'),
            "rule 'house-style': the id must be the kind, a slash and a name, such as 'framing/house-style'",
        ),
        (
            written(id='"epistemological/house"'),
            "the id must be the kind, a slash and a name, such as 'framing/house'",
        ),
        (
            written(id='"demographic/house"', kind='"demographic"'),
            "house.toml: rule 'demographic/house': a demographic rule needs a dimension",
        ),
        (
            written(matcher='"magic"'),
            "house.toml: rule 'framing/house-style': unknown matcher 'magic'; use anaphora, cluster, scare-quotes",
        ),
        (
            written(terms=None),
            "house.toml: rule 'framing/house-style': it matches nothing; add terms, delete, swap or pairs",
        ),
        (
            written(weak='["other"]'),
            "house.toml: rule 'framing/house-style': 'weak' names 'other', which is not one of its terms",
        ),
        (written(terms='"quuxish"'), "'terms' must contain lists of strings"),
        (written(terms="[1]"), "'terms' must contain lists of strings"),
        (written(swap='{"a" = "b"}'), "'swap' must contain lists of strings"),
        (written(pairs='[["a"]]'), "each entry of 'pairs' must be a list of two terms"),
        (written(severity='"fatal"'), "'fatal' is not a valid Severity"),
        (written(applicability='"maybe"'), "'maybe' is not a valid Applicability"),
        (written(kind='"framming"', id='"framming/x"'), "no kind named 'framming'. Did you mean 'framing'?"),
        (
            written(id='"demographic/x"', kind='"demographic"', dimension='"gendr"'),
            "no dimension named 'gendr'. Did you mean 'gender'?",
        ),
        (
            written(terms='["(a"]'),
            "house.toml: rule 'framing/house-style': the term '(a' has a '(' that is never closed",
        ),
        (written(unless='["a)"]'), "the term 'a)' has a ')' outside brackets"),
    ],
)
def test_every_mistake_is_named_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(RuleError) as caught:
        parse_rules(text, "house.toml")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_toml_is_named() -> None:
    with pytest.raises(RuleError, match=r"house\.toml"):
        parse_rules("version = = 1", "house.toml")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is quuxish.", ["quuxish"]),
        ("It is QUUXISH.", ["QUUXISH"]),
        ("Quuxish plans failed.", ["Quuxish"]),
        ("It is un-quuxish.", ["un-quuxish"]),
        ("It is quuxishly done.", []),
        ("He said that the plan was quuxish.", ["quuxish"]),
        ("The Quuxish Party met.", []),
    ],
)
def test_rules_of_ones_own_are_always_reported(text: str, found: list[str]) -> None:
    spec = unslant.Spec(analyzers=("rules",), rule_files=(("house.toml", written()),), profile="news")
    assert [finding.text for finding in unslant.check(text, spec=spec).findings] == found
