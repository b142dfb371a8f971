"""Endpoints compatible with LanguageTool's HTTP API, so that its many clients can show findings of unslant.

Clients count UTF-16 code units. They replace a whole match with one of its replacements, so a match covers what its
first edit changes. They list replacements in a menu, in which an empty one could not be seen, so a match that is
to be deleted covers a word beside it, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Any
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from unslant.core.taxonomy import dimensions, kind, kinds
from unslant.core.types import Applicability, Document, Edit, Finding, Report, Span
from unslant.rules.analyzer import finding_cards, selectable_ids
from unslant.server.engine import EngineRequest, Result, SentText, TextJob
from unslant.server.handlers import group_by_sentence
from unslant.server.requests import RequestError, parse_request
from unslant.server.settings import ServerSettings
from unslant.spec import Spec
from unslant.text.edits import apply_edits
from unslant.text.readers.masking import ParsedMarkup, SingleParseReader, finish_parse, to_hidden
from unslant.text.reading import read_with
from unslant.text.utf16 import Utf16Offsets
from unslant.text.words import COMPOUND
from unslant.version import VERSION

CHECK = "/v2/check"
FORM = "application/x-www-form-urlencoded"
_FIELDS = 50
"""Fields in a form; LanguageTool has half as many."""
_PICKY = 0.3
"""The threshold of the level ``picky``: weak terms, which start at this probability, are reported too."""
_AROUND = 40
"""Characters of context on each side of a match, as many as LanguageTool shows."""
_NEVER_ENCODED = re.compile(r"[^!-~]")
"""What stands in no encoded form: blanks, control characters, letters outside of ASCII."""
_UNENCODED = re.compile(
    r"text=(?P<text>.*)&language=(?P<language>[\w-]+)(?:&username=[^&]*&apiKey=[^&]*)?", re.DOTALL
)
_WORD_AFTER = re.compile(rf" ?(?:{COMPOUND.pattern})")
_WORD_BEFORE = re.compile(rf"(?:{COMPOUND.pattern}) ?$")
_VARIANTS = {"en": "English"} | {
    f"en-{region}": f"English ({region})" for region in ("AU", "CA", "GB", "NZ", "US", "ZA")
}
_LIST = "Comma-separated; names that unslant does not know are ignored."


class _Annotation(BaseModel):
    """A part of an annotated text: ``text`` or ``markup``."""

    text: str | None = None
    markup: str | None = None
    interpret_as: str = Field(default="", alias="interpretAs")


class _Annotations(BaseModel):
    annotation: list[_Annotation]


class CheckForm(BaseModel):
    """The fields of a form that count; all others of LanguageTool are ignored."""

    model_config = ConfigDict(title="CheckForm")

    language: str = Field(
        description="`auto`, or English with or without a region: `en`, `en-US`.", max_length=100
    )
    text: str | None = Field(default=None, description="A plain text.")
    data: Annotated[_Annotations | None, WithJsonSchema({"type": "string"})] = Field(
        default=None,
        description='Instead of `text`: JSON such as `{"annotation": [{"text": "A "}, {"markup": "<b>"}]}`. '
        "Markup is not checked; positions count it.",
    )
    enabled_rules: str = Field(default="", alias="enabledRules", description=f"Rules. {_LIST}")
    disabled_rules: str = Field(default="", alias="disabledRules", description=f"Rules. {_LIST}")
    enabled_categories: str = Field(
        default="", alias="enabledCategories", description=f"Kinds or dimensions. {_LIST}"
    )
    disabled_categories: str = Field(
        default="", alias="disabledCategories", description=f"Kinds or dimensions. {_LIST}"
    )
    enabled_only: bool = Field(
        default=False, alias="enabledOnly", description="Report only the enabled rules and categories."
    )
    level: str = Field(
        default="default",
        description="`picky` also reports weak terms.",
        json_schema_extra={"enum": ["default", "picky"]},
    )
    preferred_variants: str = Field(
        default="", alias="preferredVariants", description="With `auto`: the variant to name in the response."
    )


def parse_form(body: bytes, parse_json: Callable[[bytes], object]) -> dict[str, object]:
    """Parse the body of a form, with the JSON in it; of a field that is sent twice, the last one counts.

    A body that is not encoded, as LibreOffice 7.4 sends it, is taken as it is: its text may contain ``&`` and ``%``.
    """
    try:
        form = body.decode("utf-8")
        written = _UNENCODED.fullmatch(form) if _NEVER_ENCODED.search(form) else None
        fields: dict[str, object] = dict(
            written.groupdict()
            if written is not None
            else parse_qsl(form, keep_blank_values=True, errors="strict", max_num_fields=_FIELDS)
        )
    except ValueError:
        raise RequestError(
            400, "not_a_form", f"the body is not a form of at most {_FIELDS} fields in UTF-8"
        ) from None
    data = fields.get("data")
    return fields | {"data": parse_json(data.encode())} if isinstance(data, str) else fields


class _AnnotationReader(SingleParseReader):
    """Hides the ranges that a client says are markup."""

    def __init__(self, markup: Sequence[tuple[int, int]], ends: Sequence[int]) -> None:
        self._markup = markup
        self._ends = ends

    def parse(self, source: str) -> ParsedMarkup:
        prose = to_hidden(self._markup).blank(source)
        cuts = [0, *self._ends, len(source)]
        blocks = [block for start, end in pairwise(cuts) for block in _paragraphs(prose, start, end)]
        return finish_parse(prose, [], blocks, [], [])


def _paragraphs(prose: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the stretches between blank lines."""
    found: list[tuple[int, int]] = []
    at = start
    opened: int | None = None
    for line in prose[start:end].splitlines(keepends=True):
        if line.strip():
            opened = at if opened is None else opened
        elif opened is not None:
            found.append((opened, at))
            opened = None
        at += len(line)
    return found if opened is None else [*found, (opened, end)]


