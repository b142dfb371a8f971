"""Phrases of left and right text: which are found, how they are ranked, and at whom they aim."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from unslant.core.errors import ConfigError
from unslant.core.types import Span
from unslant.lab.evaluation.genres import (
    SIDES,
    Phrase,
    _parties,
    find_stance,
    genres,
    log_odds,
    rank_phrases,
)
from unslant.lab.evaluation.held_out import Lineage, Setting
from unslant.lab.evaluation.word_lists import WordLists
from unslant.lab.stats.bootstrap import Resampling
from unslant.neural.decoder import PredictedSpan, Prediction

LISTS = WordLists(
    {
        "positive_liu2005": frozenset({"brave", "honest", "triumph", "trump"}),
        "negative_liu2005": frozenset({"radical", "disastrous", "liar"}),
    }
)


def stance(text: str, phrase: str) -> str | None:
    start = text.index(phrase)
    return find_stance(text, Span(start, start + len(phrase)), LISTS)


@pytest.mark.parametrize(
    ("text", "phrase", "expected"),
    [
        ("the radical democrats met", "radical", "-left"),
        ("the radical republicans met", "radical", "-right"),
        ("a triumph for trump", "triumph", "+right"),
        ("a triumph for obama", "triumph", "+left"),
        ("obama is not honest", "not honest", "-left"),
        ("trump isn't a liar", "isn't a liar", "+right"),
        ("democrats say that the gop plan is disastrous", "disastrous", "-right"),
        ("they threw trump under the bus", "threw trump under the bus", None),
        ("the radical council met", "radical", None),
        ("the democrats met on monday", "on monday", None),
    ],
)
def test_the_stance_is_the_nearest_party_and_the_sign_of_the_words(
    text: str, phrase: str, expected: str | None
) -> None:
    assert stance(text, phrase) == expected


def test_both_parties_have_as_many_names() -> None:
    (_, left), (_, right) = _parties()
    assert left.pattern.count("|") == right.pattern.count("|")


def test_log_odds_are_zero_for_equal_use_and_turn_with_the_sides() -> None:
    one, other = {"radical": 6, "plan": 3}, {"radical": 1, "plan": 3, "tax": 5}
    odds, turned = log_odds(one, other), log_odds(other, one)
    assert odds["radical"] > 1
    assert odds["tax"] < -1
    assert all(odds[word] == pytest.approx(-turned[word]) for word in odds)
    assert log_odds({"plan": 4}, {"plan": 4})["plan"] == 0


def test_phrases_are_ranked_by_count_and_then_by_what_the_other_side_does_not_say() -> None:
    own = [
        Phrase("sheer greed", "-right"),
        Phrase("common words"),
        Phrase("twice said"),
        Phrase("twice said"),
    ]
    other = [Phrase("common words"), Phrase("common thing")]
    ranked = rank_phrases([*own, Phrase("it is")], other)
    assert [entry.text for entry in ranked] == ["twice said", "sheer greed", "common words"]
    assert (ranked[0].count, ranked[1].stance) == (2, "-right")


class Marker:
    """Marks a few words wherever they stand."""

    name, heads = "marker", ""
    lineage = Lineage()
    answers = frozenset({"spans"})

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:  # noqa: ARG002
        found = []
        for text in texts:
            spans = [
                PredictedSpan(Span(*match.span()))
                for match in re.finditer(r"the radical|disastrous|heroic", text)
            ]
            found.append(Prediction(slanted=bool(spans), spans=tuple(spans)))
        return found


def write(path: Path, rows: list[tuple[str, str | None, str]]) -> Path:
    lines = [{"text": text, "leaning": leaning, "genre": genre} for text, leaning, genre in rows]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def test_sides_and_genres_are_compared(tmp_path: Path) -> None:
    corpus = write(
        tmp_path / "texts.jsonl",
        [
            ("the radical republicans met", "left", "books"),
            ("a plain sentence here", "left", "books"),
            ("a disastrous plan of obama", "right", "books"),
            ("a heroic speech about the radical democrats", "right", "speeches"),
            ("nobody's text, the radical one", None, "books"),
        ],
    )
    lexicons = tmp_path / "lexicons"
    lexicons.mkdir()
    for name, words in LISTS.words.items():
        (lexicons / f"{name}.txt").write_text("\n".join(sorted(words)), "utf-8")
    result = genres(Marker(), Setting(tmp_path, Resampling(20)), str(corpus))
    assert result.figure("left: phrases per 100 words", "books").estimate.value == pytest.approx(100 / 8)
    assert result.figure("left: against the other party, %").estimate.value == 100
    assert (
        result.figure("right: against the other party, %", "books: share of phrases by stance").estimate.value
        == 100
    )
    phrases = result.details["phrases"]
    assert phrases["books"]["left"] == [{"phrase": "radical", "count": 1, "stance": "-right"}]
    assert set(phrases["speeches"]) == {"right"}
    assert any("speeches: " in note and "one side only" in note for note in result.notes)
    assert any("'editor' is missing" in note for note in result.notes)
    picture = result.pictures["phrases"]
    assert "no text of this side" in picture
    assert all(f"books, {side}" in picture for side in SIDES)
    assert "heroic" in "".join(result.drawings)


def test_text_without_sides_is_refused(tmp_path: Path) -> None:
    corpus = write(tmp_path / "texts.jsonl", [("a text", None, "books")])
    with pytest.raises(ConfigError, match="no text with a leaning"):
        genres(Marker(), Setting(tmp_path, Resampling(0)), str(corpus))
