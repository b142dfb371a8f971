"""The catalogue keeps its promises: sentences, sources, balance."""

from __future__ import annotations

import re
from collections import Counter

import pytest

import unslant
from unslant.core import taxonomy
from unslant.pipeline import Pipeline
from unslant.profiles import profile, profiles
from unslant.rules.analyzer import rules_for
from unslant.rules.automaton import Tokens
from unslant.rules.rule import WrittenRule
from unslant.rules.terms import build, parse_term
from unslant.spec import TIERS, Spec

RULES = rules_for(Spec())


PIPELINE = Pipeline(Spec(analyzers=("rules",)))


def fired(rule: WrittenRule, sentence: str) -> bool:
    """Whether the rule speaks, weak terms included, before anything that is said of the context counts."""
    (analyzed,) = PIPELINE.analyze([unslant.read(sentence)])
    counted = any(finding.rule == rule.id for finding in analyzed.report.findings)
    return counted or any(
        finding.rule == rule.id
        for sentence in analyzed.sentences
        for analysis in sentence.analyses
        for finding in analysis.findings
    )


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_it_flags_what_it_must_and_leaves_alone_what_it_must(rule: WrittenRule) -> None:
    assert [text for text in rule.flags if not fired(rule, text)] == []
    assert [text for text in rule.passes if fired(rule, text)] == []


def _left_to_a_model(rule: WrittenRule, sentence: str) -> bool:
    """Whether the rule itself says that only a model can tell: all that it matches here is weak."""
    (analyzed,) = PIPELINE.analyze([unslant.read(sentence)])
    found = [
        finding
        for sentence in analyzed.sentences
        for analysis in sentence.analyses
        for finding in analysis.findings
        if finding.rule == rule.id
    ]
    return bool(found) and all(finding.probability is not None for finding in found)


@pytest.mark.parametrize("tier", ["rules", "all"])
@pytest.mark.parametrize("name", profiles())
def test_every_example_is_reported_in_the_profile_that_it_is_meant_for(name: str, tier: str) -> None:
    """Unless the rule says that only a model can tell; in a profile that takes its weak terms too, not even then."""
    meant = [rule for rule in RULES if rule.meant_for == name]
    always = profile(name).standards.get(name) == "all"
    silent = []
    for rule in meant:
        spec = Spec(analyzers=TIERS[tier], profile=name, include=(rule.set,) if rule.set else ())
        reports = Pipeline(spec).check(unslant.read(text) for text in rule.flags)
        silent += [
            (rule.id, text)
            for text, report in zip(rule.flags, reports, strict=True)
            if not report.findings and (always or not _left_to_a_model(rule, text))
        ]
    assert silent == []


def test_the_catalogue_is_as_large_as_the_documentation_says() -> None:
    assert len(RULES) >= 80
    assert sum(len(rule.all_terms()) for rule in RULES) >= 1200


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_is_complete(rule: WrittenRule) -> None:
    assert re.fullmatch(r"[a-z]+/[a-z]+(-[a-z]+)*", rule.id)
    assert re.fullmatch(r"[A-Z].*\.", rule.why), "one sentence"
    assert not re.search(r"[.!?]\s", rule.why), "only one sentence"
    assert not re.search(r"\b(you|your|stupid|never use|must not)\b", rule.why.lower()), "kind"
    assert len(rule.source) > 8
    assert rule.flags
    assert rule.passes


def test_some_sentence_that_must_pass_shares_a_word_with_the_terms() -> None:
    """A sentence without any of the words would pass whatever the rule does."""
    lazy = []
    for rule in RULES:
        if rule.matcher:
            continue
        words = {
            word.lower()
            for term in rule.all_terms()
            for word in re.findall(r"[A-Za-z']{3,}(?![\w>]*>)", term)
        } | {word.lower() for entries in rule.classes.values() for entry in entries for word in entry.split()}
        stems = {word[:4] for word in words}
        if not any(token[:4] in stems for text in rule.passes for token in Tokens(text).words):
            lazy.append(rule.id)
    assert lazy == []


