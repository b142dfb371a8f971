"""Office documents: their text, and a copy of a Word document with tracked changes and comments. Nothing is stored."""

from __future__ import annotations

import base64
import binascii
import io
import zipfile
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from unslant.core.archives import Archive, DamagedArchive
from unslant.core.errors import SourceError
from unslant.core.types import Edit, Span
from unslant.report.printable import clean
from unslant.server.requests import RequestError, RequestModel, parse_request
from unslant.server.settings import Limits, ServerSettings
from unslant.text.edits import sort_edits
from unslant.workspace.office import office_text
from unslant.workspace.tracked_changes import Comment, track_changes

_TEXT_SHARE, _WHOLE_SHARE = 2, 8
"""How many times the size of a body the text and everything in a document may unpack to."""


class DocumentRequest(RequestModel):
    """A document to read."""

    name: str = Field(default="document.docx", max_length=300, description="Its name, for messages.")
    data: str = Field(
        description="The bytes of a .docx or .odt file, in Base64.", json_schema_extra={"format": "byte"}
    )


class DocumentEdit(RequestModel):
    """A change of the text of a document; positions count code points."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    replacement: str = Field(max_length=10_000, description="Without line ends; empty to delete.")


class DocumentComment(RequestModel):
    """A remark about words of a document; positions count code points."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str = Field(max_length=2_000)


class ChangesRequest(DocumentRequest):
    """A Word document, with what to change in it; positions refer to its text as it was read."""

    edits: list[DocumentEdit] = Field(default=[], max_length=5_000, description="Become tracked changes.")
    comments: list[DocumentComment] = Field(default=[], max_length=5_000)
    author: str = Field(default="unslant", max_length=100, description="Who Word says made them.")


def read_document(payload: object, settings: ServerSettings) -> dict[str, Any]:
    """Return the text of a document: a paragraph per line, with notes at the end."""
    sent = parse_request(DocumentRequest, payload)
    data = _decode(sent.data)
    name = _name(sent)
    _check_size(data, name, settings.limits)
    try:
        text = office_text(data, name, _TEXT_SHARE * settings.limits.body_bytes)
    except SourceError as error:
        raise RequestError(422, "not_readable", str(error)) from None
    most = settings.limits.text_length
    if len(text) > most:
        raise RequestError(
            413, "text_too_long", f"{name} has {len(text):,} characters; {most:,} can be read at once"
        )
    return {"text": text, "format": "paragraphs", "tracks_changes": _is_word(data)}


def write_changes(payload: object, settings: ServerSettings) -> dict[str, Any]:
    """Return a copy of a Word document with edits as tracked changes, and comments."""
    sent = parse_request(ChangesRequest, payload)
    data = _decode(sent.data)
    name = _name(sent)
    _check_size(data, name, settings.limits)
    edits = _edits(sent.edits)
    comments = [Comment(Span(each.start, each.end), each.text) for each in _spans(sent.comments, "comments")]
    try:
        done = track_changes(
            data,
            name,
            edits,
            comments,
            author=sent.author,
            max_bytes=_TEXT_SHARE * settings.limits.body_bytes,
            largest=_WHOLE_SHARE * settings.limits.body_bytes,
        )
    except SourceError as error:
        raise RequestError(422, "not_readable", str(error)) from None
    return {
        "data": base64.b64encode(done.data).decode("ascii"),
        "changes": len(done.made),
        "comments": done.comments,
        "left": [
            {"start": edit.start, "end": edit.end, "replacement": edit.replacement} for edit in done.left
        ],
    }


def _edits(sent: Sequence[DocumentEdit]) -> list[Edit]:
    edits = []
    for number, each in enumerate(sent):
        if each.end < each.start:
            raise RequestError(422, "invalid", f"edits.{number}: ends before it starts")
        if len(each.replacement.splitlines()) > 1 or each.replacement.endswith(("\n", "\r")):
            raise RequestError(422, "invalid", f"edits.{number}: a replacement cannot contain a line end")
        edits.append(Edit(each.start, each.end, each.replacement))
    try:
        return sort_edits(edits)
    except ValueError as error:
        raise RequestError(422, "invalid", f"edits: {error}") from None


def _spans(sent: Sequence[DocumentComment], where: str) -> Sequence[DocumentComment]:
    for number, each in enumerate(sent):
        if each.end <= each.start:
            raise RequestError(422, "invalid", f"{where}.{number}: must cover at least one character")
    return sent


def _name(sent: DocumentRequest) -> str:
    return clean(sent.name).strip() or "the document"


def _decode(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise RequestError(422, "invalid", "data: must be the bytes of a document in Base64") from None


def _check_size(data: bytes, name: str, limits: Limits) -> None:
    """Refuse a document that unpacks to much more than a body may have, before anything is unpacked."""
    most = _WHOLE_SHARE * limits.body_bytes
    try:
        size = sum(member.file_size for member in Archive(data, 0).members)
    except DamagedArchive:
        raise RequestError(422, "not_readable", f"{name} is no .docx or .odt document") from None
    if size > most:
        raise RequestError(
            413, "document_too_large", f"{name} unpacks to {size:,} bytes; this server reads {most:,}"
        )


def _is_word(data: bytes) -> bool:
    return "word/document.xml" in Archive(data, 0).names


_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SAMPLE_PARTS = {
    "[Content_Types].xml": (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override '
        'PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
        'wordprocessingml.document.main+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="a" Type="http://schemas.openxmlformats.org/'
        'officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>'
    ),
    "word/document.xml": (
        f'<w:document xmlns:w="{_WORD}"><w:body><w:p><w:r><w:t>%s</w:t></w:r></w:p></w:body></w:document>'
    ),
}


def sample_document(text: str) -> str:
    """Return a Word document of one paragraph in Base64, for the examples of the reference."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _SAMPLE_PARTS.items():
            # the date is that of no clock, so that the reference is the same every time
            archive.writestr(zipfile.ZipInfo(name), content.replace("%s", text), zipfile.ZIP_DEFLATED)
    return base64.b64encode(out.getvalue()).decode("ascii")
