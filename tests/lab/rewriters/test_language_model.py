"""A language model as a rewriter, behind a real server on the loopback interface that says what the test wants."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import unslant
from unslant.core.errors import ModelError
from unslant.core.types import Applicability, Span
from unslant.lab.rewriters.language_model import LanguageModelRewriter
from unslant.protocols import Unanswered, Wording, WordsInSentence
from unslant.spec import Spec

from ..lm.scripted import Said, Server, scripted_server


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("unslant.lab.lm.endpoint.time.sleep", lambda _: None)
    with scripted_server() as running:
        yield running


SENTENCE = "The singer slammed the plan of Ana Ruiz in front of 40 people on Monday."


def _words(sentence: str, *words: str, before: str = "") -> list[WordsInSentence]:
    starts = [sentence.index(each) for each in words]
    return [
        WordsInSentence(sentence, Span(at, at + len(each)), "model/praise", before, "It praises.", "news")
        for at, each in zip(starts, words, strict=True)
    ]


def _answers(*wordings: object) -> str:
    return json.dumps({str(number): each for number, each in enumerate(wordings, 1)})


def _offered(fixed: unslant.Fixed) -> list[str]:
    return [edit.replacement for finding in fixed.report.findings for edit in finding.edits]


def test_one_request_has_all_findings_of_a_sentence_with_what_is_wrong_and_the_standard(
    server: Server,
) -> None:
    server.say = lambda _: _answers(["noted"], ["", "said"])
    passages = _words("The legendary singer slammed it.", "legendary", "slammed", before="It rained.")
    first, second = LanguageModelRewriter(server.address, Spec()).propose(passages)
    assert [wording.text for wording in first] == ["noted"]
    assert [wording.text for wording in second] == ["", "said"]
    (asked,) = server.asked
    system, user = (message["content"] for message in asked["messages"])
    assert "JSON" in system
    assert "The <1>legendary</1> singer <2>slammed</2> it." in user
    assert '1. "legendary": It praises.' in user
    assert "News report" in user
    assert "It rained." in user
    schema = asked["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["1", "2"]


def test_what_the_model_writes_is_offered_for_review_first_and_in_its_order(server: Server) -> None:
    server.say = lambda _: _answers(["opposed", "disputed", "rejected"])
    (finding,) = unslant.fix(SENTENCE, spec=server.spec()).report.findings
    offered = [(edit.replacement, edit.applicability) for edit in finding.edits]
    safe = [each for each in offered if each[1] is Applicability.SAFE]
    assert offered[len(safe) :] == [
        (text, Applicability.REVIEW) for text in ("opposed", "disputed", "rejected")[: 3 - len(safe)]
    ]
    notes = {edit.note for edit in finding.edits if edit.source == "rewriter"}
    assert notes == {"A language model wrote this; check that it says the same."}


def test_what_the_policy_would_not_offer_is_offered_because_the_user_asked(server: Server) -> None:
    text = "The plan was a legendary catastrophe for the town council, which met twice."
    server.say = lambda _: _answers(["widely known"])
    fixed = unslant.fix(text, spec=server.spec())
    assert "widely known" in _offered(fixed)
    assert fixed.text == text
    assert "widely known" in unslant.fix(text, spec=server.spec(), unsafe=True).text


@pytest.mark.parametrize(
    "wording",
    [
        "criticized <b>it</b>",
        "criticized **it**",
        "criticized\nand left",
        "criticized\u202e",
        "criticized \u200b",
        "criticized 50 times",
        "and Bob Jones criticized",
        "did not criticize",
        "allegedly criticized",
        "criticized. He left",
        "criticized http://example.org/x for",
        "word " * 40,
        "\ud800",
        "said “no” to",
        "!!!",
        "and the Republicans criticized",
        "and terrorists criticized",
    ],
)
def test_a_wording_that_breaks_an_invariant_is_never_offered(server: Server, wording: str) -> None:
    server.say = lambda _: _answers([wording, "questioned"])
    fixed = unslant.fix(SENTENCE, spec=server.spec())
    assert {"criticized", "questioned"} == set(_offered(fixed))


@pytest.mark.parametrize(
    ("sentence", "wording", "never"),
    [
        ("He shockingly did not slam the 40 plans.", "did slam", "did slam"),
        ("The Democrats slammed the plan on Monday.", "of the Republicans criticized", "Republicans"),
        ("They slammed illegal aliens on Monday.", "criticized undocumented", "undocumented"),
        ("The notorious Ana Ruiz left on Monday.", "infamous Bob", "Bob"),
    ],
)
def test_no_fact_and_no_side_is_changed(server: Server, sentence: str, wording: str, never: str) -> None:
    server.say = lambda _: _answers([wording], [wording], [wording])
    fixed = unslant.fix(sentence, spec=server.spec(), unsafe=True)
    assert server.asked
    assert not [text for text in _offered(fixed) if never in text]
    assert never not in fixed.text


@pytest.mark.parametrize(
    "said",
    [
        '```json\n{"1": ["opposed"]}\n```',
        'Sure! Here it is: {"1": ["opposed"]} Anything else?',
        '<think>{"1": ["lied"]} no</think>{"1": ["opposed"]}',
        '{"1": ["\\"opposed\\""]}',
        '{"1": ["opposed."], "7": ["x"], "one": ["y"], "2": "z"}',
        json.dumps({"1": [SENTENCE.replace("slammed", "opposed")]}),
        '{"1": ["opposed", 3, null, {"a": 1}]}',
    ],
)
def test_an_answer_is_read_leniently(server: Server, said: str) -> None:
    server.say = lambda _: said
    (found,) = LanguageModelRewriter(server.address, Spec()).propose(_words(SENTENCE, "slammed"))
    assert [wording.text for wording in found] == ["opposed"]


@pytest.mark.parametrize(
    "said", ["", "Es tut mir leid.", "[1, 2]", '{"1": ["opposed"', "{" * 5000, '{"a":' * 5000, "null"]
)
def test_an_answer_that_is_no_json_is_a_note(server: Server, said: str) -> None:
    server.say = lambda _: said
    fixed = unslant.fix(SENTENCE, spec=server.spec())
    assert "criticized" in _offered(fixed)
    (note,) = fixed.notes
    assert "not the JSON that was asked for" in note.message


@pytest.mark.parametrize("said", ['{"1": "opposed"}', '{"1": {"a": "b"}}', '{"2": ["x"]}', '{"1": []}', "{}"])
def test_an_answer_of_other_types_proposes_nothing(server: Server, said: str) -> None:
    server.say = lambda _: said
    assert LanguageModelRewriter(server.address, Spec()).propose(_words(SENTENCE, "slammed")) == [[]]


def test_mirrored_sentences_get_mirrored_wordings_by_one_request(server: Server) -> None:
    def say(body: dict[str, Any]) -> str:
        marked = re.search(r"<1>(.*)</1>", body["messages"][1]["content"])
        assert marked
        return _answers([f"{marked[1].split()[0]} members"])

    server.say = say
    rewriter = LanguageModelRewriter(server.address, Spec())
    left, right = (f"The rally of {side} crooks was loud." for side in ("Democratic", "Republican"))
    ((first,),) = rewriter.propose(_words(left, "Democratic crooks"))
    ((second,),) = rewriter.propose(_words(right, "Republican crooks"))
    assert first.text == "Democratic members"
    assert second.text == "Republican members"
    assert len(server.asked) == 1


def test_a_wording_that_names_the_other_side_is_dropped(server: Server) -> None:
    server.say = lambda _: _answers(["Republican members", "members"])
    for side in ("Democratic", "Republican"):
        sentence = f"The rally of {side} crooks was loud."
        server.asked.clear()
        (found,) = LanguageModelRewriter(server.address, Spec()).propose(_words(sentence, f"{side} crooks"))
        asked = server.asked[0]["messages"][1]["content"]
        texts = [wording.text for wording in found]
        other = "Republican" if side == "Democratic" else "Democratic"
        assert not any(other in text for text in texts), asked


def test_log_probabilities_are_those_of_the_wording(server: Server) -> None:
    said = '{"1": ["op posed", "ok"]}'
    tokens = ['{"1": [', '"op', " pos", 'ed"', ", ", '"ok"', "]}"]
    server.say = lambda _: said
    server.logprobs = [{"token": token, "logprob": -0.25} for token in tokens]
    (found,) = LanguageModelRewriter(server.address, Spec()).propose(_words(SENTENCE, "slammed"))
    assert [(wording.text, wording.log_probability) for wording in found] == [
        ("op posed", -0.75),
        ("ok", -0.25),
    ]
    server.logprobs = [{"token": "other", "logprob": -1}]
    (found,) = LanguageModelRewriter(server.address, Spec()).propose(_words(SENTENCE, "slammed"))
    assert {round(wording.log_probability, 2) for wording in found} == {-0.69}


@pytest.mark.parametrize(
    ("code", "message", "gone"),
    [
        (400, "'response_format' of type 'json_schema' is not supported with this model.", "response_format"),
        (403, "You are not allowed to request logprobs from this model.", "logprobs"),
        (422, "temperature does not support 0, only the default (1) is supported", "temperature"),
    ],
)
def test_a_server_that_takes_less_is_asked_for_less(
    server: Server, code: int, message: str, gone: str
) -> None:
    def say(body: dict[str, Any]) -> Said:
        return (code, {"error": {"message": message}}) if gone in body else _answers(["opposed"])

    server.say = say
    ((wording,),) = LanguageModelRewriter(server.address, Spec()).propose(_words(SENTENCE, "slammed"))
    assert wording.text == "opposed"
    assert gone not in server.asked[-1]


LONG = [f"Singer number {each} slammed it." for each in ("five", "six", "seven", "eight", "nine", "ten")]


def test_a_failed_request_costs_only_its_passage(server: Server) -> None:
    server.say = lambda body: (
        (500, {}) if "seven <1>" in body["messages"][1]["content"] else _answers(["opposed"])
    )
    found = LanguageModelRewriter(server.address, Spec()).propose(
        [each for sentence in LONG for each in _words(sentence, "slammed")]
    )
    assert [[wording.text for wording in each] for each in found] == [
        ["opposed"] if at != 2 else [] for at in range(len(LONG))
    ]
    assert isinstance(found[2], Unanswered)
    assert "500" in found[2].why
    fixed = unslant.fix(" ".join(LONG), spec=server.spec())
    (note,) = fixed.notes
    assert note.span is not None
    assert fixed.document.source[note.span.start : note.span.end] == LONG[2]
    assert "the rewriter proposes nothing for this sentence" in note.message


def test_a_server_that_stops_answering_is_not_asked_for_ever(server: Server) -> None:
    server.say = lambda _: _answers(["opposed"])
    rewriter = LanguageModelRewriter(server.address, Spec())
    rewriter.propose(_words(SENTENCE, "slammed"))
    server.asked.clear()
    server.say = lambda _: (500, {})
    many = [each for at in range(60) for each in _words(f"The {at}th singer slammed it.", "slammed")]
    found = rewriter.propose(many)
    assert all(isinstance(each, Unanswered) for each in found)
    assert len(server.asked) < 40


@pytest.mark.parametrize(
    "said", [(500, {}), b"not json", b'{"choices": []}', (401, {"error": {"message": "no"}}), (302, {})]
)
def test_a_server_that_never_answers_is_one_sentence(server: Server, said: Said) -> None:
    server.say = lambda _: said
    server.headers = {"Location": "http://127.0.0.1:9/elsewhere"}
    with pytest.raises(ModelError, match=r"http://127.0.0.1") as raised:
        LanguageModelRewriter(server.address, Spec()).propose(_words(SENTENCE, "slammed"))
    assert "\n" not in str(raised.value)


def test_an_answer_without_end_is_given_up(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unslant.lab.lm.endpoint._LARGEST", 10_000)
    server.say = lambda _: "x" * 100_000
    with pytest.raises(ModelError, match="too large"):
        LanguageModelRewriter(server.address, Spec()).propose(_words(SENTENCE, "slammed"))


def test_an_answer_that_never_comes_costs_only_its_passage(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unslant.lab.rewriters.language_model._SECONDS", 0.5)
    done = threading.Event()

    def say(body: dict[str, Any]) -> str:
        if "seven <1>" in body["messages"][1]["content"]:
            done.wait(60)
        return _answers(["opposed"])

    server.say = say
    try:
        rewriter = LanguageModelRewriter(server.address, Spec())
        first, second = rewriter.propose([*_words(LONG[0], "slammed"), *_words(LONG[2], "slammed")])
    finally:
        done.set()
    assert [wording.text for wording in first] == ["opposed"]
    assert isinstance(second, Unanswered)
    assert "no answer" in second.why


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("http://127.0.0.1:9/v1?model=toy", "start the server, or correct the address"),
        ("ollama/llama3.2", "ollama serve"),
        ("openai/gpt-4o-mini", "set OPENAI_API_KEY"),
        ("openai:gpt-4o-mini", "write openai/gpt-4o-mini"),
    ],
)
def test_a_server_that_is_not_there_says_what_to_do_before_any_text(
    name: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    with pytest.raises(ModelError, match=re.escape(told)):
        LanguageModelRewriter(name, Spec())


def test_a_text_that_is_read_again_is_not_asked_about_again(server: Server) -> None:
    server.say = lambda _: _answers(["opposed"])
    rewriter = LanguageModelRewriter(server.address, Spec())
    first, second = (rewriter.propose(_words(SENTENCE, "slammed")) for _ in range(2))
    assert (
        first
        == second
        == [[Wording("opposed", first[0][0].log_probability, server.address.partition("/v1")[0])]]
    )
    assert len(server.asked) == 1
    assert rewriter.propose([]) == []
