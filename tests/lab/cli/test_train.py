"""``unslant train`` as far as it goes without the extra."""

from __future__ import annotations

import sys

import pytest

from unslant.lab.detector.recipe import recipe_names
from unslant.lab.rewriters.recipe import rewriter_names

from .conftest import Run


def test_the_list_names_every_recipe(run: Run) -> None:
    result = run("train", "--list")
    assert result.code == 0
    lines = result.out.splitlines()
    own = [line.split()[0] for line in lines if not line.startswith("rewriter ")]
    assert own == list(recipe_names())
    rewriters = [line for line in lines if line.startswith("rewriter ")]
    assert [line.split()[1] for line in rewriters] == list(rewriter_names())
    assert run("train", "rewriter", "--list").out.splitlines() == rewriters
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
    for name in [name for name in sys.modules if name.startswith("unslant.lab.detector.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    result = run("train", "babe-paper", "--out", "run")
    assert (result.code, result.out) == (2, "")
    assert result.err.strip() == "unslant: training needs 'torch'; try: pip install 'unslant[train]'"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rewriter"], "Missing argument 'SYSTEM'"),
        (["rewriter", "lstm"], "--out"),
        (["rewriter", "lstn", "--out", "run"], "Did you mean 'lstm'?"),
        (["rewriter", "lstm", "--out", "run", "--encoder", "x"], "learns from the pairs alone"),
        (["rewriter", "lstm", "--out", "run", "--export"], "--export: is not for rewriters"),
        (["rewriter", "none.toml", "--out", "run"], "none.toml: there is no such file"),
        (["babe-paper", "lstm", "--out", "run"], "are for 'unslant train rewriter SYSTEM'"),
        (["babe-paper", "--pairs", "more.jsonl", "--out", "run"], "are for 'unslant train rewriter SYSTEM'"),
    ],
)
def test_a_rewriter_that_cannot_be_trained_is_told_in_a_sentence(
    run: Run, words: list[str], message: str
) -> None:
    result = run("train", *words)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
