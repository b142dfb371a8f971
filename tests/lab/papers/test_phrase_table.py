"""Wordings counted on sentence pairs, and how they share the choice with the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from unslant.core.types import Edit, Span
from unslant.lab.evaluation.rewrite_systems import open_system
from unslant.lab.papers.wikibias.phrase_table import PhraseTable
from unslant.neural.span_edits import EditPlace

PAIRS = [
    ("He passed away in 1951.", "He died in 1951."),
    ("Her father Passed away there.", "Her father died there."),
    ("The famous singer spoke.", "The singer spoke."),
]


def place(text: str, words: str, chance: float, **shares: float) -> EditPlace:
    start = text.index(words)
    labels = {name.replace("__", ":"): share for name, share in shares.items()}
    return EditPlace(Span(start, start + len(words)), chance, " " not in words, labels)


def best(text: str, *places: EditPlace) -> tuple[str, str] | None:
    edit = PhraseTable.learn(PAIRS).best(text, places)
    return None if edit is None else (text[edit.start : edit.end], edit.replacement)


def test_what_editors_wrote_for_a_phrase_is_preferred_to_what_the_model_rarely_writes() -> None:
    text = "His aunt passed away at home."
    assert best(text, place(text, "passed away", 0.4, delete=0.3, replace__said=0.2)) == (
        "passed away",
        "died",
    )


def test_a_phrase_that_was_never_seen_gets_the_models_wording() -> None:
    text = "His aunt perished at home."
    assert best(text, place(text, "perished", 0.4, delete=0.3, replace__died=0.6)) == ("perished", "died")


def test_the_model_chooses_the_place() -> None:
    text = "The famous singer passed away."
    places = (place(text, "famous", 0.9, delete=0.9), place(text, "passed away", 0.02, delete=0.9))
    assert best(text, *places) == ("famous", "")


def test_nothing_is_put_before_several_words() -> None:
    text = "They fled in panic."
    found = PhraseTable().best(text, [place(text, "fled in", 0.5, before__reportedly=0.9, delete=0.1)])
    assert found == Edit(5, 12, "", probability=0.5)


def test_no_place_no_edit() -> None:
    assert PhraseTable().best("He spoke.", []) is None


@pytest.mark.shared
def test_wordings_of_the_training_pairs_are_used(shared_data: Path) -> None:
    (output,) = open_system("edit-pairs", shared_data).rewrite(
        ["She was born to a comedienne in Leeds in 1951."]
    )
    assert output.text == "She was born to a comedian in Leeds in 1951."
