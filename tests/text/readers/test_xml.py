"""DocBook and DITA."""

from __future__ import annotations

import pytest

from .reading import blocks, comments, quoted, words

DOCBOOK = """\
<?xml version="1.0"?>
<!DOCTYPE article>
<article xmlns="http://docbook.org/ns/docbook">
<info><title>The plan</title><author><personname>A. Writer</personname></author></info>
<!-- a comment -->
<para>The <emphasis>old</emphasis> plan ran <code>plan()</code>.<footnote><para>A note.</para></footnote></para>
<programlisting><![CDATA[if (a < b) plan();]]></programlisting>
<itemizedlist><listitem><para>One &amp; two</para></listitem></itemizedlist>
<blockquote><para>They said so.</para></blockquote>
<bibliography><title>Sources</title></bibliography>
</article>
"""

DITA = """\
<task id="plan"><title>Start the plan</title><prolog><author>A. Writer</author></prolog>
<taskbody><steps><step><cmd>Press <uicontrol>Start</uicontrol> now.</cmd><info>It <b>begins</b>.</info></step></steps>
<result><p>See <codeph>plan</codeph>.</p><codeblock>plan()</codeblock><lq>They said so.</lq></result></taskbody></task>
"""


def test_docbook() -> None:
    assert blocks("docbook", DOCBOOK) == [
        "The plan",
        "The old plan ran .",
        "A note.",
        "One & two",
        "They said so.",
    ]
    assert quoted("docbook", DOCBOOK) == ["They said so."]
    assert comments("docbook", DOCBOOK) == ["<!-- a comment -->"]


def test_dita() -> None:
    assert blocks("dita", DITA) == [
        "Start the plan",
        "Press now.",
        "It begins .",
        "See .",
        "They said so.",
    ]
    assert quoted("dita", DITA) == ["They said so."]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<db:para>One <db:code>two</db:code> three.</db:para>", "One three."),
        ("<para>One <code>two <quote>three</code> four.</para>", "One four."),
        ("<para>One</code> two.</para>", "One two."),
        ("<para>One <code/> two.</para>", "One two."),
        ("<para>A &lt; B and caf&#233;.</para>", "A ; B and ."),
        ("<para role='plan'>One", "One"),
        ("One < two", "One < two"),
    ],
)
def test_prefixes_broken_nesting_and_references(source: str, expected: str) -> None:
    assert words("docbook", source) == expected
