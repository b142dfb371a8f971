"""Whole documents in Markdown, HTML and wikitext: what is read, sentence by sentence, and what is found in it."""

from __future__ import annotations

import pytest

import unslant
from unslant.spec import Spec
from unslant.text.sentences import NupunktSegmenter

SEGMENTER = NupunktSegmenter(Spec())
RULES = Spec(analyzers=("rules",), profile="news")


def sentences(text: str, format_name: str) -> list[str]:
    document = unslant.read(text, format_name)
    return [" ".join(sentence.text.split()) for sentence in SEGMENTER.split(document)]


MARKDOWN = """\
---
title: no
---
# The *Harbor* Plan

The council met on **Monday**. It voted `7` to 4, see [the minutes](https://a.example/m).

- One item. It has two sentences.
- Another item

> A resident wrote: The plan is bad.

1. First
2. Second

```python
legendary = True
```

| a | b |
|---|---|
| no | no |

The end[^1].

[^1]: A note.

## References

- no, M. (2001)
"""

HTML = """\
<!doctype html>
<html><head><title>The Harbor Plan</title><style>no { }</style></head>
<body>
<h1>The <em>Harbor</em> Plan</h1>
<p>The council met on <b>Monday</b>. It voted 7&nbsp;to&nbsp;4.</p>
<ul><li>One item. It has two sentences.</li><li>Another item</li></ul>
<blockquote><p>A resident wrote: The plan is bad.</p></blockquote>
<pre>legendary</pre>
<script>legendary()</script>
<p>The end.</p>
<h2>References</h2><ol><li>no</li></ol>
</body></html>
"""

WIKITEXT = """\
{{Infobox plan|name=no}}
'''The Harbor Plan''' is a [[plan (document)|plan]] of 2001.<ref>no</ref> It was ''voted on''.

== History ==
* One item. It has two sentences.
* Another item
{{quote|A resident wrote: The plan is bad.}}
[[File:Harbor.jpg|thumb|The harbor in 2001.]]
{| class="wikitable"
| no
|}
The end.

== References ==
{{reflist}}
[[Category:No]]
"""


@pytest.mark.parametrize(
    ("format_name", "text", "expected"),
    [
        (
            "markdown",
            MARKDOWN,
            [
                "The Harbor Plan",
                "The council met on Monday .",
                "It voted to 4, see the minutes .",
                "One item.",
                "It has two sentences.",
                "Another item",
                "A resident wrote: The plan is bad.",
                "First",
                "Second",
                "The end .",
                "A note.",
                "References",
            ],
        ),
        (
            "html",
            HTML,
            [
                "The Harbor Plan",
                "The Harbor Plan",
                "The council met on Monday .",
                "It voted 7 to 4.",
                "One item.",
                "It has two sentences.",
                "Another item",
                "A resident wrote: The plan is bad.",
                "The end.",
                "References",
            ],
        ),
        (
            "wikitext",
            WIKITEXT,
            [
                "The Harbor Plan is a plan of 2001.",
                "It was voted on .",
                "History",
                "One item.",
                "It has two sentences.",
                "Another item",
                "A resident wrote: The plan is bad.",
                "The harbor in 2001.",
                "The end.",
                "References",
            ],
        ),
    ],
)
def test_sentences_of_a_document(format_name: str, text: str, expected: list[str]) -> None:
    assert sentences(text, format_name) == expected


@pytest.mark.parametrize(
    ("format_name", "text"), [("markdown", MARKDOWN), ("html", HTML), ("wikitext", WIKITEXT)]
)
def test_code_references_and_settings_hold_no_findings(format_name: str, text: str) -> None:
    assert unslant.check(text, format=format_name, spec=RULES).findings == ()


WHERE = [
    ("markdown", "# A legendary plan\n", ["legendary"]),
    ("markdown", "- A legendary plan came.\n", ["legendary"]),
    ("markdown", "> A legendary plan came.\n", []),
    ("markdown", "`A legendary plan came.`\n", []),
    ("markdown", "    A legendary plan came.\n", []),
    ("markdown", "A [legendary](https://a.example/legendary) plan came.\n", ["legendary"]),
    ("markdown", "A ![legendary boat](boat.png) came.\n", ["legendary"]),
    ("markdown", "A **legendary** plan came.\n", ["legendary"]),
    ("markdown", "<!-- A legendary plan came. -->\n", []),
    ("html", "<p>A legendary plan came.</p>", ["legendary"]),
    ("html", "<p>A <b>legendary</b> plan came.</p>", ["legendary"]),
    ("html", "<p title='legendary'>A plan came.</p>", []),
    ("html", "<blockquote>A legendary plan came.</blockquote>", []),
    ("html", "<p>He said <q>a legendary plan</q> came.</p>", []),
    ("html", "<code>A legendary plan came.</code>", []),
    ("html", "<img alt='A legendary plan came.'>", ["legendary"]),
    ("wikitext", "A '''legendary''' plan came.", ["legendary"]),
    ("wikitext", "A [[legendary plan]] came.", ["legendary"]),
    ("wikitext", "A [[Legendary (film)|plan]] came.", []),
    ("wikitext", "A plan{{efn|A legendary plan came.}} came.", []),
    ("wikitext", "A plan<ref>A legendary plan came.</ref> came.", []),
    ("wikitext", "{{quote|A legendary plan came.}}", []),
    ("rst", "A legendary plan\n================\n", ["legendary"]),
    ("rst", ".. note::\n\n   A legendary plan came.\n", ["legendary"]),
    ("rst", "Text.\n\n   A legendary plan came.\n", []),
    ("rst", "The ``legendary`` plan came.\n", []),
    ("asciidoc", "= A legendary plan\n", ["legendary"]),
    ("asciidoc", "----\nA legendary plan came.\n----\n", []),
    ("asciidoc", "____\nA legendary plan came.\n____\n", []),
    ("org", "* A legendary plan\n", ["legendary"]),
    ("org", "#+begin_src\nA legendary plan came.\n#+end_src\n", []),
    ("org", "#+begin_quote\nA legendary plan came.\n#+end_quote\n", []),
    ("latex", "\\section{A legendary plan}\n", ["legendary"]),
    ("latex", "A \\emph{legendary} plan came.", ["legendary"]),
    ("latex", "\\begin{quote}A legendary plan came.\\end{quote}", []),
    ("latex", "% A legendary plan came.\nText.", []),
    ("code-python", "# A legendary plan came.\nx = 1\n", ["legendary"]),
    ("code-python", "x = 'A legendary plan came.'\n", []),
    ("code-c", "/* A legendary plan came. */\n", ["legendary"]),
    ("email", "Subject: A legendary plan\n\nIt came.\n", ["legendary"]),
    ("email", "Subject: A plan\n\n> A legendary plan came.\n", []),
    ("subtitles", "1\n00:00:01,000 --> 00:00:02,000\nA legendary plan came.\n", ["legendary"]),
]


@pytest.mark.parametrize(("format_name", "text", "found"), WHERE)
def test_where_words_are_read_and_where_not(format_name: str, text: str, found: list[str]) -> None:
    report = unslant.check(text, format=format_name, spec=RULES)
    assert [finding.text for finding in report.findings] == found
    for finding in report.findings:
        assert text[finding.span.start : finding.span.end] == finding.text
