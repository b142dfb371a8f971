"""The shapes of text and markup that `benchmarks/growth.py` repeats: each is made to be slow."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

SENTENCE = "The legendary singer slammed the plan. "

TEXTS = {
    "prose": "The council met on Tuesday and approved the budget of the coming year. ",
    "loaded prose": SENTENCE,
    "one adjective": "legendary ",
    "adjectives with and": "legendary and ",
    "adjectives with commas": "iconic, ",
    "adjectives by line": "legendary\n",
    "adjectives by paragraph": "stunning\n\n",
    "verbs": "slammed ",
    "claims": "claimed that ",
    "claims by sentence": "He claimed that it was clear. ",
    "degrees": "very truly ",
    "roles": "the chairman and ",
    "openers": "Sadly, ",
    "weasels": "many people say that ",
    "capitals": "LEGENDARY SLAMMED ",
    "title case": "Legendary Singer Slammed ",
    "hyphens": "so-called-",
    "apostrophes": "don't'",
    "one word": "a",
    "one number": "7",
    "initials": "A. ",
    "titles": "Mr. ",
    "abbreviations": "e.g. the U.S. ",
    "full stops": ".",
    "spaced full stops": ". ",
    "questions": "?! ",
    "dashes": "-",
    "brackets": "(",
    "closed brackets": "() ",
    "articles": "a an the ",
    "prepositions": "of in by ",
    "spaces": " ",
    "spaces and a word": " " * 50 + "a",
    "tabs": "\ta",
    "line ends": "\n",
    "carriage returns": "a\r",
    "both line ends": "a\r\n",
    "line separators": "a\u2028",
    "NUL": "a\0",
    "combining marks": "e\u0301\u0327",
    "only combining marks": "\u0301",
    "joiners": "\U0001f469\u200d",
    "dotted I": "\u0130",
    "sharp s": "\u00df\ufb01",
    "lone surrogates": "a\ud800 ",
    "Chinese": "\u4e2d\u6587\u3002",
    "German": "Der Rat hat am Dienstag den Haushalt des kommenden Jahres beschlossen. ",
    "footnotes": "It was so.[1][2] ",
    "addresses": "https://example.org/a ",
    "one address": "www.a.",
    "mails": "a@b.org ",
    "one mail": "a@b.",
}
QUOTATIONS = {
    "straight marks": '"',
    "spaced straight marks": ' "',
    "straight pairs": '"a" ',
    "curly opening": "\u201c",
    "curly opening and word": "\u201ca ",
    "curly closing": "\u201d",
    "curly pairs": "\u201ca\u201d ",
    "low marks": "\u201e",
    "low marks and word": "\u201ea ",
    "guillemets": "\u00ab",
    "closed guillemets": "\u00bb",
    "reversed guillemets": "\u00bba\u00ab ",
    "nested marks": "\u201c\u2018\u00ab",
    "single marks": "'",
    "single pairs": "'a' ",
    "curly single": "\u2018a ",
    "possessives": "the dogs' ",
    "inches": "5'10\" ",
    "open paragraphs": "\u201cThe plan.\n\n",
    "scare quotes": 'the "plan" ',
}
MARKUP = {
    "asterisks": "*",
    "emphasis": "*a* ",
    "open emphasis": "**a ",
    "mixed emphasis": "*a _b ",
    "underscores": "_",
    "backticks": "`",
    "growing code": "``a` ",
    "backslashes": "\\",
    "open square": "[",
    "close square": "]",
    "open link": "[a](",
    "link": "[a](b) ",
    "nested link": "[a [b](c) ",
    "reference": "[a][b] ",
    "definition": "[a]: b\n",
    "footnote": "[^1] a\n\n[^1]: b\n\n",
    "image": "![",
    "headings": "# a\n",
    "open heading": "#",
    "underlined": "a\n=\n",
    "quoted lines": "> a\n",
    "deep quotation": ">",
    "items": "- a\n",
    "nested items": "- ",
    "numbered": "1. a\n",
    "indented": "    a\n",
    "fences": "```\n",
    "open fences": "```a\nb\n",
    "rules": "---\n",
    "tables": "|a|b|\n|-|-|\n",
    "bars": "|",
    "dollars": "$a$ ",
    "less": "<",
    "tag": "<b>",
    "tags": "<b>a</b>",
    "closing tags": "</b>",
    "open tag": "<a ",
    "attributes": '<a b="c" ',
    "open attribute": '<a b="',
    "paragraph tags": "<p>a",
    "list tags": "<ul><li>a",
    "table tags": "<table><tr><td>a",
    "quotation tags": "<q>a",
    "closed quotation tags": "<blockquote>a</blockquote>",
    "code tags": "<code>",
    "pre": "<pre>a",
    "script": "<script>",
    "style": "<style>a</style>",
    "open comment": "<!--",
    "comments": "<!-- a -->",
    "comment ends": "-->",
    "declarations": "<!a",
    "data sections": "<![CDATA[",
    "instructions": "<?",
    "entities": "&amp;",
    "open entities": "&#",
    "open template": "{{",
    "templates": "{{a|b}} ",
    "template ends": "}}",
    "template bars": "{{a|",
    "triple braces": "{{{a}}}",
    "open wiki table": "{|\n",
    "wiki tables": "{|\n|-\n| a\n|}\n",
    "open wiki link": "[[",
    "wiki links": "[[a|b]] ",
    "wiki link bars": "[[a|",
    "files": "[[File:a|b|[[c]]]] ",
    "bold": "'''",
    "italic": "''a ",
    "wiki headings": "== a ==\n",
    "equals": "=",
    "wiki lists": "*#:; a\n",
    "references": "<ref>a</ref>",
    "open references": "<ref>",
    "named references": '<ref name="a"/>',
    "no wiki": "<nowiki>",
    "magic words": "__TOC__ ",
    "external links": "[http://a b] ",
}
NEW_MARKUP = {
    "rst roles": ":ref:`a` ",
    "rst open roles": ":ref:`",
    "rst literals": "``a`` ",
    "rst directives": ".. note::\n\n   a\n\n",
    "rst open directive": ".. a:: ",
    "rst targets": ".. _a: b\n",
    "rst substitutions": "|a| ",
    "rst headings": "a\n~\n\n",
    "rst tables": "+-+-+\n|a|b|\n+-+-+\n",
    "rst simple tables": "= =\na b\n= =\n",
    "rst fields": ":a: b\n",
    "rst double colons": "a::\n\n  b\n\n",
    "rst quotations": "  a\n\nb\n\n",
    "asciidoc blocks": "----\n",
    "asciidoc quotations": "____\na\n____\n",
    "asciidoc attributes": ":a: b\n",
    "asciidoc macros": "image::a[b]\n",
    "asciidoc inline macros": "link:a[b] ",
    "asciidoc open macro": "a:b[",
    "asciidoc passes": "+++a+++ ",
    "asciidoc monospace": "`+a+` ",
    "asciidoc lists": "a:: b\n",
    "asciidoc tables": "|===\n|a |b\n|===\n",
    "asciidoc block titles": ".a\n",
    "asciidoc styles": "[quote]\n",
    "latex commands": "\\a{b} ",
    "latex open commands": "\\a{",
    "latex options": "\\a[b]{c} ",
    "latex open options": "\\a[",
    "latex environments": "\\begin{a}b\\end{a}\n",
    "latex open environments": "\\begin{a}",
    "latex verbatim": "\\begin{verbatim}a\n",
    "latex ends": "\\end{a}",
    "latex maths": "\\(a\\) ",
    "latex open maths": "\\[",
    "latex comments": "% a\n",
    "latex quotes": "``a'' ",
    "latex open quotes": "``",
    "latex braces": "{",
    "latex verb": "\\verb|a| ",
    "org stars": "* a\n",
    "org drawers": ":A:\nb\n:END:\n",
    "org open drawers": ":A:\n",
    "org blocks": "#+BEGIN_SRC\na\n#+END_SRC\n",
    "org open blocks": "#+BEGIN_QUOTE\n",
    "org block ends": "#+END_QUOTE\n",
    "org keywords": "#+A: b\n",
    "org links": "[[a][b]] ",
    "org open verbatim": "=a ",
    "org verbatim in lines": "=a b\nc ",
    "org terms": "- a :: b\n",
    "org emphasis": "/a/ =b= ~c~ +d+ ",
    "org open emphasis": "=a ~b ",
    "org timestamps": "<2024-01-01 Mon> ",
    "org footnotes": "[fn:1] ",
    "cells": '{"cell_type": "markdown", "source": ["a"]}, ',
    "open cells": '{"cells": [',
    "escapes": '"\\n\\u0041", ',
    "open strings": '"a\n',
    "mail headers": "A: b\n",
    "mail parts": "--a\n\nb\n",
    "mail boundaries": 'Content-Type: multipart/mixed; boundary="a"\n\n--a\n',
    "mail quoted-printable": "=C3=A9=\n",
    "mail replies": "> > a\n",
    "mail introductions": "On Monday, A wrote:\n> a\n\n",
    "mail signatures": "-- \na\n",
    "cues": "1\n00:00:01,000 --> 00:00:02,000\na\n\n",
    "cue times": "00:00:01.000 --> 00:00:02.000\n",
    "cue tags": "<v A>a</v> ",
    "web cues": "WEBVTT\n\nNOTE a\n\n",
    "hash comments": "# a\nb = 1\n",
    "line comments": "// a\nb();\n",
    "block comments": "/* a */ ",
    "open block comment": "/* a ",
    "docstrings": 'def a():\n    """b"""\n',
    "open docstring": '"""a ',
    "triple quotes": '"""',
    "code strings": "'a' + \"b\"; ",
    "open code strings": "'a + \"b; ",
    "raw strings": "r'\\' ",
    "formatted strings": "f'{a}' ",
}
IGNORES = {
    "ignores by line": "legendary <!-- unslant: ignore framing -- a -->\n",
    "ignores on one line": "<!-- unslant: ignore framing -- a --> ",
    "ignores above": "<!-- unslant: ignore framing -- a -->\nlegendary\n",
    "ignores in code": "# unslant: ignore framing -- a\nlegendary\n",
    "ignores of files": "<!-- unslant: ignore-file gender -- a -->\nlegendary\n",
    "open blocks": "<!-- unslant: ignore-block gender -- a -->\nlegendary\n",
    "blocks": "<!-- unslant: ignore-block gender -- a -->\nlegendary\n<!-- unslant: end-ignore -->\n",
    "block ends": "<!-- unslant: end-ignore -->\n",
    "wrong ignores": "<!-- unslant: ignroe framing -->\n",
    "bare signs": "unslant: ",
}