@dataclass(frozen=True, slots=True)
class _AnnotatedText(SentText):
    """A text of which the client says what is markup."""

    markup: tuple[tuple[int, int], ...] = ()
    ends: tuple[int, ...] = ()
    """Where markup stands for a line end, such as the tag of a paragraph."""

    def read(self) -> Document:
        return read_with(_AnnotationReader(self.markup, self.ends), self.source, self.format, self.id)


def check(payload: object, settings: ServerSettings, address: str) -> EngineRequest:
    """Find slanted wording; ``address`` is that of the server, for links to rules."""
    form = parse_request(CheckForm, payload)
    text = _sent_text(form)
    if len(text.source) > settings.limits.text_length:
        raise RequestError(
            413,
            "text_too_long",
            f"a request can contain at most {settings.limits.text_length:,} characters, not {len(text.source):,}; "
            "split it",
        )
    language = _language(form)
    spec = _spec(form, settings.spec)
    if spec is None:
        return EngineRequest(
            TextJob(settings.spec), [], lambda _: {**info(), "language": language, "matches": []}
        )

    def build_response(results: Sequence[Result]) -> dict[str, Any]:
        if isinstance(results[0], RequestError):
            raise results[0]
        report: Report = results[0]
        foreign = report.document.language
        if foreign is not None:
            language["detectedLanguage"] = {"name": foreign, "code": "und", "confidence": 1.0}
        return {**info(), "language": language, "matches": _matches(report, spec, address)}

    return EngineRequest(TextJob(spec), [text], build_response)


def _sent_text(form: CheckForm) -> SentText:
    if form.text is not None:
        return SentText(form.text)
    if form.data is None:
        raise RequestError(422, "invalid", "send 'text' or 'data'")
    parts: list[str] = []
    markup: list[tuple[int, int]] = []
    ends: list[int] = []
    at = 0
    for part in form.data.annotation:
        written = part.text if part.text is not None else part.markup or ""
        if part.text is None:
            markup.append((at, at + len(written)))
            if "\n" in part.interpret_as:
                ends.append(at)
        parts.append(written)
        at += len(written)
    return _AnnotatedText("".join(parts), markup=tuple(markup), ends=tuple(ends))


