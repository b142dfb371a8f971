"""Names that no list has stand where veiled words stood, and nothing else changes."""

from __future__ import annotations

import random
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.core.example import Example
from unslant.lab.detector.epoch import draw
from unslant.lab.detector.recipe import Augment, Part
from unslant.lab.detector.rows import Sample
from unslant.lab.detector.strangers import Strangers, strangers
from unslant.neural.veil import Veil, listed

TEXT = "The Democrats thanked Joe Biden, and Joe Biden thanked them."


def _unlisted() -> set[str]:
    import tomllib

    data = tomllib.loads(files("unslant.lab.evaluation").joinpath("even_handed.toml").read_text("utf-8"))
    return {
        name
        for entry in data["unlisted"].values()
        for pair in entry["pairs"]
        for full in pair
        for name in full.split()
    }


def test_no_stranger_is_asked_for_in_the_evaluation() -> None:
    """What even-handedness is measured with must be new to the model."""
    used = {word for names in strangers().values() for name in names for word in name.split()}
    shared = {word for word in used & _unlisted() if word not in ("MPs", "Democrats", "Republicans")}
    assert not shared


def test_strangers_stand_for_covering_words_and_are_not_listed() -> None:
    covers = set(listed().values())
    assert set(strangers()) <= covers
    assert not {name for names in strangers().values() for name in names} & set(listed())


@given(seed=st.integers(0, 2**32))
def test_a_name_is_the_same_throughout_a_text(seed: int) -> None:
    veiled = Veil(listed()).cover(TEXT, Strangers(seed))
    party, first, again = (
        veiled.text[start:end] for start, end in zip(veiled.starts, veiled.ends, strict=True)
    )
    assert first == again
    assert party in strangers()["Centrists"]
    assert first in strangers()["John Smith"]
    assert [TEXT[start:end] for start, end in veiled.places] == ["Democrats", "Joe Biden", "Joe Biden"]


@pytest.mark.parametrize("consistency", [0.0, 1.0])
def test_texts_with_veiled_words_are_read_with_strangers(consistency: float) -> None:
    part = Part("made")
    texts = [TEXT, "The lake is forty metres deep."]
    samples = [
        Sample(Example(str(at), text, source="made", licence="CC0-1.0", label=True), part, "train")
        for at, text in enumerate(texts)
    ]
    drawn = draw(samples, Augment(strangers=1.0, consistency=consistency), random.Random(1))
    strange = [one for one in drawn if one.strangers is not None]
    assert [one.example.id for one in strange] == ["0"]
    assert len(drawn) == (3 if consistency else 2)
    assert strange[0].copy_of == (0 if consistency else None)
    assert strange[0].example == samples[0].example  # labels and positions stay those of the text
