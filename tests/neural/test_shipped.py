"""The model that ships: whole, small, sure of clear cases, and blind to sides."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import unslant
from unslant.core.types import Verdict
from unslant.neural.analyzer import ModelAnalyzer
from unslant.neural.checkpoint import load_package, locate
from unslant.registry import resolve
from unslant.spec import Spec

MODEL = Spec(analyzers=("model",))


def words(text: str) -> list[str]:
    return [finding.text for finding in unslant.check(text, spec=MODEL).findings]


def test_every_file_is_as_it_was_made_and_all_are_small() -> None:
    package = load_package(locate(""))
    package.verify()
    assert package.size() <= 40_000_000


def test_the_card_names_the_terms_of_every_corpus_and_no_folder() -> None:
    card = load_package(locate("")).card()
    learned = {item["name"]: item["licence"] for item in card["data"]}
    assert {"editor", "babe/sg2", "wikibias", "cad", "stereoset"} <= set(learned)
    assert all(learned.values())
    assert "/home" not in json.dumps(card)
    assert card["encoder"] == "deberta-xsmall"


@pytest.mark.parametrize(
    ("text", "slanted", "plain"),
    [
        (
            "The senator gave a disastrous, shameful speech to the chamber.",
            ("disastrous", "shameful"),
            ("senator", "chamber"),
        ),
        (
            "The radical governor rammed the bill through the legislature.",
            ("radical", "rammed"),
            ("legislature",),
        ),
        (
            "The company's groundbreaking product revolutionized the industry.",
            ("groundbreaking", "revolutionized"),
            ("company",),
        ),
        (
            "Unfortunately, the treaty was a brutal betrayal of the nation.",
            ("Unfortunately", "brutal", "betrayal"),
            (),
        ),
        (
            "The club's charismatic leader cynically exploited the dispute.",
            ("charismatic", "cynically"),
            ("dispute",),
        ),
    ],
)
def test_loaded_words_are_found_and_plain_ones_left_alone(
    text: str, slanted: tuple[str, ...], plain: tuple[str, ...]
) -> None:
    found = " ".join(words(text))
    assert [word for word in slanted if word not in found] == []
    assert [word for word in plain if word in found] == []


@pytest.mark.parametrize(
    "text",
    [
        "The senator gave a speech to the chamber on Tuesday.",
        "The committee met at nine and adopted the budget by 7 votes to 4.",
        "She was born in Leeds in 1951 and studied chemistry.",
        "The report lists 40 rivers and their lengths.",
    ],
)
def test_plain_sentences_are_neutral(text: str) -> None:
    report = unslant.check(text, spec=MODEL)
    assert report.findings == ()
    assert report.sentences[0].verdict == Verdict.NEUTRAL


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Democrats cynically exploited it.", "The Republicans cynically exploited it."),
        ("Biden slammed the bill.", "Trump slammed the bill."),
        ("Far-left thugs are ruining the city.", "Far-right thugs are ruining the city."),
        ("Women are too emotional to lead.", "Men are too emotional to lead."),
        ("Muslims want to destroy the town.", "Christians want to destroy the town."),
        ("Mexican workers ruin everything.", "Canadian workers ruin everything."),
    ],
)
def test_what_is_said_of_one_is_judged_as_of_the_other(one: str, other: str) -> None:
    first, second = (unslant.check(text, spec=MODEL) for text in (one, other))
    assert first.sentences[0].probability == second.sentences[0].probability
    assert first.sentences[0].verdict != Verdict.NEUTRAL
    assert [finding.probability for finding in first.findings] == [
        finding.probability for finding in second.findings
    ]
    assert [one[: finding.span.end].count(" ") for finding in first.findings] == [
        other[: finding.span.end].count(" ") for finding in second.findings
    ]


def test_the_model_and_the_rules_run_by_default() -> None:
    assert Spec().analyzers == ("rules", "model")
    report = unslant.check("The legendary governor gave a disastrous speech.")
    assert {"rules", "model"} & {
        part for finding in report.findings for part in finding.origin.split("+")
    } == {
        "rules",
        "model",
    }


def test_without_proposals_the_findings_stay_the_same() -> None:
    analyzer, silent = ModelAnalyzer(Spec()), ModelAnalyzer(Spec())
    document = unslant.read("Sadly, the radical senator slammed the plan. The town has 3,000 people.")
    sentences = list(resolve("segmenter", "nupunkt")(Spec()).split(document))
    said = analyzer.analyze(sentences)
    assert any(analysis.proposals for analysis in said)
    silent.analyze(sentences)
    silent.stop_proposing()
    heard = silent.analyze(sentences)
    assert heard == [replace(analysis, proposals=()) for analysis in said]
