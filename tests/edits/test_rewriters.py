"""Who proposes wordings, and what becomes of the proposals."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import pytest

import unslant
from unslant import registry
from unslant.core.errors import ModelError, UnknownName
from unslant.core.types import Analysis, Edit, Finding, Sentence, Span
from unslant.protocols import Wording, WordsInSentence
from unslant.spec import Spec

pytestmark = pytest.mark.usefixtures("trusting")

TEXT = "The new bridge is an ungainly structure, and people of the town avoid it when the wind blows."


class Dislikes:
    """An analyzer that dislikes one word and proposes what to do about it."""

    def __init__(self, spec: Spec) -> None:
        """Need nothing."""

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        return [self._analysis(sentence) for sentence in sentences]

    def _analysis(self, sentence: Sentence) -> Analysis:
        at = sentence.text.find("ungainly")
        if at < 0:
            return Analysis(probability=0.1)
        start = sentence.span.start + at
        span = Span(start, start + 8)
        finding = Finding(span, "ungainly", "framing", "A reason.", "model", probability=0.9)
        return Analysis(
            probability=0.9,
            findings=(finding,),
            proposals=(
                Edit(start, start + 8, "", probability=0.6),
                Edit(start, start + 8, "large", probability=0.5),
            ),
        )


class Paraphrases:
    """A rewriter of two wordings, and of one that would change a fact."""

    asked: ClassVar[list[WordsInSentence]] = []

    def __init__(self, _spec: Spec) -> None:
        """Need nothing."""

    def propose(self, passages: Sequence[WordsInSentence]) -> list[list[Wording]]:
        self.asked.extend(passages)
        return [[Wording("heavy", -0.2), Wording("", -0.7), Wording("not large", -1.0)] for _ in passages]


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Spec:
    monkeypatch.setitem(registry._BUILT_IN["analyzer"], "toy", f"{__name__}:Dislikes")
    monkeypatch.setitem(registry._BUILT_IN["rewriter"], "paraphrases", f"{__name__}:Paraphrases")
    return Spec(analyzers=("rules", "toy"))


def test_the_models_proposals_become_edits(toy: Spec) -> None:
    fixed = unslant.fix(TEXT, spec=toy)
    (edit,) = fixed.edits
    assert edit.edit.source == "model"
    assert {edit.edit.replacement, *(other.replacement for other in edit.alternatives)} >= {"a", "a large"}


def test_words_that_the_settings_accept_are_left_alone(toy: Spec) -> None:
    assert unslant.fix(TEXT, spec=replace(toy, accept=("ungainly",))).edits == ()
    assert unslant.fix(TEXT, spec=replace(toy, select=("gender",))).edits == ()


def test_a_rewriter_is_asked_where_wordings_are_wanted_and_decided_like_any_other(toy: Spec) -> None:
    Paraphrases.asked.clear()
    spec = replace(toy, rewriter="paraphrases")
    (finding,) = unslant.check(TEXT, spec=spec).findings
    (passage,) = Paraphrases.asked
    assert passage.sentence[passage.span.start : passage.span.end] == "ungainly"
    by_rewriter = {edit.replacement for edit in finding.edits if edit.source == "rewriter"}
    assert by_rewriter == {"a heavy"}
    assert len(finding.edits) <= 3
    (fixed,) = unslant.fix(TEXT, spec=spec).edits
    assert {fixed.edit.change, *(edit.change for edit in fixed.alternatives)} == {
        edit.change for edit in finding.edits
    }


def test_a_check_asks_no_rewriter_unless_told(toy: Spec) -> None:
    Paraphrases.asked.clear()
    unslant.check(TEXT, spec=toy)
    unslant.check(TEXT, spec=replace(toy, rewriter="none"))
    assert Paraphrases.asked == []


class Answers(BaseHTTPRequestHandler):
    """An endpoint that answers what the test wants."""

    said: ClassVar[list[object]] = []
    asked: ClassVar[list[dict[str, object]]] = []

    def do_POST(self) -> None:
        self.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        said = self.said[0]
        body = (
            said
            if isinstance(said, bytes)
            else json.dumps({"choices": [{"message": {"content": said}}]}).encode()
        )
        self.send_response(500 if said == b"broken" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    Answers.asked.clear()
    yield f"llm:http://127.0.0.1:{server.server_port}/v1?model=toy"
    server.shutdown()
    thread.join()
    server.server_close()


SLANTED = "The singer slammed the plan of Ana Ruiz in front of 40 people on Monday."


def _prompted(endpoint: str, said: object) -> unslant.Fixed:
    Answers.said[:] = [said]
    return unslant.fix(SLANTED, spec=Spec(analyzers=("rules",), rewriter=endpoint))


def test_a_prompted_model_is_decided_like_any_other(endpoint: str) -> None:
    fixed = _prompted(endpoint, json.dumps({"1": ["opposed", "slammed 50 times"]}))
    assert fixed.text == SLANTED.replace("slammed", "criticized")
    (edit,) = fixed.edits
    assert "opposed" in {other.replacement for other in edit.alternatives}
    assert "50" not in " ".join([edit.edit.replacement, *(other.replacement for other in edit.alternatives)])
    assert SLANTED.replace("slammed", "<1>slammed</1>") in json.dumps(Answers.asked[0])


@pytest.mark.parametrize("said", ["", "   \n", SLANTED, "Es tut mir leid, das geht leider nicht.", None])
def test_an_answer_of_no_use_loses_nothing(endpoint: str, said: object) -> None:
    assert _prompted(endpoint, said).text == SLANTED.replace("slammed", "criticized")


@pytest.mark.parametrize("said", [b"broken", b"not json", b'{"choices": []}'])
def test_a_broken_endpoint_is_reported_in_one_sentence(
    endpoint: str, said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unslant.lab.lm.endpoint.time.sleep", lambda _: None)
    with pytest.raises(ModelError, match=r"http://127.0.0.1"):
        _prompted(endpoint, said)


def test_an_endpoint_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unslant.lab.lm.endpoint.time.sleep", lambda _: None)
    with pytest.raises(ModelError, match="nobody answers"):
        _prompted("llm:http://127.0.0.1:9/v1?model=toy", "")


def test_nonsense_of_a_local_language_model_is_not_taken_over() -> None:
    """A model without weights writes nonsense; nothing of it is taken over."""
    fixed = unslant.fix(SLANTED, spec=Spec(analyzers=("rules",), rewriter="llm:mock:demo"))
    assert fixed.text == SLANTED.replace("slammed", "criticized")


def test_an_unknown_rewriter_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'none'"):
        unslant.fix(SLANTED, spec=Spec(analyzers=("rules",), rewriter="nome"))
