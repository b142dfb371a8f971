"""The endpoints in the shape of other services."""

from __future__ import annotations

import pytest

from unslant.core.taxonomy import dimensions, kinds

from .conftest import ROOT, Server

ANALYZE = "/v1alpha1/comments:analyze"
PREDICT = "/v1/models/edit-check:predict"
TEXT = "The plan is old. The legendary singer slammed it. Ask a fireman."


def _asked(*attributes: str, **more: object) -> dict[str, object]:
    return {"comment": {"text": TEXT}, "requestedAttributes": {name: {} for name in attributes}, **more}


def test_a_comment_is_scored_attribute_by_attribute(server: Server) -> None:
    answer = server.post(ANALYZE, _asked("SLANT", "EPISTEMOLOGICAL", "GENDER", clientToken="x")).json()
    assert list(answer["attributeScores"]) == ["SLANT", "EPISTEMOLOGICAL", "GENDER"]
    assert answer["attributeScores"]["EPISTEMOLOGICAL"]["summaryScore"] == {"value": 0.0, "type": "RAW"}
    for name in ("SLANT", "GENDER"):
        assert answer["attributeScores"][name]["summaryScore"]["value"] >= 0.5
    (span,) = answer["attributeScores"]["SLANT"]["spanScores"]
    assert (span["begin"], span["end"]) == (0, len(TEXT))
    assert (answer["clientToken"], answer["languages"]) == ("x", ["en"])


def test_span_annotations_score_each_sentence(server: Server) -> None:
    answer = server.post(ANALYZE, _asked("FRAMING", "DEMOGRAPHIC", spanAnnotations=True)).json()
    for name, words in (("FRAMING", "legendary"), ("DEMOGRAPHIC", "fireman")):
        spans = answer["attributeScores"][name]["spanScores"]
        assert [TEXT[span["begin"] : span["end"]] for span in spans] == [
            "The plan is old.",
            "The legendary singer slammed it.",
            "Ask a fireman.",
        ]
        assert [words in TEXT[span["begin"] : span["end"]] for span in spans] == [
            span["score"]["value"] > 0 for span in spans
        ]


def test_attributes_of_perspective_stand_for_ours(server: Server) -> None:
    page = (ROOT / "docs" / "server.md").read_text("utf-8")
    for theirs, ours in (
        ("TOXICITY", "SLANT"),
        ("IDENTITY_ATTACK", "DEMOGRAPHIC"),
        ("INFLAMMATORY", "FRAMING"),
    ):
        answer = server.post(ANALYZE, _asked(theirs, f"{theirs}_EXPERIMENTAL", ours)).json()
        first, other, third = answer["attributeScores"].values()
        assert first == other == third
        assert f"`{theirs}`" in page
    for name in (*kinds(), *dimensions()):
        attribute = name.upper().replace(" ", "_")
        assert server.post(ANALYZE, _asked(attribute)).status_code == 200
        assert f"`{attribute}`" in page


def test_attributes_below_their_threshold_are_left_out(server: Server) -> None:
    sent = _asked() | {
        "requestedAttributes": {"EPISTEMOLOGICAL": {"scoreThreshold": 0.3}, "SLANT": {"scoreThreshold": 0.3}}
    }
    assert list(server.post(ANALYZE, sent).json()["attributeScores"]) == ["SLANT"]


def test_probabilities_and_raw_scores_are_distinguished(judging_server: Server) -> None:
    server = judging_server
    sent = {"comment": {"text": "The plan is old."}, "requestedAttributes": {"SLANT": {}, "FRAMING": {}}}
    scores = server.post(ANALYZE, sent).json()["attributeScores"]
    assert scores["SLANT"]["summaryScore"] == {"value": 0.25, "type": "PROBABILITY"}
    assert scores["FRAMING"]["summaryScore"] == {"value": 0.0, "type": "RAW"}
    (prediction,) = server.post(PREDICT, {"instances": [{"modified_text": "The plan is old."}]}).json()[
        "predictions"
    ]
    assert (prediction["prediction"], prediction["probability"]) == (False, 0.25)
    assert prediction["details"] == {"judged": True, "findings": []}