def _nested(opening: str, closing: str) -> Callable[[int], str]:
    def make(length: int) -> str:
        count = length // (len(opening) + len(closing))
        return opening * count + SENTENCE + closing * count

    return make


def _numbered(unit: str) -> Callable[[int], str]:
    def make(length: int) -> str:
        return "".join(unit.format(number) for number in range(length // len(unit)))[:length]

    return make


def _indented(length: int) -> str:
    """Return a list whose every item is inside the one before."""
    depth = int((2 * length) ** 0.5) // 2
    return "".join(f"{'  ' * level}- legendary\n" for level in range(depth))


MADE: Mapping[str, Callable[[int], str]] = {
    "numbered sentences": _numbered("In {}, the legendary singer slammed the plan. "),
    "numbered adjectives": _numbered("legendary{} iconic "),
    "numbered ignores": _numbered("legendary <!-- unslant: ignore rule/{} -- a -->\n"),
    "numbered blocks": _numbered("<!-- unslant: ignore-block rule/{} -- a -->\nlegendary\n"),
    "numbered definitions": _numbered("[a{0}]: b\n\nThe legendary [a{0}] plan.\n\n"),
    "structure at risk": _numbered("Sadly, # {} legendary users.\n\n"),
    "deep list": _indented,
    "deep tags": _nested("<div>", "</div>"),
    "deep templates": _nested("{{a|", "}}"),
    "deep brackets": _nested("[", "]"),
    "deep wiki links": _nested("[[", "]]"),
    "deep wiki tables": _nested("{|\n|\n", "|}\n"),
    "deep emphasis": _nested("*_", "_*"),
    "deep marks": _nested("\u201c", "\u201d"),
    "deep references": _nested("<ref>", "</ref>"),
}


def _repeated(unit: str) -> Callable[[int], str]:
    return lambda length: unit * max(1, length // len(unit))


def _mixed(unit: str) -> Callable[[int], str]:
    """Repeat a unit with a sentence to fix now and then."""
    block = unit * max(1, 60 // len(unit)) + SENTENCE
    return lambda length: block * max(1, length // len(block))


def shapes(task: str) -> dict[str, Callable[[int], str]]:
    """Return the makers of texts by name; those that are fixed have something to fix in them."""
    units = TEXTS | QUOTATIONS | MARKUP | NEW_MARKUP | IGNORES
    repeat = _repeated if task == "check" else _mixed
    return {name: repeat(unit) for name, unit in units.items()} | MADE


def _notebook(text: str) -> str:
    return json.dumps({"cells": [{"cell_type": "markdown", "source": text.splitlines(keepends=True)}]})


def _after_each_line(start: str) -> Callable[[str], str]:
    return lambda text: "".join(f"{start}{line}\n" for line in text.split("\n"))


_DRESSES: Mapping[str, Callable[[str], str]] = {
    "notebook": _notebook,
    "email": lambda text: f"From: a@example.org\nSubject: b\n\n{text}",
    "latex": lambda text: f"\\begin{{document}}\n{text}",
    "subtitles": _after_each_line("1\n00:00:01,000 --> 00:00:02,000\n"),
    "code-python": lambda text: f'def a():\n    """\n{text}',
    "code-c": _after_each_line("// "),
    "code-hash": _after_each_line("# "),
}


def dress(text: str, form: str, name: str) -> str:
    """Put a text where a format has its prose; what is markup of such a format stays as it is."""
    return text if name in NEW_MARKUP or form not in _DRESSES else _DRESSES[form](text)
