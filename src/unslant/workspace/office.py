"""The text of office documents (docx, odt): a paragraph per line, so that line and column are paragraph and offset."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree

from unslant.core.errors import SourceError

__all__ = ["SUFFIXES", "office_text"]

SUFFIXES = (".docx", ".odt")
"""The suffixes of documents that can be read."""

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OPEN = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_MEMBERS = ("word/document.xml", "content.xml")


def office_text(data: bytes, name: str, max_bytes: int) -> str:
    """Return the paragraphs of a document; raise ``SourceError`` if it is damaged or unpacks to too much."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            member = next((each for each in _MEMBERS if each in archive.namelist()), None)
            if member is None:
                raise SourceError(f"{name} is a ZIP archive without a text document in it; pass a text file")
            with archive.open(member) as stream:
                content = stream.read(max_bytes + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise SourceError(f"{name} is damaged or encrypted; save it again, or export it as text") from error
    if len(content) > max_bytes:
        raise SourceError(f"{name} unpacks to more than the {max_bytes:,} bytes that 'max-bytes' allows")
    # in UTF-16, the declarations could not be seen
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content or b"\0" in content[:4]:
        raise SourceError(f"{name} declares entities, which office documents do not; export it as text")
    try:
        root = ElementTree.fromstring(content)  # noqa: S314 - without a DTD there is nothing to expand
    except ElementTree.ParseError as error:
        raise SourceError(f"{name} is damaged; save it again, or export it as text") from error
    return "".join(f"{paragraph}\n" for paragraph in _paragraphs(root))


def _paragraphs(root: ElementTree.Element) -> Iterator[str]:
    for element in root.iter():
        if element.tag in (f"{_WORD}p", f"{_OPEN}p", f"{_OPEN}h"):
            word = element.tag.startswith(_WORD)
            yield " ".join("".join(_word_runs(element) if word else _open_runs(element)).splitlines())


def _word_runs(paragraph: ElementTree.Element) -> Iterator[str]:
    for element in paragraph.iter():
        if element.tag == f"{_WORD}t":
            yield element.text or ""
        elif element.tag in (f"{_WORD}tab", f"{_WORD}br"):
            yield " "


def _open_runs(paragraph: ElementTree.Element) -> Iterator[str]:
    if paragraph.tag in (f"{_OPEN}note", f"{_OPEN}tracked-changes"):
        return
    yield paragraph.text or ""
    for child in paragraph:
        if child.tag in (f"{_OPEN}s", f"{_OPEN}tab", f"{_OPEN}line-break"):
            yield " "
        else:
            yield from _open_runs(child)
        yield child.tail or ""
