"""Sentences: exact positions for any text, and boundaries where a reader would put them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tracemalloc
from itertools import islice, pairwise
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import assert_linear
from unslant.core.types import Document, Span
from unslant.protocols import Segmenter
from unslant.registry import resolve
from unslant.spec import Spec
from unslant.text.sentences import LONGEST, NupunktSegmenter, paragraphs

SEGMENTER = NupunktSegmenter(Spec())

prose_like = st.lists(
    st.sampled_from(
        [
            " ",
            "  ",
            "\n",
            "\n\n",
            "\r\n",
            "\r",
            ".",
            "?",
            "!",
            "…",
            '"',
            "“",
            "”",
            "(",
            ")",
            "[1]",
            "U.S.",
            "Dr.",
            "No.",
            "He",
            "it",
            "Maria",
            "5",
            "2.5",
            "- ",
            "1. ",
            "é",
            "👩\u200d👩\u200d👧",
            "שלום",
            "\x00",
            "�",
            "\u2028",
            "\x1c",
            "x" * 301,
        ]
    ),
    max_size=60,
).map("".join)
any_text = st.text(max_size=80) | prose_like


def split(text: str, blocks: tuple[Span, ...] | None = None) -> list[str]:
    document = Document(text, text, blocks=blocks)
    return [sentence.text for sentence in SEGMENTER.split(document)]


def spans(text: str, blocks: tuple[Span, ...] | None = None) -> list[Span]:
    return [sentence.span for sentence in SEGMENTER.split(Document(text, text, blocks=blocks))]


def visible(text: str) -> str:
    return "".join(text.split())


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "sentences.py"
    spec = importlib.util.spec_from_file_location("benchmark_sentences", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_is_the_registered_segmenter() -> None:
    segmenter = resolve("segmenter", "nupunkt")(Spec())
    assert isinstance(segmenter, NupunktSegmenter)
    assert isinstance(segmenter, Segmenter)


@given(any_text)
@settings(max_examples=300, deadline=None)
def test_sentences_are_ordered_trimmed_and_cover_everything_visible(text: str) -> None:
    found = spans(text)
    assert all(left.end <= right.start for left, right in pairwise(found))
    pieces = [text[span.start : span.end] for span in found]
    assert all(piece == piece.strip() and piece for piece in pieces)
    assert visible("".join(pieces)) == visible(text)


@given(any_text, st.lists(st.integers(0, 200), max_size=8))
@settings(max_examples=200, deadline=None)
def test_no_sentence_crosses_a_block_and_nothing_outside_is_split(text: str, cuts: list[int]) -> None:
    borders = sorted({cut for cut in cuts if cut <= len(text)})
    blocks = tuple(Span(*pair) for pair in islice(pairwise(borders), 0, None, 2))
    found = spans(text, blocks)
    assert all(any(block.contains(span) for block in blocks) for span in found)
    for block in blocks:
        inside = "".join(text[span.start : span.end] for span in found if block.contains(span))
        assert visible(inside) == visible(text[block.start : block.end])


@given(any_text)
@settings(max_examples=100, deadline=None)
def test_splitting_again_finds_the_same(text: str) -> None:
    assert spans(text) == [sentence.span for sentence in NupunktSegmenter(Spec()).split(Document(text, text))]


def test_cases_marked_by_hand(benchmark: ModuleType) -> None:
    right = benchmark.accuracy(split)
    total = [mark for marks in right.values() for mark in marks]
    assert len(total) >= 200
    assert sum(total) / len(total) >= 0.95
    assert sum(right["held out"]) / len(right["held out"]) >= 0.95
    assert all(sum(marks) / len(marks) >= 0.65 for marks in right.values())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The winter was hard. Maria moved south.", ["The winter was hard.", "Maria moved south."]),
        ("He moved to the U.S. His sister stayed.", ["He moved to the U.S.", "His sister stayed."]),
        ("It was No. 5. No. Maria has it.", ["It was No. 5.", "No.", "Maria has it."]),
        ("Rich in vitamin C. It is sweet.", ["Rich in vitamin C.", "It is sweet."]),
        ("George W. Hill met Mary A. The second.", ["George W. Hill met Mary A. The second."]),
        ("Hall v. The Harbor was heard.", ["Hall v. The Harbor was heard."]),
        ("Lt. Moss and Dr. He spoke.", ["Lt. Moss and Dr. He spoke."]),
        ("The Yahoo! office moved.", ["The Yahoo! office moved."]),
        ('"Is it?" he asked. "Yes."', ['"Is it?" he asked.', '"Yes."']),
        ("It grew.[1][a] It shrank.", ["It grew.[1][a]", "It shrank."]),
        ("It grew. [1] is a note.", ["It grew.", "[1] is a note."]),
        ("Dr.        Smith left.        He ran.", ["Dr.        Smith left.", "He ran."]),
    ],
)
def test_corrections(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blank_lines_end_a_sentence_and_single_line_ends_do_not(end: str) -> None:
    text = f"A heading{end}{end}One sentence{end}over two lines. Another.{end}  {end}{end}Last"
    assert split(text) == ["A heading", f"One sentence{end}over two lines.", "Another.", "Last"]


def test_a_short_line_above_a_long_one_is_a_heading() -> None:
    body = "The lake rose by two meters in the spring, and it fell again in the summer."
    assert split(f"Results\n{body}") == ["Results", body]
    assert split(f"Results,\n{body}") == [f"Results,\n{body}"]
    assert split(f"Results\n{body.lower()}") == [f"Results\n{body.lower()}"]


def test_lines_of_about_equal_width_are_wrapped_prose() -> None:
    text = "The ship was named after the owner of\nHarbor Tools, who had paid for all of it."
    assert split(text) == [text]


@pytest.mark.parametrize("mark", ["- ", "* ", "• ", "1. ", "2) ", "(a) ", "iv) "])
def test_list_items_stand_alone(mark: str) -> None:
    assert split(f"Bring\n{mark}a coat\n{mark}a map") == ["Bring", f"{mark}a coat", f"{mark}a map"]


def test_blocks_win_over_blank_lines() -> None:
    text = "one and\n\ntwo. Three"
    assert split(text, (Span(0, 13), Span(14, 19))) == ["one and\n\ntwo.", "Three"]
    assert split(text, ()) == []
    assert split("     \n  ", (Span(0, 7),)) == []


def test_paragraphs_leave_out_the_blank_lines() -> None:
    text = "\n\na\r\n\r\n \t\r\nb\n"
    assert [text[start:end] for start, end in paragraphs(text)] == ["a", "b\n"]


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        ".",
        "(",
        '"',
        "?",
        "?)",
        ". ",
        "? ",
        "word ",
        "a\n",
        "1. ",
        "A. ",
        "- a\n",
        "é",
        "\x00",
        "�",
        "“ ",
        "a.[1]",
        "?" * 299 + " ",
        "\n" + " " * 99,
        "He went home. ",
    ],
)
def test_monotonous_text_takes_linear_time(piece: str) -> None:
    def split(text: str) -> None:
        found = spans(text)
        assert visible("".join(text[span.start : span.end] for span in found)) == visible(text)

    assert_linear(split, lambda size: (piece * size)[:size], 25_000)


def test_very_long_sentences_are_cut_at_white_space_only() -> None:
    text = "word " * 20_000
    found = split(text)
    assert len(found) > 1
    assert all(len(sentence) <= LONGEST for sentence in found)
    assert {word for sentence in found for word in sentence.split()} == {"word"}


def test_windows_do_not_move_boundaries() -> None:
    sentences = [f"Dr. Lopez paid ${number}.50 to the U.S. office in May." for number in range(2_000)]
    assert split(" ".join(sentences)) == sentences


def test_a_long_document_is_split_little_by_little() -> None:
    text = "Maria went home. Nobody saw it. " * 15_000
    document = Document(text, text)
    next(SEGMENTER.split(document))
    tracemalloc.start()
    assert sum(1 for _ in SEGMENTER.split(document)) == 30_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


def test_the_model_is_loaded_only_when_needed() -> None:
    program = (
        "import sys; from unslant.spec import Spec; from unslant.text.sentences import NupunktSegmenter;"
        "NupunktSegmenter(Spec()); assert 'nupunkt' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env={"PYTHONPATH": ":".join(sys.path)})
