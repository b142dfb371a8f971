from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.lab.corpora.corpus_files import write_jsonl
from unslant.core.errors import ConfigError
from unslant.lab.corpora.own_files import FileDataset
from unslant.lab.corpora.splits import find_overlap, find_overlaps, jaccard, shingles

LONG = "the quick brown fox jumps over the lazy dog near the old river bank at noon on a very warm day"


def dataset(tmp_path: Path, name: str, texts: list[str]) -> FileDataset:
    rows = [{"id": f"{name}{at}", "text": text} for at, text in enumerate(texts)]
    return FileDataset(write_jsonl(tmp_path / f"{name}.jsonl", rows))


def test_same_words_are_exact_whatever_their_case_and_marks(tmp_path: Path) -> None:
    left = dataset(tmp_path, "l", ["A day, in May.", "Another thing altogether."])
    right = dataset(tmp_path, "r", ["a day in may", "something else"])
    found = find_overlap(left, right)
    assert [(match.left, match.right) for match in found.exact] == [("l0", "r0")]
    assert found.near == ()
    assert found.sizes == (2, 2)


def test_a_changed_word_is_near_and_its_similarity_is_counted(tmp_path: Path) -> None:
    left = dataset(tmp_path, "l", [LONG, "nothing of the sort is said here at all"])
    changed = LONG.replace("noon", "dusk")
    found = find_overlap(left, dataset(tmp_path, "r", [changed]), threshold=0.7)
    (match,) = found.near
    assert (match.left, match.right) == ("l0", "r0")
    # 21 words make 20 pairs; one changed word breaks two of them.
    assert match.similarity == pytest.approx(18 / 22)
    assert find_overlap(left, dataset(tmp_path, "r", [changed]), threshold=0.9).near == ()


def test_near_duplicates_are_found_as_by_comparing_every_two(tmp_path: Path) -> None:
    draw = random.Random(1)
    vocabulary = [f"w{number}" for number in range(400)]
    base = [" ".join(draw.choices(vocabulary, k=25)) for _ in range(150)]
    other = []
    for text in base[:80]:
        words = text.split()
        for _ in range(draw.randint(0, 3)):
            words[draw.randrange(len(words))] = draw.choice(vocabulary)
        other.append(" ".join(words))
    found = find_overlap(dataset(tmp_path, "l", base), dataset(tmp_path, "r", other), threshold=0.7)
    pairs = {(m.left, m.right) for m in (*found.exact, *found.near)}
    expected = {
        (f"l{i}", f"r{j}")
        for i, left in enumerate(base)
        for j, right in enumerate(other)
        if jaccard(shingles(left), shingles(right)) >= 0.7
    }
    assert pairs == expected
    assert len(expected) > 50


def test_every_two_corpora_are_compared(tmp_path: Path) -> None:
    found = find_overlaps([dataset(tmp_path, name, ["One day."]) for name in "abc"])
    assert [(Path(pair.left).stem, Path(pair.right).stem) for pair in found] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    assert all(pair.to_dict()["exact"] for pair in found)


def test_texts_without_words_do_not_match_nearly(tmp_path: Path) -> None:
    found = find_overlap(dataset(tmp_path, "l", ["!!!", "day"]), dataset(tmp_path, "r", ["day", "night"]))
    assert [(m.left, m.right) for m in found.exact] == [("l1", "r0")]
    assert jaccard(frozenset(), frozenset()) == 0.0


def test_a_threshold_that_the_hashes_cannot_serve_is_refused(tmp_path: Path) -> None:
    loaded = dataset(tmp_path, "l", ["A day."])
    with pytest.raises(ConfigError, match=r"from 0.6 to 1"):
        find_overlap(loaded, loaded, threshold=0.3)
