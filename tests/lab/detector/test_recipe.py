"""Recipes: those we bring, and what is said of broken ones."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import pytest

from unslant.core.errors import ConfigError, UnknownName
from unslant.lab.corpora import names
from unslant.lab.detector.recipe import (
    Distill,
    Folds,
    HeadPlan,
    Part,
    Recipe,
    SmallVocabulary,
    Stage,
    packaged_recipes,
    read_recipe,
    recipe_names,
)

HEAD = 'about = "x"\nencoder = "y"\n[heads.sentence]\ntype = "sentence"\n'
STAGE = '[[stages]]\nname = "s"\ncorpora = [{ name = "babe" }]\n'


def _own(keys: str, name: str = "own.csv") -> str:
    """A stage that learns from a file."""
    return f'[[stages]]\nname = "s"\ncorpora = [{{ name = "{name}", {keys} }}]\n'


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_that_we_bring_can_be_read(name: str) -> None:
    recipe = read_recipe(name)
    assert recipe.about
    for stage in recipe.stages:
        parts = [*stage.corpora, *stage.dev, *(stage.distill.corpora if stage.distill else ())]
        assert {part.name for part in parts} <= set(names())
        for figure in stage.metric:
            assert figure == "loss" or figure.partition(".")[0] in recipe.heads


@pytest.mark.parametrize("name", recipe_names())
def test_what_a_recipe_is_measured_on_is_guarded_or_folded(name: str) -> None:
    recipe = read_recipe(name)
    folded = {recipe.folds.corpus} if recipe.folds else set()
    chosen_by = {part.name for stage in recipe.stages for part in stage.dev}
    learned = {part.name for stage in recipe.stages for part in stage.corpora}
    assert len(learned) == 1 or chosen_by - set(recipe.guard) - learned == set()
    assert chosen_by <= set(recipe.guard) | folded | learned


def test_the_publications_schemes_are_there() -> None:
    wanted = {"babe-paper", "babe-distant", "wikibias-joint", "wikibias-kinds-hierarchical"}
    wanted |= {
        f"wikibias-binary-{name}"
        for name in ("manual", "weak", "weak-manual", "weak-minus-5", "weak-minus-10")
    }
    wanted |= {f"wikibias-tagging-{name}" for name in ("manual", "weak", "linguistic", "relabelled")}
    assert wanted <= set(recipe_names())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("about = ", "not valid TOML"),
        (HEAD, "stages"),
        (HEAD + STAGE + "epoch = 3\n", "did you mean 'epochs'"),
        (HEAD + STAGE + 'lr = "fast"\n', "lr must be a number, not 'fast'"),
        (HEAD + STAGE + "epochs = 0\n", "must be at least 1"),
        (HEAD + STAGE + 'start = "middle"\n', "start must be one of previous, base"),
        (HEAD + STAGE + 'heads = ["spans"]\n', "names an unknown head 'spans'"),
        ('pooling = "max"\n' + HEAD + STAGE, "pooling must be one of mean, first, attention"),
        ('table = "int8"\n' + HEAD + STAGE, "table must be one of float32, int4"),
        ("depth = -1\n" + HEAD + STAGE, "depth must be at least 0"),
        ('precision = "int8"\n' + HEAD + STAGE, "precision must be one of float32, bfloat16"),
        (HEAD + '[[stages]]\nname = "s"\ncorpora = "babe"\n', "corpora must be a list"),
        (HEAD + '[[stages]]\nname = "s"\ncorpora = [{ splits = ["dev"] }]\n', "name"),
        (HEAD + _own('columns = { txt = "a" }'), "no field is named 'txt'; fields: id, text, label"),
        (HEAD + _own('label_values = { yes = "maybe" }'), """'yes' must be 1, 0 or "", not 'maybe'"""),
        (HEAD + _own('columns = { text = "a" }', "babe"), "are for files, not 'babe'"),
        (
            HEAD + _own('columns = { text = "a" } }, { name = "own.csv", columns = { text = "b" }'),
            "'own.csv' has different columns or label_values in two places",
        ),
    ],
)
def test_a_broken_recipe_gets_one_clear_sentence(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message) as caught:
        read_recipe(str(path))
    assert "mine.toml" in str(caught.value)


def test_an_unknown_recipe_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'babe-paper'"):
        read_recipe("babe-papers")
    with pytest.raises(ConfigError, match="no such file"):
        read_recipe("absent.toml")


def test_another_fold_or_teacher_only_where_the_recipe_has_one() -> None:
    recipe = read_recipe("babe-paper")
    assert recipe.folds is not None
    moved = recipe.with_fold(3)
    assert moved.folds is not None
    assert moved.folds.fold == 3
    with pytest.raises(ConfigError, match="between 0 and 4"):
        recipe.with_fold(5)
    with pytest.raises(ConfigError, match="has no folds"):
        read_recipe("wikibias-joint").with_fold(0)
    with pytest.raises(ConfigError, match="has no teacher"):
        recipe.with_teachers(["somewhere"])


def test_a_recipe_can_go_on_from_others() -> None:
    whole = read_recipe("default")
    assert [stage.name for stage in whole.stages] == ["deberta", "selected", "senses", "taught"]
    assert whole.heads == read_recipe("e5-broad").heads
    assert whole.stages[1] == read_recipe("deberta-further").stages[0]
    assert whole.folds is not None
    assert whole.folds.fold is None


@pytest.mark.parametrize(
    "line",
    [
        'extends = "nothing"',
        'extends = ["broad"]',
        'chain = ["broad", "nothing"]',
        "chain = [[1]]",
        'heads = { like = "nothing" }',
        "heads = { like = [] }",
    ],
)
def test_a_base_that_is_not_there_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(f"{line}\n{HEAD if 'heads' not in line else ''}{STAGE}")
    with pytest.raises(
        ConfigError, match=r"own\.toml: extends, chain and like must name other built-in recipes"
    ):
        read_recipe(str(path))


@pytest.mark.parametrize(
    ("lines", "list_"), [("chain = 5", "chain"), ('chain = ["broad"]\nstages = 5', "stages")]
)
def test_a_list_that_is_none_is_named(tmp_path: Path, lines: str, list_: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(f"{lines}\n{HEAD}")
    with pytest.raises(ConfigError, match=rf"own\.toml: {list_} must be a list"):
        read_recipe(str(path))


def test_a_stage_and_heads_can_be_like_those_of_another_recipe(tmp_path: Path) -> None:
    path, base = tmp_path / "own.toml", read_recipe("babe-paper")
    path.write_text(
        'about = "x"\nencoder = "y"\n[heads]\nlike = "babe-paper"\n[heads.opinion]\ntype = "opinion"\n'
        '[[stages]]\nlike = "babe-paper:manual"\nlr = 1e-3\n[[stages]]\nlike = "manual"\nname = "again"\n'
    )
    own = read_recipe(str(path))
    assert list(own.heads) == ["sentence", "opinion"]
    assert own.heads["sentence"] == base.heads["sentence"]
    assert own.stages[0] == replace(base.stages[0], lr=1e-3)
    assert own.stages[1] == replace(own.stages[0], name="again")
    path.write_text(path.read_text().replace('like = "manual"', 'like = "final"'))
    with pytest.raises(ConfigError, match="like must name an earlier stage, or STAGE of another recipe"):
        read_recipe(str(path))


def test_recipes_are_those_that_the_published_figures_were_made_with() -> None:
    # the order of the heads counts, too: it decides the random numbers that they begin with
    known = json.loads(Path(__file__).with_name("recipes.json").read_text("utf-8"))
    found = {name: json.dumps(asdict(read_recipe(name))) for name in recipe_names()}
    assert {name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in found.items()} == known


SECTIONS = {
    "key of a recipe": Recipe,
    "key of a corpus": Part,
    "key of a stage": Stage,
}


def documented_keys(header: str) -> set[str]:
    """Return the names in code font in the first column of a table of the page on training."""
    page = (Path(__file__).parents[3] / "docs" / "training.md").read_text("utf-8")
    table = page.partition(f"| {header} |")[2].partition("\n\n")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


@pytest.mark.parametrize("header", SECTIONS)
def test_every_recipe_key_is_documented(header: str) -> None:
    assert documented_keys(header) == {field.name for field in fields(SECTIONS[header])}


def test_every_key_of_heads_distillation_and_folds_is_documented() -> None:
    page = (Path(__file__).parents[3] / "docs" / "training.md").read_text("utf-8")
    for settings in (HeadPlan, Distill, Folds, SmallVocabulary):
        for field in fields(settings):
            assert f"`{field.name}`" in page, field.name


SET_ELSEWHERE = {"seed", "precision", "minutes", "count", "fold", "dev", "columns", "label_values"}
"""Keys with an option of ``train``, the default folds, and keys for files of a user's own."""


def test_some_recipe_sets_every_key() -> None:
    used: set[str] = set()

    def collect(table: Any) -> None:
        for key, value in table.items():
            used.add(key)
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, dict):
                    collect(item)

    for path in packaged_recipes("detector").values():
        collect(tomllib.loads(path.read_text("utf-8")))
    for settings in (Recipe, HeadPlan, Stage, Part, Distill, Folds, SmallVocabulary):
        names = {field.name for field in fields(settings)}
        assert names - SET_ELSEWHERE <= used, settings.__name__
