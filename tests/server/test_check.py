"""Checking over HTTP is checking."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unslant
from unslant.report.wire import schema
from unslant.server.handlers import with_segments

from .conftest import ROOT, Server, Start

SLANTED = "The legendary singer slammed the plan. 😀 Ask a fireman.\r\n\r\nNobody spoke."
TEXTS = {
    "plain.txt": SLANTED,
    "page.md": "# The *legendary* plan\n\nA `slammed` word, and “a legendary quotation”.\n",
    "page.html": "<p>The <b>legendary</b> singer <!-- slammed -->slammed it.</p>",
    "page.wiki": "'''The''' [[singer|legendary singer]] slammed it.<ref>legendary</ref>",
    "ignored.md": "<!-- unslant: ignore framing because it is an example -->\nA legendary plan.\n",
    "empty.txt": "",
    "blank.txt": " \n\n ",
}


_CHECK = (sys.executable, "-m", "unslant", "check", "--no-cache", "--tier=rules", "--output-format=json")


def _command(folder: Path, *arguments: str) -> list[dict[str, object]]:
    done = subprocess.run(
        [*_CHECK, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    reports: list[dict[str, object]] = json.loads(done.stdout)["reports"]
    return reports


def test_answers_equal_those_of_the_command(server: Server, tmp_path: Path) -> None:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, "utf-8", newline="")
    expected = _command(tmp_path, "--no-config", *TEXTS)
    items = [{"text": text, "id": name} for name, text in TEXTS.items()]
    answer = server.post("/v1/check", {"items": items}).json()
    assert [item["report"] for item in answer["items"]] == expected
    assert sum(len(report["findings"]) for report in expected) > 5  # type: ignore[misc, arg-type]
    for item, report in zip(items, expected, strict=True):
        assert server.post("/v1/check", item).json() == report


def test_the_page_is_told_of_an_edit_what_fix_does_with_it(server: Server) -> None:
    """The page draws its arrows from these edits."""
    text = "Unfortunately, the plan to widen the road failed. The union slammed the owners of the plant near the river."
    found = server.post("/v1/check", {"text": text}).json()["findings"]
    fixed = server.post("/v1/fix", {"text": text}).json()["edits"]
    told = [(edit["replacement"], edit["applicability"]) for each in found for edit in each["edits"]]
    assert told == [("The", "safe"), ("criticized", "review")]
    assert told == [(edit["replacement"], edit["applicability"]) for edit in fixed]


def test_settings_of_a_request_are_those_of_the_command(server: Server, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(TEXTS["page.md"], "utf-8", newline="")
    (expected,) = _command(tmp_path, "--no-config", "--select", "framing", "--quotations", "page.md")
    settings = {"select": ["framing"], "quotations": True}
    sent = {"text": TEXTS["page.md"], "id": "page.md", "settings": settings}
    assert server.post("/v1/check", sent).json() == expected
    without = server.post("/v1/check", sent | {"settings": {"ignore": ["framing/*"]}}).json()
    assert 0 == len(without["findings"]) < len(expected["findings"])  # type: ignore[arg-type]


def test_a_model_answers_many_at_once_as_it_answers_one(start: Start) -> None:
    model = str(ROOT / "tests" / "neural" / "tiny_model")
    server = start("--model", model, "--tier", "all")
    texts = [f"The legendary singer slammed plan {number}. Nobody spoke. 😀" for number in range(12)]
    spec = unslant.Spec(analyzers=("rules", "model"), model=model)
    expected = [unslant.check(text, spec=spec).to_dict() for text in texts]
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda text: server.post("/v1/check", {"text": text}).json(), texts))
    assert answers == expected
    assert all(report["sentences"][0]["probability"] is not None for report in expected)
    (rules, about) = server.client.get("/v1/models").json()["models"]
    assert (rules["name"], about["name"], about["digest"]) == (
        "rules",
        "model",
        expected[0]["provenance"]["model"],
    )
    only_rules = server.post("/v1/check", {"text": texts[0], "settings": {"tier": "rules"}}).json()
    assert only_rules["sentences"][0]["probability"] is None


def test_answers_follow_the_published_schema(server: Server) -> None:
    for segments in (False, True):
        report = server.post("/v1/check", {"text": SLANTED, "segments": segments}).json()
        jsonschema.validate(report, schema())


def test_one_bad_item_does_not_touch_the_others(server: Server) -> None:
    items = [
        {"text": "A legendary plan."},
        {"text": 7},
        "A legendary plan.",
        {"text": "A plan.", "format": "docx"},
        {"text": "A plan.", "colour": "red"},
        {"text": "A lone \ud800 surrogate."},
        {"text": "A legendary plan."},
    ]
    # the surrogate can be written in JSON, though not in UTF-8
    sent = json.dumps({"items": items}).encode("ascii")
    answer = server.client.post(
        "/v1/check", content=sent, headers={"content-type": "application/json"}
    ).json()
    assert [item["status"] for item in answer["items"]] == [200, 422, 422, 422, 422, 422, 200]
    assert all((item["report"] is None) == (item["status"] != 200) for item in answer["items"])
    assert all((item["error"] is None) == (item["status"] == 200) for item in answer["items"])
    assert "markdown" in answer["items"][3]["error"]["message"]
    assert "colour" in answer["items"][4]["error"]["message"]


@pytest.mark.parametrize(
    ("sent", "status", "hint"),
    [
        ({}, 422, "text"),
        ({"text": None}, 422, "text"),
        ({"text": "a", "items": []}, 422, "text"),
        ({"items": [{"text": "a"}] * 301}, 413, "300"),
        ({"items": "a"}, 422, "items"),
        ([], 422, "object"),
        ({"text": "a", "settings": {"select": ["farming"]}}, 422, "Did you mean 'framing'?"),
        ({"text": "a", "settings": {"tier": "model"}}, 422, "does not run 'model'"),
        ({"text": "a", "settings": {"model": "/etc"}}, 422, "model"),
        ({"text": "a", "settings": {"threshold": 7}}, 422, "threshold"),
        ({"text": "a" * 1_000_001}, 413, "1,000,000"),
        ({"before": "a"}, 422, "text"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(
    server: Server, sent: object, status: int, hint: str
) -> None:
    answer = server.post("/v1/check", sent)
    assert answer.status_code == status
    assert hint in answer.json()["error"]["message"]
    assert "\n" not in answer.json()["error"]["message"]


def test_no_items_give_no_answers(server: Server) -> None:
    assert server.post("/v1/check", {"items": []}).json() == {"schema": "unslant/answers/1", "items": []}


def test_only_what_a_change_introduced_is_reported(server: Server) -> None:
    before = "The legendary singer spoke. She slammed the plan."
    after = "She slammed the plan. The legendary singer spoke, and the iconic band left."
    answer = server.post("/v1/compare", {"before": before, "after": after, "segments": True}).json()
    assert [finding["text"] for finding in answer["findings"]] == ["iconic"]
    assert "".join(segment["text"] for segment in answer["segments"]) == after
    assert [segment["text"] for segment in answer["segments"] if segment["findings"]] == ["iconic"]
    same = server.post("/v1/compare", {"before": after, "after": after}).json()
    assert same["findings"] == []
    all_new = server.post("/v1/compare", {"before": "", "after": after}).json()
    assert all_new == server.post("/v1/check", {"text": after}).json()


def test_rules_and_models_are_listed(server: Server) -> None:
    rules = server.client.get("/v1/rules").json()["rules"]
    assert {"framing/attack-verb", "demographic/gendered-role"} <= {rule["id"] for rule in rules}
    assert all(rule["why"] and rule["source"] for rule in rules)
    assert [model["name"] for model in server.client.get("/v1/models").json()["models"]] == ["rules"]


WORDS = st.sampled_from(
    [
        "The legendary ",
        "plan. ",
        "😀",
        "slammed ",
        "\r\n\r\n",
        "fireman ",
        "a\u0301 ",
        "so-called ",
        "שלום ",
        "“",
        "”",
        "<b>",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, max_size=30).map("".join), st.sampled_from(["text", "html"]))
def test_segments_are_the_source_and_name_what_covers_them(source: str, form: str) -> None:
    report = unslant.check(source, format=form, spec=unslant.Spec(analyzers=("rules",)))
    wire = with_segments(report, unslant.Spec())
    segments = wire["segments"]
    assert "".join(segment["text"] for segment in segments) == source
    assert all(segment["text"] for segment in segments)
    for number, finding in enumerate(wire["findings"]):
        covered = segments[slice(*finding["segments"])]
        assert "".join(item["text"] for item in covered) == finding["text"]
        assert all(number in item["findings"] for item in covered)
        for edit in finding["edits"]:
            span = edit["span"]
            words = "".join(segment["text"] for segment in segments[slice(*edit["segments"])])
            assert words == source[span["start"] : span["end"]]
    assert sum(len(segment["findings"]) for segment in segments) == sum(
        finding["segments"][1] - finding["segments"][0] for finding in wire["findings"]
    )
    for number, sentence in enumerate(wire["sentences"]):
        covered = segments[slice(*sentence["segments"])]
        assert {item["sentence"] for item in covered} == {number}
        span = sentence["span"]
        assert "".join(item["text"] for item in covered) == source[span["start"] : span["end"]]
