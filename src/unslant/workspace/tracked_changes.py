"""Edits of a Word document as tracked changes, and findings as comments; every other byte of its parts stays the same.

The parts are not parsed and written again, which would lose what a parser does not know: positions in the text lead to
byte positions in the XML, and only the runs that an edit touches are written anew. Text in somebody's tracked insertion
is left as it is.
"""

from __future__ import annotations

import io
import re
import zipfile
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from itertools import islice
from xml.parsers import expat

from unslant.core.archives import Archive, DamagedArchive, LargeArchive
from unslant.core.errors import SourceError
from unslant.core.types import Edit, Span
from unslant.text.readers.plain import QUOTATION_MARK
from unslant.workspace.office import office_text

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_CHOICE = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_MAIN, _NOTES = "word/document.xml", ("word/footnotes.xml", "word/endnotes.xml")
_COMMENTS, _RELATIONS, _TYPES = "word/comments.xml", "word/_rels/document.xml.rels", "[Content_Types].xml"
_HIDDEN = frozenset((f"{_WORD}}}del", f"{_WORD}}}moveFrom", f"{_CHOICE}}}Fallback", f"{_WORD}}}pPr"))
_SETTLED = frozenset(f"{_WORD}}}{name}" for name in ("ins", "moveTo", "fldSimple"))
_LARGEST = 512_000_000
"""Bytes that a document may unpack to; pictures are copied."""
_ID = re.compile(rb'\bw:id="(\d{1,9})"')
_CHANGED_PROPERTIES = re.compile(rb"<w:rPrChange\b.*?</w:rPrChange>", re.DOTALL)
_DECLARED = re.compile(rb"<\?xml[^>]*encoding\s*=\s*[\"']([^\"']+)")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_COMMENT_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml"
_COMMENT_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"


@dataclass(frozen=True, slots=True)
class Comment:
    """A remark about words of the text."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class TrackedDocument:
    """A document with tracked changes and comments."""

    data: bytes
    made: tuple[Edit, ...]
    """The edits that are tracked changes in it."""
    left: tuple[Edit, ...]
    """The edits of text that cannot be changed: in somebody's tracked insertion, or across fields and boxes."""
    comments: int
    """How many comments were added."""


