"""``unslant train`` as far as it goes without the extra."""

from __future__ import annotations

import sys

import pytest

from unslant.training.recipe import recipe_names

from .conftest import Run


def test_the_list_names_every_recipe(run: Run) -> None:
    result = run("train", "--list")
    assert result.code == 0
    lines = result.out.splitlines()
    assert [line.split()[0] for line in lines] == list(recipe_names())
    assert all(len(line.split()) > 3 for line in lines)


def test_what_is_missing_is_named(run: Run) -> None:
    assert "--list" in run("train").err
    assert "--out" in run("train", "babe-paper").err
    result = run("train", "babe-papier", "--out", "run")
    assert result.code == 2
    assert "Did you mean 'babe-paper'?" in result.err


def test_without_the_extra_the_message_says_what_to_install(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("unslant.training.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    result = run("train", "babe-paper", "--out", "run")
    assert (result.code, result.out) == (2, "")
    assert result.err.strip() == "unslant: training needs 'torch'; try: pip install 'unslant[train]'"
