"""The OpenAPI document: requests and responses, with examples that a test sends.

The schema of reports is not repeated here: it is that of ``unslant check --output-format json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic.json_schema import models_json_schema

from unslant.report.wire import schema
from unslant.server.lift_wing import Instance, PredictRequest
from unslant.server.perspective import AnalyzeRequest
from unslant.server.requests import CheckMany, CheckOne, CompareRequest, FixMany, FixOne, TextItem

__all__ = ["components", "route"]

_REF = "#/components/schemas/"
_REQUEST_MODELS = (
    CheckOne,
    CheckMany,
    FixOne,
    FixMany,
    CompareRequest,
    TextItem,
    AnalyzeRequest,
    PredictRequest,
    Instance,
)
_SAMPLE = "The legendary singer slammed the plan."

_EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "check": {
        "one text": {"text": _SAMPLE},
        "several": {
            "items": [{"text": _SAMPLE, "id": "a"}, {"text": "# Ask a fireman.", "format": "markdown"}]
        },
        "for a page": {"text": _SAMPLE, "segments": True},
        "only some rules": {"text": _SAMPLE, "settings": {"select": ["framing"], "quotations": True}},
    },
    "fix": {"one text": {"text": "Ask the chairman."}, "several": {"items": [{"text": "Ask the chairman."}]}},
    "compare": {"one new word": {"before": "The singer spoke.", "after": "The legendary singer spoke."}},
    "analyze": {
        "as sent to Perspective": {
            "comment": {"text": _SAMPLE},
            "languages": ["en"],
            "requestedAttributes": {"TOXICITY": {}, "FRAMING": {"scoreThreshold": 0.1}},
            "spanAnnotations": True,
        }
    },
    "predict": {
        "as sent to Lift Wing": {
            "instances": [
                {
                    "lang": "en",
                    "check_type": "tone",
                    "page_title": "Singer",
                    "original_text": "The singer spoke.",
                    "modified_text": "The legendary singer spoke.",
                }
            ]
        }
    },
}

_ERRORS = {
    400: "The body is not JSON, or is nested too deeply.",
    401: "The token is missing or wrong.",
    403: "A web page of another origin sent the request.",
    408: "The body arrived too slowly.",
    413: "The body or the text is too long, or there are too many items.",
    415: "The body is not declared as JSON.",
    421: "The name of the host is unknown.",
    422: "A field is invalid.",
    503: "Too many requests are waiting; see `Retry-After`.",
    504: "The request took too long.",
}


def route(name: str, sent: tuple[type, ...], answer: tuple[str, ...], error: str = "Error") -> dict[str, Any]:
    """Return the OpenAPI description of a route with a body: its models, responses, errors and examples."""
    examples = {title: {"summary": title, "value": value} for title, value in _EXAMPLES[name].items()}
    takes = {"schema": _either([model.__name__ for model in sent]), "examples": examples}
    responses: dict[int | str, Any] = {200: {"description": "The response.", **_json_content(answer)}}
    for status, description in _ERRORS.items():
        responses[status] = {"description": description, **_json_content((error,))}
    responses[503]["headers"] = {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}}
    return {
        "openapi_extra": {"requestBody": {"required": True, "content": {"application/json": takes}}},
        "responses": responses,
    }


@cache
def components() -> dict[str, Any]:
    """Return all schemas."""
    _, sent = models_json_schema(
        [(model, "validation") for model in _REQUEST_MODELS], ref_template=_REF + "{model}"
    )
    return {**sent["$defs"], **_wire(), **_OWN}


def _either(names: list[str] | tuple[str, ...]) -> dict[str, Any]:
    refs = [{"$ref": _REF + name} for name in names]
    return refs[0] if len(refs) == 1 else {"anyOf": refs}


def _json_content(names: tuple[str, ...]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": _either(names)}}}


def _wire() -> dict[str, Any]:
    """Return the published schema of reports, with segments added."""
    text = json.dumps(schema()["$defs"])
    for name in schema()["$defs"]:
        text = text.replace(f'"#/$defs/{name}"', f'"{_REF}{_title(name)}"')
    parts = {_title(name): part for name, part in json.loads(text).items()}
    for name in ("Sentence", "Finding", "Edit", "Note"):
        parts[name]["properties"]["segments"] = {"$ref": _REF + "SegmentRange"}
    parts["Report"]["properties"]["segments"] = {"type": "array", "items": {"$ref": _REF + "Segment"}}
    return parts


def _title(name: str) -> str:
    return name[0].upper() + name[1:]


def _object(required: Mapping[str, Any], **optional: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": {**required, **optional}}


_COUNT = {"type": "integer", "minimum": 0}
_TEXT = {"type": "string"}
_NULLABLE_TEXT = {"type": ["string", "null"]}
_STATUS = {"type": "integer"}
_REASON = _object({"code": _TEXT, "message": _TEXT})
_SCORE = _object(
    {"value": {"type": "number", "minimum": 0, "maximum": 1}, "type": {"enum": ["PROBABILITY", "RAW"]}}
)


def _answers(name: str, part: Mapping[str, Any]) -> dict[str, Any]:
    """Describe the response to several texts."""
    item = _object(
        {
            "status": _STATUS,
            name: {"anyOf": [part, {"type": "null"}]},
            "error": {"anyOf": [_REASON, {"type": "null"}]},
        }
    )
    return _object({"schema": {"const": "unslant/answers/1"}, "items": {"type": "array", "items": item}})


_FIXED = _object({"schema": {"const": "unslant/fix/1"}, "text": _TEXT})
_OWN: Mapping[str, Any] = {
    "Segment": _object(
        {
            "text": {"type": "string", "minLength": 1},
            "sentence": {"type": ["integer", "null"], "minimum": 0},
            "findings": {"type": "array", "items": _COUNT},
        }
    ),
    "SegmentRange": {
        "description": "The first segment that it covers, and the first one after.",
        "type": "array",
        "items": _COUNT,
        "minItems": 2,
        "maxItems": 2,
    },
    "Answers": _answers("report", {"$ref": _REF + "Report"}),
    "Fixed": _FIXED,
    "FixedAnswers": _answers("fixed", {"$ref": _REF + "Fixed"}),
    "Error": _object({"error": _REASON}),
    "Rules": _object(
        {
            "rules": {
                "type": "array",
                "items": _object(
                    dict.fromkeys(("id", "title", "kind", "severity", "why", "source"), _TEXT)
                    | {"dimension": _NULLABLE_TEXT}
                ),
            }
        }
    ),
    "Models": _object(
        {
            "models": {
                "type": "array",
                "items": _object(
                    {
                        "name": _TEXT,
                        "digest": _NULLABLE_TEXT,
                        "heads": {"type": "array", "items": _TEXT},
                        "about": _TEXT,
                    }
                ),
            }
        }
    ),
    "State": _object({"status": _TEXT}, version=_TEXT),
    "Analyzed": _object(
        {
            "attributeScores": {
                "type": "object",
                "additionalProperties": _object(
                    {
                        "spanScores": {
                            "type": "array",
                            "items": _object({"begin": _COUNT, "end": _COUNT, "score": _SCORE}),
                        },
                        "summaryScore": _SCORE,
                    }
                ),
            },
            "languages": {"type": "array", "items": _TEXT},
        },
        clientToken=_TEXT,
    ),
    "AnalyzeError": _object(
        {"error": _object({"code": _STATUS, "message": _TEXT, "status": _TEXT}, details={"type": "array"})}
    ),
    "Predictions": _object(
        {
            "predictions": {
                "type": "array",
                "items": _object(
                    {
                        "status_code": _STATUS,
                        "model_name": _TEXT,
                        "model_version": _TEXT,
                        "prediction": {"type": ["boolean", "null"]},
                        "probability": {"type": ["number", "null"]},
                        "details": {"type": "object"},
                    }
                ),
            }
        }
    ),
}
