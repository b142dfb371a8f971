"""Markdown: which words are read, and how they are grouped."""

from __future__ import annotations

import pytest

from unslant.text.readers.markdown import MarkdownReader


def words(source: str) -> str:
    return " ".join(MarkdownReader().mask(source).split())


def quoted(source: str) -> list[str]:
    return [source[span.start : span.end] for span in MarkdownReader().quotations(source)]


def blocks(source: str) -> list[str]:
    reading = MarkdownReader().parse(source)
    return [" ".join(reading.prose[span.start : span.end].split()) for span in reading.blocks or ()]


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("# Head #\n\n## Two\nthree\n===\nfour\n---\n", "Head Two three four"),
        ("#no heading", "#no heading"),
        ("a\n\n    no\n\nb", "a b"),
        ("a\n    b", "a b"),
        ("```py\nno\n```\nyes", "yes"),
        ("~~~\nno\n```\nno\n~~~~\nyes", "yes"),
        ("```\nno, to the end", ""),
        ("- a\n\n  ```\n  no\n  ```\n- b", "a b"),
        ("- a\n\n      no\n\n  b", "a b"),
        ("> ```\n> no\n\nyes", "yes"),
        ("1. a\n2) b\n* c\n+ d\n- [x] e", "a b c d e"),
        ("a\n2. b", "a 2. b"),
        ("***\n- - -\n_ _ _\na", "a"),
        ("| a | b |\n|---|:-:|\n| no | no |\n\nyes", "yes"),
        ("text\nno | no\n--|--\nno | no\n\nyes", "text yes"),
        ("no | no\n--|--\nno | no\n# yes", "yes"),
        ("a | b\nc", "a | b c"),
        ("a | b | c\n--|--", "a | b | c --|--"),
        ("[a]: http://b.c 'title'\n[d]: <e f>\n'title'\nyes", "yes"),
        ("[a]: not a definition, but text", "[a]: not a definition, but text"),
        ("[^1]: A footnote\n    goes on.\n\nBack[^1].", "A footnote goes on. Back ."),
        ("[//]: # (no)\nyes", "yes"),
        ("---\ntitle: no\n---\nyes", "yes"),
        ("+++\r\ntitle = 'no'\r\n+++\r\nyes", "yes"),
        ("---\nnot closed", "not closed"),
        ("\ufeff---\nno: 1\n...\nyes", "yes"),
    ],
)
def test_blocks_that_are_read(source: str, visible: str) -> None:
    assert words(source) == visible


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("a `no` b ``no ` no`` c", "a b c"),
        ("a ` b", "a ` b"),
        ("so-**called** _it_ __is__ ~~gone~~ snake_case 2 * 3", "so- called it is gone snake_case 2 * 3"),
        ('[words](http://a.b/c_(d) "title") more', "words more"),
        ("[words](<a b> 'title')(x)", "words (x)"),
        ("[words]( )", "words"),
        ("[a](b c)", "[a](b c)"),
        ("![a picture](x.png) and [![in](a)](b)", "a picture and in"),
        ("[words][ref] [ref][] [Ref] [other] [a][b]\n\n[ref]: x", "words ref Ref [other] [a][b]"),
        ("[sic] [@smith2004, p. 3]", "[sic]"),
        ("<https://a.b> <me@a.bc> https://a.b/c.", "."),
        ("\\*a\\* \\[b\\](c) d\\", "a b (c) d\\"),
        ("end\\\nnext", "end next"),
        ("a <b title='x > y'>c</b> <code>no</code> <!-- no --> d &amp; e", "a c d & e"),
        ("a ``<b` c", "a ``<b` c"),
        ("a `<b` c>` d", "a c>` d"),
        ("# Head {#anchor}", "Head"),
        ("[data](data:image/png;base64,AAAA+/=) a", "data a"),
        ("*a `*` b*", "a b"),
        ("[a `]` b](c)", "a b"),
    ],
)
def test_what_is_read_inside_a_block(source: str, visible: str) -> None:
    assert words(source) == visible


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("<div>\n*yes*\n</div>", "yes"),
        ("<table>\n\n    <td>no</td>\n\n</table>\n\nyes", "yes"),
        ("<!--\n```\n-->\nyes", "yes"),
        ("<pre>\n\n# no\n</pre>\nyes", "yes"),
        ("<script>\nno\n\nno\n</script>\nyes", "yes"),
        ("<details>\n<summary>Short</summary>\n\nLong\n\n</details>", "Short Long"),
        ("a <code>never closed\n\nb", "a b"),
    ],
)
def test_html_in_markdown(source: str, visible: str) -> None:
    assert words(source) == visible


def test_blocks_are_paragraphs_headings_and_items() -> None:
    source = "# One\ntwo\nthree\n\n- four\n  five\n- six\n\n  seven\n> eight\nnine\n\n<p>ten</p>\n"
    assert blocks(source) == ["One", "two three", "four five", "six", "seven", "eight nine", "ten"]


def test_block_quotes_are_quotations() -> None:
    source = "a\n> b\n> > c\nlazy\n\nd\n\n- > e\n\n<q>f</q>"
    assert quoted(source) == ["> b\n> > c\nlazy", "> e", "<q>f</q>"]
    assert words(source) == "a b c lazy d e f"


def test_the_boxes_of_github_are_the_writers_own_words() -> None:
    source = "> [!NOTE]\n> Mine.\n\n> Theirs."
    assert quoted(source) == ["> Theirs."]
    assert words(source) == "Mine. Theirs."


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("## References\n- no\n### no\nno\n## Next\nyes", "References Next yes"),
        ("Works cited\n---\nno", "Works cited"),
        ("# 7. Bibliography\nno\n# Next", "7. Bibliography Next"),
        ("```\n# References\n```\nyes", "yes"),
        ("## Notes\nyes", "Notes yes"),
    ],
)
def test_reference_lists(source: str, visible: str) -> None:
    assert words(source) == visible


def test_comments_in_both_forms() -> None:
    source = "a <!-- one --> b\n\n[//]: # (two)\n\n<!--\nthree\n-->\n\n`<!-- code -->`\n\n"
    source += "# References\n<!-- four -->"
    spans = MarkdownReader().comments(source)
    found = [source[span.start : span.end] for span in spans]
    assert found == ["<!-- one -->", "[//]: # (two)", "<!--\nthree\n-->", "<!-- four -->"]


def test_a_comment_after_the_references_is_still_found() -> None:
    source = "# References\n\n<!-- unslant: end-ignore -->"
    assert len(MarkdownReader().comments(source)) == 1


def test_marks_deeper_than_anyone_nests_them_are_text() -> None:
    source = ">" * 40 + " deep"
    assert words(source).strip("> ") == "deep"
    assert quoted(source) == [source]
