"""The list of mutations fits the sources and the tests as they are now."""

from __future__ import annotations

import ast

from .mutations import MUTATIONS, PAGE, ROOT, mutation_page


def test_there_are_enough_and_none_twice() -> None:
    assert len(MUTATIONS) >= 60
    assert len(set(MUTATIONS)) == len(MUTATIONS)


def test_each_changes_one_line_that_occurs_once() -> None:
    for mutation in MUTATIONS:
        source = (ROOT / "src" / "unslant" / mutation.file).read_text("utf-8")
        assert source.count(mutation.before) == 1, mutation
        assert "\n" not in mutation.before + mutation.after
        changed = source.replace(mutation.before, mutation.after)
        assert changed != source
        # a line that is no Python any more would fail every test
        ast.parse(changed)


def test_each_names_a_test_that_exists() -> None:
    for mutation in MUTATIONS:
        file, _, rest = mutation.test.partition("::")
        path = ROOT / file
        assert path.is_file(), mutation
        if rest:
            # cases in brackets, and classes, are not looked at
            name = rest.rpartition("::")[2].partition("[")[0]
            assert f"def {name}(" in path.read_text("utf-8"), mutation


def test_the_page_shows_the_list() -> None:
    assert PAGE.read_text("utf-8") == mutation_page(), "run: python -m tests.mutation.mutations"
