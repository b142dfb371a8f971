"""Quotations: what stands between marks, and nothing else."""
# ruff: noqa: RUF001 (quotation marks and dashes are meant)

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import assert_linear
from unslant.core.types import Span
from unslant.text.quotations import find_quotations

marked = st.lists(
    st.sampled_from(
        [
            *list("\"“”„«»‹›'‘’ .,()5s\n"),
            "\n\n",
            "word",
            "It's",
            "dogs' ",
            "'90s",
            "5'10\"",
            "👩\u200d👩\u200d👧",
            "�",
            "\x00",
        ]
    ),
    max_size=50,
).map("".join)


def quoted(text: str, blocks: tuple[Span, ...] | None = None) -> list[str]:
    return [text[span.start : span.end] for span in find_quotations(text, blocks)]


@given(st.text(max_size=60) | marked)
@settings(max_examples=400, deadline=None)
def test_any_text_gives_ordered_spans_with_a_mark_at_one_end(text: str) -> None:
    found = find_quotations(text, None)
    assert all(left.end <= right.start for left, right in pairwise(found))
    for span in found:
        assert span.end <= len(text)
        assert text[span.start] in "\"“„‟«»‹›'‘" or text[span.end - 1] in '"”'


@given(marked, st.integers(0, 60))
@settings(max_examples=200, deadline=None)
def test_no_quotation_crosses_a_block(text: str, cut: int) -> None:
    cut = min(cut, len(text))
    blocks = tuple(Span(*pair) for pair in ((0, cut), (cut, len(text))) if pair[0] < pair[1])
    assert all(any(block.contains(span) for block in blocks) for span in find_quotations(text, blocks))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('She said "go" and left.', ['"go"']),
        ("She said “go” and left.", ["“go”"]),
        ("She said ‘go’ and left.", ["‘go’"]),
        ("She said 'go' and left.", ["'go'"]),
        ("Elle dit «va» et part.", ["«va»"]),
        ("Sie sagte „geh“ und ging.", ["„geh“"]),
        ("Sie sagte »geh« und ging.", ["»geh«"]),
        ('"One. Two!" she said. "Three?"', ['"One. Two!"', '"Three?"']),
        ('He said (or "wrote") it—"twice".', ['"wrote"', '"twice"']),
        ('" Spaced , " he said , " twice . "', ['" Spaced , "', '" twice . "']),
        ('An empty "" mark.', []),
    ],
)
def test_every_sort_of_mark(text: str, expected: list[str]) -> None:
    assert quoted(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“She said ‘no’ twice,” he said.", ["“She said ‘no’ twice,”"]),
        ("\"She said 'no' twice,\" he said.", ["\"She said 'no' twice,\""]),
        ("‘She said “no” twice,’ he said.", ["‘She said “no” twice,’"]),
        ("“The sign says ‘Closed.’” They left.", ["“The sign says ‘Closed.’”"]),
        ("“One “two” three” four", ["“One “two” three”"]),
    ],
)
def test_the_outermost_marks_win(text: str, expected: list[str]) -> None:
    assert quoted(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "It's the dogs' bowls, isn't it?",
        "It’s the dogs’ bowls, isn’t it?",
        "The '90s and the ’80s, and '05 too; the dogs' years.",
        "Rock 'n' roll, 'tis true, give 'em the cats' food.",
        "He is 5'10\" tall and 6'1\" in shoes.",
        'A 12" board and a 14" one.',
        "A 5′10″ man.",
    ],
)
def test_apostrophes_and_measures_quote_nothing(text: str) -> None:
    assert quoted(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He said 'yes' and fed the dogs' pups.", ["'yes'"]),
        ("‘The dogs’ bowls are full,’ he said.", ["‘The dogs’ bowls are full,’"]),
        ("He isn't 'glad', she's sure.", ["'glad'"]),
        ('He is 5\'10" tall, "more or less".', ['"more or less"']),
        ("‘cats’ and ‘dogs’ and the boys’ hats", ["‘cats’", "‘dogs’"]),
    ],
)
def test_quotations_among_apostrophes(text: str, expected: list[str]) -> None:
    assert quoted(text) == expected


@pytest.mark.parametrize("opening", ['"', "“"])
def test_each_paragraph_of_a_long_quotation_opens_and_only_the_last_closes(opening: str) -> None:
    closing = "”" if opening == "“" else '"'
    text = f"He wrote: {opening}One.\n\n{opening}Two.\n\n{opening}Three.{closing} So it was."
    assert quoted(text) == [f"{opening}One.", f"{opening}Two.", f"{opening}Three.{closing}"]


@pytest.mark.parametrize("mark", ['"', "“", "«", "„"])
def test_a_mark_that_is_never_closed_reaches_to_the_end_of_its_sentence(mark: str) -> None:
    text = f"He said {mark}one and left. He slept.\n\nThen he said “two” and left."
    assert quoted(text) == [f"{mark}one and left.", "“two”"]


@pytest.mark.parametrize("mark", ["‘", "'"])
def test_a_single_mark_that_is_never_closed_swallows_nothing(mark: str) -> None:
    text = f"He said {mark}one and left.\n\nThen he said “two” and left."
    assert quoted(text) == ["“two”"]


def test_a_second_opening_mark_starts_again() -> None:
    assert quoted('He said "one and then "two" and left.') == ['"two"']
    assert quoted("He said “one and then “two” and left.") == ["“two”"]


def test_blocks_bound_quotations() -> None:
    text = '"one two" three'
    assert quoted(text, (Span(0, 4), Span(5, 15))) == ['"one', 'two"']
    assert quoted(text, (Span(0, 15),)) == ['"one two"']


@pytest.mark.parametrize(
    "piece", ['"', "'", "“", "”", "“”", "'a ", "\"a' ", '«‘"“', '"a\n\n', '1"', "‘as’ a "]
)
def test_very_many_marks_take_linear_time(piece: str) -> None:
    assert_linear(lambda text: find_quotations(text, None), lambda size: (piece * size)[:size], 40_000)


def test_a_post_is_no_longer_than_posts_are() -> None:
    before = "The mayor slammed the plan in a speech of an hour. " * 12
    text = before + "It was a stunning night. — Ada Roe (@adaroe) May 4, 2021 The mayor left."
    (span,) = find_quotations(text, None)
    assert text[span.start :].startswith("The mayor slammed")
    assert 300 < text.index(" The mayor left") - span.start < 420
    assert text[: span.end].endswith("May 4, 2021")
