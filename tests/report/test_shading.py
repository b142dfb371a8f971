"""Words shaded by how much they matter."""

from __future__ import annotations

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from unslant.core.types import Attribution, Span, Weight
from unslant.report.shading import shade_words, shaded_page

FOUND = Attribution(
    "The awful <town>",
    0.8,
    (Weight(Span(0, 3), 0.0), Weight(Span(4, 9), 0.6), Weight(Span(11, 15), -0.1)),
    (Span(4, 9),),
    {"kinds": "framing (90%)"},
)


def test_without_colour_every_word_has_its_bar() -> None:
    lines = shade_words([FOUND], color=False).splitlines()
    assert lines[0] == "The awful <town>"
    assert lines[2:5] == ["  The    +0.000", f"  awful  +0.600  {'#' * 20}", f"  town   -0.100  {'<' * 10}"]
    assert lines[5] == "slanted: 80%; kinds: framing (90%)"
    assert "\x1b" not in "".join(lines)


def test_with_colour_the_text_stays_and_only_words_that_matter_are_shaded() -> None:
    picture = shade_words([FOUND], color=True)
    plain = re.sub(r"\x1b\[[\d;]*m", "", picture)
    assert plain.startswith("The awful <town>\n")
    assert picture.startswith("The \x1b[")
    shades = dict(re.findall(r"\x1b\[([\d;]+)m(\w+)\x1b", picture))
    assert sorted(shades.values()) == ["awful", "town"]
    assert [codes.endswith(";4") for codes, word in shades.items() if word == "awful"] == [True]


def test_the_page_is_escaped_and_marks_what_is_reported() -> None:
    made = shaded_page([FOUND])
    assert "<u>awful</u>" in made
    assert "&lt;<span" in made
    assert "<town>" not in made
    assert "<script" not in made
    assert 'class="w t4" title="+0.600"' in made
    assert 'class="w a2" title="-0.100"' in made


def test_a_text_without_sentences_says_so() -> None:
    assert shade_words([], color=True) == "The text contains no sentences."


@given(st.text(max_size=30))
def test_a_terminal_and_a_browser_are_given_nothing_to_obey(text: str) -> None:
    words = tuple(Weight(Span(*match.span()), 0.3) for match in re.finditer(r"\w+", text))
    found = [Attribution(text, 0.5, words)]
    picture = re.sub(r"\x1b\[[\d;]+m", "", shade_words(found, color=True))
    assert all(letter.isprintable() or letter in "\n" or ord(letter) > 0x9F for letter in picture)
    body = shaded_page(found).partition('dir="auto">')[2].partition("</p>")[0]
    shown = unescape(re.sub(r"<[^>]*>", "", body))
    assert len(shown) == len(text)
