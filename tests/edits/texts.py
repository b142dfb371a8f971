"""Sentences to fix, in every format, and what a test may ask of the result."""

from __future__ import annotations

from hypothesis import strategies as st

from unslant.edits.result import Fixed

LOADED = [
    "legendary",
    "iconic",
    "stunning",
    "brilliant",
    "so-called",
    "very",
    "truly",
    "disgraceful",
    "renowned",
]
NOUNS = ["singer", "plan", "councilman", "victory", "actor", "hour", "union", "report", "elderly", "town"]
VERBS = [
    "slammed",
    "praised",
    "claimed that she saw",
    "will visit",
    "did not visit",
    "blasted",
    "built",
    "is",
]
OPENERS = ["", "Clearly, ", "Of course, ", "In 1993, ", "Critics say ", "Sadly, "]
TAILS = [
    "",
    " on 3 May",
    ' and said "a stunning mess"',
    " for 40 dollars",
    ", a legendary place",
    " in Ana Ruiz Park",
]

MARKS = {
    "text": [("", "")],
    "markdown": [
        ("", ""),
        ("**", "**"),
        ("*", "*"),
        ("[", "](https://example.org/stunning)"),
        ("`", "`"),
        ("[", "]"),
    ],
    "html": [
        ("", ""),
        ("<b>", "</b>"),
        ('<a href="/stunning">', "</a>"),
        ("<code>", "</code>"),
        ("<q>", "</q>"),
    ],
    "wikitext": [("", ""), ("'''", "'''"), ("[[", "]]"), ("[[Stunning|", "]]"), ("<ref>", "</ref>")],
}
ENDS = ["\n", "\r\n", "\n\n", " "]


@st.composite
def sentences(draw: st.DrawFn, form: str = "text") -> str:
    """A sentence with loaded words, some of them inside markup."""
    opening, closing = draw(st.sampled_from(MARKS[form]))
    adjectives = draw(st.lists(st.sampled_from(LOADED), max_size=3))
    joint = draw(st.sampled_from([" ", ", ", " and ", "\n"]))
    described = joint.join(adjectives)
    words = f"{opening}{described}{closing}" if described else ""
    article = draw(st.sampled_from(["a", "an", "the", "her"]))
    opener = draw(st.sampled_from(OPENERS))
    subject = f"{article} {words} {draw(st.sampled_from(NOUNS))}".replace("  ", " ")
    text = f"{opener}{subject} {draw(st.sampled_from(VERBS))} {opening}the {draw(st.sampled_from(NOUNS))}{closing}"
    text += draw(st.sampled_from(TAILS)) + draw(st.sampled_from([".", "!", ""]))
    return text[:1].upper() + text[1:]


@st.composite
def texts(draw: st.DrawFn, form: str = "text") -> str:
    """A few sentences, with line ends of one sort or another between them."""
    end = draw(st.sampled_from(ENDS))
    return end.join(draw(st.lists(sentences(form), min_size=1, max_size=3))) + end


def outside(fixed: Fixed) -> tuple[list[str], list[str]]:
    """Return what lies between the applied edits, in the source and in the result."""
    source, result = fixed.document.source, fixed.text
    old: list[str] = []
    new: list[str] = []
    at = there = 0
    for suggestion in fixed.edits:
        if not suggestion.applied:
            continue
        kept = suggestion.edit.span.start - at
        old.append(source[at : suggestion.edit.span.start])
        new.append(result[there : there + kept])
        there += kept
        assert result[there : there + len(suggestion.edit.replacement)] == suggestion.edit.replacement
        there += len(suggestion.edit.replacement)
        at = suggestion.edit.span.end
    return [*old, source[at:]], [*new, result[there:]]
