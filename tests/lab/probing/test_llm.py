"""A language model as analyzer, local and behind an endpoint; and runs with a local model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from unslant.core.errors import ConfigError, ModelError
from unslant.core.taxonomy import dimensions, kinds
from unslant.core.types import Analysis, Document, Sentence, Span
from unslant.lab.probing.analyzer import LlmAnalyzer
from unslant.lab.probing.answerers import LogitAnswerer
from unslant.lab.probing.probe import prepare
from unslant.lab.probing.settings import ProbeSettings
from unslant.registry import resolve
from unslant.spec import Spec
from unslant.testing import check_analyzer

from .tiny_models import tiny_lm, tiny_model, tokenizer_of
from .tiny_tokenizers import SORTS

pytestmark = pytest.mark.torch

TEXT = "The  awful council\nmet on Monday. They praised the plan, as naïve people do. 12 zogs came 😀 late!"


def _sentences(text: str = TEXT) -> list[Sentence]:
    document = Document(text, text)
    ends = [0, *(at + 1 for at, sign in enumerate(text) if sign in ".!")]
    spans = [Span(low, high) for low, high in pairwise(ends)]
    trimmed = [Span(span.start + (text[span.start] == " "), span.end) for span in spans]
    return [Sentence(document, span) for span in trimmed]


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[str], str]:
    """Save a model with a tokenizer of one sort, and return its folder."""

    def save(sort: str) -> str:
        tokenizer = tokenizer_of(sort)
        tiny_model("llama", len(tokenizer), 2048).save_pretrained(tmp_path / sort)
        tokenizer.save_pretrained(tmp_path / sort)
        return str(tmp_path / sort)

    return save


@pytest.mark.parametrize("sort", SORTS)
def test_a_local_model_keeps_to_the_contract_of_analyzers(folder: Callable[[str], str], sort: str) -> None:
    spec = Spec(analyzers=("rules",), threshold=0.0)
    analyzer = resolve("analyzer", f"llm:{folder(sort)}")(spec)
    assert isinstance(analyzer, LlmAnalyzer)
    check_analyzer(analyzer, _sentences())
    analyses = analyzer.analyze(_sentences())
    found = [finding for analysis in analyses for finding in analysis.findings]
    assert found
    for finding in found:
        assert finding.text == TEXT[finding.span.start : finding.span.end]
        assert finding.kind in kinds()
        assert finding.dimension is None or finding.dimension in dimensions()
        assert (finding.dimension is not None) == (finding.kind == "demographic")
        assert finding.origin == "llm"
    assert set(analyzer.provenance) == {"language model", "questions"}
    assert LlmAnalyzer(folder(sort), Spec(threshold=1.0)).analyze(_sentences())[0].findings == ()


def test_a_sentence_that_the_model_cannot_see_whole_stays_unjudged(folder: Callable[[str], str]) -> None:
    analyzer = LlmAnalyzer(folder("byte-level"), Spec(threshold=0.0))
    text = "zog " * 1500 + "."
    (analysis,) = analyzer.analyze([Sentence(Document(text, text), Span(0, len(text)))])
    assert analysis == Analysis()


@contextmanager
def endpoint(answer: Callable[[str], bytes]) -> Iterator[str]:
    """Serve the answers of a function over HTTP, as an OpenAI-compatible server would."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            content = answer(body["messages"][-1]["content"])
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1?model=toy"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _choice(text: str) -> bytes:
    return json.dumps({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}).encode()


def _toy(words: str) -> Callable[[str], bytes]:
    def answer(prompt: str) -> bytes:
        text, _, question = prompt.rpartition("\n\n")[2].partition("\n")
        if "slanted?" in question and "Which words" not in question:
            return _choice("Yes" if "awful" in text else "No" if "plan" in text else "Who knows")
        if "Which words" in question:
            return _choice(words)
        return _choice("framing")

    return answer


def test_an_endpoint_is_believed_where_its_answer_stands_in_the_sentence() -> None:
    with endpoint(_toy('"awful"')) as address:
        first, second, third = LlmAnalyzer(address, Spec()).analyze(_sentences())
    (finding,) = first.findings
    assert (finding.text, finding.kind, finding.probability) == ("awful", "framing", None)
    assert TEXT[finding.span.start : finding.span.end] == "awful"
    assert second == Analysis()
    assert third == Analysis()  # nonsense is no verdict


@pytest.mark.parametrize("words", ["terrible", "Awful", "awful, I think", ""])
def test_an_answer_that_does_not_is_rejected_and_never_mended(words: str) -> None:
    with endpoint(_toy(words)) as address:
        assert [analysis.findings for analysis in LlmAnalyzer(address, Spec()).analyze(_sentences())] == [
            (),
            (),
            (),
        ]


def test_a_server_that_answers_nonsense_or_not_at_all_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("unslant.lab.lm.endpoint.time.sleep", lambda _: None)
    with endpoint(lambda _: b"<html>") as address, pytest.raises(ModelError, match="is not JSON"):
        LlmAnalyzer(address, Spec()).analyze(_sentences())
    with pytest.raises(ModelError, match="nobody answers"):
        LlmAnalyzer("http://127.0.0.1:9/v1?model=x", Spec()).analyze(_sentences())


@pytest.mark.parametrize("sampling", ["random", "oracle"])
def test_a_run_with_a_local_model_shares_examples_and_measures(
    made_up: Path, tmp_path: Path, sampling: str
) -> None:
    answerer = LogitAnswerer(tiny_lm(room=4096))
    names = ("question", "null")
    setting = ProbeSettings(
        shots=(0, 5), descriptions=names, sampling=sampling, seeds=2, items=8, data=made_up
    )
    work = prepare("identification", answerer, setting, tmp_path / "a.jsonl")
    cost = work.estimate()
    assert cost.prompts == 13 * 8 * 3
    assert cost.read < cost.plain / 2
    assert cost.seconds is not None
    result = work.run()
    assert {(cell.family, cell.shots) for cell in result.cells} == {(a, b) for a in names for b in (0, 5)}
    for cell in result.cells:
        assert cell.invalid == 0
        assert cell.metrics["exact"].mean is not None
    assert work.estimate().prompts == 0
    assert work.run().to_dict() == result.to_dict()


def test_a_context_too_short_says_how_many_examples_fit(made_up: Path, tmp_path: Path) -> None:
    answerer = LogitAnswerer(tiny_lm(room=512))
    with pytest.raises(
        ConfigError, match=r"512 tokens holds a text of median length and (\d+) of the 20 examples"
    ) as error:
        prepare(
            "diagnosis", answerer, ProbeSettings(shots=(20,), items=6, data=made_up), tmp_path / "a.jsonl"
        )
    fit = int(str(error.value).partition("use --shots ")[2].split()[0])
    assert 0 < fit < 20
    prepare("diagnosis", answerer, ProbeSettings(shots=(fit,), items=6, data=made_up), tmp_path / "a.jsonl")


def test_a_text_that_does_not_fit_is_set_aside_and_counted(made_up: Path, tmp_path: Path) -> None:
    path = made_up / "cad" / "cad_v1_1_test.tsv"
    path.write_text(path.read_text() + "long-post\t" + "zog " * 600 + "\tAffiliationDirectedAbuse\n")
    answerer = LogitAnswerer(tiny_lm(room=512))
    work = prepare(
        "diagnosis", answerer, ProbeSettings(descriptions=("null",), data=made_up), tmp_path / "a.jsonl"
    )
    (cell,) = work.run().cells
    assert cell.invalid == 1
    assert cell.answers == 49
