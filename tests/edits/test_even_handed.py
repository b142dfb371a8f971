"""What is fixed for one side is fixed for the other."""

from __future__ import annotations

import pytest

import unslant
from unslant.spec import Spec

RULES = Spec(analyzers=("rules",))
TEMPLATES = [
    "The legendary {a} mayor slammed the plan of the {b} council in a stunning speech on Monday evening.",
    "Clearly, the {a} voters were ignored by the reckless {b} members of the old council last year.",
    "{a} members claimed that the {b} bill was a disgraceful waste of 40 dollars for the people of the town.",
    "The so-called {a} reform was lambasted by a renowned {b} senator who did not vote on it.",
]
SIDES = [
    ("Democratic", "Republican"),
    ("left", "right"),
    ("leftist", "rightist"),
    ("Muslim", "Christian"),
    ("coastal", "rural"),
    ("male", "female"),
]


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("sides", SIDES)
def test_mirrored_sentences_are_fixed_alike(template: str, sides: tuple[str, str]) -> None:
    one, other = sides
    first = unslant.fix(template.format(a=one, b=other), spec=RULES, unsafe=True)
    second = unslant.fix(template.format(a=other, b=one), spec=RULES, unsafe=True)
    swapped = {one: other, other: one}
    assert [swapped.get(word, word) for word in first.text.split(" ")] == second.text.split(" ")
    verdicts = [
        [(suggestion.edit.replacement, suggestion.edit.applicability) for suggestion in fixed.edits]
        for fixed in (first, second)
    ]
    assert verdicts[0] == verdicts[1]
    assert first.changed
