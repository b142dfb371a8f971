"""A stretch of words is judged as a whole, and all stretches share one probability."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.types import Edit, Span
from unslant.neural.checkpoint import DELETE, edit_label, labelled_edit
from unslant.neural.span_edits import PARTS, SpanEditDecoder, suggest
from unslant.text.edits import apply_edits
from unslant.text.tidy import tidy_edit

LABELS = ("keep", "delete", "replace:said", "before:some")
SAID, SOME = "replace:said", "before:some"
TEXT = "They boldly claimed it"
WORDS = [(0, Span(0, 4)), (1, Span(5, 11)), (2, Span(12, 19)), (3, Span(20, 22))]


def tables(size: int = 1, longest: int = 3, seed: int | None = None) -> dict[str, Any]:
    """Return tables of zeros, or of any numbers."""
    shapes: dict[str, tuple[int, ...]] = {
        "widths": (longest, size),
        "borders": (2, size),
        "score": (size + 1,),
        "ops": (len(LABELS) - 1, size + 1),
    }
    if seed is None:
        return {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    numbers = np.random.default_rng(seed)
    return {name: numbers.normal(0, 1.5, shape).astype(np.float32) for name, shape in shapes.items()}


def test_a_choice_worked_out_by_hand() -> None:
    """Two words, stretches of one word: tanh of what each says as the first word of a stretch, doubled."""
    made = tables(longest=1)
    made["score"][:] = [2, 0]
    made["ops"][:, 1] = [math.log(3), math.log(1), math.log(1)]
    pieces = np.zeros((2, PARTS + 1))
    pieces[1, 0] = math.atanh(0.5)  # so that the second word scores 2 · 0.5 = 1 and the first 0
    pieces[:, -1] = [3, -1]  # leaving all alone scores their mean, 1
    first, *others = (
        SpanEditDecoder(made, LABELS).choices("one two", [(0, Span(0, 3)), (1, Span(4, 7))], pieces).edits
    )
    total = math.exp(0) + math.exp(1) + math.exp(1)
    assert first == Edit(4, 7, "", probability=pytest.approx(math.exp(1) / total * 3 / 5))
    # of the first word 3/5, which is a little more than e/5 of the second
    assert [other.probability for other in others] == pytest.approx(
        [3 / 5 / total, math.exp(1) / total / 5, 1 / 5 / total]
    )


def judged(made: dict[str, Any], pieces: np.ndarray, count: int) -> dict[tuple[int, int], float]:
    """Return how likely each stretch is chosen, word by word and with nothing but sums."""
    size, longest = made["widths"].shape[1], len(made["widths"])

    def says(word: int, part: int, number: int) -> float:
        return float(pieces[word, part * size + number])

    scores = {}
    for first in range(count):
        for last in range(first, min(count, first + longest)):
            score = float(made["score"][-1])
            for number in range(size):
                inside = [says(word, 2, number) for word in range(first, last + 1)]
                before = says(first - 1, 3, number) if first else float(made["borders"][0, number])
                after = says(last + 1, 4, number) if last + 1 < count else float(made["borders"][1, number])
                total = says(first, 0, number) + says(last, 1, number) + sum(inside) / len(inside)
                total += before + after + float(made["widths"][last - first, number])
                score += float(made["score"][number]) * math.tanh(total)
            scores[first, last] = score
    none = sum(float(pieces[word, -1]) for word in range(count)) / count
    whole = sum(map(math.exp, scores.values())) + math.exp(none)
    return {place: math.exp(score) / whole for place, score in scores.items()}


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 5), st.integers(1, 4))
def test_it_is_what_the_sums_say(seed: int, size: int, longest: int, count: int) -> None:
    made = tables(size, longest, seed)
    made["ops"][:] = 0
    made["ops"][0, -1] = 30  # whatever is chosen is deleted
    pieces = np.random.default_rng(seed).normal(0, 1, (count, PARTS * size + 1)).astype(np.float32)
    words = WORDS[:count]
    expected = judged(made, pieces, count)
    likeliest = sorted(expected.values(), reverse=True)[:6]
    starts, ends = {span.start: at for at, span in words}, {span.end: at for at, span in words}
    found = SpanEditDecoder(made, LABELS).choices(TEXT, words, pieces).edits
    assert [edit.probability for edit in found] == pytest.approx(
        [item for item in likeliest if item >= 0.02], abs=1e-4
    )
    for edit in found:
        place = starts[edit.start], ends[edit.end]
        assert (edit_label(edit), edit.probability) == (DELETE, pytest.approx(expected[place], abs=1e-4))


def test_something_is_put_before_single_words_only() -> None:
    made = tables(longest=2)
    made["ops"][2, -1] = 1
    found = SpanEditDecoder(made, LABELS).choices(TEXT, WORDS[:2], np.zeros((2, PARTS + 1))).edits
    inserted = {item.start for item in found if edit_label(item) == SOME}
    assert inserted == {span.start for _, span in WORDS[:2]}
    assert (0, 11) in {(item.start, item.end) for item in found}


def test_edits_that_would_change_nothing_are_no_choice() -> None:
    made = tables(longest=1)
    made["ops"][:, 1] = [-9, 0, 0]
    reader = SpanEditDecoder(made, LABELS)
    pieces = np.zeros((2, PARTS + 1))
    words = [(0, Span(0, 4)), (1, Span(5, 9))]
    said = {(edit.start, edit_label(edit)) for edit in reader.choices("Some Said", words, pieces).edits}
    assert said == {(0, SAID), (0, SOME)}


def test_nothing_is_chosen_of_nothing() -> None:
    chosen = SpanEditDecoder(tables(), LABELS).choices("", [], np.zeros((0, 6)))
    assert (chosen.edits, chosen.none) == ([], 1.0)


def written(**made: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **made)
    return file.getvalue()


def test_tables_come_back_from_a_file() -> None:
    reader = SpanEditDecoder.read(written(**tables(2)), LABELS)
    assert reader.outputs == 2 * PARTS + 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04 and no more",
        written(widths=np.zeros((2, 1))),
        written(**{**tables(), "ops": np.zeros((7, 2))}),
        written(**{**tables(), "widths": np.zeros((0, 1))}),
        written(**{**tables(), "borders": np.array([{"a": 1}], object)}),
    ],
)
def test_what_is_no_file_of_tables_is_reported(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        SpanEditDecoder.read(content, LABELS)


@pytest.mark.parametrize(
    ("text", "words", "label", "after"),
    [
        ("It was a great day.", "great", DELETE, "It was a day."),
        ("It was a truly great day.", "truly great", DELETE, "It was a day."),
        ("He boldly claimed it.", "boldly claimed", SAID, "He said it."),
        ("Sadly the town burned.", "Sadly", DELETE, "The town burned."),
        ("A self-made man came.", "self", DELETE, "A man came."),
        ("A man, self-made, came.", "made", DELETE, "A man, came."),
        ("Experts agree.", "Experts", SOME, "Some Experts agree."),
    ],
)
def test_choices_become_changes_that_leave_a_sentence(text: str, words: str, label: str, after: str) -> None:
    start = text.index(words)
    (edit,) = suggest(text, [labelled_edit(label, Span(start, start + len(words)), 0.4)], 0.4)
    assert apply_edits(text, [tidy_edit(text, edit)]) == after
    assert edit.probability == pytest.approx(0.5)


def test_what_would_leave_no_word_is_not_suggested_and_nothing_twice() -> None:
    assert suggest("Awful.", [Edit(0, 5, "", probability=0.9)], 0.5) == []
    both = [Edit(2, 6, "", probability=0.6), Edit(7, 11, "", probability=0.3)]
    (edit,) = suggest("A self-made man.", both, 0.5)
    assert edit.probability == pytest.approx(0.6)
