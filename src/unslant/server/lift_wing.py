"""An endpoint in the shape of Lift Wing's ``edit-check:predict``, so that its users can switch by changing a URL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from unslant.core.types import Report, Span, Verdict
from unslant.server.engine import Order, Result, SentText, TextJob
from unslant.server.handlers import score
from unslant.server.requests import Refusal, parsed
from unslant.server.settings import ServerSettings
from unslant.version import VERSION

__all__ = ["NAMES", "Instance", "PredictRequest", "predict"]

NAMES = ("edit-check", "unslant")
"""What the model may be called: as Lift Wing calls its own, or as we do."""


class Instance(BaseModel):
    """A passage before and after an edit; what is asked is whether the edit brought slant in."""

    model_config = ConfigDict(title="Instance")

    modified_text: str = Field(description="The passage after the edit.")
    original_text: str = Field(
        default="", description="The passage before the edit; empty: all of it is new."
    )
    check_type: str = Field(default="tone", json_schema_extra={"enum": ["tone"]})
    lang: str = Field(default="en", json_schema_extra={"enum": ["en"]})
    page_title: str = Field(default="", max_length=1_000, description="Comes back in the answer.")


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


def predict(name: str, payload: object, settings: ServerSettings) -> Order:
    """Say of each passage whether it slants."""
    if name not in NAMES:
        raise Refusal(404, "no_such_model", f"there is no such model; there are {' and '.join(NAMES)}")
    instances = parsed(PredictRequest, payload).instances
    if not 1 <= len(instances) <= settings.limits.items:
        raise Refusal(
            413 if instances else 422, "too_many_items", f"give 1 to {settings.limits.items} instances"
        )
    read = [_instance(one) for one in instances]
    asked = [one for one in read if isinstance(one, Instance)]
    length = sum(len(one.modified_text) + len(one.original_text) for one in asked)
    if length > settings.limits.text_length:
        raise Refusal(413, "text_too_long", f"a request may hold {settings.limits.text_length:,} characters")

    def finish(results: Sequence[Result]) -> dict[str, Any]:
        done = iter(results)
        return {
            "predictions": [
                _prediction(name, one, next(done)) if isinstance(one, Instance) else _failure(name, one)
                for one in read
            ]
        }

    texts = [SentText(one.modified_text, "text", one.page_title or "<text>") for one in asked]
    return Order(TextJob(settings.spec), texts, finish, beside=sum(len(one.original_text) for one in asked))


def _instance(raw: object) -> Instance | Refusal:
    try:
        instance = parsed(Instance, raw)
    except Refusal as refusal:
        return refusal
    if instance.check_type != "tone":
        return Refusal(422, "invalid", "check_type: there is only tone")
    if instance.lang != "en":
        return Refusal(422, "invalid", "lang: there is only en")
    return instance


def _prediction(name: str, instance: Instance, result: Result) -> dict[str, Any]:
    if isinstance(result, Refusal):
        return _failure(name, result)
    from unslant.workspace.introduced import introduced

    report: Report = result
    new = introduced([instance.original_text], instance.modified_text)
    findings = [finding for finding in report.findings if new.touches(finding.span)]
    sentences = [sentence for sentence in report.sentences if new.touches(sentence.span)]
    slanted = any(sentence.verdict is Verdict.SLANTED for sentence in sentences)
    best = score(sentences, findings, lambda _: True)
    return {
        "status_code": 200,
        "model_name": name,
        "model_version": VERSION,
        "check_type": instance.check_type,
        "language": instance.lang,
        "page_title": instance.page_title,
        "prediction": slanted or bool(findings),
        "probability": best.value,
        "details": {"judged": best.judged, "findings": [_brief(one.text, one.span) for one in findings]},
    }


def _brief(text: str, span: Span) -> dict[str, Any]:
    return {"text": text, "span": span.to_dict()}


def _failure(name: str, refusal: Refusal) -> dict[str, Any]:
    return {
        "status_code": refusal.status,
        "model_name": name,
        "model_version": VERSION,
        "prediction": None,
        "probability": None,
        "details": {"error": refusal.message},
    }
