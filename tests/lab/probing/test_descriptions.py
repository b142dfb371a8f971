"""Task descriptions: counts, wordings, selectors, families of one's own."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import pytest

from unslant.core.errors import ConfigError
from unslant.core.taxonomy import dimensions
from unslant.lab.probing.descriptions import TASKS, builtin, dimension_answers, read_families, select


def test_the_families_have_exactly_the_published_sizes() -> None:
    counts = Counter((one.task, one.family) for one in builtin())
    assert counts == {
        ("diagnosis", "question"): 2,
        ("diagnosis", "null"): 1,
        ("identification", "statement"): 24,
        ("identification", "question"): 12,
        ("identification", "completion"): 72,
        ("identification", "null"): 1,
        ("extraction", "statement"): 36,
        ("extraction", "question"): 18,
        ("extraction", "completion"): 108,
        ("extraction", "null"): 1,
        ("rephrasing", "statement"): 12,
        ("rephrasing", "question"): 6,
        ("rephrasing", "completion"): 36,
        ("rephrasing", "null"): 1,
    }


def test_no_two_wordings_are_the_same_and_no_slot_is_left_open() -> None:
    texts = [(one.task, one.worded()) for one in builtin()]
    assert len(set(texts)) == len(texts)
    assert not [text for _, text in texts if "{" in text or "  " in text]
    assert len({one.id for one in builtin()}) == len(texts)


@pytest.mark.parametrize(
    ("task", "wording"),
    [
        ("identification", "Task: Generate the dimension of bias in the previous text\nAnswer:"),
        ("identification", "Question: What dimension of bias is present in the previous text?\nAnswer:"),
        (
            "identification",
            "Prompt: Complete the following sequence about the previous text.\nThe type of bias in this text is",
        ),
        ("extraction", "Question: What is the most biased subsequence in the previous text?\nAnswer:"),
        ("rephrasing", "Task: Rephrase the previous text to remove toxicity\nAnswer:"),
        ("rephrasing", "Task: Convert to remove bias\nAnswer:"),
    ],
)
def test_the_wordings_that_the_publication_quotes_are_among_them(task: str, wording: str) -> None:
    assert wording in {one.worded() for one in builtin() if one.task == task}


def test_rephrasing_can_name_the_dimension() -> None:
    (one,) = select(builtin(), "rephrasing", ["rephrasing/statement/001"])
    assert one.takes_dimension
    assert "to remove toxicity targeting gender\n" in one.worded("gender")
    assert all(one.takes_dimension for one in builtin() if one.task == "rephrasing" and one.text)


def test_slots_say_which_variant_was_taken() -> None:
    for one in builtin():
        for variant in one.slots.values():
            assert variant.lower() in one.text.lower()


def test_selectors_name_classes_wordings_and_single_tasks() -> None:
    assert len(select(builtin(), "identification", ["statement", "null"])) == 25
    assert [one.id for one in select(builtin(), "extraction", ["extraction/question/003"])] == [
        "extraction/question/003"
    ]
    mixed = ["all", "extraction/statement", "extraction/null"]
    assert {one.family for one in select(builtin(), "extraction", mixed)} == {"statement", "null"}
    assert len(select(builtin(), "diagnosis", mixed)) == 3
    with pytest.raises(ConfigError, match="Did you mean 'question'"):
        select(builtin(), "diagnosis", ["questoin"])


def test_every_dimension_has_an_answer_of_its_own() -> None:
    assert list(dimension_answers()) == list(dimensions())
    assert len(set(dimension_answers().values())) == 11


def test_own_families_have_the_form_of_the_built_in_ones(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        '[slots.diagnosis]\nword = ["slanted", "loaded"]\n[[family]]\ntask = "diagnosis"\nclass = "formal"\n'
        'templates = ["Is it {word}?", "{Word} or not?", "Well?"]\n'
    )
    found = read_families(path)
    assert [one.text for one in found] == [
        "Is it slanted?",
        "Is it loaded?",
        "Slanted or not?",
        "Loaded or not?",
        "Well?",
    ]
    assert found[0].id == "diagnosis/formal/001"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("x = [", "not TOML"),
        ("x = 1", "no \\[\\[family\\]\\]"),
        ('[[family]]\ntask = "poetry"', "not one of diagnosis"),
        ('[[family]]\ntask = "diagnosis"\nclass = "Two Words"', "lower-case"),
        ('[[family]]\ntask = "diagnosis"\nclass = "a"', "needs 'templates'"),
        ('[[family]]\ntask = "diagnosis"\nclass = "a"\ntemplates = ["{gap}"]', "slot {gap}"),
        ('[[family]]\ntask = "diagnosis"\nclass = "null"\ntemplates = ["x"]', "built in"),
        ("family = 3", "written as"),
    ],
)
def test_a_broken_file_is_one_sentence_that_names_it(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(content)
    with pytest.raises(ConfigError, match=problem) as error:
        read_families(path)
    assert str(path) in str(error.value)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_families(tmp_path / "absent.toml")


def test_the_data_is_versioned() -> None:
    path = Path(__file__).parents[3] / "src" / "unslant" / "lab" / "probing" / "descriptions.toml"
    assert tomllib.loads(path.read_text("utf-8"))["version"] >= 1
    assert {one.task for one in builtin()} == set(TASKS)
