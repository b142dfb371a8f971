"""DocBook and DITA: the text of elements is prose, except where the element names code, data or a reference.

Both vocabularies are in one table, because no name means prose in one of them and code in the other.
"""

from __future__ import annotations

from unslant.text.readers.html import TagScanner, hide_entities
from unslant.text.readers.line_markup import LineMarkup
from unslant.text.readers.masking import Hidden, ParsedMarkup, Ranges, SingleParseReader

_HIDDEN = frozenset(
    # DocBook
    """
    abbrev accel application artpagenums author authorgroup bibliodiv biblioentry bibliography bibliolist
    bibliomixed citation citebiblioid classname classsynopsis cmdsynopsis code colspec command computeroutput constant
    constraintdef constructorsynopsis copyright database date destructorsynopsis editor email envar errorcode errorname
    errortype exceptionname fieldsynopsis filename footnoteref function funcsynopsis guibutton guiicon guilabel guimenu
    guimenuitem guisubmenu hardware holder imagedata indexterm index interfacename keycap keycode keycombo keysym
    legalnotice literal literallayout markup mathphrase menuchoice methodname methodsynopsis modespec mousebutton
    namespace option optional ooclass ooexception oointerface package parameter personname productname productnumber
    programlisting programlistingco prompt property pubdate publisher releaseinfo remark replaceable returnvalue
    revhistory screen screenco sgmltag shortcut structfield structname symbol synopsis systemitem tag token trademark
    type uri userinput varname year
    """.split()
    # DITA
) | frozenset(
    """
    apiname choption cmdname codeblock codeph coderef critdates data data-about delim draft-comment equation-block
    equation-inline fileref filepath foreign fragref groupchoice groupcomp groupseq image indextermref keydef keywords
    kwd lines metadata msgblock msgnum msgph numcharref oper othermeta parameterentity parml parmname plentry pre
    prodinfo prolog pt repsep resourceid sep svg-container synblk synnote synph syntaxdiagram systemoutput textentity
    topicmeta uicontrol unknown wintitle xmlatt xmlelement xmlnsname xmlpi
    """.split()
)
_QUOTING = frozenset(("blockquote", "epigraph", "lq", "q", "quote"))
_INLINE = frozenset(
    """
    anchor b citetitle emphasis firstterm fn footnote foreignphrase glossterm i inlinemediaobject keyword link ph phrase
    q quote sub subscript sup superscript term tm tt u ulink wordasword xref
    """.split()
)
"""Elements that a sentence may cross; all others end it."""


class XmlReader(SingleParseReader):
    """Reads DocBook and DITA."""

    def parse(self, source: str) -> ParsedMarkup:
        """Parse the markup; broken nesting is forgiven: an end tag closes what is open inside of it."""
        out = LineMarkup(source)
        hidden = Hidden()
        tags = TagScanner(source, 0, len(source))
        opened: list[tuple[str, int]] = []
        count: dict[str, int] = {}
        hiding = 0
        block = done = position = 0

        def content(start: int, stop: int) -> None:
            if hiding:
                hidden.add(start, stop)
            else:
                hide_entities(source, start, stop, hidden)

        while (at := source.find("<", position)) >= 0:
            tag = tags.at(at)
            if tag is None:
                position = at + 1
                continue
            content(done, at)
            hidden.add(tag.start, tag.end)
            done = position = tag.end
            name = tag.name.rpartition(":")[2]
            if tag.name == "!--":
                out.comments.append((tag.start, tag.end))
            elif tag.name != "!" and name not in _INLINE | _HIDDEN:
                out.block(block, tag.start)
                block = tag.end
            if name not in _HIDDEN and name not in _QUOTING:
                continue
            if not tag.closing and not tag.empty:
                opened.append((name, tag.start))
                count[name] = count.get(name, 0) + 1
                hiding += name in _HIDDEN
            elif tag.closing and count.get(name):
                closed = ""
                while closed != name:
                    closed, start = opened.pop()
                    count[closed] -= 1
                    hiding -= closed in _HIDDEN
                    if closed in _QUOTING:
                        out.quotations.append((start, tag.end))
        content(done, len(source))
        out.block(block, len(source))
        out.quotations += _unclosed(opened, len(source))
        out.hidden += hidden
        return out.finish()


def _unclosed(opened: list[tuple[str, int]], end: int) -> Ranges:
    return [(start, end) for name, start in opened if name in _QUOTING]
