"""Texts made of everything that readers, words and edits may stumble over.

    pytest -m fuzz tests/fuzz

reads 1,000 texts in each format, and 50 with the network; ``UNSLANT_FUZZ`` sets another number. A text that fails is
made as small as possible and printed, and belongs into ``tests/edits/test_edges.py``.
"""

from __future__ import annotations

import json
import os
import random
import re
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

import unslant
from unslant import registry
from unslant.core.types import Applicability, Edit
from unslant.spec import TIERS, Spec
from unslant.text.edits import apply_edits, inserted_spans, trim_edit
from unslant.text.tidy import tidy_edits

from ..edits.texts import outside

pytestmark = pytest.mark.fuzz

RULES = Spec(analyzers=("rules",))
LINE_END = re.compile(r"\r\n|\r|\n")
WORDS = [
    *("legendary", "Legendary", "LEGENDARY", "iconic", "so-called", "truly", "very", "slammed", "chairman"),
    *(
        "Sadly, ",
        "Clearly, ",
        "the fact that",
        "a",
        "an",
        "and",
        "or",
        "the",
        "her",
        "is",
        "not",
        "of",
        "singer",
    ),
    *("plan", "town", "3", "1.", "U.S.", "Ana", "claimed that", "disgraceful", "hour", "elderly"),
]
LETTERS = [
    # case folding that changes the length, combining marks, joiners, bidirectional marks
    *("\u0130", "\u00df", "\ufb01", "\u1e9e", "\u01c5", "\u0345", "e\u0301", "\u0301", "\u200d", "\u200b"),
    *("\u202e", "\ufeff", "\u0e33", "\U0001f469\u200d\U0001f692", "\U0001d41a", "\u4e2d\u6587"),
    # what is no text: NUL, other controls, lone surrogates
    *("\0", "\x07", "\x1b[31m", "\x85", "\ud800", "\udfff", "\ufffe"),
]
SPACES = [
    *(" ", " ", " ", "  ", "\t", "\n", "\n\n", "\r", "\r\n", "\u2028", "\u2029", "\u00a0", "\x0b", "\x0c")
]
MARKS = [
    *(
        ".",
        ",",
        ";",
        ":",
        "!",
        "?",
        "(",
        ")",
        "-",
        "\u2014",
        "\u2026",
        "'",
        '"',
        "\u201c",
        "\u201d",
        "\u2018",
    ),
    *("\u2019", "\u201e", "\u00ab", "\u00bb", "/", "%", "$"),
]
MARKUP = [
    *(
        "*",
        "**",
        "_",
        "`",
        "```",
        "~~~",
        "#",
        "> ",
        "- ",
        "1. ",
        "+ ",
        "|",
        "|-",
        "[",
        "]",
        "](",
        ")",
        "![",
        "\\",
    ),
    *(
        "[a]: b",
        "[^1]",
        "---",
        "===",
        "    ",
        "<",
        ">",
        "<b>",
        "</b>",
        "<p>",
        "<!--",
        "-->",
        "<a href='",
        "&amp;",
    ),
    *(
        "&",
        "&#",
        "<code>",
        "</code>",
        "<q>",
        "<script>",
        "<![CDATA[",
        "{{",
        "}}",
        "{|",
        "|}",
        "[[",
        "]]",
        "''",
    ),
    *("'''", "==", "*#", "<ref>", "</ref>", "<nowiki>", "__TOC__", "http://a.b/c", "a@b.org"),
    *("<!-- unslant: ignore framing -- a -->", "# unslant: ignore framing -- a", "unslant:"),
    # code, LaTeX, reStructuredText, AsciiDoc, Org, Typst, MDX, mail, subtitles
    *(
        "//",
        "/*",
        "*/",
        '"""',
        "#!",
        "\\emph{",
        "\\begin{a}",
        "\\end{a}",
        "%",
        "~",
        "}",
        "{",
        "$",
        ".. note::",
        "::",
    ),
    *(
        ":a:`",
        "`_",
        "|a|",
        "----",
        "====",
        "[source]",
        "NOTE: ",
        "xref:a[",
        "#+BEGIN_SRC",
        "#+END_SRC",
        "[[a][",
        "=a=",
    ),
    *(
        "#let a = [",
        "#a(",
        "@b",
        "import a from 'b'",
        "export ",
        "{a}",
        "From: a@b.org",
        "On 1 May, Ana wrote:",
        "-- ",
    ),
    *(
        "00:00:01,000 --> 00:00:02,000",
        "WEBVTT",
        "<i>",
        "<para>",
        "</para>",
        "<programlisting>",
        "<codeblock>",
        ":::",
    ),
]
PIECES = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(WORDS).map(lambda word: f" {word} "),
    st.sampled_from(SPACES),
    st.sampled_from(MARKS),
    st.sampled_from(MARKUP),
    st.sampled_from(LETTERS),
)
SENTENCES = st.sampled_from(
    [
        "The legendary singer slammed the plan.",
        "Sadly, the plan failed.",
        'He said "the iconic plan" was so-called.',
        "A truly iconic hour came to the town.",
    ]
)
TEXTS = st.lists(st.one_of(PIECES, PIECES, PIECES, SENTENCES), max_size=24).map("".join)


