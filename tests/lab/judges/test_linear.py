"""Judges: the linear one, its folder, its training; how others' labels are read."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.example import Example
from unslant.lab.judges.fitting import JudgeSettings
from unslant.lab.judges.huggingface import find_sides
from unslant.lab.judges.judge import JudgeError, judge_texts, open_judge, read_arrays, write_arrays
from unslant.lab.judges.linear import LinearJudge, hash_features, inverse_frequencies, train_judge
from unslant.lab.judges.training import judge_card

QUICK = JudgeSettings(penalties=(1e-3,), folds=3)


def news(count: int = 240, seed: int = 0) -> list[Example]:
    """Articles in which the sides use other words, and every outlet a word of its own that gives it away."""
    rng = random.Random(seed)
    found = []
    for at in range(count):
        side = ("left", "right")[at % 2]
        outlet = f"{side} gazette {at % 12}"
        words = rng.choices(["road", "river", "council", "monday", "plan", "school"], k=12)
        words += rng.choices(["apples", "pears"] if side == "left" else ["nails", "bolts"], k=1 + at % 2)
        words += [f"house{at % 12}"]
        rng.shuffle(words)
        found.append(
            Example(id=str(at), text=" ".join(words), source="s", licence="l", outlet=outlet, leaning=side)
        )
    return found


@pytest.fixture(scope="module")
def trained() -> LinearJudge:
    return train_judge(news(), QUICK).judge


def test_it_learns_what_the_sides_say(trained: LinearJudge) -> None:
    left, right, neither = trained.judge(
        ["apples and pears by the road", "nails and bolts by the road", "the road"]
    )
    assert left is not None
    assert right is not None
    assert neither is not None
    assert left < 0.3 < neither < 0.7 < right


def test_the_same_articles_give_the_same_judge(trained: LinearJudge) -> None:
    assert (train_judge(news(), QUICK).judge.weights == trained.weights).all()


def test_batches_do_not_matter(trained: LinearJudge) -> None:
    texts = [new.text for new in news(20, seed=4)]
    assert trained.judge(texts) == pytest.approx([trained.judge([text])[0] for text in texts])
    assert trained.judge([]) == []


def test_a_text_that_says_nothing_is_not_judged(trained: LinearJudge) -> None:
    assert trained.judge(["", "  ", "CNN", "zzz qqq"]) == [None] * 4


def test_names_of_the_press_say_nothing(trained: LinearJudge) -> None:
    assert trained.judge(["apples, says Fox News"]) == trained.judge(["apples, says"])


def test_one_side_alone_teaches_nothing() -> None:
    with pytest.raises(JudgeError, match="both sides"):
        train_judge([new for new in news(20) if new.leaning == "left"])


def test_a_folder_gives_the_judge_back(trained: LinearJudge, tmp_path: Path) -> None:
    learn = news()
    result = train_judge(learn, QUICK)
    result.judge.save(tmp_path / "judge", judge_card(result, learn))
    read = open_judge(str(tmp_path / "judge"))
    texts = [item.text for item in learn[:10]]
    assert read.judge(texts) == pytest.approx(trained.judge(texts), abs=2e-3)  # kept in 16 bits
    assert len(read.digest()) == 64
    card = json.loads((tmp_path / "judge" / "judge.json").read_text())["card"]
    assert card["articles"] == {"left": 120, "right": 120}
    assert card["not_for"]
    # whatever changes what it says changes its digest
    about = json.loads((tmp_path / "judge" / "judge.json").read_text())
    about["scale"] *= 2
    (tmp_path / "judge" / "judge.json").write_text(json.dumps(about))
    assert open_judge(str(tmp_path / "judge")).digest() != read.digest()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "judge.json").unlink(), "judge.json is missing"),
        (lambda folder: (folder / "judge.json").write_text("{"), "judge.json cannot be read"),
        (lambda folder: (folder / "judge.json").write_text('{"format": "x"}'), "does not have the format"),
        (lambda folder: (folder / "judge.json").write_text('{"format": "unslant/judge/1"}'), "incomplete"),
        (lambda folder: (folder / "judge.safetensors").unlink(), "judge.safetensors is missing"),
        (lambda folder: (folder / "judge.safetensors").write_bytes(b"x"), "damaged"),
    ],
)
def test_damage_is_reported(trained: LinearJudge, tmp_path: Path, damage: object, message: str) -> None:
    trained.save(tmp_path, {})
    damage(tmp_path)  # type: ignore[operator]
    with pytest.raises(JudgeError, match=message):
        open_judge(str(tmp_path))
    with pytest.raises(JudgeError, match="no such folder"):
        open_judge(str(tmp_path / "none"))


def test_the_judge_that_ships() -> None:
    judge = open_judge()
    folder = Path(open_judge.__code__.co_filename).parent / "weights"
    assert sum(path.stat().st_size for path in folder.iterdir()) < 25_000_000
    card = json.loads((folder / "judge.json").read_text())["card"]
    assert "breitbart news" not in card["outlets"]
    assert "politico" not in card["outlets"]
    assert min(card["articles"].values()) > 4000
    values = judge.judge(["The council met on Monday to talk about the road.", ""])
    assert values[0] is not None
    assert 0.2 < values[0] < 0.8
    assert values[1] is None


@settings(max_examples=25)
@given(
    st.dictionaries(
        st.text(min_size=1, max_size=5).filter(lambda name: name != "__metadata__"),
        st.lists(st.floats(width=32, allow_nan=False), max_size=5),
        max_size=3,
    )
)
def test_arrays_survive(arrays: dict[str, list[float]]) -> None:
    given_ = {name: np.array(values, dtype=np.float32) for name, values in arrays.items()}
    found = read_arrays(write_arrays(given_))
    assert found.keys() == given_.keys()
    assert all((found[name] == given_[name]).all() for name in found)


def test_arrays_lie_as_the_format_asks() -> None:
    content = write_arrays({"a": np.arange(6, dtype=np.float16).reshape(2, 3), "b": np.ones(1)})
    length = int.from_bytes(content[:8], "little")
    assert length % 8 == 0  # as the format asks
    header = json.loads(content[8 : 8 + length])
    assert header["a"] == {"dtype": "F16", "shape": [2, 3], "data_offsets": [0, 12]}
    assert len(content) == 8 + length + 12 + 8


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 20,
        (2).to_bytes(8, "little") + b"[]",
        (16).to_bytes(8, "little") + b'{"a": {"x": 1}} ',
        (70).to_bytes(8, "little")
        + b'{"a": {"dtype": "F32", "shape": [9], "data_offsets": [0, 36]}}'.ljust(70),
    ],
)
def test_what_is_no_array_file_is_a_value_error(content: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - json's own is one too
        read_arrays(content)


def test_features_by_hand() -> None:
    assert len(hash_features(["a", "b", "a"])) == 4  # a, b, a b, b a
    assert hash_features([]) == []
    found = inverse_frequencies(np.array([0, 2, 3, 9]), texts=9, min_count=3)
    assert found.tolist() == pytest.approx([0, 0, np.log(10 / 4) + 1, 1])


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({0: "left", 1: "center", 2: "right"}, (0, 2)),
        ({0: "Republican", 1: "Democrat"}, (1, 0)),
        ({0: "LABEL_0", 1: "LABEL_1"}, (0, 1)),
        ({0: "conservative"}, (None, 0)),
    ],
)
def test_labels_of_other_classifiers(labels: dict[int, str], expected: tuple[int | None, int]) -> None:
    assert find_sides(labels, "x") == expected


def test_labels_that_say_nothing_are_refused() -> None:
    with pytest.raises(JudgeError, match="joy, anger, fear"):
        find_sides({0: "joy", 1: "anger", 2: "fear"}, "x")


def test_as_many_answers_as_texts() -> None:
    class Short:
        name = "short"

        def digest(self) -> str:
            return ""

        def judge(self, _: object) -> list[float | None]:
            return [0.5]

    with pytest.raises(JudgeError, match="1 answers for 2 texts"):
        judge_texts(Short(), ["a", "b"])
