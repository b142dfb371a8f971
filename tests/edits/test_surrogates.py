"""Half a character, which only a Python string can hold, is read as an unknown character and written back."""

from __future__ import annotations

import json

import pytest

import unslant
from unslant.neural.attribution import attributions
from unslant.spec import Spec

from .texts import outside

TEXTS = [
    "\ud800",
    "The legendary \ud800 singer slammed the plan.",
    "The legendary\udfff singer \udc80slammed the plan, clearly\ud83d.",
    "A pair \ud83d\ude00, the legendary singer and \ud800 a Muslim woman.",
]


@pytest.mark.parametrize("spec", [Spec(analyzers=("rules",)), Spec()], ids=["rules", "model"])
@pytest.mark.parametrize("form", ["text", "markdown", "html", "wikitext"])
def test_lone_surrogates_are_read_and_written_back(spec: Spec, form: str) -> None:
    for text in TEXTS:
        report = unslant.check(text, format=form, spec=spec)
        assert report.document.source == text
        fixed = unslant.fix(text, format=form, unsafe=True, spec=spec)
        before, after = outside(fixed)
        assert before == after
        assert [char for char in fixed.text if "\ud800" <= char <= "\udfff"] == [
            char for char in text if "\ud800" <= char <= "\udfff"
        ]
        json.dumps([report.to_dict(), fixed.to_dict()])


def test_the_words_around_them_are_explained() -> None:
    assert attributions(TEXTS[1], Spec())
