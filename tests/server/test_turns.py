"""Long texts give way to short requests."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from unslant import Spec
from unslant.core.types import Analysis, Document, Sentence, Span
from unslant.pipeline import SlicedAnalyzer
from unslant.server.engine import PipelinePool, SentText, TextJob, Turns

from .conftest import Start, wait_until

LONG = {"text": "The plan is old, and the committee took hold of it on Tuesday. " * 300}


def test_a_sentence_is_answered_while_six_clients_send_long_texts(start: Start) -> None:
    server = start(analyzers=("rules", "held"))
    with ThreadPoolExecutor(6) as pool:
        sent = [pool.submit(server.post, "/v1/check", LONG) for _ in range(6)]
        wait_until(lambda: server.held)
        answers = [server.post("/v1/check", {"text": "The legendary singer spoke."}) for _ in range(3)]
        assert {answer.status_code for answer in answers} == {200}
        assert not any(answer.done() for answer in sent)
        server.let_go()
        assert {answer.result().status_code for answer in sent} == {200}


def test_a_sentence_is_explained_while_clients_send_long_texts(start: Start) -> None:
    server = start(analyzers=("rules", "model", "held"))
    with ThreadPoolExecutor(2) as pool:
        sent = [pool.submit(server.post, "/v1/check", LONG) for _ in range(2)]
        wait_until(lambda: server.held)
        assert server.post("/v1/explain", {"text": "The legendary singer spoke."}).status_code == 200
        assert not any(answer.done() for answer in sent)
        server.let_go()
        assert {answer.result().status_code for answer in sent} == {200}


def test_slices_are_bounded_by_characters_and_give_the_same_answers() -> None:
    text = "One two. " * 20
    document = Document(text, text)
    sentences = [Sentence(document, Span(start, start + 8)) for start in range(0, len(text), 9)]
    sizes: list[int] = []

    class Counting:
        def analyze(self, sentences: list[Sentence]) -> list[Analysis]:
            sizes.append(sum(len(sentence.span) for sentence in sentences))
            return [Analysis(probability=sentence.span.start / 1_000) for sentence in sentences]

    steps: list[int] = []
    sliced = SlicedAnalyzer(Counting(), 20, lambda: steps.append(len(sizes)))  # type: ignore[arg-type]
    found = sliced.analyze(sentences)
    assert [analysis.probability for analysis in found] == [one.span.start / 1_000 for one in sentences]
    assert max(sizes) == 24
    assert steps == list(range(len(sizes)))
    assert sliced.analyze([]) == []


def test_nobody_gives_way_for_good() -> None:
    turns = Turns()
    passed = threading.Event()

    def read() -> None:
        turns.give_way(1, 3600)
        passed.set()

    with turns.wait_for(0):
        thread = threading.Thread(target=read)
        thread.start()
        assert passed.wait(30)
        thread.join()


@pytest.mark.parametrize(
    ("waiting", "reading", "gives_way"), [(0, 1, True), (1, 2, True), (1, 1, False), (2, 1, False)]
)
def test_a_text_gives_way_to_shorter_ones_only(
    waiting: int, reading: int, gives_way: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unslant.server.engine._LONGEST_PAUSE", 3600)
    turns = Turns()
    passed = threading.Event()

    def read() -> None:
        turns.give_way(reading, 3600)
        passed.set()

    thread = threading.Thread(target=read)
    with turns.wait_for(waiting):
        thread.start()
        assert passed.wait(0.2 if gives_way else 30) is not gives_way
    thread.join(30)
    assert passed.is_set()


def test_a_text_gives_way_in_proportion_to_what_it_took(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules are read in no time: pausing a tenth of a second after each slice of them would starve a text."""
    pauses: list[float] = []
    turns = Turns()
    monkeypatch.setattr(turns, "give_way", lambda _, seconds: pauses.append(seconds))
    pool = PipelinePool(Spec(analyzers=("rules",)), turns)
    pool.run(TextJob(Spec(analyzers=("rules",))), [SentText("The plan is old. " * 200)], lambda: True, rank=1)
    began = time.perf_counter()
    pool.run(TextJob(Spec(analyzers=("rules",))), [SentText("The plan is new. " * 200)], lambda: True, rank=1)
    assert len(pauses) > 5
    assert sum(pauses[len(pauses) // 2 :]) <= 2 * (time.perf_counter() - began)
