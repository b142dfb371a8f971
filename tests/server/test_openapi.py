"""The OpenAPI document says what is so."""

from __future__ import annotations

import json
import re
import warnings
from typing import Any

import jsonschema
import pytest

from unslant.report.wire import schema

from .conftest import Server

with warnings.catch_warnings():
    # whatever a package says of itself while it is imported is none of our business
    warnings.simplefilter("ignore")
    import schemathesis
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import strategies as st
    from schemathesis.checks import CHECKS

WANTED = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "allow_header_conformance",
]
NEGATIVE = schemathesis.GenerationMode.NEGATIVE


@pytest.fixture(scope="module")
def document(server: Server) -> dict[str, Any]:
    answer: dict[str, Any] = server.client.get("/openapi.json").json()
    return answer


def test_every_example_is_answered_as_the_document_says(server: Server, document: dict[str, Any]) -> None:
    sent = 0
    for path, operations in document["paths"].items():
        if "post" not in operations:
            continue
        ((media, content),) = operations["post"]["requestBody"]["content"].items()
        answers = operations["post"]["responses"]["200"]["content"]["application/json"]["schema"]
        for example in content["examples"].values():
            jsonschema.validate(example["value"], content["schema"] | {"components": document["components"]})
            sent_as = "json" if media == "application/json" else "data"
            answer = server.client.post(path.replace("{name}", "edit-check"), **{sent_as: example["value"]})
            if path == "/v1/explain":
                assert answer.json()["error"]["message"] == "this server does not run the model"
                continue
            assert answer.status_code == 200
            jsonschema.validate(answer.json(), answers | {"components": document["components"]})
            sent += 1
    assert sent >= 9


def test_reports_are_described_as_the_command_line_describes_them(document: dict[str, Any]) -> None:
    ours = schema()["$defs"]["report"]
    theirs = document["components"]["schemas"]["Report"]
    assert set(ours["required"]) == set(theirs["required"])
    assert set(theirs["properties"]) - set(ours["properties"]) == {"segments", "skipped"}


def test_rewritten_texts_are_described_in_full(server: Server, document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    fixed = server.post("/v1/fix", {"text": "Ask the mailman. The legendary singer slammed the plan."}).json()
    assert fixed["edits"]
    assert set(fixed) == set(schemas["Fixed"]["properties"]) == set(schemas["Fixed"]["required"])
    for edit in fixed["edits"]:
        assert set(edit) == set(schemas["Suggestion"]["properties"])


def test_operations_have_ids_of_their_own(document: dict[str, Any]) -> None:
    ids = [one["operationId"] for operations in document["paths"].values() for one in operations.values()]
    assert len(set(ids)) == len(ids)
    assert {"check", "fix", "compare", "explain", "listRules", "getRule", "getHealth"} <= set(ids)
    assert all(name.isalpha() for name in ids)


def test_every_schema_that_is_named_exists(document: dict[str, Any]) -> None:
    text = json.dumps(document)
    named = set(re.findall(r'"#/components/schemas/(\w+)"', text))
    assert named <= set(document["components"]["schemas"])


def test_every_route_is_described(document: dict[str, Any]) -> None:
    expected = {
        "/v1/check",
        "/v1/compare",
        "/v1/rules",
        "/v1/models",
        "/v1/models/{name}:predict",
        "/v1/explain",
    }
    expected |= {"/v2/check", "/v2/languages", "/v2/info", "/v2/maxtextlength"}
    expected |= {"/v1alpha1/comments:analyze", "/healthz", "/readyz", "/metrics"}
    assert expected <= set(document["paths"])
    for operations in document["paths"].values():
        for operation in operations.values():
            assert operation["description"]


def test_whatever_the_document_allows_or_forbids_breaks_nothing(
    server: Server, document: dict[str, Any]
) -> None:
    """Property-based: every route, valid and invalid requests."""
    loaded = schemathesis.openapi.from_dict(document)
    checks = CHECKS.get_by_names(WANTED)
    loaded.config.update(base_url=server.url)
    tried = 0
    for result in loaded.get_all_operations():
        _try_out(result.ok(), checks)
        tried += 1
    assert tried == sum(len(operations) for operations in document["paths"].values())


def _try_out(operation: Any, checks: Any) -> None:
    @settings(
        max_examples=8,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=st.one_of(operation.as_strategy(), operation.as_strategy(generation_mode=NEGATIVE)))
    def holds(case: Any) -> None:
        case.call_and_validate(checks=checks)

    holds()
