"""Subtitles: what is said is read, and a sentence may run over several captions."""

from __future__ import annotations

import pytest

from tests.text.readers.reading import blocks, comments, words

TIME = "00:00:01,000 --> 00:00:02,000"
VTT = "00:01.000 --> 00:02.000 align:start"


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        (f"1\n{TIME}\nThe vote is over.\n", "The vote is over."),
        (f"1\n{TIME}\nThe vote\nis over.\n\n2\n{TIME}\nThey left.\n", "The vote is over. They left."),
        (f"WEBVTT\n\n{VTT}\nThe vote is over.\n", "The vote is over."),
        (f"WEBVTT - a title\nKind: captions\n\n{VTT}\nYes.\n", "Yes."),
        (f"\ufeffWEBVTT\n\n{VTT}\nYes.\n", "Yes."),
        (f"WEBVTT\n\nSTYLE\n::cue {{ color: red }}\n\n{VTT}\nYes.\n", "Yes."),
        (f"WEBVTT\n\nintro\n{VTT}\nYes.\n", "Yes."),
        (f"1\n{TIME}\n<i>The vote</i> is <font color=red>over</font>.\n", "The vote is over ."),
        (f"1\n{TIME}\n{{\\an8}}The vote is over.\n", "The vote is over."),
        (f"WEBVTT\n\n{VTT}\n<v Ann Doe>The vote is over.\n", "The vote is over."),
        (f"1\n{TIME}\n\u266a The song \u266a\n", "The song"),
        (f"1\n{TIME}\n- One.\n- Two.\n", "One. Two."),
    ],
)
def test_what_is_read(source: str, visible: str) -> None:
    assert words("subtitles", source) == visible


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (f"1\n{TIME}\nThe vote\n\n2\n{TIME}\nis over.\n", ["The vote is over."]),
        (f"1\n{TIME}\nOne.\n\n2\n{TIME}\nTwo.\n", ["One.", "Two."]),
        (f"1\n{TIME}\nOne?\n\n2\n{TIME}\nTwo!\n", ["One?", "Two!"]),
        (f"1\n{TIME}\n- One.\n- Two.\n", ["One.", "Two."]),
        (f"1\n{TIME}\n<i>One.</i>\n\n2\n{TIME}\nTwo.\n", ["One.", "Two."]),
    ],
)
def test_sentences_run_on_until_they_end(source: str, expected: list[str]) -> None:
    assert blocks("subtitles", source) == expected


def test_notes_are_comments() -> None:
    source = f"WEBVTT\n\nNOTE\na note\n\n{VTT}\nYes.\n"
    assert words("subtitles", source) == "Yes."
    assert comments("subtitles", source) == ["a note"]
