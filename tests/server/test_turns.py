"""Long texts give way to short requests."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from unslant.core.types import Analysis, Document, Sentence, Span
from unslant.pipeline import SlicedAnalyzer
from unslant.server.engine import Turns

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
        turns.give_way()
        passed.set()

    with turns.first():
        thread = threading.Thread(target=read)
        thread.start()
        assert passed.wait(30)
        thread.join()
