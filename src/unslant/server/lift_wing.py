"""An endpoint compatible with Lift Wing's ``edit-check:predict``, so that its users can switch by changing a URL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from unslant.core.types import Report, Span, Verdict
from unslant.server.engine import EngineRequest, Result, SentText, TextJob
from unslant.server.handlers import highest_score
from unslant.server.requests import RequestError, parse_request
from unslant.server.settings import ServerSettings
from unslant.version import VERSION

NAMES = ("edit-check", "unslant")
"""Accepted names of the model: Lift Wing's and ours."""


class Instance(BaseModel):
    """A passage before and after an edit; the prediction is whether the edit introduced slant."""

    model_config = ConfigDict(title="Instance")

    modified_text: str = Field(description="The passage after the edit.")
    original_text: str = Field(
        default="", description="The passage before the edit; empty: everything is new."
    )
    check_type: str = Field(default="tone", json_schema_extra={"enum": ["tone"]})
    lang: str = Field(default="en", json_schema_extra={"enum": ["en"]})
    page_title: str = Field(default="", max_length=1_000, description="Returned in the response.")


class PredictRequest(BaseModel):
    """Up to 300 passages."""

    model_config = ConfigDict(title="PredictRequest")

    instances: Annotated[
        list[Any],
        WithJsonSchema(
            {
                "type": "array",
                "items": {"$ref": "#/components/schemas/Instance"},
                "minItems": 1,
                "maxItems": 300,
            }
        ),
    ]


def predict(name: str, payload: object, settings: ServerSettings) -> EngineRequest:
    """Predict for each passage whether the edit introduced slant."""
    if name not in NAMES:
        raise RequestError(404, "no_such_model", f"no such model; use {' or '.join(NAMES)}")
    instances = parse_request(PredictRequest, payload).instances
    if not 1 <= len(instances) <= settings.limits.items:
        raise RequestError(
            413 if instances else 422, "too_many_items", f"send 1 to {settings.limits.items} instances"
        )
    read = [_instance(raw) for raw in instances]
    valid = [instance for instance in read if isinstance(instance, Instance)]
    length = sum(len(instance.modified_text) + len(instance.original_text) for instance in valid)
    if length > settings.limits.text_length:
        raise RequestError(
            413, "text_too_long", f"a request can contain at most {settings.limits.text_length:,} characters"
        )

    def build_response(results: Sequence[Result]) -> dict[str, Any]:
        done = iter(results)
        return {
            "predictions": [
                _prediction(name, item, next(done)) if isinstance(item, Instance) else _failure(name, item)
                for item in read
            ]
        }

    texts = [SentText(instance.modified_text, "text", instance.page_title or "<text>") for instance in valid]
    return EngineRequest(
        TextJob(settings.spec),
        texts,
        build_response,
        compared_length=sum(len(instance.original_text) for instance in valid),
    )


def _instance(raw: object) -> Instance | RequestError:
    try:
        instance = parse_request(Instance, raw)
    except RequestError as error:
        return error
    if instance.check_type != "tone":
        return RequestError(422, "invalid", "check_type: only 'tone' is supported")
    if instance.lang != "en":
        return RequestError(422, "invalid", "lang: only 'en' is supported")
    return instance


def _prediction(name: str, instance: Instance, result: Result) -> dict[str, Any]:
    if isinstance(result, RequestError):
        return _failure(name, result)
    from unslant.workspace.changes import find_introduced

    report: Report = result
    new = find_introduced([instance.original_text], instance.modified_text)
    findings = [finding for finding in report.findings if new.overlaps(finding.span)]
    sentences = [sentence for sentence in report.sentences if new.overlaps(sentence.span)]
    slanted = any(sentence.verdict is Verdict.SLANTED for sentence in sentences)
    best = highest_score(sentences, findings, lambda _: True)
    return {
        "status_code": 200,
        "model_name": name,
        "model_version": VERSION,
        "check_type": instance.check_type,
        "language": instance.lang,
        "page_title": instance.page_title,
        "prediction": slanted or bool(findings),
        "probability": best.value,
        "details": {
            "judged": best.judged,
            "findings": [_brief(finding.text, finding.span) for finding in findings],
        },
    }


def _brief(text: str, span: Span) -> dict[str, Any]:
    return {"text": text, "span": span.to_dict()}


def _failure(name: str, error: RequestError) -> dict[str, Any]:
    return {
        "status_code": error.status,
        "model_name": name,
        "model_version": VERSION,
        "prediction": None,
        "probability": None,
        "details": {"error": error.message},
    }
