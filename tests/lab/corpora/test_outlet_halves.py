"""Outlets are dealt once, and nobody's outlets are anybody else's."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from unslant.core.example import Example
from unslant.lab import corpora
from unslant.lab.corpora.outlets import PARTS, normalize_outlet, outlet_part, select_part


@pytest.mark.parametrize(
    ("outlet", "expected"),
    [
        ("CNN (Web News)", "cnn"),
        ("CNN - Editorial", "cnn"),
        ("Fox Online News", "fox news"),
        ("Fox News (Online)", "fox news"),
        ("Fox News Opinion", "fox news"),
        ("New York Times - News", "new york times"),
        ("New York Times (Online News)", "new york times"),
        ("The Guardian", "guardian"),
        ("Newsmax - Opinion", "newsmax"),
        ("NBCNews.com", "nbc news"),
        ("TheBlaze.com", "theblaze"),
        ("  The   Daily Caller ", "daily caller"),
    ],
)
def test_sections_count_as_their_house(outlet: str, expected: str) -> None:
    assert normalize_outlet(outlet) == expected


def test_all_sections_of_a_house_are_in_one_part() -> None:
    assert (
        outlet_part("Fox News")
        == outlet_part("Fox Online News")
        == outlet_part("Fox News Opinion")
        == "judge"
    )
    assert outlet_part("Politico") == "debias"
    assert outlet_part("Breitbart News") == "held-out"


def test_guest_writers_and_nobody_belong_to_no_part() -> None:
    assert outlet_part("Guest Writer - Left") is None
    assert outlet_part("Guest Writer - Right") is None
    assert outlet_part("") is None


def test_a_small_house_has_its_place_without_a_choice() -> None:
    names = [f"The {word} Gazette" for word in "Ash Birch Cedar Elm Fir Hazel Larch Maple Oak Pine".split()]
    found = [outlet_part(name) for name in names]
    assert set(found) == {"judge", "debias"}
    assert found == [outlet_part(name.upper()) for name in names]


def test_examples_are_chosen_by_outlet() -> None:
    examples = [
        Example(id=str(at), text="x", source="s", licence="l", outlet=outlet)
        for at, outlet in enumerate(["CNN", None, "Vox", "Salon", "Guest Writer"])
    ]
    assert {part: [item.id for item in select_part(examples, part)] for part in PARTS} == {
        "judge": ["0"],
        "debias": ["2"],
        "held-out": ["3"],
    }


@pytest.mark.shared
def test_the_halves_are_even_and_hold_both_sides(shared_data: Path) -> None:
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    houses: dict[str, set[str]] = defaultdict(set)
    for example in corpora.load("allsides", shared_data):
        part = outlet_part(example.outlet or "")
        if part and example.leaning != "center":
            counts[part][str(example.leaning)] += 1
            houses[part].add(normalize_outlet(example.outlet or ""))
    for part in ("judge", "debias"):
        left, right = counts[part]["left"], counts[part]["right"]
        assert min(left, right) > 4000
        assert max(left, right) / min(left, right) < 1.35
    assert min(counts["held-out"].values()) > 1000
    assert not houses["judge"] & houses["debias"]
    assert not (houses["judge"] | houses["debias"]) & houses["held-out"]
