"""An endpoint compatible with Perspective's ``comments:analyze``, so that its users can switch by changing a URL.

All attributes measure slant, whatever their name; docs/server.md has the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from unslant.core.taxonomy import dimensions, kinds
from unslant.core.types import Finding, Report, SentenceVerdict, Span
from unslant.server.engine import EngineRequest, Result, SentText, TextJob
from unslant.server.handlers import SlantScore, group_by_sentence, highest_score
from unslant.server.requests import RequestError, parse_request
from unslant.server.settings import ServerSettings

PREFIX = "/v1alpha1/"

_EQUIVALENTS = {"TOXICITY": "SLANT", "IDENTITY_ATTACK": "DEMOGRAPHIC", "INFLAMMATORY": "FRAMING"}
"""Attributes of Perspective, each with our closest equivalent."""
_ScoredSpan = tuple[Span, list[SentenceVerdict], list[Finding]]
_DETAIL = "type.googleapis.com/google.commentanalyzer.v1alpha1.Error"
_STATUS = {401: "UNAUTHENTICATED", 404: "NOT_FOUND", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"}


class _Comment(BaseModel):
    text: str = Field(description="The text.")
    type: str = Field(
        default="PLAIN_TEXT", json_schema_extra={"enum": ["PLAIN_TEXT", "TEXT_TYPE_UNSPECIFIED"]}
    )


class _RequestedScores(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    score_type: str | None = Field(
        default=None, alias="scoreType", json_schema_extra={"enum": ["PROBABILITY", None]}
    )
    score_threshold: float | None = Field(
        default=None, alias="scoreThreshold", description="Attributes with a lower score are left out."
    )


class AnalyzeRequest(BaseModel):
    """A comment to score; other fields of Perspective are ignored."""

    model_config = ConfigDict(populate_by_name=True, title="AnalyzeRequest")

    comment: _Comment
    requested_attributes: dict[str, _RequestedScores] = Field(
        alias="requestedAttributes", description="The names of the attributes to score."
    )
    languages: list[str] = Field(default=[], description="Only English is supported; default: English.")
    span_annotations: bool = Field(
        default=False, alias="spanAnnotations", description="Also score each sentence."
    )
    client_token: str | None = Field(
        default=None, alias="clientToken", description="Returned in the response."
    )


@cache
def attributes() -> dict[str, Callable[[Finding], bool]]:
    """Return our attributes, each with the findings that count."""
    known: dict[str, Callable[[Finding], bool]] = {"SLANT": lambda _: True}
    for name in kinds():
        known[_attribute_name(name)] = lambda finding, name=name: finding.kind == name  # type: ignore[misc]
    for name in dimensions():
        known[_attribute_name(name)] = lambda finding, name=name: finding.dimension == name  # type: ignore[misc]
    return known


def analyze(payload: object, settings: ServerSettings) -> EngineRequest:
    """Score a comment."""
    sent = _read(payload)
    _check(sent, settings)

    def build_response(results: Sequence[Result]) -> dict[str, Any]:
        if isinstance(results[0], RequestError):
            raise results[0]
        return _answer(sent, results[0])

    return EngineRequest(TextJob(settings.spec), [SentText(sent.comment.text)], build_response)


def error(error: RequestError) -> dict[str, Any]:
    """Return an error in Perspective's format."""
    status = _STATUS.get(error.status, "INVALID_ARGUMENT" if error.status < 500 else "INTERNAL")
    body: dict[str, Any] = {"code": error.status, "message": error.message, "status": status}
    if isinstance(error, _PerspectiveError):
        body["details"] = [{"@type": _DETAIL, "errorType": error.type, **error.details}]
    return {"error": body}


class _PerspectiveError(RequestError):
    """An error with Perspective's details for programs."""

    def __init__(self, error_type: str, message: str, **details: Any) -> None:
        super().__init__(400, error_type.lower(), message)
        self.type = error_type
        self.details = details


def _attribute_name(name: str) -> str:
    return name.upper().replace(" ", "_")


def _own_attribute(attribute: str) -> str | None:
    """Return our equivalent of an attribute, or None if there is none."""
    name = attribute.removesuffix("_EXPERIMENTAL")
    name = _EQUIVALENTS.get(name, name)
    return name if name in attributes() else None


def _read(payload: object) -> AnalyzeRequest:
    try:
        return parse_request(AnalyzeRequest, payload)
    except RequestError as error:
        # Perspective uses one status for all client errors
        raise RequestError(400, error.code, error.message) from None


def _check(sent: AnalyzeRequest, settings: ServerSettings) -> None:
    """Raise an error for an invalid request, checking in the same order as Perspective."""
    if not sent.comment.text.strip():
        raise _PerspectiveError("COMMENT_EMPTY", "Comment must be non-empty.")
    if len(sent.comment.text) > settings.limits.text_length:
        raise _PerspectiveError("COMMENT_TOO_LONG", "Comment text too long.")
    if sent.comment.type not in ("PLAIN_TEXT", "TEXT_TYPE_UNSPECIFIED"):
        raise RequestError(400, "invalid", "Unknown text type")
    if not sent.requested_attributes:
        raise RequestError(400, "invalid", "Missing requested_attributes")
    english = not sent.languages or any(
        language.lower().partition("-")[0] == "en" for language in sent.languages
    )
    for name, wanted in sent.requested_attributes.items():
        shown = name[:100]
        if _own_attribute(name) is None:
            raise RequestError(400, "unknown_attribute", f"Unknown requested attribute: {shown}")
        if wanted.score_type not in (None, "PROBABILITY", "SCORE_TYPE_UNSPECIFIED"):
            raise RequestError(
                400,
                "invalid",
                f"Requested score type is not supported by attribute {shown}: use PROBABILITY",
            )
        if not english:
            raise _PerspectiveError(
                "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE",
                f"Attribute {shown} does not support request languages: {', '.join(sent.languages)[:100]}",
                languageNotSupportedByAttributeError={
                    "requestedLanguages": [language[:20] for language in sent.languages],
                    "attribute": shown,
                },
            )


def _answer(sent: AnalyzeRequest, report: Report) -> dict[str, Any]:
    whole = Span(0, len(report.document.source)), list(report.sentences), list(report.findings)
    parts = [whole]
    if sent.span_annotations:
        parts = [(sentence.span, [sentence], findings) for sentence, findings in group_by_sentence(report)]
    scores = {}
    for name, wanted in sent.requested_attributes.items():
        summary = _score(name, whole)
        if wanted.score_threshold is not None and summary.value < wanted.score_threshold:
            continue
        spans = [
            {"begin": part[0].start, "end": part[0].end, "score": _wire(_score(name, part))} for part in parts
        ]
        scores[name] = {"spanScores": spans, "summaryScore": _wire(summary)}
    answer = {"attributeScores": scores, "languages": sent.languages or ["en"]}
    return answer if sent.client_token is None else answer | {"clientToken": sent.client_token}


def _score(attribute: str, part: _ScoredSpan) -> SlantScore:
    name = _own_attribute(attribute) or "SLANT"
    _, sentences, findings = part
    # the probability of a sentence covers all slant, so it says nothing about one attribute
    return highest_score(sentences if name == "SLANT" else (), findings, attributes()[name])


def _wire(score: SlantScore) -> dict[str, Any]:
    return {"value": score.value, "type": "PROBABILITY" if score.judged else "RAW"}
