"""Rewriting over HTTP is rewriting."""

from __future__ import annotations

import json
import signal
import socket
from concurrent.futures import ThreadPoolExecutor

from unslant.edits.fixer import Fixer
from unslant.spec import Spec
from unslant.text.reading import read

from ..lab.lm.scripted import scripted_server
from .conftest import Server, Start, wait_until

TEXT = "Ask the mailman. The legendary singer slammed the plan, and the fireman left. 😀\n"


def test_answers_equal_those_of_the_library(server: Server) -> None:
    expected = next(Fixer(Spec(analyzers=("rules",))).fix([read(TEXT, "markdown", "page.md")])).to_dict()
    assert server.post("/v1/fix", {"text": TEXT, "id": "page.md"}).json() == expected
    assert expected["edits"]
    items = [{"text": TEXT, "id": "page.md"}, {"text": 7}, {"text": ""}]
    answer = server.post("/v1/fix", {"items": items}).json()["items"]
    assert [response["status"] for response in answer] == [200, 422, 200]
    assert answer[0]["fixed"] == expected
    assert (answer[1]["fixed"], answer[2]["fixed"]["text"]) == (None, "")


def test_every_edit_comes_with_what_was_decided(server: Server) -> None:
    fixed = server.post("/v1/fix", {"text": TEXT}).json()
    for edit in fixed["edits"]:
        assert edit["applicability"] in ("safe", "review", "display")
        assert edit["source"]
        assert not edit["applied"] or edit["applicability"] == "safe"
    assert fixed["changed"] == (fixed["text"] != TEXT) == any(edit["applied"] for edit in fixed["edits"])


LISTS = ["legendary and " * 1000 + "le", "\n".join(["slammed", "legendary", "chairman", "so-called"] * 100)]


def test_long_lists_of_words_are_answered_and_hold_nobody_up(server: Server) -> None:
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(server.post, "/v1/fix", {"text": text}) for text in LISTS * 4]
        checks = [server.post("/v1/check", {"text": TEXT}) for _ in range(20)]
    assert {answer.status_code for answer in checks} == {200}
    for answer in answers:
        fixed = answer.result().json()
        assert answer.result().status_code == 200
        assert any("too many places" in note["message"] for note in fixed["notes"])
        assert fixed["report"]["findings"]


def test_checking_does_not_wait_for_fixing(start: Start) -> None:
    server = start(analyzers=("rules", "held"))
    with ThreadPoolExecutor(1) as pool:
        fixing = pool.submit(server.post, "/v1/fix", {"text": f"{TEXT} Take hold of it."})
        wait_until(lambda: server.held)
        assert server.post("/v1/check", {"text": TEXT}).status_code == 200
        assert not fixing.done()
        server.let_go()
        assert fixing.result().status_code == 200


def test_a_stop_does_not_wait_for_a_text_that_takes_long(start: Start) -> None:
    server = start("--limit", "grace-seconds=1", analyzers=("rules", "held"))
    body = json.dumps({"text": f"{TEXT} Take hold of it."}).encode()
    head = (
        b"POST /v1/fix HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        % len(body)
    )
    with socket.create_connection(("127.0.0.1", server.port), timeout=120) as waiting:
        waiting.sendall(head + body)
        wait_until(lambda: server.held)
        server.process.send_signal(signal.SIGTERM)
        # nobody lets go of the text
        assert server.process.wait(120) == 0
    assert "Traceback" not in server.log.read_text()


def test_a_language_model_rewords_where_the_server_was_started_with_one(start: Start) -> None:
    text = "The legendary singer left the stage on Monday."
    with scripted_server() as model:
        model.say = lambda _: '{"1": ["well-known"]}'
        server = start("--rewriter", f"llm:{model.address}")
        (edit,) = server.post("/v1/fix", {"text": text}).json()["edits"]
        assert (edit["replacement"], edit["applicability"]) == ("well-known", "review")
        assert edit["note"] == "A language model wrote this; check that it says the same."
        asked = len(model.asked)
        assert server.post("/v1/check", {"text": text}).status_code == 200
        assert len(model.asked) == asked
        assert "the text is sent to http://127.0.0.1" in server.log.read_text()
