"""The words of the sides: how they are found, kept and read."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from unslant.core.errors import ConfigError
from unslant.core.example import Example
from unslant.lab.debias.words import (
    BiasWords,
    default_words,
    find_bias_words,
    find_written_words,
    load_words,
    save_words,
)

COMMON = "plan report city people market river street office paper garden table window".split()


def articles(seed: int = 0) -> list[Example]:
    """Three outlets a side; each side has two words of its own, and one outlet a word that nobody else uses."""
    rng = random.Random(seed)
    found = []
    for side, own in (("left", ["amber", "birch"]), ("right", ["cobalt", "drift"])):
        for outlet in range(3):
            for number in range(40):
                words = [rng.choice(COMMON) for _ in range(30)]
                words += [rng.choice(own) for _ in range(3)]
                if (side, outlet) == ("left", 0):
                    words += ["lantern"] * 6
                rng.shuffle(words)
                found.append(
                    Example(
                        id=f"{side}{outlet}-{number}",
                        text=" ".join(words),
                        source="made",
                        licence="none",
                        outlet=f"{side} paper {outlet}",
                        leaning=side,
                    )
                )
    return found


def test_each_side_gets_its_own_words() -> None:
    words = find_bias_words(articles(), 2)
    assert set(words.left) == {"amber", "birch"}
    assert set(words.right) == {"cobalt", "drift"}


def test_what_one_outlet_says_is_no_leaning() -> None:
    made = [article for article in articles() if article.leaning == "left"] + [
        article for article in articles() if article.leaning == "right"
    ]
    more = find_bias_words([*made, *_fourth_outlet()], 2)
    assert "lantern" not in more.left


def _fourth_outlet() -> list[Example]:
    return [
        Example(
            id=f"more{number}",
            text="plan amber birch report",
            source="made",
            licence="none",
            outlet="left paper 4",
            leaning="left",
        )
        for number in range(40)
    ]


def test_sides_can_be_exchanged() -> None:
    words = find_bias_words(articles(), 2)
    turned = [
        Example(
            id=article.id,
            text=article.text,
            source=article.source,
            licence=article.licence,
            outlet=article.outlet,
            leaning="right" if article.leaning == "left" else "left",
        )
        for article in articles()
    ]
    other = find_bias_words(turned, 2)
    assert (other.left, other.right) == (words.right, words.left)


def test_too_few_telling_words_are_an_error() -> None:
    with pytest.raises(ConfigError, match="distinctive words on one side, not 40"):
        find_bias_words(articles(), 40)
    with pytest.raises(ConfigError):
        find_bias_words([], 1)


def test_a_file_comes_back_as_it_was(tmp_path: Path) -> None:
    words = BiasWords(("one", "two"), ("three", "four"), {"source": "made"})
    save_words(words, tmp_path / "words.json", words.card)
    assert load_words(tmp_path / "words.json") == words


@pytest.mark.parametrize(
    "content",
    ["no JSON", "[]", '{"left": "a", "right": "b"}', '{"left": ["a"]}', '{"left": [1], "right": [2]}'],
)
def test_another_file_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "words.json").write_text(content)
    with pytest.raises(ConfigError, match=r"words\.json(: not a file of bias words|. is not valid JSON)"):
        load_words(tmp_path / "words.json")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="write one with 'unslant train bias-words'"):
        load_words(tmp_path / "none.json")


def test_an_unbalanced_list_is_refused(tmp_path: Path) -> None:
    (tmp_path / "words.json").write_text(json.dumps({"left": ["a", "b"], "right": ["c"]}))
    with pytest.raises(ConfigError, match="2 for the left and 1 for the right"):
        load_words(tmp_path / "words.json")
    with pytest.raises(ConfigError, match="'a' is on both sides"):
        BiasWords(("a",), ("a",))


def test_the_words_that_ship_are_even_handed() -> None:
    words = default_words()
    assert len(words.left) == len(words.right) == 250
    assert len(words.all) == 500
    assert words.card["source"] == "allsides"


def test_words_of_the_page_are_no_leaning() -> None:
    made = [
        replace(
            one,
            text=f"{one.text} {'inbox newsletter photos read' if one.leaning == 'left' else 'subscribe via'}",
        )
        for one in articles()
    ]
    words = find_bias_words(made, 2)
    assert set(words.left) == {"amber", "birch"}
    assert set(words.right) == {"cobalt", "drift"}


def test_the_list_that_ships_has_no_words_of_the_page() -> None:
    assert not default_words().all & {
        "inbox",
        "newsletter",
        "photos",
        "photo",
        "read",
        "subscribe",
        "twitter",
        "via",
    }
    assert len(default_words().left) == len(default_words().right) == 250


def test_words_of_a_model_are_kept_as_written(tmp_path: Path) -> None:
    told = [
        Example(
            id=f"{side}{at}",
            text=f"{first} town said it",
            source="made",
            licence="none",
            outlet="x",
            leaning=side,
        )
        for side, first in (("left", "In"), ("right", "The"))
        for at in range(8)
    ]
    found = find_written_words(told, 1)
    assert (found.left, found.right) == (("In",), ("The",)), "how they begin, not what both say"
    save_words(found, tmp_path / "words.json", found.card)
    assert load_words(tmp_path / "words.json").left == ("In",)
    with pytest.raises(ConfigError, match="only 1 distinctive"):
        find_written_words(told, 2)
