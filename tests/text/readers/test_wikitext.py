"""Wikitext: which words are read, and how they are grouped."""

from __future__ import annotations

import pytest

from unslant.text.readers.wikitext import WikitextReader


def words(source: str) -> str:
    return " ".join(WikitextReader().mask(source).split())


def quoted(source: str) -> list[str]:
    return [source[span.start : span.end] for span in WikitextReader().quotations(source)]


def blocks(source: str) -> list[str]:
    reading = WikitextReader().parse(source)
    return [" ".join(reading.prose[span.start : span.end].split()) for span in reading.blocks or ()]


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("'''Bold''' and ''italic'' don't", "Bold and italic don't"),
        ("[[Target|words]] and [[Plain target]]s", "words and Plain target s"),
        ("[http://a.b words here] and [http://a.b] and [//c.d e]", "words here and and e"),
        ("[[Category:No]] [[category:No|no]] [[fr:Non]] [[:Category:Yes]]", ":Category:Yes"),
        (
            "[[File:A.jpg|thumb|200px|alt=A boat|A caption with [[a|link]]]] yes",
            "A boat A caption with link yes",
        ),
        ("[[Image:A.jpg|thumb|left]]yes", "yes"),
        ("[[File:A.jpg|see [http://a.b there]]]yes", "see there yes"),
        ("[sic] and [[unclosed and ]] after", "[sic] and unclosed and after"),
        ("a {{convert|5|km|{{nested|x}}}} b", "a b"),
        ("a {{{parameter|no}}} b {{{{{x}}}}} c", "a b c"),
        ("a {{unclosed b", "a unclosed b"),
        ("a }} b", "a b"),
        ("{|\n| no\n{|\n| no\n|}\n| no\n|}\nyes", "yes"),
        ("{{Infobox\n| a = b {{c}}\n| d = [[e|f]]\n}}\nyes", "yes"),
        (
            "Fact.<ref>no</ref> Two.<ref name=a /> Three.<ref name='b'>no\n\nno</ref> End",
            "Fact. Two. Three. End",
        ),
        ("a <ref>never closed", "a never closed"),
        (
            "a <nowiki>[[no]]</nowiki> b <math>no</math> <syntaxhighlight lang=c>no</syntaxhighlight> c",
            "a b c",
        ),
        ("a <code>no</code> b<br />c <small>d</small>", "a b c d"),
        ("x <unknown> y < z", "x <unknown> y < z"),
        ("a <!-- no --> b &nbsp;c", "a b c"),
        ("__NOTOC__ yes ~~~~", "yes"),
        ("#REDIRECT [[No]]", ""),
        ("* one\n## two\n:three\n----\nfour", "one two three four"),
        (" preformatted\nyes", "yes"),
        ("{{a}} yes", "yes"),
        ("== Head ''x'' ==\nyes", "Head x yes"),
        ("= =\n==\n=x", "== =x"),
        ("http://a.b/c yes", "yes"),
    ],
)
def test_what_is_read(source: str, visible: str) -> None:
    assert words(source) == visible


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("== References ==\n{{reflist}}\nno\n=== no ===\nno\n== Next ==\nyes", "References Next yes"),
        ("==Notes==\nno", "Notes"),
        ("== External links ==\n* [http://a.b no]", "External links"),
        ("== Notes on style ==\nyes", "Notes on style yes"),
        ("a <references><ref name=x>no</ref></references> b", "a b"),
    ],
)
def test_reference_lists(source: str, visible: str) -> None:
    assert words(source) == visible


@pytest.mark.parametrize(
    ("source", "visible", "quotation"),
    [
        ("{{quote|Their {{sic}} words|Author}}", "Their words", ["{{quote|Their {{sic}} words|Author}}"]),
        (
            "{{Blockquote\n |author=No\n |text=Their words\n}}",
            "Their words",
            ["{{Blockquote\n |author=No\n |text=Their words\n}}"],
        ),
        ("{{infobox|a={{quote|no}}}}", "", []),
        ("{{quote}} yes", "yes", []),
        ("<blockquote>Theirs</blockquote> ours", "Theirs ours", ["<blockquote>Theirs</blockquote>"]),
        ("so <q>theirs</q>", "so theirs", ["<q>theirs</q>"]),
        (
            "{{quote box|title=no|quote=[[a|Theirs]]|x=no}}",
            "Theirs",
            ["{{quote box|title=no|quote=[[a|Theirs]]|x=no}}"],
        ),
    ],
)
def test_quotations_of_the_markup(source: str, visible: str, quotation: list[str]) -> None:
    assert words(source) == visible
    assert quoted(source) == quotation


def test_blocks_are_paragraphs_headings_and_items() -> None:
    source = "One\ntwo.<ref>a\nb</ref> three\n\n== Four ==\nfive\n* six\n* seven\n; eight : nine\n{{x}}\nten"
    assert blocks(source) == ["One two. three", "Four", "five", "six", "seven", "eight", "nine", "ten"]


def test_pictures_templates_and_tables_on_their_own_lines_are_apart() -> None:
    source = (
        "One\n[[File:a.jpg|thumb|A caption]]\ntwo\n{{quote|three}}\nfour\n{|\n|no\n|}\nfive <div>six</div>"
    )
    assert blocks(source) == ["One", "A caption", "two", "three", "four", "five", "six"]


def test_a_template_inside_a_sentence_does_not_end_it() -> None:
    assert blocks("It is {{convert|5|km}} long,\nand {{nowrap|no}}\nwide.") == ["It is long, and wide."]


def test_comments() -> None:
    source = "a <!-- unslant: ignore framing -- why -->\n<ref><!-- inside a reference --></ref>"
    spans = WikitextReader().comments(source)
    assert [source[span.start : span.end] for span in spans] == ["<!-- unslant: ignore framing -- why -->"]
