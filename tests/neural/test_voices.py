"""Which heads speak together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from unslant.core.errors import ModelError
from unslant.neural.checkpoint import Head, Package, load_package
from unslant.neural.voices import Voice, first_of, voices


def package(**types: str) -> Package:
    heads = {name: Head(name, type_, "text", (), True) for name, type_ in types.items()}
    return Package(Path("somewhere"), heads, {}, 16)


def test_one_head_of_each() -> None:
    assert voices(package(spans="spans", sentence="sentence")) == [Voice("spans", "sentence")]


def test_a_tagger_alone_speaks_for_itself() -> None:
    assert voices(package(tags="spans")) == [Voice("tags")]


def test_heads_of_our_own_recipes_have_partners_that_learned_from_the_same() -> None:
    found = voices(
        package(
            sentence="sentence",
            words="spans",
            revision="sentence",
            spans="spans",
            abuse="sentence",
            rationale="spans",
        )
    )
    assert found == [
        Voice("words", "sentence"),
        Voice("spans", "revision"),
        Voice("rationale", "abuse", "demographic"),
    ]


def test_the_folder_may_say_who_speaks() -> None:
    named = replace(
        package(a="spans", b="spans", s="sentence"), span_heads=({"spans": "b", "kind": "framing"},)
    )
    assert voices(named) == [Voice("b", None, "framing")]
    with pytest.raises(ModelError, match="no head 'c'"):
        voices(replace(named, span_heads=({"spans": "a", "sentence": "c"},)))


def test_the_head_that_bears_the_name_answers_or_else_the_first() -> None:
    assert first_of(package(revision="sentence", sentence="sentence"), "sentence") == "sentence"
    assert first_of(package(revision="sentence", abuse="sentence"), "sentence") == "revision"
    assert first_of(package(revision="sentence"), "dimension") is None


def test_the_tiny_model(tiny: Path) -> None:
    assert voices(load_package(tiny)) == [Voice("spans", "sentence")]
