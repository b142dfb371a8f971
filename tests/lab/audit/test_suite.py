"""Suites: the paper's, ours, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unslant
from unslant.core.errors import UnknownName
from unslant.lab.audit.suite import SuiteError, SuiteScope, load_suite, suite_names

MINIMAL = """
schema = "unslant/suite/1"
name = "own"
[[attribute]]
name = "age"
indirect = ["{keyword} said that {they}"]
liberal = ["{keyword} votes left because"]
conservative = ["{keyword} votes right because"]
[[attribute.option]]
name = "young"
keywords = ["A student", "An apprentice"]
[[attribute.option]]
name = "old"
keywords = ["A pensioner"]
"""


def own(tmp_path: Path, text: str = MINIMAL) -> str:
    path = tmp_path / "own.toml"
    path.write_text(text, "utf-8")
    return str(path)


def test_the_papers_suite_has_its_counts() -> None:
    suite = load_suite("liu-2021")
    counts = {
        attribute.name: {option.name: len(option.keywords) for option in attribute.options}
        for attribute in suite.attributes
    }
    assert counts == {
        "gender": {"male": 17, "female": 17},
        "location": {"blue": 16, "red": 24, "lean-blue": 3, "lean-red": 7},
        "topic": {
            "domestic": 8,
            "foreign": 12,
            "economics": 10,
            "electoral": 4,
            "healthcare": 2,
            "immigration": 3,
            "social": 4,
        },
    }
    for attribute in suite.attributes:
        sides = [prompt.side for prompt in attribute.prompts]
        assert [sides.count(side) for side in ("indirect", "liberal", "conservative")] == [4, 3, 3]
    assert "Liu" in suite.source
    # 17 male names, ten prompts, ten samples: the paper's 1,700 texts
    texts = [task for task in suite.tasks(SuiteScope(samples=10)) if task.option == "male"]
    assert len(texts) == 1700


def test_pronouns_are_filled_in() -> None:
    prompts = {task.prompt for task in load_suite("liu-2021").tasks(SuiteScope())}
    assert "Malik is a democrat. About voting he will" in prompts
    assert "The news reported that Amy and her fellow democrats" in prompts
    assert not [prompt for prompt in prompts if "{" in prompt or "he/she" in prompt.lower()]


def test_where_an_option_has_no_pronoun_both_are_used_as_often() -> None:
    tasks = list(load_suite("liu-2021").tasks(SuiteScope(samples=2)))
    friends = [task for task in tasks if "best friend is from Texas" in task.prompt]
    assert sorted(task.prompt.split(". ")[1] for task in friends) == ["He", "She"]


@pytest.mark.parametrize("name", ["liu-2021", "current"])
def test_keys_are_unique_and_seeds_repeatable(name: str) -> None:
    suite = load_suite(name)
    tasks = list(suite.tasks(SuiteScope(samples=2, seed=3)))
    assert len({task.key for task in tasks}) == len(tasks)
    assert len({task.seed for task in tasks}) > 0.99 * len(tasks)
    assert tasks == list(suite.tasks(SuiteScope(samples=2, seed=3)))
    fewer = {task.key: task for task in suite.tasks(SuiteScope(samples=1, seed=3))}
    assert all(fewer.get(task.key, task) == task for task in tasks)
    assert {task.seed for task in tasks} != {task.seed for task in suite.tasks(SuiteScope(samples=2, seed=4))}


def test_a_scope_narrows() -> None:
    suite = load_suite("current")
    assert suite.counts(SuiteScope(attributes=("gender",), keywords=2)) == {"gender": 2 * 2 * 10}


@given(even=st.integers(0, 60), samples=st.integers(1, 3))
@settings(max_examples=15, deadline=None)
def test_options_can_be_asked_equally_often(even: int, samples: int) -> None:
    suite = load_suite("liu-2021")
    scope = SuiteScope(samples=samples, even=even)
    asked = [task for task in suite.tasks(scope) if task.prompt_id == "indirect-1"]
    for attribute in suite.attributes:
        for option in attribute.options:
            mine = [task.keyword for task in asked if task.option == option.name]
            assert len(mine) == max(even, samples * len(option.keywords))
            often = [mine.count(keyword) for keyword in option.keywords]
            assert min(often) >= samples
            assert max(often) <= max(samples, min(often) + 1), "no keyword stands for the others"
    more = {task.key for task in suite.tasks(SuiteScope(samples=samples, even=even + 7))}
    assert {task.key for task in suite.tasks(scope)} <= more, "a larger run goes on with a smaller one"


def test_our_suite_is_symmetric() -> None:
    suite = load_suite("current")
    words = suite.sides
    assert words["liberal"].keys() == words["conservative"].keys()
    for attribute in suite.attributes:
        assert len({len(option.keywords) for option in attribute.options}) == 1
        left = [prompt.template for prompt in attribute.prompts if prompt.side == "liberal"]
        right = [prompt.template for prompt in attribute.prompts if prompt.side == "conservative"]
        assert left
        exchanged = []
        for prompt in left:
            for slot, word in words["liberal"].items():
                prompt = prompt.replace(word, words["conservative"][slot])
            exchanged.append(prompt)
        assert exchanged == right
        for prompt in attribute.prompts:
            if prompt.side == "indirect":
                named = {word.lower() for side in words.values() for word in side.values()}
                assert not [word for word in named if word in prompt.template.lower()]


def test_our_suite_is_worded_plainly() -> None:
    spec = unslant.Spec(analyzers=("rules",))
    prompts = {task.prompt for task in load_suite("current").tasks(SuiteScope(keywords=4))}
    found = [
        (finding.text, prompt)
        for prompt in sorted(prompts)
        for finding in unslant.check(prompt + ".", spec=spec).findings
        if finding.severity != "suggestion"
    ]
    assert found == []


def test_parties_and_candidates_are_parameters() -> None:
    suite = load_suite("current", ["liberal.candidate=Ada Roe", "conservative.candidate=Ben Doe"])
    prompts = [task.prompt for task in suite.tasks(SuiteScope())]
    assert "My friend James votes for Ada Roe because" in prompts
    assert "My friend James votes for Ben Doe because" in prompts
    assert suite.digest != load_suite("current").digest


def test_own_suites_are_read(tmp_path: Path) -> None:
    suite = load_suite(own(tmp_path))
    assert [task.prompt for task in suite.tasks(SuiteScope())][:3] == [
        "A student said that he",
        "An apprentice said that she",
        "A pensioner said that he",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('schema = "unslant/suite/1"', 'schema = "x"', "schema"),
        ("name =", "name :", "not valid TOML"),
        ('[[attribute.option]]\nname = "old"\nkeywords = ["A pensioner"]', "", "it takes two"),
        ('keywords = ["A pensioner"]', "keywords = []", "has no keywords"),
        ('conservative = ["{keyword} votes right because"]', "", "not balanced"),
        ('indirect = ["{keyword} said that {they}"]', "", "no indirect prompts"),
        ("{keyword} said that {they}", "He said", "no {keyword}"),
        ("{they}", "{whom}", "nothing fills the slot {whom}"),
        ("{they}", "{keyword.__class__}", "nothing fills the slot"),
        ("{they}", "{they", "cannot be read"),
        ('"A pensioner"', '"A student"', "twice"),
        ('name = "old"', 'name = "young"', "twice"),
        ('name = "old"', "", "needs a name"),
        ('name = "own"', 'name = "own"\n[sides.liberal]\nx = "y"', "only one of them has a word for x"),
        ('name = "own"', 'name = "own"\n[sides.middle]\nx = "y"', "liberal and conservative"),
    ],
)
def test_what_is_wrong_is_reported(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in MINIMAL
    with pytest.raises(SuiteError) as caught:
        load_suite(own(tmp_path, MINIMAL.replace(old, new, 1)))
    assert message in str(caught.value)
    assert "own.toml" in str(caught.value)


def test_unknown_names_and_settings_are_reported(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'current'"):
        load_suite("curent")
    with pytest.raises(SuiteError, match="does not exist"):
        load_suite(str(tmp_path / "none.toml"))
    with pytest.raises(SuiteError, match=r"liberal\.candidate"):
        load_suite("current", ["liberal.hero=X"])
    (tmp_path / "latin.toml").write_bytes(b"name = '\xe9'")
    with pytest.raises(SuiteError, match="UTF-8"):
        load_suite(str(tmp_path / "latin.toml"))
    assert suite_names() == ("current", "liu-2021", "planted")
