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
from unslant.server import languagetool
from unslant.server.documents import ChangesRequest, DocumentRequest, sample_document
from unslant.server.lift_wing import Instance, PredictRequest
from unslant.server.perspective import AnalyzeRequest
from unslant.server.requests import (
    CheckMany,
    CheckOne,
    CompareRequest,
    ExplainRequest,
    FixMany,
    FixOne,
    ProfileRequest,
    Senses,
    TextItem,
)

_REF = "#/components/schemas/"
_REQUEST_MODELS = (
    CheckOne,
    CheckMany,
    FixOne,
    FixMany,
    CompareRequest,
    ExplainRequest,
    ProfileRequest,
    TextItem,
    DocumentRequest,
    ChangesRequest,
    AnalyzeRequest,
    PredictRequest,
    Instance,
    languagetool.CheckForm,
)
_SAMPLE = "The legendary singer slammed the plan."
_DOCUMENT = sample_document(_SAMPLE)

_EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "check": {
        "one text": {"text": _SAMPLE},
        "several": {
            "items": [{"text": _SAMPLE, "id": "a"}, {"text": "# Ask a fireman.", "format": "markdown"}]
        },
        "a part of a text": {"text": "“The plan is a disgrace.\n\n", "after": "“It will fail,” he said."},
        "for a page": {"text": _SAMPLE, "segments": True},
        "only some rules": {"text": _SAMPLE, "settings": {"select": ["framing"], "quotations": True}},
    },
    "fix": {"one text": {"text": "Ask the chairman."}, "several": {"items": [{"text": "Ask the chairman."}]}},
    "compare": {"one new word": {"before": "The singer spoke.", "after": "The legendary singer spoke."}},
    "explain": {"one sentence": {"text": _SAMPLE}},
    "profile": {"one text": {"text": _SAMPLE}},
    "documentText": {"a Word document": {"name": "report.docx", "data": _DOCUMENT}},
    "documentChanges": {
        "one edit and one comment": {
            "name": "report.docx",
            "data": _DOCUMENT,
            "edits": [{"start": 21, "end": 28, "replacement": "criticized"}],
            "comments": [{"start": 4, "end": 13, "text": "Praises the subject."}],
        }
    },
    "analyze": {
        "as sent to Perspective": {
            "comment": {"text": _SAMPLE},
            "languages": ["en"],
            "requestedAttributes": {"TOXICITY": {}, "FRAMING": {"scoreThreshold": 0.1}},
            "spanAnnotations": True,
        }
    },
    "checkForm": {
        "as sent to LanguageTool": {"language": "en-US", "text": _SAMPLE},
        "with markup": {
            "language": "auto",
            "data": '{"annotation": [{"text": "The "}, {"markup": "<b>"}, {"text": "legendary singer."}]}',
        },
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
    400: "The body cannot be parsed, or is nested too deeply.",
    401: "The token is missing or wrong.",
    403: "A web page of another origin sent the request.",
    408: "The body arrived too slowly.",
    413: "The body or the text is too long, or there are too many items.",
    415: "The `Content-Type` is not the one above.",
    421: "The name of the host is unknown.",
    422: "A field is invalid.",
    503: "Too many requests are waiting; see `Retry-After`.",
    504: "The request took too long.",
}


def route(
    name: str,
    sent: tuple[type, ...],
    answer: tuple[str, ...],
    error: str = "Error",
    media: str = "application/json",
) -> dict[str, Any]:
    """Return the OpenAPI description of a route with a body: its id, models, responses, errors and examples."""
    examples = {title: {"summary": title, "value": value} for title, value in _EXAMPLES[name].items()}
    takes = {"schema": _either([model.__name__ for model in sent]), "examples": examples}
    responses: dict[int | str, Any] = {200: {"description": "The response.", **_json_content(answer)}}
    for status, description in _ERRORS.items():
        responses[status] = {"description": description, **_json_content((error,))}
    responses[503]["headers"] = {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}}
    return {
        "operation_id": name,
        "openapi_extra": {"requestBody": {"required": True, "content": {media: takes}}},
        "responses": responses,
    }


@cache
def components() -> dict[str, Any]:
    """Return all schemas."""
    _, sent = models_json_schema(
        [(model, "validation") for model in _REQUEST_MODELS], ref_template=_REF + "{model}"
    )
    return {**sent["$defs"], **_wire(), **languagetool.schemas(), **_OWN}


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
    parts["Finding"]["properties"]["deletion"] = {
        "description": "Only with segments, and only if `deletable`: the edit that leaves the words out.",
        "$ref": _REF + "Edit",
    }
    parts["Report"]["properties"]["segments"] = {
        "description": "Only if asked for: the source, cut where something begins or ends.",
        "type": "array",
        "items": {"$ref": _REF + "Segment"},
    }
    parts["Report"]["properties"]["skipped"] = {
        "description": "Only with segments: what was not checked, in order.",
        "type": "array",
        "items": {"$ref": _REF + "Skipped"},
    }
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


