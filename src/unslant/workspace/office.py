"""The text of office documents (docx, odt): a paragraph per line, so that line and column are paragraph and offset.

Footnotes and endnotes follow after the last paragraph. Styles tell what is not the writer's prose: a paragraph of a
block quotation begins with the mark of one, and code and tables of contents are blanked, so that a paragraph keeps its
line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree import ElementTree

from unslant.core.archives import Archive, DamagedArchive, LargeArchive
from unslant.core.errors import SourceError
from unslant.text.readers.plain import QUOTATION_MARK

SUFFIXES = (".docx", ".odt")
"""The suffixes of documents that can be read."""

Element = ElementTree.Element
Styles = Mapping[str, tuple[str, str]]
"""The name and the parent of each style, by its identifier."""

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_OPEN = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"

_QUOTED = frozenset("quote intensequote blocktext blockquote blockquotation quotations quotation".split())
"""Names of styles, in lower case and without anything but letters."""
_BLANKED = frozenset(
    "code codechar sourcecode sourcetext verbatimchar preformattedtext htmlpreformatted htmlcode teletype"
    " contents contentsheading tocheading toc".split()
)
_DEEPEST = 10
"""How many parents of a style are looked at."""


@dataclass(frozen=True)
class _Format:
    """How a format writes text down."""

    main: str
    notes: tuple[str, ...]
    """The members of the archive that hold notes."""
    styles: str | None
    """The member that holds the styles, if it is another one."""
    paragraphs: frozenset[str]
    note: str
    """The element of a note within the text; its paragraphs come last."""
    passed_over: frozenset[str]
    """What was deleted or moved away, comments, and copies for older programs."""
    style: str
    """The attribute that names the style of a paragraph or of characters."""
    spaces: frozenset[str]
    text: str | None
    """The only element that holds text; None: every element may."""


_DOCX = _Format(
    main="word/document.xml",
    notes=("word/footnotes.xml", "word/endnotes.xml"),
    styles="word/styles.xml",
    paragraphs=frozenset((f"{_WORD}p",)),
    note="",
    passed_over=frozenset((f"{_WORD}del", f"{_WORD}moveFrom", f"{_CHOICE}Fallback")),
    style=f"{_WORD}val",
    spaces=frozenset((f"{_WORD}tab", f"{_WORD}br", f"{_WORD}cr")),
    text=f"{_WORD}t",
)
_ODT = _Format(
    main="content.xml",
    notes=(),
    styles=None,
    paragraphs=frozenset((f"{_OPEN}p", f"{_OPEN}h")),
    note=f"{_OPEN}note",
    passed_over=frozenset((f"{_OPEN}tracked-changes", f"{_OFFICE}annotation", f"{_OPEN}table-of-content")),
    style=f"{_OPEN}style-name",
    spaces=frozenset((f"{_OPEN}s", f"{_OPEN}tab", f"{_OPEN}line-break")),
    text=None,
)
_PROPERTIES = f"{_WORD}pPr"
_STYLED = (
    (f"{_WORD}p", f"{_PROPERTIES}/{_WORD}pStyle"),
    (f"{_WORD}r", f"{_WORD}rPr/{_WORD}rStyle"),
)
"""Where Word puts the style of a paragraph and of a run."""


def office_text(data: bytes, name: str, max_bytes: int) -> str:
    """Return the paragraphs of a document; raise ``SourceError`` if it is damaged or unpacks to too much."""
    try:
        archive = Archive(data, max_bytes)
        form = next((each for each in (_DOCX, _ODT) if each.main in archive.names), None)
        if form is None:
            raise SourceError(f"{name} is a ZIP archive without a text document in it; pass a text file")
        wanted = [form.main, *form.notes, *filter(None, [form.styles])]
        parts = {each: _parse(archive.read(each), name) for each in wanted if each in archive.names}
    except DamagedArchive as error:
        raise SourceError(f"{name} is damaged or encrypted; save it again, or export it as text") from error
    except LargeArchive as error:
        raise SourceError(
            f"{name} unpacks to more than the {max_bytes:,} bytes that 'max-bytes' allows"
        ) from error
    styles = _styles(parts.get(form.styles or form.main))
    paragraphs = [*_paragraphs(form, parts[form.main], styles)]
    for member in form.notes:
        if member in parts:
            found = _paragraphs(form, parts[member], styles)
            paragraphs += (text for text in found if text.removeprefix(QUOTATION_MARK).strip())
    return "".join(f"{paragraph}\n" for paragraph in paragraphs)


def _parse(content: bytes, name: str) -> Element:
    # in UTF-16, the declarations could not be seen
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content or b"\0" in content[:4]:
        raise SourceError(f"{name} declares entities, which office documents do not; export it as text")
    try:
        return ElementTree.fromstring(content)  # noqa: S314 - without a DTD there is nothing to expand
    except ElementTree.ParseError as error:
        raise SourceError(f"{name} is damaged; save it again, or export it as text") from error


def _styles(root: Element | None) -> Styles:
    found: dict[str, tuple[str, str]] = {}
    for element in root.iter() if root is not None else ():
        if element.tag == f"{_WORD}style":
            name, parent = (element.find(f"{_WORD}{tag}") for tag in ("name", "basedOn"))
            texts = ["" if each is None else each.get(f"{_WORD}val", "") for each in (name, parent)]
            found[element.get(f"{_WORD}styleId", "")] = texts[0], texts[1]
        elif element.tag == f"{_STYLE}style":
            own = element.get(f"{_STYLE}name", "")
            found[own] = own, element.get(f"{_STYLE}parent-style-name", "")
    return found


def _is_one_of(names: frozenset[str], style: str, styles: Styles) -> bool:
    """Return whether a style or one of its parents has one of these names."""
    for _ in range(_DEEPEST):
        if not style:
            return False
        name, parent = styles.get(style, (style, ""))
        if re.sub(r"_[0-9a-f]{2}_|[^a-z]", "", name.lower()) in names:
            return True
        style = parent
    return False


def _paragraphs(form: _Format, root: Element, styles: Styles) -> Iterator[str]:
    """Yield the paragraphs in order, those of notes within the text last."""
    notes: list[Element] = []
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.tag in form.passed_over:
            continue
        if element.tag == form.note:
            notes.append(element)
            continue
        if element.tag in form.paragraphs:
            yield _text(form, element, styles)
        waiting.extend(reversed(element))
    for note in notes:
        for element in note.iter():
            if element.tag in form.paragraphs:
                yield _text(form, element, styles)


def _text(form: _Format, paragraph: Element, styles: Styles) -> str:
    """Return the text of a paragraph, without the paragraphs of boxes and notes in it, as one line."""
    parts: list[str] = []
    waiting: list[tuple[Element | str, bool]] = [(paragraph, True)]
    while waiting:
        item, shown = waiting.pop()
        if isinstance(item, str):
            parts.append(item if shown else " " * len(item))
            continue
        inner = item is not paragraph and (item.tag in form.paragraphs or item.tag == form.note)
        if inner or item.tag in form.passed_over or item.tag == _PROPERTIES:
            continue
        if item.tag in form.spaces:
            parts.append(" ")
        prose = shown and not _is_one_of(_BLANKED, _style(form, item), styles)
        mixed = form.text is None
        for child in reversed(item):
            waiting += [((child.tail or "") if mixed else "", prose), (child, prose)]
        waiting.append(((item.text or "") if mixed or item.tag == form.text else "", prose))
    text = " ".join("".join(parts).splitlines())
    return f"{QUOTATION_MARK}{text}" if _is_one_of(_QUOTED, _style(form, paragraph), styles) else text


def _style(form: _Format, element: Element) -> str:
    """Return the style of a paragraph or of characters."""
    if form.text is None:
        return element.get(form.style, "")
    for tag, path in _STYLED:
        if element.tag == tag and (found := element.find(path)) is not None:
            return found.get(form.style, "")
    return ""
