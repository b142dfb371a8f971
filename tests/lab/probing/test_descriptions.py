"""Task descriptions: counts, wordings, selectors, families of one's own."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import pytest

from unslant.core.errors import ConfigError
from unslant.core.taxonomy import dimensions
from unslant.lab.probing.descriptions import (
    TASKS,
    builtin_descriptions,
    dimension_answers,
    read_families,
    select,
)


def test_the_families_have_exactly_the_published_sizes() -> None:
    counts = Counter((description.task, description.family) for description in builtin_descriptions())
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
    texts = [(description.task, description.render()) for description in builtin_descriptions()]
    assert len(set(texts)) == len(texts)
    assert not [text for _, text in texts if "{" in text or "  " in text]
    assert len({description.id for description in builtin_descriptions()}) == len(texts)


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
    assert wording in {
        description.render() for description in builtin_descriptions() if description.task == task
    }


def test_rephrasing_can_name_the_dimension() -> None:
    (description,) = select(builtin_descriptions(), "rephrasing", ["rephrasing/statement/001"])
    assert description.takes_dimension
    assert "to remove toxicity targeting gender\n" in description.render("gender")
    assert all(
        description.takes_dimension
        for description in builtin_descriptions()
        if description.task == "rephrasing" and description.text
    )


def test_slots_say_which_variant_was_taken() -> None:
    for description in builtin_descriptions():
        for variant in description.slots.values():
            assert variant.lower() in description.text.lower()


def test_selectors_name_classes_wordings_and_single_tasks() -> None:
    assert len(select(builtin_descriptions(), "identification", ["statement", "null"])) == 25
    assert [
        description.id
        for description in select(builtin_descriptions(), "extraction", ["extraction/question/003"])
    ] == ["extraction/question/003"]
    mixed = ["all", "extraction/statement", "extraction/null"]
    assert {description.family for description in select(builtin_descriptions(), "extraction", mixed)} == {
        "statement",
        "null",
    }
    assert len(select(builtin_descriptions(), "diagnosis", mixed)) == 3
    with pytest.raises(ConfigError, match="Did you mean 'question'"):
        select(builtin_descriptions(), "diagnosis", ["questoin"])


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
    assert [description.text for description in found] == [
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
        ("x = [", "not valid TOML"),
        ("x = 1", "no \\[\\[family\\]\\]"),
        ('[[family]]\ntask = "poetry"', "not one of diagnosis"),
        ('[[family]]\ntask = "diagnosis"\nclass = "Two Words"', "lower-case"),
        ('[[family]]\ntask = "diagnosis"\nclass = "a"', "needs 'templates'"),
        ('[[family]]\ntask = "diagnosis"\nclass = "a"\ntemplates = ["{gap}"]', "slot {gap}"),
        ('[[family]]\ntask = "diagnosis"\nclass = "null"\ntemplates = ["x"]', "built in"),
        ("family = 3", "array of tables"),
    ],
)
def test_a_broken_file_is_one_sentence_that_names_it(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(content)
    with pytest.raises(ConfigError, match=problem) as error:
        read_families(path)
    assert str(path) in str(error.value)
    with pytest.raises(ConfigError, match=r"absent\.toml' does not exist; check the spelling"):
        read_families(tmp_path / "absent.toml")


def test_the_data_is_versioned() -> None:
    path = Path(__file__).parents[3] / "src" / "unslant" / "lab" / "probing" / "descriptions.toml"
    assert tomllib.loads(path.read_text("utf-8"))["version"] >= 1
    assert {description.task for description in builtin_descriptions()} == set(TASKS)