def _language(form: CheckForm) -> dict[str, Any]:
    """Return the language of the response; an error says that it is not English."""
    asked = form.language.strip()
    if asked.lower() == "auto":
        wanted = [name for name in form.preferred_variants.split(",") if name in _VARIANTS]
        asked = wanted[0] if wanted else "en-US"
    if asked.lower().partition("-")[0] != "en":
        raise RequestError(
            400, "unknown_language", "language: unslant reads English only; send 'en' or 'auto'"
        )
    about = {"name": _VARIANTS.get(asked, "English"), "code": asked if asked in _VARIANTS else "en"}
    return {**about, "detectedLanguage": {**about, "confidence": 1.0}}


def _spec(form: CheckForm, spec: Spec) -> Spec | None:
    """Return the settings of a request; None if it enables nothing that unslant has."""
    groups = (*kinds(), *dimensions())
    rules = frozenset(selectable_ids(spec.own_rule_files))
    categories = {_category_id(name): name for name in groups}

    def named(sent_rules: str, sent_categories: str) -> tuple[str, ...]:
        found = {name for name in sent_rules.split(",") if name in rules}
        return tuple(
            sorted({*found, *(categories[n] for n in sent_categories.split(",") if n in categories)})
        )

    ignored = named(form.disabled_rules, form.disabled_categories)
    if ignored:
        spec = replace(spec, ignore=tuple(dict.fromkeys((*spec.ignore, *ignored))))
    if form.level == "picky":
        spec = replace(spec, threshold=_PICKY if spec.threshold is None else min(spec.threshold, _PICKY))
    if not form.enabled_only:
        return spec
    enabled = named(form.enabled_rules, form.enabled_categories)
    return replace(spec, select=enabled) if enabled else None


def _category_id(name: str) -> str:
    return name.upper().replace(" ", "_")


def _matches(report: Report, spec: Spec, address: str) -> list[dict[str, Any]]:
    source = report.document.source
    offsets = Utf16Offsets(source)
    cards = finding_cards(spec)
    found: list[dict[str, Any]] = []
    for sentence, finding, span, wordings in _replacements(report):
        start = offsets.units(span.start)
        card = cards.get(finding.id)
        title = card.title if card is not None else kind(finding.kind).title
        found.append(
            {
                "message": finding.why,
                "shortMessage": title,
                "offset": start,
                "length": offsets.units(span.end) - start,
                "replacements": [
                    {"value": wording} if wording else {"value": "", "shortDescription": "delete"}
                    for wording in wordings
                ],
                "context": _context(source, span),
                "sentence": source[sentence.start : sentence.end],
                "type": {"typeName": "Other"},
                "rule": {
                    "id": finding.id,
                    "description": title,
                    "issueType": "style",
                    "urls": [{"value": f"{address}/v1/rules/{finding.id}"}] if card is not None else [],
                    "category": {"id": _category_id(finding.kind), "name": kind(finding.kind).title},
                },
                "ignoreForIncompleteSentence": False,
                "contextForSureMatch": 0,
            }
        )
    return found


def _replacements(report: Report) -> Iterator[tuple[Span, Finding, Span, list[str]]]:
    """Yield the sentence of each finding, the finding, what to underline, and what could stand there instead.

    Matches never overlap, because clients apply several.
    """
    source = report.document.source
    found = []
    done = 0
    begins = [finding.span.start for finding in report.findings]
    ahead = dict(zip(begins, [*begins[1:], len(source)], strict=False))
    for sentence, findings in group_by_sentence(report):
        for finding in findings:
            span, edits = _covered(finding, done, ahead[finding.span.start])
            found.append((sentence.span, finding, span, edits))
            done = span.end
    starts = [span.start for _, _, span, _ in found]
    done = 0
    for (around, finding, span, edits), follows in zip(found, [*starts[1:], len(source)], strict=False):
        if not all(_written(edit, source, span) for edit in edits):
            free = Span(max(done, around.start), max(span.end, min(follows, around.end)))
            span = _with_neighbour(report.document, span, free)
        done = span.end
        wordings = list(dict.fromkeys(_written(edit, source, span) for edit in edits))
        if wordings and all(text[:1] == source[span.start] == " " for text in wordings):
            span, wordings = Span(span.start + 1, span.end), [text[1:] for text in wordings]
        yield around, finding, span, wordings


