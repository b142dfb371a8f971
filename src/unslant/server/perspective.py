"""An endpoint in the shape of Perspective's ``comments:analyze``, so that its users can switch by changing a URL.

What is measured is slant, whatever name it is asked for by; docs/server.md has the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from unslant.core.taxonomy import dimensions, kinds
from unslant.core.types import Finding, Report, SentenceVerdict, Span
from unslant.server.engine import Order, Result, SentText, TextJob
from unslant.server.handlers import SlantScore, by_sentence, score
from unslant.server.requests import Refusal, parsed
from unslant.server.settings import ServerSettings

__all__ = ["PREFIX", "AnalyzeRequest", "analyze", "attributes", "error"]

PREFIX = "/v1alpha1/"

_THEIRS = {"TOXICITY": "SLANT", "IDENTITY_ATTACK": "DEMOGRAPHIC", "INFLAMMATORY": "FRAMING"}
"""Attributes of Perspective, each with the one of ours that comes nearest."""
_Stretch = tuple[Span, list[SentenceVerdict], list[Finding]]
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
        default=None, alias="scoreThreshold", description="Attributes that score less are left out."
    )


class AnalyzeRequest(BaseModel):
    """A comment to score; fields that Perspective knows and we do not need are passed over."""

    model_config = ConfigDict(populate_by_name=True, title="AnalyzeRequest")

    comment: _Comment
    requested_attributes: dict[str, _RequestedScores] = Field(
        alias="requestedAttributes", description="The names of the attributes to score."
    )
    languages: list[str] = Field(default=[], description="English, or nothing, which means English.")
    span_annotations: bool = Field(
        default=False, alias="spanAnnotations", description="Score each sentence too."
    )
    client_token: str | None = Field(
        default=None, alias="clientToken", description="Comes back in the answer."
    )


@cache
def attributes() -> dict[str, Callable[[Finding], bool]]:
    """Return what counts for each attribute of ours."""
    known: dict[str, Callable[[Finding], bool]] = {"SLANT": lambda _: True}
    for name in kinds():
        known[_upper(name)] = lambda finding, name=name: finding.kind == name  # type: ignore[misc]
    for name in dimensions():
        known[_upper(name)] = lambda finding, name=name: finding.dimension == name  # type: ignore[misc]
    return known


def analyze(payload: object, settings: ServerSettings) -> Order:
    """Score a comment."""
    sent = _read(payload)
    _check(sent, settings)

    def finish(results: Sequence[Result]) -> dict[str, Any]:
        if isinstance(results[0], Refusal):
            raise results[0]
        return _answer(sent, results[0])

    return Order(TextJob(settings.spec), [SentText(sent.comment.text)], finish)


def error(refusal: Refusal) -> dict[str, Any]:
    """Return a refusal in the shape that clients of Perspective know."""
    status = _STATUS.get(refusal.status, "INVALID_ARGUMENT" if refusal.status < 500 else "INTERNAL")
    body: dict[str, Any] = {"code": refusal.status, "message": refusal.message, "status": status}
    if isinstance(refusal, _Detailed):
        body["details"] = [{"@type": _DETAIL, "errorType": refusal.sort, **refusal.more}]
    return {"error": body}


class _Detailed(Refusal):
    """A refusal with what Perspective adds for programs."""

    def __init__(self, sort: str, message: str, **more: Any) -> None:
        super().__init__(400, sort.lower(), message)
        self.sort = sort
        self.more = more


def _upper(name: str) -> str:
    return name.upper().replace(" ", "_")


def _ours(attribute: str) -> str | None:
    """Return the attribute of ours that one stands for; None: nobody knows it."""
    name = attribute.removesuffix("_EXPERIMENTAL")
    name = _THEIRS.get(name, name)
    return name if name in attributes() else None


def _read(payload: object) -> AnalyzeRequest:
    try:
        return parsed(AnalyzeRequest, payload)
    except Refusal as refusal:
        # Perspective knows only one code for what a client got wrong
        raise Refusal(400, refusal.code, refusal.message) from None


def _check(sent: AnalyzeRequest, settings: ServerSettings) -> None:
    """Refuse what cannot be answered, in the order in which Perspective does."""
    if not sent.comment.text.strip():
        raise _Detailed("COMMENT_EMPTY", "Comment must be non-empty.")
    if len(sent.comment.text) > settings.limits.text_length:
        raise _Detailed("COMMENT_TOO_LONG", "Comment text too long.")
    if sent.comment.type not in ("PLAIN_TEXT", "TEXT_TYPE_UNSPECIFIED"):
        raise Refusal(400, "invalid", "Unknown text type")
    if not sent.requested_attributes:
        raise Refusal(400, "invalid", "Missing requested_attributes")
    english = not sent.languages or any(one.lower().partition("-")[0] == "en" for one in sent.languages)
    for name, wanted in sent.requested_attributes.items():
        shown = name[:100]
        if _ours(name) is None:
            raise Refusal(400, "unknown_attribute", f"Unknown requested attribute: {shown}")
        if wanted.score_type not in (None, "PROBABILITY", "SCORE_TYPE_UNSPECIFIED"):
            raise Refusal(
                400,
                "invalid",
                f"Requested score type is not supported by attribute {shown}: give PROBABILITY",
            )
        if not english:
            raise _Detailed(
                "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE",
                f"Attribute {shown} does not support request languages: {', '.join(sent.languages)[:100]}",
                languageNotSupportedByAttributeError={
                    "requestedLanguages": [one[:20] for one in sent.languages],
                    "attribute": shown,
                },
            )


def _answer(sent: AnalyzeRequest, report: Report) -> dict[str, Any]:
    whole = Span(0, len(report.document.source)), list(report.sentences), list(report.findings)
    stretches = [whole]
    if sent.span_annotations:
        stretches = [(one.span, [one], findings) for one, findings in by_sentence(report)]
    scores = {}
    for name, wanted in sent.requested_attributes.items():
        summary = _score(name, whole)
        if wanted.score_threshold is not None and summary.value < wanted.score_threshold:
            continue
        spans = [
            {"begin": one[0].start, "end": one[0].end, "score": _wire(_score(name, one))} for one in stretches
        ]
        scores[name] = {"spanScores": spans, "summaryScore": _wire(summary)}
    answer = {"attributeScores": scores, "languages": sent.languages or ["en"]}
    return answer if sent.client_token is None else answer | {"clientToken": sent.client_token}


def _score(attribute: str, stretch: _Stretch) -> SlantScore:
    name = _ours(attribute) or "SLANT"
    _, sentences, findings = stretch
    # a sentence's probability is that of any slant: it says nothing of one sort
    return score(sentences if name == "SLANT" else (), findings, attributes()[name])


def _wire(one: SlantScore) -> dict[str, Any]:
    return {"value": one.value, "type": "PROBABILITY" if one.judged else "RAW"}