_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_WORDING = {
    "span": {"$ref": _REF + "EditSpan"},
    "replacement": _TEXT,
    "applicability": {"enum": ["safe", "review", "display"]},
    "probability": {
        "description": "How likely a reader finds it good; null where nobody estimated it.",
        "type": ["number", "null"],
    },
    "source": {
        "description": "Who proposed it: `rules`, `list`, `model`, `deletion`, `attribution` or `rewriter`.",
        **_TEXT,
    },
    "note": {"description": "What to look at before applying it; mostly empty.", **_TEXT},
}
_FIXED = _object(
    {
        "schema": {"const": "unslant/fix/2"},
        "document": {"$ref": _REF + "Document"},
        "changed": {"type": "boolean"},
        "text": {"description": "The text with all safe edits applied.", **_TEXT},
        "edits": {
            "description": "By position; those that were applied do not overlap.",
            "type": "array",
            "items": {"$ref": _REF + "Suggestion"},
        },
        "notes": {"type": "array", "items": {"$ref": _REF + "Note"}},
        "report": {"$ref": _REF + "Report"},
    }
)
_RULE = dict.fromkeys(("id", "title", "kind", "why", "source"), _TEXT) | {"dimension": _NULLABLE_TEXT}
_TEXTS = {"type": "array", "items": _TEXT}
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
    "Skipped": _object(
        {
            "span": {"$ref": _REF + "Span"},
            "reason": {
                "description": "`markup` includes code; `language`: not English; `accepted`: the settings accept it.",
                "enum": ["markup", "quotation", "language", "accepted"],
            },
            "segments": {"$ref": _REF + "SegmentRange"},
        }
    ),
    "EditSpan": _object({"start": _COUNT, "end": _COUNT})
    | {"description": "Half-open offsets in code points; an insertion ends where it starts."},
    "Suggestion": _object(
        {
            **_WORDING,
            "applied": {"description": "Whether `text` contains it.", "type": "boolean"},
            "sentence": {"$ref": _REF + "Span"},
            "before": {"description": "The sentence as it stands.", **_TEXT},
            "after": {"description": "The sentence with this edit alone.", **_TEXT},
            "findings": {"description": "Fingerprints of the findings that it answers.", **_TEXTS},
            "alternatives": {
                "description": "Other wordings in the same place, the best first.",
                "type": "array",
                "items": _object(_WORDING),
            },
        }
    ),
    "Explanation": _object(
        {
            "schema": {"const": "unslant/explanation/1"},
            "sentences": {
                "type": "array",
                "items": _object(
                    {
                        "text": _TEXT,
                        "probability": _SHARE,
                        "parts": {
                            "description": "The sentence, word by word; joined, they are the sentence.",
                            "type": "array",
                            "items": _object(
                                {
                                    "text": _TEXT,
                                    "change": {
                                        "description": "How much the probability falls without the word; "
                                        "null between words.",
                                        "type": ["number", "null"],
                                    },
                                }
                            ),
                        },
                    }
                ),
            },
        }
    ),
    "Answers": _answers("report", {"$ref": _REF + "Report"}),
    "Fixed": _FIXED,
    "FixedAnswers": _answers("fixed", {"$ref": _REF + "Fixed"}),
    "Error": _object({"error": _REASON}),
    "Rules": _object(
        {
            "rules": {
                "type": "array",
                "items": _object(_RULE | {"severity": {"enum": ["suggestion", "warning", "error"]}}),
            },
            "techniques": {
                "description": "What the model finds without a rule; findings name these ids as `rule`.",
                "type": "array",
                "items": _object({"id": _TEXT, "title": _TEXT, "kind": _TEXT}),
            },
        }
    ),
    "Rule": _object(
        _RULE
        | {
            "flags": {"description": "Sentences that it flags.", **_TEXTS},
            "passes": {"description": "Sentences that it does not flag.", **_TEXTS},
        }
    ),
    "Profile": _object({"profile": _TEXT, "senses": _object(dict.fromkeys(Senses.model_fields, _TEXTS))}),
    "DocumentText": _object(
        {
            "text": _TEXT,
            "format": {"const": "paragraphs"},
            "tracks_changes": {
                "description": "Whether `/v1/document/changes` takes it; it takes .docx.",
                "type": "boolean",
            },
        }
    ),
    "ChangedDocument": _object(
        {
            "data": {"description": "The copy, in Base64.", **_TEXT},
            "changes": {"description": "How many edits are tracked changes.", **_COUNT},
            "comments": {"description": "How many comments were added.", **_COUNT},
            "left": {
                "description": "The edits of text that cannot be changed, such as somebody's tracked insertion.",
                "type": "array",
                "items": _object({"start": _COUNT, "end": _COUNT, "replacement": _TEXT}),
            },
        }
    ),
    "Profiles": _object(
        {
            "profiles": {
                "type": "array",
                "items": _object({"name": _TEXT, "title": _TEXT, "about": _TEXT}),
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