def _covered(finding: Finding, done: int, ahead: int) -> tuple[Span, list[Edit]]:
    """Return the finding with what its best edit changes beside it, such as an article, and the edits in there.

    Nothing before ``done`` is covered, where the last match ends, nor anything of the next finding, at ``ahead``.
    """
    edits = [edit for edit in finding.edits if edit.applicability is not Applicability.DISPLAY]
    span = finding.span
    if edits and done <= edits[0].start and edits[0].end <= ahead:
        span = Span(min(span.start, edits[0].start), max(span.end, edits[0].end))
    return span, [edit for edit in edits if span.start <= edit.start and edit.end <= span.end]


def _with_neighbour(document: Document, span: Span, free: Span) -> Span:
    """Return ``span`` with the word after it or else the one before it, if that is prose and lies in ``free``."""
    prose = document.prose

    def is_prose(start: int, end: int) -> bool:
        return prose[start:end] == document.source[start:end]

    after = _WORD_AFTER.match(prose, span.end, free.end)
    if after is not None and is_prose(span.end, after.end()):
        return Span(span.start, after.end())
    before = _WORD_BEFORE.search(prose, max(free.start, span.start - _AROUND), span.start)
    if before is not None and is_prose(before.start(), span.start):
        return Span(before.start(), span.end)
    return span


def _written(edit: Edit, source: str, span: Span) -> str:
    return apply_edits(source[span.start : span.end], [edit.shift(-span.start)])


def _context(source: str, span: Span) -> dict[str, Any]:
    start, end = max(0, span.start - _AROUND), min(len(source), span.end + _AROUND)
    before = "..." if start else ""
    text = (
        before
        + source[start:end].replace("\n", " ").replace("\r", " ")
        + ("..." if end < len(source) else "")
    )
    offsets = Utf16Offsets(text)
    first = offsets.units(span.start - start + len(before))
    return {
        "text": text,
        "offset": first,
        "length": offsets.units(span.end - start + len(before)) - first,
    }


def languages() -> list[dict[str, str]]:
    """Return the languages that may be asked for."""
    return [{"name": name, "code": "en", "longCode": code} for code, name in _VARIANTS.items()]


def info() -> dict[str, Any]:
    """Return what answers; clients show the name and version."""
    return {
        "software": {
            "name": "unslant",
            "version": VERSION,
            "buildDate": "",
            "apiVersion": 1,
            "premium": False,
            "premiumHint": "",
            "status": "",
        },
        "warnings": {"incompleteResults": False},
    }


def schemas() -> dict[str, Any]:
    """Return the schemas of the responses."""
    text = {"type": "string"}
    count = {"type": "integer", "minimum": 0}

    def record(**fields: Any) -> dict[str, Any]:
        return {"type": "object", "required": list(fields), "properties": fields}

    def many(item: Mapping[str, Any]) -> dict[str, Any]:
        return {"type": "array", "items": item}

    software = record(name=text, version=text, apiVersion=count, premium={"type": "boolean"}, status=text)
    named = record(name=text, code=text)
    match = record(
        message=text,
        shortMessage=text,
        offset={"description": "In UTF-16 code units, as `length`.", **count},
        length=count,
        replacements=many(record(value=text)),
        context=record(text=text, offset=count, length=count),
        sentence=text,
        type=record(typeName=text),
        rule=record(
            id=text,
            description=text,
            issueType=text,
            urls=many(record(value=text)),
            category=record(id=text, name=text),
        ),
    )
    return {
        "Software": record(software=software, warnings={"type": "object"}),
        "Matches": record(software=software, language=named, matches=many(match)),
        "Languages": many(record(name=text, code=text, longCode=text)),
    }