@pytest.mark.parametrize(
    ("sent", "message", "sort"),
    [
        (_asked("PROFANITY"), "Unknown requested attribute: PROFANITY", None),
        (_asked(), "Missing requested_attributes", None),
        (_asked("SLANT") | {"comment": {"text": " "}}, "Comment must be non-empty.", "COMMENT_EMPTY"),
        (_asked("SLANT") | {"comment": {"text": "a" * 1_000_001}}, "too long", "COMMENT_TOO_LONG"),
        (_asked("SLANT", languages=["fr"]), "request languages: fr", "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE"),
        ({"comment": {"text": "a"}}, "requestedAttributes", None),
        (_asked("SLANT") | {"comment": {"text": "a", "type": "HTML"}}, "text type", None),
        ("nothing", "object", None),
    ],
)
def test_refusals_have_the_shape_of_perspective(
    server: Server, sent: object, message: str, sort: str | None
) -> None:
    answer = server.post(ANALYZE, sent)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["status"]) == (400, 400, "INVALID_ARGUMENT")
    assert message in error["message"]
    assert [detail["errorType"] for detail in error.get("details", [])] == ([sort] if sort else [])
    if sort == "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE":
        about = error["details"][0]["languageNotSupportedByAttributeError"]
        assert about == {"requestedLanguages": ["fr"], "attribute": "SLANT"}


def test_english_by_any_name_is_english(server: Server) -> None:
    assert server.post(ANALYZE, _asked("SLANT", languages=["fr", "en-GB"])).status_code == 200


def test_a_token_may_come_as_a_key_where_perspective_has_it_there(locked_server: Server) -> None:
    server = locked_server
    assert server.post(ANALYZE, _asked("SLANT")).json()["error"]["status"] == "UNAUTHENTICATED"
    assert server.post(ANALYZE, _asked("SLANT"), params={"key": "open sesame"}).status_code == 200
    assert server.post("/v1/check", {"text": "a"}, params={"key": "open sesame"}).status_code == 401


def test_an_edit_is_asked_for_what_it_brought_in(server: Server) -> None:
    instances = [
        {"original_text": "The singer.", "modified_text": "The legendary singer.", "page_title": "Singer"},
        {"original_text": "The legendary singer.", "modified_text": "The legendary singer spoke."},
        {"modified_text": "The legendary singer.", "lang": "fr"},
        {"rev_id": 7},
    ]
    sent = {"instances": [{"lang": "en", "check_type": "tone"} | instance for instance in instances]}
    answer = server.post(PREDICT, sent).json()["predictions"]
    assert [response["status_code"] for response in answer] == [200, 200, 422, 422]
    assert [response["prediction"] for response in answer] == [True, False, None, None]
    assert answer[0]["probability"] >= 0.5 > answer[1]["probability"] == 0
    assert answer[0]["details"]["findings"] == [{"text": "legendary", "span": {"start": 4, "end": 13}}]
    assert (answer[0]["model_name"], answer[0]["page_title"]) == ("edit-check", "Singer")


def test_a_body_is_json_whatever_it_is_called(server: Server) -> None:
    """MediaWiki's own client sends JSON as text/html, so that no preflight is needed."""
    answer = server.client.post(
        PREDICT,
        content=b'{"instances": [{"modified_text": "A legendary plan."}]}',
        headers={"content-type": "text/html"},
    )
    assert answer.json()["predictions"][0]["prediction"] is True


def test_other_models_and_too_many_instances_are_refused(server: Server) -> None:
    assert server.post("/v1/models/articlequality:predict", {"instances": []}).status_code == 404
    assert server.post(PREDICT, {"instances": []}).status_code == 422
    assert server.post(PREDICT, {"instances": [{"modified_text": "a"}] * 301}).status_code == 413
