"""Who proposes wordings, and what becomes of the proposals."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import pytest

import unslant
from unslant import registry
from unslant.core.errors import ModelError, UnknownName
from unslant.core.types import Analysis, Applicability, Edit, Sentence
from unslant.spec import Spec

pytestmark = pytest.mark.usefixtures("trusting")

TEXT = "The new bridge is an ungainly thing, and people of the town avoid it when the wind blows."


class Proposing:
    """An analyzer that dislikes one word and proposes what to do about it."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        return [self._analysis(sentence) for sentence in sentences]

    def _analysis(self, sentence: Sentence) -> Analysis:
        at = sentence.text.find("ungainly")
        if at < 0:
            return Analysis(probability=0.1)
        start = sentence.span.start + at
        return Analysis(
            probability=0.9,
            proposals=(
                Edit(start, start + 8, "large", probability=0.5),
                Edit(start, start + 8, "", probability=0.6),
            ),
        )


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Spec:
    monkeypatch.setitem(registry._BUILT_IN["analyzer"], "toy", f"{__name__}:Proposing")
    return Spec(analyzers=("rules", "toy"))


def test_the_models_proposals_become_edits(toy: Spec) -> None:
    fixed = unslant.fix(TEXT, spec=toy)
    assert fixed.text == TEXT.replace("an ungainly ", "a ")
    (edit,) = fixed.edits
    assert (edit.origin, edit.gate.name, edit.score.trust) == ("edits", "all", 0.6)
    (other,) = edit.alternatives
    assert (other.edit.replacement, other.gate.name) == ("a large", "meaning")


def test_proposals_for_words_that_the_settings_accept_are_left_out(toy: Spec) -> None:
    accepted = Spec(analyzers=toy.analyzers, accept=("ungainly",))
    assert unslant.fix(TEXT, spec=accepted).edits == ()
    assert unslant.fix(TEXT, spec=Spec(analyzers=toy.analyzers, select=("gender",))).edits == ()
    assert unslant.fix(TEXT, spec=Spec(analyzers=toy.analyzers, rewriter="none")).edits == ()


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


def test_a_prompted_model_goes_through_the_gates(endpoint: str) -> None:
    answer = SLANTED.replace("slammed", "opposed").replace("40", "50")
    fixed = _prompted(endpoint, answer)
    assert fixed.text == SLANTED.replace("slammed", "criticized")
    verdicts = {suggestion.edit.replacement: suggestion.edit.applicability for suggestion in fixed.edits}
    assert verdicts["50"] is Applicability.DISPLAY
    offered = {other.edit.replacement: other.gate.name for edit in fixed.edits for other in edit.alternatives}
    assert offered["opposed"] == "meaning"
    assert SLANTED in json.dumps(Answers.asked[0])


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
    with pytest.raises(ModelError, match="no answer after"):
        _prompted("llm:http://127.0.0.1:9/v1?model=toy", "")


def test_a_local_language_model_goes_through_the_gates() -> None:
    """A model without weights writes nonsense; nothing of it is taken over."""
    fixed = unslant.fix(SLANTED, spec=Spec(analyzers=("rules",), rewriter="llm:mock:demo"))
    assert fixed.text == SLANTED.replace("slammed", "criticized")


def test_an_unknown_rewriter_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'edits'"):
        unslant.fix(SLANTED, spec=Spec(analyzers=("rules",), rewriter="edit"))
