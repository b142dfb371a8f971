"""Edits of words become changes of a text that leave it well formed and the rest of it untouched."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unslant.core.types import Span
from unslant.neural.edits import (
    Change,
    Op,
    apply,
    changes,
    label,
    op_of,
    settled,
    tidy,
)

TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")
KEEP, DELETE = Op("keep"), Op("delete")


def edited(text: str, **ops: Op) -> str:
    """Apply the edits of words; words are named by themselves, marks by ``comma`` and the like."""
    names = {",": "comma", ".": "stop", "-": "hyphen", '"': "quote", "(": "bracket"}
    spans = [Span(*match.span()) for match in TOKEN.finditer(text)]
    words = [names.get(text[span.start : span.end], text[span.start : span.end]) for span in spans]
    assert set(ops) <= set(words)
    chosen = [(span, ops.get(word, KEEP)) for span, word in zip(spans, words, strict=True)]
    return apply(text, settled(text, changes(text, chosen)))


def by(text: str) -> Op:
    return Op("replace", text)


def before(text: str) -> Op:
    return Op("before", text)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (edited("He gave a great speech.", great=DELETE), "He gave a speech."),
        (edited("The speech was long and great.", great=DELETE), "The speech was long and."),
        (edited("He boldly claimed it.", claimed=by("said")), "He boldly said it."),
        (edited("He boldly claimed it.", boldly=by("said"), claimed=DELETE), "He said it."),
        (edited("He boldly claimed it.", boldly=DELETE, claimed=by("said")), "He said it."),
        (edited("The town grew.", grew=before("slowly")), "The town slowly grew."),
        (edited("It grew (fast).", fast=before("very")), "It grew (very fast)."),
        (edited("It grew.", stop=before("slowly")), "It grew slowly."),
        (edited("The well-known town", hyphen=before("so")), "The well so -known town"),
        (edited("It grew but shrank later.", but=before(",")), "It grew, but shrank later."),
        (edited("He, Paul, left.", comma=by("and")), "He and Paul and left."),
        (edited("A so-called reform passed.", so=DELETE, hyphen=DELETE, called=DELETE), "A reform passed."),
        (edited("The 1989-1991 war", hyphen=DELETE), "The 1989 1991 war"),
        (edited("The yes-no answer", hyphen=by("or")), "The yes or no answer"),
        (edited("Very big towns grew", Very=DELETE, big=before("some")), "Some big towns grew"),
        (edited("They met however briefly.", however=by(",")), "They met, briefly."),
    ],
)
def test_white_space_is_in_order(found: str, wanted: str) -> None:
    assert found == wanted


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (edited("Sadly, the town shrank.", Sadly=DELETE, comma=DELETE), "The town shrank."),
        (edited("Sadly, the town shrank.", Sadly=DELETE), "The town shrank."),
        (edited("Brave soldiers left.", Brave=DELETE), "Soldiers left."),
        (edited("Claims were made.", Claims=by("statements")), "Statements were made."),
        (edited("The experts agree.", The=before("some of")), "Some of the experts agree."),
        (edited("Paris grew.", Paris=before("later")), "Later Paris grew."),
        (edited("sadly it rained.", sadly=DELETE), "it rained."),
        (edited('"Sadly it rained"', Sadly=DELETE), '"It rained"'),
        (edited("In the Brave town", Brave=by("small")), "In the small town"),
    ],
)
def test_a_sentence_keeps_its_capital_and_its_first_mark(found: str, wanted: str) -> None:
    assert found == wanted


def test_neighbouring_edits_are_one_change() -> None:
    text = "a very nice and truly big town"
    spans = [Span(*match.span()) for match in TOKEN.finditer(text)]
    ops = [KEEP, DELETE, by("small"), KEEP, DELETE, DELETE, KEEP]
    found = changes(text, zip(spans, ops, strict=True))
    assert found == [Change(2, 11, "small"), Change(16, 25, "")]


@pytest.mark.parametrize("name", ["keep", "delete", "replace:said that", "before:,"])
def test_labels_are_read_back(name: str) -> None:
    assert label(op_of(name)) == name


@pytest.mark.parametrize("name", ["", "replace:", "before: ", "swap:x", "Keep"])
def test_a_label_that_is_no_edit_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no such edit"):
        op_of(name)


TEXTS = st.lists(
    st.sampled_from(["the", "Town", "was", "very", ",", ".", "(", ")", '"', "-", "1918", "grew"]), max_size=9
).map(" ".join)
OPS = st.sampled_from([KEEP, DELETE, by("said"), by("one of"), by(","), before("some"), before(",")])


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS, st.booleans(), st.data())
def test_changes_are_apart_and_touch_only_what_was_edited(
    text: str, tight: bool, data: st.DataObject
) -> None:
    if tight:
        text = re.sub(r" (?=[,.)-])|(?<=[(-]) ", "", text)
    spans = [Span(*match.span()) for match in TOKEN.finditer(text)]
    ops = data.draw(st.lists(OPS, min_size=len(spans), max_size=len(spans)))
    raw = changes(text, zip(spans, ops, strict=True))
    found = settled(text, raw)
    assert all(0 <= one.start <= one.end <= len(text) for one in found)
    assert all(left.end <= right.start for left, right in pairwise(found))
    words = [text[span.start : span.end].lower() for span in spans]
    kept = [
        word for word, op in zip(words, ops, strict=True) if op.kind in ("keep", "before") and word.isalnum()
    ]
    left = [match[0].lower() for match in TOKEN.finditer(apply(text, found))]
    # what was kept is still there, in order
    rest = iter(left)
    assert all(any(word == other for other in rest) for word in kept)
    if not any(op != KEEP for op in ops):
        assert not found


@given(TEXTS, st.integers(0, 8))
@settings(max_examples=100)
def test_deleting_a_word_leaves_no_double_space(text: str, place: int) -> None:
    spans = [Span(*match.span()) for match in TOKEN.finditer(text)]
    if place >= len(spans):
        return
    (change,) = changes(text, [(spans[place], DELETE)])
    after = apply(text, [tidy(text, change)])
    assert "  " not in after
    assert not after.startswith(" ")