def written(text: str, form: str) -> str:
    """Return a file of a format whose prose is the text; most formats take any text as it is."""
    if form == "notebook":
        cells = [{"cell_type": kind, "metadata": {}, "source": text} for kind in ("markdown", "code")]
        return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    if form == "openapi":
        about = {"title": "Plans", "version": "1", "description": text}
        return json.dumps({"openapi": "3.1.0", "info": about, "paths": {}}, ensure_ascii=False)
    if form.startswith("code-"):
        opening, closing = {"code-c": ("/*", "*/"), "code-hash": ("#", ""), "code-python": ('"""', '"""')}[
            form
        ]
        return f"{opening} {text} {closing}\n"
    return text


def markup(text: str, form: str) -> str:
    """Return the markup of a text alone."""
    prose = unslant.read(text, form).prose
    return "".join(own for own, shown in zip(text, prose, strict=True) if own != shown)


def many(examples: int) -> settings:
    """Return settings for so many texts."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=False,
        database=None,
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )


COUNT = int(os.environ.get("UNSLANT_FUZZ", "1000"))
FORMATS = registry.names("reader")


@pytest.mark.parametrize("form", FORMATS)
@many(COUNT)
@given(text=TEXTS, unsafe=st.booleans())
@example(text="", unsafe=False)
def test_nothing_breaks_nothing_else_moves_and_fixing_twice_is_fixing_once(
    form: str, text: str, unsafe: bool
) -> None:
    text = written(text, form)
    report = unslant.check(text, format=form, spec=RULES)
    document = report.document
    assert len(document.prose) == len(text)
    spans = [sentence.span for sentence in report.sentences]
    assert all(item.end <= other.start for item, other in pairwise(spans))
    fixed = unslant.fix(text, format=form, unsafe=unsafe, spec=RULES)
    before, after = outside(fixed)
    assert before == after
    if form != "text":
        assert markup(fixed.text, form) == markup(text, form)
    for suggestion in fixed.edits:
        if suggestion.applied:
            assert not any(suggestion.edit.span.overlaps(quotation) for quotation in document.quotations)
    again = unslant.fix(fixed.text, format=form, unsafe=unsafe, spec=RULES)
    assert again.text == fixed.text


def check_offers(text: str, form: str, spec: Spec, seed: int) -> None:
    """Whichever of the offered edits are taken, each does by itself what it does among the others."""
    text = written(text, form)
    fixed = unslant.fix(text, format=form, unsafe=bool(seed % 2), spec=spec)
    generator = random.Random(seed)
    for suggestion in fixed.edits:
        for edit in (suggestion.edit, *suggestion.alternatives):
            if edit.applicability is not Applicability.DISPLAY:
                changed = apply_edits(text, [edit])
                assert LINE_END.findall(changed) == LINE_END.findall(text)
    usable = [each.edit for each in fixed.edits if each.edit.applicability is not Applicability.DISPLAY]
    for edit, other in pairwise(usable):
        assert edit.end < other.start
    chosen = [edit for edit in usable if generator.random() < 0.5]
    some, together = apply_edits(text, chosen), apply_edits(text, usable)
    undone = [
        Edit(start, end, text[edit.start : edit.end])
        for edit, (start, end) in zip(usable, inserted_spans(usable), strict=True)
        if edit not in chosen
    ]
    assert apply_edits(together, undone) == some
    for span in {each.sentence for each in fixed.edits}:
        inside = [edit.shift(-span.start) for edit in chosen if span.contains(edit.span)]
        if inside:
            prose, own = (each[span.start : span.end] for each in (fixed.document.prose, text))
            masked = "".join(a if a == b else "\0" for a, b in zip(prose, own, strict=True))
            tidied = tidy_edits(masked, [trim_edit(prose, edit) for edit in inside])
            assert apply_edits(prose, tidied) == apply_edits(prose, inside)
    assert unslant.fix(fixed.text, format=form, unsafe=bool(seed % 2), spec=spec).text == fixed.text


@pytest.mark.parametrize("form", FORMATS)
@many(COUNT)
@given(text=TEXTS, seed=st.integers(0, 99))
def test_any_of_the_offers_can_be_taken(form: str, text: str, seed: int) -> None:
    check_offers(text, form, RULES, seed)


@pytest.mark.parametrize("form", FORMATS)
@many(COUNT // 20)
@given(text=TEXTS, seed=st.integers(0, 99))
def test_any_of_the_offers_can_be_taken_with_the_network(form: str, text: str, seed: int) -> None:
    check_offers(text, form, Spec(analyzers=TIERS["all"]), seed)