def track_changes(
    data: bytes,
    name: str,
    edits: Iterable[Edit],
    comments: Iterable[Comment] = (),
    *,
    author: str = "unslant",
    when: datetime | None = None,
    max_bytes: int = 64_000_000,
    largest: int = _LARGEST,
) -> TrackedDocument:
    """Return a Word document with edits as tracked changes; positions are those of the text that is checked.

    Raise ``SourceError`` if the document is damaged, or its text cannot be traced back to its parts.
    """
    text = office_text(data, name, max_bytes)
    try:
        archive = Archive(data, largest)
        parts = {member.filename: archive.read(member) for member in archive.members}
    except DamagedArchive as error:
        raise SourceError(f"{name} is damaged or encrypted; save it again, or export it as text") from error
    except LargeArchive as error:
        raise SourceError(f"{name} unpacks to more than {largest:,} bytes and was not changed") from error
    if _MAIN not in parts:
        raise SourceError(f"{name} is no Word document; save it as .docx to get tracked changes")
    paragraphs = _trace(parts, text, name)
    stamp = (when or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ")
    writer = _Writer(parts, _next_id(parts), f'w:author="{_attribute(author)}" w:date="{stamp}"')
    made: list[Edit] = []
    left: list[Edit] = []
    for edit in edits:
        (made if writer.add(paragraphs.find(edit.start, edit.end), edit.replacement) else left).append(edit)
    for comment in comments:
        writer.comment(paragraphs.find(comment.span.start, comment.span.end), comment.text)
    packed = _pack(archive.members, {**parts, **writer.finish()})
    return TrackedDocument(packed, tuple(made), tuple(left), writer.commented)


@dataclass(slots=True)
class _Piece:
    """The text of one ``w:t`` element, and where it and its run are in the bytes of the part."""

    part: str
    text: str
    start: int
    """Where its text begins in the text of the document."""
    element: tuple[int, int]
    """The bytes of the element."""
    run: _TextRun
    fixed: bool
    """Whether it must stay as it is."""


@dataclass(slots=True)
class _TextRun:
    start: int
    content: int = 0
    """The first byte behind the start tag and the properties."""
    end: int = 0
    properties: tuple[int, int] | None = None


@dataclass(slots=True)
class _WordParagraph:
    pieces: list[_Piece | str] = field(default_factory=list)
    """Texts with their places, and spaces for tabs and line breaks."""

    @property
    def text(self) -> str:
        return "".join(piece if isinstance(piece, str) else piece.text for piece in self.pieces)


class _TextPlaces:
    """All texts of a document by their place in the text that is checked."""

    def __init__(self, pieces: list[_Piece]) -> None:
        self._pieces = pieces
        """In the order of the text."""

    def find(self, start: int, end: int) -> list[tuple[_Piece, int, int]]:
        """Return the pieces that hold these characters, each with the range inside of it; empty if some have none."""
        found = []
        covered = 0
        nearest = bisect_left(self._pieces, start, key=lambda piece: piece.start + len(piece.text))
        for piece in islice(self._pieces, nearest, None):
            if piece.start > end:
                break
            first, last = max(start, piece.start), min(end, piece.start + len(piece.text))
            if first < last or (start == end and piece.start <= start <= piece.start + len(piece.text)):
                found.append((piece, first - piece.start, last - piece.start))
                covered += last - first
                if start == end:
                    break
        return found if covered == end - start else []


def _trace(parts: dict[str, bytes], text: str, name: str) -> _TextPlaces:
    """Return where in the parts each character of the text is."""
    lines = text.split("\n")[:-1]
    paragraphs = _walk(parts, _MAIN, name)
    for member in _NOTES:
        if member in parts:
            walked = _walk(parts, member, name)
            paragraphs += [each for each in walked if each.text.removeprefix(QUOTATION_MARK).strip()]
    if len(paragraphs) != len(lines):
        raise SourceError(f"{name} has text in places that cannot be changed; make the edits by hand")
    pieces: list[_Piece] = []
    at = 0
    for paragraph, line in zip(paragraphs, lines, strict=True):
        # a paragraph with unusual line ends keeps no columns, so nothing in it is changed
        mark = len(line) - len(paragraph.text)
        if not mark or line[:mark] == QUOTATION_MARK:
            place = at + mark
            for piece in paragraph.pieces:
                if not isinstance(piece, str):
                    piece.start = place
                    pieces.append(piece)
                place += len(piece) if isinstance(piece, str) else len(piece.text)
        at += len(line) + 1
    return _TextPlaces(pieces)


def _walk(parts: dict[str, bytes], part: str, name: str) -> list[_WordParagraph]:
    """Return the paragraphs of a part in the order of the text that is checked."""
    content = parts[part]
    declared = _DECLARED.match(content)
    if declared and declared[1].lower() not in (b"utf-8", b"utf8"):
        raise SourceError(f"{name} is not written in UTF-8; save it again with Word or LibreOffice")
    walker = _Walker(part, content)
    try:
        walker.parse()
    except expat.ExpatError as error:
        raise SourceError(f"{name} is damaged; save it again, or export it as text") from error
    return walker.paragraphs


class _Walker:
    """Follows the elements of a part, with their bytes."""

    def __init__(self, part: str, content: bytes) -> None:
        self.paragraphs: list[_WordParagraph] = []
        self._part, self._content = part, content
        self._open: list[str] = []
        # counted, because a document may be nested as deeply as it is long
        self._hidden = self._settled = 0
        self._inside: list[_WordParagraph] = []
        self._runs: list[_TextRun] = []
        self._text: list[str] | None = None
        self._element = 0
        self._parser = expat.ParserCreate(namespace_separator="}")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._data

    def parse(self) -> None:
        self._parser.Parse(self._content, True)

    def _start(self, name: str, _attributes: dict[str, str]) -> None:
        at = self._parser.CurrentByteIndex
        self._open.append(name)
        self._hidden += name in _HIDDEN
        self._settled += name in _SETTLED
        if self._hidden:
            return
        match name.removeprefix(f"{_WORD}}}"):
            case "p":
                self.paragraphs.append(_WordParagraph())
                self._inside.append(self.paragraphs[-1])
            case "r":
                self._runs.append(_TextRun(at, self._behind_tag(at)))
            case "rPr" if self._runs and self._open[-2] == f"{_WORD}}}r":
                self._runs[-1].properties = (at, 0)
            case "t" if self._inside:
                self._text, self._element = [], at
            case "tab" | "br" | "cr" if self._inside:
                self._inside[-1].pieces.append(" ")

    def _end(self, name: str) -> None:
        hidden = self._hidden
        self._open.pop()
        self._hidden -= name in _HIDDEN
        self._settled -= name in _SETTLED
        if hidden:
            return
        at = self._parser.CurrentByteIndex
        match name.removeprefix(f"{_WORD}}}"):
            case "p":
                self._inside.pop()
            case "r":
                self._runs.pop().end = self._behind_element(at)
            case "rPr" if self._runs and self._open[-1] == f"{_WORD}}}r":
                run = self._runs[-1]
                run.content = self._behind_element(at)
                run.properties = ((run.properties or (at, 0))[0], run.content)
            case "t" if self._text is not None:
                self._add_text("".join(self._text), self._behind_element(at))
                self._text = None

    def _add_text(self, text: str, end: int) -> None:
        # what stands in a box inside of a run has a copy for older programs
        direct = self._open and self._open[-1] == f"{_WORD}}}r" and len(self._runs) == 1
        fixed = not direct or self._settled > 0
        run = self._runs[-1] if self._runs else _TextRun(0)
        fixed = fixed or not self._content.startswith(b"<w:", run.start)
        self._inside[-1].pieces.append(_Piece(self._part, text, 0, (self._element, end), run, fixed))

    def _data(self, text: str) -> None:
        if self._text is not None and self._open[-1] == f"{_WORD}}}t":
            self._text.append(text)

    def _behind_tag(self, at: int) -> int:
        """Return where the start tag or end tag at a place ends."""
        quote = 0
        for place in range(at, len(self._content)):
            byte = self._content[place]
            if quote:
                quote = 0 if byte == quote else quote
            elif byte in b"\"'":
                quote = byte
            elif byte == ord(">"):
                return place + 1
        return len(self._content)

    def _behind_element(self, at: int) -> int:
        """Return where an element ends; the end of one that is a single tag is reported behind it."""
        return self._behind_tag(at) if self._content.startswith(b"</", at) else at


@dataclass(slots=True)
class _Cut:
    """One change inside of a piece: what happens to the characters from ``start`` to ``end``."""

    start: int
    end: int
    before: bytes = b""
    """Written before the characters."""
    inserted: bytes | None = None
    """The run that takes their place as a tracked change; None: they stay."""
    after: bytes = b""


class _Writer:
    """Collects what changes in each run, and writes the parts."""

    def __init__(self, parts: dict[str, bytes], next_id: int, by: str) -> None:
        self._parts, self._next, self._by = parts, next_id, by
        self._cuts: dict[int, tuple[_Piece, list[_Cut]]] = {}
        self._comments: list[bytes] = []

    def add(self, places: Sequence[tuple[_Piece, int, int]], replacement: str) -> bool:
        """Add one tracked change; return False if the text cannot be changed."""
        if not places or not self._free(places):
            return False
        for number, (piece, start, end) in enumerate(places):
            new = self._run(piece, replacement, "t") if number == 0 and replacement else b""
            inserted = self._mark("ins", new) if new else b""
            self._cut(piece, _Cut(start, end, inserted=inserted))
        return True

    def comment(self, places: Sequence[tuple[_Piece, int, int]], text: str) -> None:
        """Add a comment; words of notes, and words that are changed, have none."""
        if not places or not self._free(places) or places[0][0].part != _MAIN:
            return
        number = self._number()
        (first, start, end), (last, last_start, last_end) = places[0], places[-1]
        opening = f'<w:commentRangeStart w:id="{number}"/>'.encode()
        closing = (
            f'<w:commentRangeEnd w:id="{number}"/><w:r><w:commentReference w:id="{number}"/></w:r>'.encode()
        )
        if first is last:
            self._cut(first, _Cut(start, end, before=opening, after=closing))
        else:
            self._cut(first, _Cut(start, end, before=opening))
            self._cut(last, _Cut(last_start, last_end, after=closing))
        self._comments.append(
            f'<w:comment w:id="{number}" {self._by} w:initials="u"><w:p><w:r><w:t xml:space="preserve">'
            f"{_content(text)}</w:t></w:r></w:p></w:comment>".encode()
        )

    @property
    def commented(self) -> int:
        """How many comments there are."""
        return len(self._comments)

    def finish(self) -> dict[str, bytes]:
        """Return the parts that changed."""
        runs: dict[tuple[str, int], list[tuple[_Piece, list[_Cut]]]] = {}
        for piece, cuts in self._cuts.values():
            runs.setdefault((piece.part, piece.run.start), []).append((piece, cuts))
        written: dict[str, list[bytes]] = {}
        done: dict[str, int] = {}
        for (part, start), pieces in sorted(runs.items()):
            run = pieces[0][0].run
            written.setdefault(part, []).extend(
                (self._parts[part][done.get(part, 0) : start], self._rewrite(run, pieces))
            )
            done[part] = run.end
        changed = {part: b"".join((*some, self._parts[part][done[part] :])) for part, some in written.items()}
        return changed | self._comment_parts() if self._comments else changed

    def _free(self, places: Sequence[tuple[_Piece, int, int]]) -> bool:
        """Return whether none of the text must stay, and no other change touches it."""
        return not any(
            piece.fixed
            or any(
                start <= cut.end and cut.start <= end and (start < cut.end or cut.start < end or start == end)
                for cut in self._cuts.get(id(piece), (piece, []))[1]
            )
            for piece, start, end in places
        )

    def _cut(self, piece: _Piece, cut: _Cut) -> None:
        self._cuts.setdefault(id(piece), (piece, []))[1].append(cut)

    def _number(self) -> int:
        self._next += 1
        return self._next

    def _mark(self, kind: str, run: bytes) -> bytes:
        return f'<w:{kind} w:id="{self._number()}" {self._by}>'.encode() + run + f"</w:{kind}>".encode()

    def _properties(self, run: _TextRun, part: str) -> bytes:
        raw = self._parts[part][slice(*run.properties)] if run.properties else b""
        return _CHANGED_PROPERTIES.sub(b"", raw)

    def _run(self, piece: _Piece, text: str, tag: str) -> bytes:
        """Return a run of its own with the look of the piece's run."""
        properties = self._properties(piece.run, piece.part)
        return b"<w:r>" + properties + _text_element(text, tag) + b"</w:r>"

    def _rewrite(self, run: _TextRun, pieces: list[tuple[_Piece, list[_Cut]]]) -> bytes:
        """Return a run with its changes: what stands between them stays in runs of the same look."""
        raw = self._parts[pieces[0][0].part]
        tag = raw[run.start : run.content]  # the start tag and the properties
        again = b"<w:r>" + self._properties(run, pieces[0][0].part)
        out: list[bytes] = []
        inside = [tag]
        at = run.content

        def close() -> None:
            # a run without content is left out
            if len(inside) > 1:
                out.append(b"".join((*inside, b"</w:r>")))
                inside[:] = [again]

        for piece, cuts in sorted(pieces, key=lambda item: item[0].element):
            first, last = piece.element
            if first > at:
                inside.append(raw[at:first])
            place = 0
            for cut in sorted(cuts, key=lambda cut: (cut.start, cut.end)):
                if cut.start > place:
                    inside.append(_text_element(piece.text[place : cut.start]))
                close()
                out.append(cut.before)
                words = piece.text[cut.start : cut.end]
                if cut.inserted is None:
                    inside.append(_text_element(words))
                    close()
                else:
                    if words:
                        out.append(self._mark("del", self._run(piece, words, "delText")))
                    out.append(cut.inserted)
                out.append(cut.after)
                place = cut.end
            if place < len(piece.text):
                inside.append(_text_element(piece.text[place:]))
            at = last
        end = raw.rindex(b"</", run.start, run.end)
        if end > at:
            inside.append(raw[at:end])
        close()
        return b"".join(out)

    def _comment_parts(self) -> dict[str, bytes]:
        added = b"".join(self._comments)
        known = self._parts.get(_COMMENTS)
        if known is not None and b"</w:comments>" in known:
            return {_COMMENTS: known.replace(b"</w:comments>", added + b"</w:comments>")}
        body = f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<w:comments xmlns:w="{_WORD}">'.encode()
        relation = f'<Relationship Id="unslantComments" Type="{_COMMENT_RELATION}" Target="comments.xml"/>'
        kind = f'<Override PartName="/{_COMMENTS}" ContentType="{_COMMENT_TYPE}"/>'
        return {
            _COMMENTS: body + added + b"</w:comments>",
            _RELATIONS: _with(self._parts.get(_RELATIONS, _NO_RELATIONS), b"</Relationships>", relation),
            _TYPES: _with(self._parts[_TYPES], b"</Types>", kind),
        }


_NO_RELATIONS = (
    b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"></Relationships>'
)


def _with(content: bytes, closing: bytes, added: str) -> bytes:
    head, tag, tail = content.rpartition(closing)
    return head + added.encode() + tag + tail if tag else content


def _text_element(text: str, tag: str = "t") -> bytes:
    return f'<w:{tag} xml:space="preserve">{_content(text)}</w:{tag}>'.encode()


def _content(text: str) -> str:
    return escape(_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text), quote=False)


def _attribute(text: str) -> str:
    return escape(_NOT_XML.sub("", text), quote=True)


def _next_id(parts: dict[str, bytes]) -> int:
    """Return the highest number of an annotation; new ones are higher."""
    named = (_MAIN, *_NOTES, _COMMENTS)
    return max((int(found) for name in named for found in _ID.findall(parts.get(name, b""))), default=0)


def _pack(members: Sequence[zipfile.ZipInfo], parts: dict[str, bytes]) -> bytes:
    """Return an archive of the parts; those that the old one had are written as they were there."""
    out = io.BytesIO()
    old = {member.filename: member for member in members}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in parts.items():
            member = old.get(name)
            new.writestr(member or name, content, member.compress_type if member else None)
    return out.getvalue()
