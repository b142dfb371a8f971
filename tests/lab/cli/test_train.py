"""``unslant train`` as far as it goes without the extra."""

from __future__ import annotations

import sys

import pytest

from unslant.lab.detector.recipe import recipe_names
from unslant.lab.rewriters.recipe import rewriter_names

from .conftest import Run


def test_the_list_names_every_recipe(run: Run) -> None:
    for kind, names in (("detector", recipe_names()), ("rewriter", rewriter_names())):
        result = run("train", kind, "--list")
        assert result.code == 0
        lines = result.out.splitlines()
        assert [line.split()[0] for line in lines] == list(names)
        assert all(len(line.split()) > 3 for line in lines)


def test_without_the_extra_the_message_says_what_to_install(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("unslant.lab.detector.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    result = run("train", "detector", "babe-paper", "--output", "run")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("unslant: training needs 'torch'; try: ")
    assert result.err.strip().endswith("[train]'")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["detektor"], "No such command 'detektor'"),
        (["detector"], "Missing argument 'RECIPE'"),
        (["detector", "babe-paper"], "--output"),
        (["detector", "babe-papier", "--output", "run"], "Did you mean 'babe-paper'?"),
        (["detector", "babe-paper", "--pairs", "more.jsonl", "--output", "run"], "No such option"),
        (["rewriter"], "Missing argument 'RECIPE'"),
        (["rewriter", "lstm"], "--output"),
        (["rewriter", "lstn", "--output", "run"], "Did you mean 'lstm'?"),
        (["rewriter", "lstm", "--output", "run", "--encoder", "x"], "does not use an encoder"),
        (["rewriter", "lstm", "--output", "run", "--export"], "not one of a rewriter of marked words"),
        (
            ["rewriter", "none.toml", "--output", "run"],
            "none.toml: no such file; 'unslant train rewriter --list'",
        ),
    ],
)
def test_what_cannot_be_trained_is_reported_in_one_sentence(run: Run, words: list[str], message: str) -> None:
    result = run("train", *words)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
