"""Rules in full, the words that the model goes by, and what was not checked."""

from __future__ import annotations

import pytest

from unslant.core.taxonomy import techniques
from unslant.rules.analyzer import rule_cards
from unslant.spec import Spec
from unslant.text.reading import read
from unslant.text.skipped import find_skipped

from .conftest import Server, Start


def test_a_rule_comes_with_its_source_and_examples(server: Server) -> None:
    rule = server.client.get("/v1/rules/framing/praise-adjective").json()
    assert (rule["title"], rule["kind"]) == ("Praise adjective", "framing")
    assert "Words to watch" in rule["source"]
    assert rule["flags"]
    assert rule["passes"]


@pytest.mark.parametrize(
    "name", [*sorted(rule_cards(Spec()))[::25], *(f"model/{one}" for one in techniques()[:3])]
)
def test_whatever_a_finding_names_can_be_explained(server: Server, name: str) -> None:
    assert server.client.get(f"/v1/rules/{name}").json()["id"] == name


def test_an_unknown_rule_is_not_found(server: Server) -> None:
    answer = server.client.get("/v1/rules/framing/<b>")
    assert (answer.status_code, answer.json()["error"]["message"]) == (404, "no such rule")


def test_the_words_that_the_model_goes_by(start: Start) -> None:
    server = start(analyzers=("rules", "model"))
    text = "The legendary singer 👩‍🚀 opened the new hall."
    (sentence,) = server.post("/v1/explain", {"text": text}).json()["sentences"]
    assert "".join(part["text"] for part in sentence["parts"]) == text == sentence["text"]
    weights = {part["text"]: part["change"] for part in sentence["parts"]}
    assert weights["legendary"] > weights["singer"]
    assert weights[" "] is None
    assert server.post("/v1/explain", {"text": "a" * 2_001}).status_code == 422


MARKDOWN = """# Plan

The council met on Tuesday to talk about the budget, and it will meet again before the end of the year.
The *legendary* plan says “this is awful” and `brilliant_code()`.

```python
amazing = obviously
```

Das ist ein sehr schöner Satz, und der ist nicht auf Englisch, sondern auf Deutsch geschrieben.
"""


def test_what_was_not_checked_is_named(server: Server) -> None:
    report = server.post("/v1/check", {"text": MARKDOWN, "format": "markdown", "segments": True}).json()
    pieces = [
        (one["reason"], "".join(part["text"] for part in report["segments"][slice(*one["segments"])]))
        for one in report["skipped"]
    ]
    assert pieces[0] == ("quotation", "“this is awful”")
    assert [reason for reason, _ in pieces] == ["quotation", "markup", "markup", "language"]
    assert pieces[1][1] == "`brilliant_code()`"
    assert "amazing = obviously" in pieces[2][1]
    assert pieces[3][1].startswith("Das ist")
    assert "".join(part["text"] for part in report["segments"]) == MARKDOWN


def test_quotations_that_were_checked_are_not_skipped() -> None:
    document = read("She said “this is awful” again.", "text", "x")
    assert [reason for _, reason in find_skipped(document, Spec())] == ["quotation"]
    assert find_skipped(document, Spec(quotations=True)) == []