def test_all_kinds_and_all_eleven_dimensions_are_covered() -> None:
    assert {rule.kind for rule in RULES} == set(taxonomy.kinds())
    dimensions = Counter(rule.dimension for rule in RULES if rule.kind == "demographic")
    assert set(dimensions) == set(taxonomy.dimensions())
    assert min(dimensions.values()) >= 2


def test_no_term_stands_in_two_rules() -> None:
    homes: dict[str, list[str]] = {}
    for rule in RULES:
        for term in rule.all_terms():
            if "<" not in term:
                homes.setdefault(term.replace("-", " "), []).append(rule.id)
    assert {term: rules for term, rules in homes.items() if len(rules) > 1} == {}


PAIRED = [rule for rule in RULES if rule.pairs]


def test_political_terms_are_as_many_on_one_side_as_on_the_other() -> None:
    left = [pair for rule in PAIRED for pair, _ in rule.pairs]
    right = [other for rule in PAIRED for _, other in rule.pairs]
    assert len(set(left)) == len(left) == len(right) == len(set(right)) >= 60
    assert not set(left) & set(right)


@pytest.mark.parametrize("rule", PAIRED, ids=lambda rule: rule.id)
def test_a_rule_with_pairs_has_no_political_term_outside_them(rule: WrittenRule) -> None:
    paired = {term for pair in rule.pairs for term in pair}
    assert set(rule.all_terms()) <= paired


@pytest.mark.parametrize("rule", PAIRED, ids=lambda rule: rule.id)
def test_both_terms_of_a_pair_get_the_same_treatment(rule: WrittenRule) -> None:
    for pair in rule.pairs:
        offered = [bool(rule.swap.get(term)) or term in rule.delete for term in pair]
        assert offered[0] == offered[1], pair


def _plain(term: str) -> str:
    """The words that the shortest reading of a term stands for, with the first word that must stand beside it."""
    text = re.sub(r"\[([^|\[\]]*)[^\[\]]*\]", r"\1", term)
    text = re.sub(r"\(([^|()]*)[^()]*\)\?", "", text)
    text = re.sub(r"\w+(@\w+)?\?", "", text)
    while "(" in text:
        text = re.sub(r"\(([^|()]*)[^()]*\)", r"\1", text)
    return " ".join(re.sub(r"@\w+|\^", "", text).split())


@pytest.mark.parametrize("rule", PAIRED, ids=lambda rule: rule.id)
def test_both_terms_of_a_pair_are_found(rule: WrittenRule) -> None:
    terms = [term for pair in rule.pairs for term in pair]
    automaton = build([parse_term(term, rule.classes) for term in terms])
    for number, term in enumerate(terms):
        words = _plain(term)
        sentences = (f"They met the {words} today.", f"They {words} the others.", f"It was {words}.")
        found = {match.entry for text in sentences for match in automaton.find(Tokens(text))}
        assert number in found, term


def _groups() -> list[tuple[WrittenRule, str]]:
    return [
        (rule, group)
        for rule in RULES
        if rule.id.endswith("-generalisation")
        for group in rule.classes.get("groups") or rule.classes.get("believers", ())
        if not group.startswith("the ") and "@" not in group
    ]


def test_what_is_said_of_one_group_is_flagged_for_every_other() -> None:
    missed = [
        (rule.id, group)
        for rule, group in _groups()
        if not fired(rule, f"We know that all {group} are liars.")
        or not fired(rule, f"They say {group} are greedy.")
    ]
    assert missed == []


def test_generalisations_know_both_ends_of_a_dimension() -> None:
    groups = {group.lower() for _, group in _groups()}
    opposites = [
        ("women", "men"),
        ("republicans", "democrats"),
        ("liberals", "conservatives"),
        ("muslims", "christians"),
        ("atheists", "jews"),
        ("immigrants", "locals"),
        ("gay people", "straight people"),
    ]
    for pair in opposites:
        assert set(pair) <= groups, pair
